//! Events as lines for people. On a terminal, what is under way is drawn below them and changes in place.

use std::time::{Duration, Instant};

use kelson_cluster::Target;
use kelson_plan::{Event, Outcome};

use super::waited::Waited;
use super::word;
use crate::commands::print;
use crate::draw;
use crate::live::{Live, Stream};

/// What is drawn does not change more often, however much happens.
const SHORTEST: Duration = Duration::from_millis(50);

/// How far it is.
pub(crate) struct Progress {
    live: Live,
    drawn: Option<Instant>,
    wave: (usize, usize),
    done: usize,
    steps: usize,
    waiting: Option<String>,
    waited: Waited,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            live: Live::new(Stream::Error),
            drawn: None,
            wave: (0, 0),
            done: 0,
            steps: 0,
            waiting: None,
            waited: Waited::default(),
        }
    }

    /// Learns which of the objects that are waited for are to be gone.
    pub(super) fn expect_gone(&mut self, targets: &[Target]) {
        self.waited.expect_gone(targets);
    }

    /// Time has passed.
    pub(super) fn tick(&mut self) {
        if self.waited.is_begun() {
            self.draw();
        }
    }

    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            // Drawn as plan and as result by whoever asked for them.
            Event::Read { .. } | Event::Planned(_) => {}
            Event::Done(_) => self.settle(),
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
                    self.print(&format!("{:<10}{id}{text}\n", word(outcome)));
                }
                self.draw();
            }
            Event::Lease(text) => self.remark(text),
            Event::Retry { what, why } => self.remark(&format!("trying again to {what}: {why}")),
            Event::Warning(text) => self.remark(&format!("warning: {text}")),
            Event::Observing { objects } => self.waited.begin(*objects),
            Event::Health { id, verdict, because } => {
                let said = self.waited.hear(id, verdict, because);
                // A terminal shows all that is open anyhow; what has come right stays to be read.
                let said = said.filter(|said| said.is_settled || !self.live.is_seen());
                match said {
                    Some(said) => {
                        self.print(&said.text);
                        self.draw();
                    }
                    None => self.draw_soon(),
                }
            }
            Event::Observed(_) => {
                if self.live.is_seen() {
                    let left = self.waited.left();
                    self.print(&left);
                }
                self.settle();
            }
        }
    }

    /// What was under way is over.
    fn settle(&mut self) {
        self.live.clear();
        self.wave = (0, 0);
        self.waited.end();
    }

    fn print(&mut self, text: &str) {
        self.live.clear();
        print(text).ok();
    }

    fn remark(&mut self, text: &str) {
        self.live.clear();
        draw::line(text);
        self.draw();
    }

    /// Draws, unless that was done just now: then it is done by the next tick.
    fn draw_soon(&mut self) {
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= SHORTEST) {
            self.draw();
        }
    }

    fn draw(&mut self) {
        self.drawn = Some(Instant::now());
        if self.waited.is_begun() {
            let lines = self.waited.lines(self.live.height());
            self.live.draw(&lines);
        } else if self.wave.1 > 0 {
            let (number, of) = self.wave;
            let mut line = format!("wave {number} of {of}: {} of {}", self.done, self.steps);
            if let Some(waiting) = &self.waiting {
                line.push_str(&format!(", waiting for {waiting}"));
            }
            self.live.draw(&[line]);
        }
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
