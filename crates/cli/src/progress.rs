//! What is being transferred, for a person to see: a line that changes on a terminal, nothing elsewhere.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kelson_artifact::{Digest, Transfer, Watch};

/// How often the line changes.
const PACE: Duration = Duration::from_millis(100);
/// What is over sooner than this is not shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows transfers on the terminal; the line is gone when this is.
pub(crate) struct Progress(Option<Arc<Mutex<Line>>>);

struct Line {
    begun: Instant,
    drawn: Instant,
    shown: bool,
    open: HashMap<Digest, (u64, u64)>,
    moved: u64,
}

impl Progress {
    /// Shows nothing where nobody looks.
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let line = Line { begun: now, drawn: now, shown: false, open: HashMap::new(), moved: 0 };
        Self(std::io::stderr().is_terminal().then(|| Arc::new(Mutex::new(line))))
    }

    /// What the stages tell of their transfers.
    pub(crate) fn watch(&self) -> Watch {
        match &self.0 {
            None => Watch::default(),
            Some(line) => {
                let line = Arc::clone(line);
                Watch::new(move |transfer| {
                    if let Ok(mut line) = line.lock() {
                        line.take(&transfer);
                    }
                })
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = &self.0
            && line.lock().is_ok_and(|line| line.shown)
        {
            eprint!("\r\x1b[K");
        }
    }
}

impl Line {
    fn take(&mut self, transfer: &Transfer) {
        match transfer {
            Transfer::Begun { digest, size } => {
                self.open.insert(*digest, (0, *size));
            }
            Transfer::Moved { digest, bytes } => {
                self.moved += bytes;
                if let Some((moved, _)) = self.open.get_mut(digest) {
                    *moved += bytes;
                }
            }
            Transfer::Done { digest } | Transfer::There { digest } => {
                self.open.remove(digest);
            }
        }
        let now = Instant::now();
        if now - self.begun >= PATIENCE && now - self.drawn >= PACE {
            (self.drawn, self.shown) = (now, true);
            let left: u64 =
                self.open.values().map(|(moved, size)| size.saturating_sub(*moved)).sum();
            let (moved, left) = (bytes(self.moved), bytes(left));
            eprint!("\r\x1b[K{moved} moved, {left} of {} to go", count(self.open.len(), "blob"));
            std::io::stderr().flush().ok();
        }
    }
}

/// A number of bytes as people say it.
pub(crate) fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.1} GB", number as f64 / 1e9),
    }
}

/// A number of things.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
