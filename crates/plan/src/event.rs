//! What happens, as it happens: one typed stream that every front end renders in its own way.

use kelson_model::ObjectId;

use crate::{Action, Blame, Refusal, Verdict};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The objects were read.
    Read {
        /// Where from.
        source: String,
        /// How many.
        objects: usize,
    },
    /// The plan is known.
    Planned(Summary),
    /// Somebody else is applying; we wait for them, or they are gone and we take over.
    Lease(String),
    /// A wave begins.
    Wave {
        /// Which one, from 1.
        number: usize,
        /// Of how many.
        of: usize,
        /// How many steps it has.
        steps: usize,
    },
    /// A request is tried again.
    Retry {
        /// About what.
        what: String,
        /// Why.
        why: String,
    },
    /// A step was done.
    Step {
        /// On what.
        id: ObjectId,
        /// What came of it.
        outcome: Outcome,
    },
    /// Something that takes time is waited for: a definition to be established, an object to be gone.
    Waiting {
        /// For what.
        id: ObjectId,
        /// What is waited for, such as `established` or `gone`.
        until: &'static str,
    },
    /// Something worth knowing.
    Warning(String),
    /// All is done.
    Done(Summary),
    /// The health of objects is waited for.
    Observing {
        /// Of how many.
        objects: usize,
    },
    /// An object is found to be otherwise than before, or for another reason.
    Health {
        /// Which one.
        id: ObjectId,
        /// How it is.
        verdict: Verdict,
        /// What is behind it.
        because: Vec<Blame>,
    },
    /// Waiting is over.
    Observed(HealthSummary),
}

/// How many objects are how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthSummary {
    /// As they should be.
    pub current: usize,
    /// On their way.
    pub in_progress: usize,
    /// Failed.
    pub failed: usize,
    /// Being deleted.
    pub terminating: usize,
    /// Not there.
    pub not_found: usize,
    /// Not known.
    pub unknown: usize,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was made.
    Created,
    /// It was changed.
    Changed,
    /// It was deleted and made anew.
    Recreated,
    /// It was as it should be.
    Unchanged,
    /// It is gone.
    Deleted,
    /// Our fields are gone from it.
    Released,
    /// It was left as it is, for a reason.
    Kept(String),
    /// The server, or the ground, refused.
    Failed(Refusal),
    /// It was not tried, since what it depends on failed.
    Skipped(ObjectId),
}

impl Outcome {
    /// What a step comes to that sends nothing; nothing for those that do, and for what is only forgotten.
    pub fn without_write(action: &Action) -> Option<Self> {
        match action {
            Action::Keep(None) => Some(Self::Unchanged),
            Action::Keep(Some(why)) => Some(Self::Kept(why.clone())),
            Action::Fail(failure) => Some(Self::Failed(failure.refusal())),
            Action::Create
            | Action::Change
            | Action::Recreate(_)
            | Action::Delete
            | Action::Release
            | Action::Forget => None,
        }
    }
}

/// How many objects of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Made, or to be made.
    pub created: usize,
    /// Changed.
    pub changed: usize,
    /// Made anew.
    pub recreated: usize,
    /// Deleted.
    pub deleted: usize,
    /// Released.
    pub released: usize,
    /// As they should be.
    pub unchanged: usize,
    /// Left as they are for a reason.
    pub kept: usize,
    /// Failed.
    pub failed: usize,
    /// Not tried.
    pub skipped: usize,
}

/// Hears of what happens.
pub trait Listener: Send + Sync {
    /// Something happened.
    fn hear(&self, event: &Event);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn hear(&self, _: &Event) {}
}

impl Summary {
    /// Counts an outcome.
    pub fn count(&mut self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Created => &mut self.created,
            Outcome::Changed => &mut self.changed,
            Outcome::Recreated => &mut self.recreated,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Deleted => &mut self.deleted,
            Outcome::Released => &mut self.released,
            Outcome::Kept(_) => &mut self.kept,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Skipped(_) => &mut self.skipped,
        };
        *counter += 1;
    }
}

/// What came of a step, for the record.
#[derive(Clone, Debug)]
pub struct ObjectResult {
    /// On what.
    pub id: ObjectId,
    /// What came of it.
    pub outcome: Outcome,
}
