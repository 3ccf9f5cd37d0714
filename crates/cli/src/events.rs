//! What happens, as it happens: lines for people, with some that change on a terminal; or a line of JSON for each event.

mod machine; // events as JSON
mod people; // events as lines
mod waited; // what is known of what is waited for

use std::sync::Mutex;
use std::time::Duration;

use kelson_cluster::Target;
use kelson_plan::{Event, Listener, Outcome};

use crate::commands::print;

/// How often what is drawn changes, though nothing happens.
const PACE: Duration = Duration::from_millis(200);

/// Who is told of what happens.
pub(crate) enum Teller {
    /// People.
    Lines(Box<Mutex<people::Progress>>),
    /// Machines.
    Json,
}

impl Teller {
    /// Tells machines where that is asked for, else people.
    pub(crate) fn new(json: bool) -> Self {
        match json {
            true => Self::Json,
            false => Self::Lines(Box::new(Mutex::new(people::Progress::new()))),
        }
    }

    /// Runs work that waits for objects: how long it has taken so far is shown all the while.
    pub(crate) async fn during<T>(&self, targets: &[Target], work: impl Future<Output = T>) -> T {
        self.people(|progress| progress.expect_gone(targets));
        let mut work = std::pin::pin!(work);
        let mut pace = tokio::time::interval(PACE);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                _ = pace.tick() => self.people(people::Progress::tick),
            }
        }
    }

    /// Whether a machine reads standard output.
    pub(crate) fn is_machine(&self) -> bool {
        matches!(self, Self::Json)
    }

    fn people(&self, tell: impl FnOnce(&mut people::Progress)) {
        if let Self::Lines(progress) = self
            && let Ok(mut progress) = progress.lock()
        {
            tell(&mut progress);
        }
    }
}

impl Listener for Teller {
    fn hear(&self, event: &Event) {
        match self {
            // Whoever reads us may have gone; the work goes on.
            Self::Json => drop(machine::line(event).and_then(|line| print(&line))),
            Self::Lines(_) => self.people(|progress| progress.hear(event)),
        }
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
