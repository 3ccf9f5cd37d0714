//! What happens, as it happens: lines for people, with one that changes on a terminal; or a line of JSON for each event.

mod machine; // events as JSON

use std::io::{IsTerminal, Write};
use std::sync::Mutex;

use kelson_plan::{Event, Listener, Outcome};

use crate::commands::print;
use crate::draw;

/// Who is told of what happens.
pub(crate) enum Teller {
    /// People.
    Lines(Mutex<Progress>),
    /// Machines.
    Json,
}

/// How far it is, on a terminal.
#[derive(Default)]
pub(crate) struct Progress {
    is_terminal: bool,
    /// Whether a line is drawn that changes.
    is_drawn: bool,
    wave: (usize, usize),
    done: usize,
    steps: usize,
    waiting: Option<String>,
}

impl Teller {
    /// Tells machines where that is asked for, else people.
    pub(crate) fn new(json: bool) -> Self {
        let mut progress = Progress::default();
        progress.is_terminal = std::io::stderr().is_terminal();
        match json {
            true => Self::Json,
            false => Self::Lines(Mutex::new(progress)),
        }
    }
}

impl Listener for Teller {
    fn hear(&self, event: &Event) {
        match self {
            // Whoever reads us may have gone; the work goes on.
            Self::Json => drop(machine::line(event).and_then(|line| print(&line))),
            Self::Lines(progress) => {
                if let Ok(mut progress) = progress.lock() {
                    progress.hear(event);
                }
            }
        }
    }
}

impl Progress {
    fn hear(&mut self, event: &Event) {
        match event {
            // Drawn as plan and as result by whoever asked for them.
            Event::Read { .. } | Event::Planned(_) => {}
            Event::Done(_) => self.clear(),
            Event::Wave { number, of, steps } => {
                (self.wave, self.done, self.steps) = ((*number, *of), 0, *steps);
                self.draw();
            }
            Event::Waiting { id, until } => {
                self.waiting = Some(format!("{id} to be {until}"));
                self.draw();
            }
            Event::Step { id, outcome } => {
                self.waiting = None;
                self.done += 1;
                if let Some(text) = outcome_text(outcome) {
                    let text = format!("{:<10}{id}{text}\n", word(outcome));
                    self.clear();
                    print(&text).ok();
                }
                self.draw();
            }
            Event::Lease(text) => self.remark(text),
            Event::Retry { what, why } => self.remark(&format!("trying again to {what}: {why}")),
            Event::Warning(text) => self.remark(&format!("warning: {text}")),
        }
    }

    fn remark(&mut self, text: &str) {
        self.clear();
        draw::line(text);
        self.draw();
    }

    fn draw(&mut self) {
        if !self.is_terminal || self.wave.1 == 0 {
            return;
        }
        let (number, of) = self.wave;
        let mut line = format!("wave {number} of {of}: {} of {}", self.done, self.steps);
        if let Some(waiting) = &self.waiting {
            line.push_str(&format!(", waiting for {waiting}"));
        }
        eprint!("\r\x1b[K{line}");
        std::io::stderr().flush().ok();
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            eprint!("\r\x1b[K");
            std::io::stderr().flush().ok();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What came of a step, in a word.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Changed => "changed",
        Outcome::Recreated => "recreated",
        Outcome::Unchanged => "unchanged",
        Outcome::Deleted => "deleted",
        Outcome::Released => "released",
        Outcome::Kept(_) => "kept",
        Outcome::Failed(_) => "failed",
        Outcome::Skipped(_) => "skipped",
    }
}

/// What else there is to say of a step; nothing at all of what is as it was.
fn outcome_text(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Unchanged => None,
        Outcome::Kept(reason) => Some(format!(": {reason}")),
        Outcome::Failed(refusal) => Some(format!(": {refusal}")),
        Outcome::Skipped(other) => Some(format!(": it depends on {other}, which failed")),
        _ => Some(String::new()),
    }
}
