//! What is no longer wanted.

mod data; // what would be lost with an object
mod stays; // what must not go, whatever the inventory says

use std::collections::{HashMap, HashSet};

use kelson_model::ObjectId;

use crate::marks::{DEPENDS_ON, WAVE};
use crate::resolve::dependency;
use crate::{
    Action, Catalog, Checked, Delivery, Entry, Failure, Found, Ground, Inventory, Kind, Live,
    Origin, Step, waves,
};

/// What a caller can choose about pruning.
#[derive(Clone, Debug)]
pub struct PruneOptions {
    /// Whether anything is pruned at all.
    pub enabled: bool,
    /// Whether what holds data may go.
    pub data: bool,
    /// How many objects may be deleted in one run.
    pub most: usize,
    /// What is known of namespaces and definitions that might go: what they hold that is not ours. Gathered by the edge.
    pub contents: HashMap<ObjectId, Vec<String>>,
}

impl Default for PruneOptions {
    fn default() -> Self {
        Self { enabled: true, data: false, most: 100, contents: HashMap::new() }
    }
}

/// What would be lost with an object that holds data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLoss {
    /// Which object.
    pub id: ObjectId,
    /// What would be lost, in a sentence.
    pub what: String,
}

/// The steps for what the inventory lists and nobody wants any more: [`crate::Action::Delete`], `Release`, `Keep` with the
/// reason, `Forget` for what is gone, or `Fail`. `wanted` has the steps for all that is wanted. Steps have no wave yet.
pub(crate) fn steps(
    delivery: &Delivery,
    inventory: &Inventory,
    live: &HashMap<ObjectId, Live>,
    catalog: &Catalog,
    wanted: &[Step],
    options: &PruneOptions,
) -> Vec<Step> {
    let known: HashSet<&ObjectId> = wanted.iter().map(|step| &step.id).collect();
    let judge = Judge { delivery, catalog, options };
    let entries = inventory.entries.iter().filter(|entry| !known.contains(&entry.id));
    let mut steps: Vec<Step> =
        entries.map(|entry| judge.step(entry, live.get(&entry.id))).collect();
    if options.enabled {
        spare(&mut steps, wanted, delivery);
        cap(&mut steps, options.most);
        reverse_dependencies(&mut steps, live);
    }
    steps
}

/// The namespaces and definitions that may be pruned and whose contents the edge must look at (for
/// [`PruneOptions::contents`]).
pub fn containers(inventory: &Inventory, is_desired: &dyn Fn(&ObjectId) -> bool) -> Vec<ObjectId> {
    let ids = inventory.entries.iter().map(|entry| &entry.id);
    ids.filter(|id| waves::holds_others(id) && !is_desired(id)).cloned().collect()
}

/// What an entry that nobody wants is held against.
struct Judge<'a> {
    delivery: &'a Delivery,
    catalog: &'a Catalog,
    options: &'a PruneOptions,
}

impl Judge<'_> {
    fn step(&self, entry: &Entry, live: Option<&Live>) -> Step {
        let kind = self.kind(entry);
        let mut notes = Vec::new();
        let action = match self.options.enabled {
            true => self.action(entry, live, kind.is_some(), &mut notes),
            false => Action::Keep(Some("pruning is off".to_owned())),
        };
        let found = match live {
            Some(Live::Found(packed)) => Some(packed.open()),
            _ => None,
        };
        let found = found.as_deref();
        let wave = found.and_then(|found| found.annotation(WAVE)?.trim().parse().ok());
        let checked = match action {
            Action::Delete | Action::Release => Checked::OnApply,
            _ => Checked::AsRecorded,
        };
        let kind = kind.unwrap_or_else(|| Kind::unknown(&entry.id, &entry.version));
        Step {
            action,
            ground: found.map(ground).unwrap_or_default(),
            checked,
            origin: entry.origin,
            asked_wave: wave.unwrap_or_default(),
            notes,
            ..Step::new(entry.id.clone(), kind)
        }
    }

    /// The kind in the version it was applied in, or in the preferred one where the cluster no longer has that.
    fn kind(&self, entry: &Entry) -> Option<Kind> {
        let ObjectId { group, kind, .. } = &entry.id;
        let exact = self.catalog.find(group, &entry.version, kind);
        exact.or_else(|| self.catalog.versions(group, kind).first()).cloned()
    }

    fn action(
        &self,
        entry: &Entry,
        live: Option<&Live>,
        is_known: bool,
        notes: &mut Vec<String>,
    ) -> Action {
        match live {
            Some(Live::Absent) => Action::Forget,
            Some(Live::Found(packed)) => self.verdict(entry, &packed.open(), notes),
            Some(Live::Unreadable(why)) => Action::Fail(Failure::Unreadable(why.clone())),
            None if !is_known => self.without_kind(entry, notes),
            // Recorded says that our fields are as they were, and nothing of annotations of others that would keep it.
            Some(Live::Recorded { .. }) | None => {
                Action::Fail(Failure::Unreadable("it was not read".to_owned()))
            }
        }
    }

    /// A kind that the cluster does not have has no objects, unless it could not be asked for its kinds.
    fn without_kind(&self, entry: &Entry, notes: &mut Vec<String>) -> Action {
        match self.catalog.why_unreadable(&entry.id.group) {
            Some(why) => Action::Fail(Failure::Unreadable(why.to_owned())),
            None => {
                notes.push("the cluster no longer has its kind".to_owned());
                Action::Forget
            }
        }
    }

    fn verdict(&self, entry: &Entry, found: &Found, notes: &mut Vec<String>) -> Action {
        if entry.uid.as_ref().is_some_and(|uid| *uid != found.uid) {
            notes.push("another object has its name now, which is not ours".to_owned());
            return Action::Forget;
        }
        if let Some(other) = stays::handed_over(found, self.delivery) {
            notes.push(format!("it belongs to {other} now"));
            return Action::Forget;
        }
        if let Some(why) = stays::is_not_ours(found, self.delivery) {
            return Action::Keep(Some(why));
        }
        // What was there before us stays in any case; whatever keeps it from being deleted does not matter.
        if entry.origin == Origin::Found {
            return Action::Release;
        }
        if let Some(why) = stays::is_kept(found) {
            return Action::Keep(Some(why));
        }
        if found.is_terminating() {
            notes.push("it is being deleted already".to_owned());
            return Action::Delete;
        }
        match data::held(found, self.options) {
            Some(what) if !self.options.data => {
                Action::Fail(Failure::HoldsData(DataLoss { id: entry.id.clone(), what }))
            }
            Some(what) => {
                notes.push(what);
                Action::Delete
            }
            None => Action::Delete,
        }
    }
}

fn ground(found: &Found) -> Ground {
    Ground {
        uid: Some(found.uid.clone()),
        hash: Some(found.hash.clone()),
        resource_version: Some(found.resource_version.clone()),
        owned: Some(found.owned.clone()),
    }
}

/// Keeps namespaces and definitions in which something stays: with them it would go too, and nobody was asked.
fn spare(steps: &mut [Step], wanted: &[Step], delivery: &Delivery) {
    let mut stays: HashMap<ObjectId, String> = HashMap::new();
    let kept = steps.iter().filter(|step| !matches!(step.action, Action::Delete | Action::Forget));
    for step in kept.chain(wanted) {
        for container in waves::containers(&step.id, &step.kind) {
            stays
                .entry(container)
                .or_insert_with(|| format!("it holds `{}`, which stays", step.id));
        }
    }
    for step in steps.iter_mut().filter(|step| is_going(step) && waves::holds_others(&step.id)) {
        let is_home = step.id.kind == "Namespace" && step.id.name == delivery.namespace();
        if is_home && !wanted.is_empty() {
            step.action = Action::Keep(Some("it holds the inventory".to_owned()));
        } else if let Some(why) = stays.remove(&step.id) {
            step.action = Action::Keep(Some(why));
        }
    }
}

/// Whether a step deletes an object, or would if that were allowed.
fn is_going(step: &Step) -> bool {
    matches!(step.action, Action::Delete | Action::Fail(Failure::HoldsData(_)))
}

/// Refuses all deletes where there are more than a caller expects: that many are more likely a mistake.
fn cap(steps: &mut [Step], most: usize) {
    let count = steps.iter().filter(|step| step.action == Action::Delete).count();
    if count <= most {
        return;
    }
    let text = format!(
        "{count} objects would be deleted, and one run may delete {most}: if that is meant, raise it with \
         `--max-deletions {count}`"
    );
    for step in steps.iter_mut().filter(|step| step.action == Action::Delete) {
        step.action = Action::Fail(Failure::Problem(text.clone()));
    }
}

/// What was applied after something goes before it.
fn reverse_dependencies(steps: &mut [Step], live: &HashMap<ObjectId, Live>) {
    let places: HashMap<ObjectId, usize> =
        steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
    for at in 0..steps.len() {
        let Some(Live::Found(packed)) = live.get(&steps[at].id) else { continue };
        let found = packed.open();
        let Some(text) = found.annotation(DEPENDS_ON) else { continue };
        for before in text.split(',').filter_map(|text| dependency(text.trim())) {
            if let Some(&place) = places.get(&before) {
                let after = steps[at].id.clone();
                steps[place].depends_on.push(after);
            }
        }
    }
}

#[cfg(test)]
mod tests;
