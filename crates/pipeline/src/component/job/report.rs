//! Who is told what: each step as it begins, and the end, however it comes about.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

/// The steps of a build, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Forget what was.
    Reset,
    /// Get the plan.
    Fetch,
    /// Judge the plan.
    Validate,
    /// Gather what is built.
    Initialize,
    /// Render, pack and push.
    Exec,
    /// Say what came of it.
    Outputs,
    /// Let everything go.
    Cleanup,
}

/// How a build stands, in the words that runners use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Getting ready.
    Initializing,
    /// At work.
    InProgress,
    /// Letting go.
    CleaningUp,
    /// Done.
    Finished,
    /// Not done, because something went wrong.
    Failed,
    /// Not done in time.
    TimedOut,
    /// Never tried.
    NotAttempted,
    /// Given up by whoever wanted it.
    Cancelled,
    /// Nobody knows.
    Unknown,
}

/// What happens in a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The component.
    pub name: String,
    /// The step that begins; nothing at the end.
    pub step: Option<Step>,
    /// How the build stands.
    pub status: Status,
}

/// Who is told.
pub type Events = Arc<dyn Fn(&Event) + Send + Sync>;

impl Step {
    /// How a build stands in this step.
    fn status(self) -> Status {
        match self {
            Self::Reset | Self::Fetch | Self::Validate | Self::Initialize => Status::Initializing,
            Self::Exec | Self::Outputs => Status::InProgress,
            Self::Cleanup => Status::CleaningUp,
        }
    }
}

/// Tells of one build. Dropped before the end, it says that the build was cancelled.
pub(super) struct Report {
    name: String,
    events: Events,
    ended: AtomicBool,
}

impl Report {
    pub(super) fn new(name: &str, events: Events) -> Self {
        Self { name: name.to_owned(), events, ended: AtomicBool::new(false) }
    }

    pub(super) fn step(&self, step: Step) {
        self.tell(Some(step), step.status());
    }

    /// Says that everything was let go, and how it ended.
    pub(super) fn end(&self, status: Status) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            self.step(Step::Cleanup);
            self.tell(None, status);
        }
    }

    fn tell(&self, step: Option<Step>, status: Status) {
        (self.events)(&Event { name: self.name.clone(), step, status });
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.end(Status::Cancelled);
    }
}
