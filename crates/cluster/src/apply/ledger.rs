//! What a step means for the record, before and after it is done.

use std::collections::HashSet;

use kelson_model::ObjectId;
use kelson_plan::{Action, Checked, Entry, Found, Hash, Inventory, Plan, State, Step};

/// What is certain of an object once its step was tried.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// It is there, and ours.
    Holds {
        /// Which one.
        uid: String,
        /// Of the fields that we own.
        owned: Hash,
    },
    /// Nothing was done to it.
    Untouched,
    /// It is gone, or no longer ours.
    Left,
    /// Nobody knows, or it is under way: it stays entered as it was before the step.
    Open,
}

impl Effect {
    pub(crate) fn holds(found: &Found) -> Self {
        Self::Holds { uid: found.uid.clone(), owned: found.owned.clone() }
    }
}

/// Whether [`crate::apply`] would write anything: an object, or only the inventory.
pub fn records(plan: &Plan, inventory: &Inventory) -> bool {
    plan.steps.iter().any(|step| {
        let known = inventory.entry(&step.id);
        writes(step) || entered(step, known).as_ref() != known
    })
}

/// Whether a step sends anything.
pub(crate) fn writes(step: &Step) -> bool {
    match step.action {
        Action::Create
        | Action::Change
        | Action::Recreate(_)
        | Action::Delete
        | Action::Release => true,
        Action::Keep(_) | Action::Forget | Action::Fail(_) => false,
    }
}

/// The record of an execution: each entry as it was before, to go back to where nothing happened.
pub(crate) struct Ledger<'p> {
    plan: &'p Plan,
    before: Vec<Option<Entry>>,
}

impl<'p> Ledger<'p> {
    /// Enters everything that a plan may bring about.
    pub(crate) fn begin(plan: &'p Plan, inventory: &mut Inventory) -> Self {
        let mut before = Vec::with_capacity(plan.steps.len());
        let mut edit = Edit::default();
        for step in &plan.steps {
            let known = inventory.entry(&step.id).cloned();
            edit.set(inventory, &step.id, entered(step, known.as_ref()));
            before.push(known);
        }
        edit.finish(inventory);
        Self { plan, before }
    }

    /// What was entered of the object of a step before.
    pub(crate) fn before(&self, index: usize) -> Option<&Entry> {
        self.before[index].as_ref()
    }

    /// Enters what came of steps, which are named by their place in the plan.
    pub(crate) fn settle(
        &self,
        inventory: &mut Inventory,
        effects: impl IntoIterator<Item = (usize, Effect)>,
    ) {
        let mut edit = Edit::default();
        for (index, effect) in effects {
            let step = &self.plan.steps[index];
            match effect {
                Effect::Open => {}
                Effect::Left => edit.set(inventory, &step.id, None),
                Effect::Untouched => edit.set(inventory, &step.id, self.before[index].clone()),
                Effect::Holds { uid, owned } => {
                    let desired = step.desired.clone();
                    let entry =
                        Entry { uid: Some(uid), owned: Some(owned), desired, ..applied(step) };
                    edit.set(inventory, &step.id, Some(entry));
                }
            }
        }
        edit.finish(inventory);
    }
}

/// How the object of a step is entered before the step is done; nothing where it is not.
fn entered(step: &Step, known: Option<&Entry>) -> Option<Entry> {
    match &step.action {
        // Nobody knows the uid of what is to be made. The one of its predecessor would make it somebody else's.
        Action::Create | Action::Recreate(_) => {
            Some(Entry { state: State::Pending, ..applied(step) })
        }
        Action::Change => Some(Entry {
            state: State::Pending,
            uid: step.ground.uid.clone(),
            desired: known.and_then(|known| known.desired.clone()),
            owned: known.and_then(|known| known.owned.clone()),
            ..applied(step)
        }),
        Action::Delete => known.map(|known| Entry { state: State::Deleting, ..known.clone() }),
        Action::Keep(None) => match step.checked {
            Checked::AsRecorded => {
                known.map(|known| Entry { state: State::Applied, ..known.clone() })
            }
            _ => Some(Entry {
                uid: step.ground.uid.clone(),
                owned: step.ground.owned.clone(),
                desired: step.desired.clone(),
                ..applied(step)
            }),
        },
        Action::Forget => None,
        Action::Release | Action::Keep(Some(_)) | Action::Fail(_) => known.cloned(),
    }
}

/// The entry of an object that was applied, as far as the step knows it.
fn applied(step: &Step) -> Entry {
    Entry {
        id: step.id.clone(),
        version: step.kind.version.clone(),
        uid: None,
        origin: step.origin,
        state: State::Applied,
        desired: None,
        owned: None,
    }
}

/// Many entries set at once: the list stays sorted without being moved for each.
#[derive(Default)]
struct Edit {
    new: Vec<Entry>,
    leaving: HashSet<ObjectId>,
}

impl Edit {
    fn set(&mut self, inventory: &mut Inventory, id: &ObjectId, entry: Option<Entry>) {
        let known = inventory.entries.binary_search_by(|known| known.id.cmp(id));
        match (known, entry) {
            (Ok(at), Some(entry)) => inventory.entries[at] = entry,
            (Ok(_), None) => {
                self.leaving.insert(id.clone());
            }
            (Err(_), Some(entry)) => self.new.push(entry),
            (Err(_), None) => {}
        }
    }

    fn finish(self, inventory: &mut Inventory) {
        if !self.leaving.is_empty() {
            inventory.entries.retain(|entry| !self.leaving.contains(&entry.id));
        }
        if !self.new.is_empty() {
            inventory.entries.extend(self.new);
            inventory.entries.sort_unstable_by(|one, other| one.id.cmp(&other.id));
            // One id in two steps would be a mistake of the plan; the record must not be the one to suffer.
            inventory.entries.dedup_by(|later, earlier| later.id == earlier.id);
        }
    }
}
