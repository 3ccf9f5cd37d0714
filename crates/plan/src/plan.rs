//! The decision.

mod decide; // about one object
mod draft; // a plan in the making
mod existing; // about one that exists
mod pending; // about one that no server can be asked about

use kelson_model::ObjectId;
use kelson_yaml::Node;

use crate::{
    Change, Delivery, Ground, Key, Kind, Origin, Problem, PruneOptions, Refusal, Summary, Take,
};
pub use draft::Draft;
pub(crate) use pending::Pending;

/// What a caller can choose about a plan.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Our field manager.
    pub field_manager: String,
    /// Which conflicts are won.
    pub take: Take,
    /// Whether objects that another tool manages are taken over.
    pub adopt: bool,
    /// Whether objects are made anew where an immutable field stands in the way.
    pub recreate: bool,
    /// Whether the server is asked about objects that do not exist yet. What is applied at once need not be.
    pub check_creates: bool,
    /// What is pruned.
    pub prune: PruneOptions,
    /// What Secrets are masked with.
    pub key: Key,
}

/// What will be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For which delivery; nothing where sources are only compared with a cluster.
    pub delivery: Option<Delivery>,
    /// On which cluster: the uid of its `kube-system`.
    pub cluster: String,
    /// The artifact that the objects come from: `sha256:…`.
    pub artifact: String,
    /// With which field manager.
    pub field_manager: String,
    /// The steps, sorted by wave and, inside of one, by id.
    pub steps: Vec<Step>,
}

/// What will be done with one object.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which object.
    pub id: ObjectId,
    /// Its kind; for what nobody knows any more, one that only has names.
    pub kind: Kind,
    /// What will be done.
    pub action: Action,
    /// What it was computed against.
    pub ground: Ground,
    /// The fields that change, or all fields of a new object; empty where nothing does.
    pub changes: Vec<Change>,
    /// Who has checked it.
    pub checked: Checked,
    /// What is sent. Not stored.
    pub body: Option<Node>,
    /// Of what is desired, see [`crate::Desired::hash`]; nothing for deletes.
    pub desired: Option<crate::Hash>,
    /// Whether conflicts are won.
    pub force: bool,
    /// How the object is entered in the inventory.
    pub origin: Origin,
    /// The patch that takes over from another tool, sent before the body. Not stored.
    pub takeover: Option<Node>,
    /// When, lowest first.
    pub wave: usize,
    /// The wave it asks for.
    pub asked_wave: i32,
    /// What must have succeeded before.
    pub depends_on: Vec<ObjectId>,
    /// What is worth knowing, such as fields left to others and why.
    pub notes: Vec<String>,
}

/// What is done with an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is made; it must not exist.
    Create,
    /// It is changed.
    Change,
    /// It is deleted and made anew, since these fields cannot be changed.
    Recreate(Vec<String>),
    /// It is deleted.
    Delete,
    /// Our fields are taken back from it.
    Release,
    /// It is as it should be: nothing is sent. With a text it is kept although nobody wants it, and that is why; its entry
    /// stays in the inventory.
    Keep(Option<String>),
    /// Nothing is known of it any more: it is gone, and its entry leaves the inventory.
    Forget,
    /// It cannot be done.
    Fail(Failure),
}

/// Why something cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Somebody else owns fields.
    Conflicts(Vec<crate::Conflict>),
    /// Another tool manages the object: its name and release.
    Managed(String),
    /// These fields cannot be changed.
    Immutable(Vec<String>),
    /// What holds data would be lost.
    HoldsData(crate::DataLoss),
    /// The server says no.
    Refused(Refusal),
    /// It could not be read.
    Unreadable(String),
    /// The object itself is wrong.
    Problem(String),
}

/// Who has checked a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The server, by a dry run.
    ByServer,
    /// Nothing needed to be checked: as recorded.
    AsRecorded,
    /// Only we could, by a definition of the same plan where there is one; the server does when it is applied.
    Here,
    /// Nobody: it is sent at once.
    OnApply,
}

fn problem(problem: Problem) -> Step {
    let kind = Kind::unknown(&problem.id, &problem.version);
    let mut step = Step::new(problem.id, kind);
    step.fail(problem.message);
    step
}

impl Step {
    /// A step that does nothing yet.
    pub(crate) fn new(id: ObjectId, kind: Kind) -> Self {
        Self {
            id,
            kind,
            action: Action::Keep(None),
            ground: Ground::default(),
            changes: Vec::new(),
            checked: Checked::AsRecorded,
            body: None,
            desired: None,
            force: false,
            origin: Origin::Created,
            takeover: None,
            wave: 0,
            asked_wave: 0,
            depends_on: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Makes it a step that cannot be done.
    fn fail(&mut self, why: String) {
        self.action = Action::Fail(Failure::Problem(why));
        (self.body, self.takeover) = (None, None);
    }
}

impl Plan {
    /// How many steps of each sort.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for step in &self.steps {
            let counter = match &step.action {
                Action::Create => &mut summary.created,
                Action::Change => &mut summary.changed,
                Action::Recreate(_) => &mut summary.recreated,
                Action::Delete => &mut summary.deleted,
                Action::Release => &mut summary.released,
                Action::Keep(None) => &mut summary.unchanged,
                Action::Keep(Some(_)) => &mut summary.kept,
                Action::Fail(_) => &mut summary.failed,
                // It is gone already; there is nobody whom that would tell anything.
                Action::Forget => continue,
            };
            *counter += 1;
        }
        summary
    }

    /// Whether nothing would be written to the cluster.
    pub fn is_empty(&self) -> bool {
        self.steps
            .iter()
            .all(|step| matches!(step.action, Action::Keep(_) | Action::Forget | Action::Fail(_)))
    }

    /// What would be lost if it were executed with `PruneOptions::data`.
    pub fn data_losses(&self) -> Vec<&crate::DataLoss> {
        let losses = self.steps.iter().filter_map(|step| match &step.action {
            Action::Fail(Failure::HoldsData(loss)) => Some(loss),
            _ => None,
        });
        losses.collect()
    }
}

#[cfg(test)]
mod tests;
