//! Who is told what: each step as it begins, and the end, however it comes about.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

/// The steps of a job, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Forget what was.
    Reset,
    /// Get the plan.
    Fetch,
    /// Judge the plan.
    Validate,
    /// Gather what is built or deployed.
    Initialize,
    /// Render, pack and push; or plan and apply.
    Exec,
    /// Say what came of it.
    Outputs,
    /// Let everything go.
    Cleanup,
}

/// How a job stands, in the words that runners use.
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

/// What happens in a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The component.
    pub name: String,
    /// The step that begins; nothing before the first and at the end.
    pub step: Option<Step>,
    /// How the job stands.
    pub status: Status,
}

/// Who is told.
pub type Events = Arc<dyn Fn(&Event) + Send + Sync>;

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepResult {
    /// Which one.
    pub step: Step,
    /// How it ended.
    pub status: Status,
}

impl Step {
    const ALL: [Self; 7] = [
        Self::Reset,
        Self::Fetch,
        Self::Validate,
        Self::Initialize,
        Self::Exec,
        Self::Outputs,
        Self::Cleanup,
    ];

    /// How a job stands in this step.
    fn status(self) -> Status {
        match self {
            Self::Reset | Self::Fetch | Self::Validate | Self::Initialize => Status::Initializing,
            Self::Exec | Self::Outputs => Status::InProgress,
            Self::Cleanup => Status::CleaningUp,
        }
    }
}

/// Tells of one job. Dropped before the end, it says that the job was cancelled.
pub(in crate::component) struct Report {
    name: String,
    events: Events,
    /// The step that has begun last.
    current: Mutex<Option<Step>>,
    ended: AtomicBool,
}

impl Report {
    pub(in crate::component) fn new(name: &str, events: Events) -> Self {
        let (current, ended) = (Mutex::new(None), AtomicBool::new(false));
        Self { name: name.to_owned(), events, current, ended }
    }

    pub(super) fn begin(&self) {
        self.tell(None, Status::Pending);
    }

    pub(in crate::component) fn step(&self, step: Step) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
        self.tell(Some(step), step.status());
    }

    /// Says that everything was let go, and how it ended.
    pub(super) fn end(&self, status: Status) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            self.tell(Some(Step::Cleanup), Step::Cleanup.status());
            self.tell(None, status);
        }
    }

    /// What became of each step of a job that has ended so.
    pub(in crate::component) fn steps(&self, end: Status) -> Vec<StepResult> {
        let current = *self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |step: Step| Step::ALL.iter().position(|known| *known == step);
        let reached = current.and_then(place);
        let status = |step: Step| match place(step).cmp(&reached) {
            _ if step == Step::Cleanup => Status::Finished,
            std::cmp::Ordering::Less => Status::Finished,
            std::cmp::Ordering::Equal => end,
            std::cmp::Ordering::Greater => Status::NotAttempted,
        };
        Step::ALL.map(|step| StepResult { step, status: status(step) }).to_vec()
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
