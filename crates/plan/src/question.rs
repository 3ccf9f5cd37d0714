//! What must be asked of the cluster.

use std::collections::{HashMap, HashSet};

use kelson_model::ObjectId;
use kelson_yaml::Node;

use crate::plan::Pending;
use crate::standing::{Standing, standing};
use crate::{
    Awaits, Catalog, Conflict, Delivery, Desired, DryRun, Entry, Found, Hash, Inventory, Kind,
    Live, Options, Snapshot, State, Take, ignore,
};

/// An object to be read.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which one.
    pub id: ObjectId,
    /// Its kind, in the version to read it in.
    pub kind: Kind,
    /// What is known of it. Where the cluster says the same, nothing more of it is needed.
    pub recorded: Option<Recorded>,
}

/// What the last apply recorded of an object that is still wanted just so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its uid.
    pub uid: String,
    /// Of the fields that we own, see [`crate::Found::owned`].
    pub owned: Hash,
}

/// A dry run to be asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which object.
    pub id: ObjectId,
    /// Its kind.
    pub kind: Kind,
    /// What is sent, without resource version and uid.
    pub body: Node,
    /// Whether conflicts are won.
    pub force: bool,
    /// Whether there is no such object yet.
    pub is_new: bool,
}

/// What must be read: all that is desired, and all that the inventory lists. Kinds to come are read in a version that the
/// cluster has, where there is one: otherwise there cannot be an object of them.
pub fn wanted(desired: &[Desired], inventory: &Inventory, catalog: &Catalog) -> Vec<Wanted> {
    let ids: HashSet<&ObjectId> = desired.iter().map(|desired| &desired.object.id).collect();
    let wanted = desired.iter().filter_map(|desired| {
        let (id, version) = (&desired.object.id, &desired.kind.version);
        let kind = match desired.kind.to_come {
            true => readable(catalog, id, version)?,
            false => &desired.kind,
        };
        let entry = inventory.entry(id).filter(|_| !desired.kind.to_come);
        let recorded = entry.and_then(|entry| recorded(entry, &desired.hash));
        Some(Wanted { id: id.clone(), kind: kind.clone(), recorded })
    });
    let listed = inventory.entries.iter().filter(|entry| !ids.contains(&entry.id));
    let listed = listed.filter_map(|entry| {
        let kind = readable(catalog, &entry.id, &entry.version)?.clone();
        Some(Wanted { id: entry.id.clone(), kind, recorded: None })
    });
    wanted.chain(listed).collect()
}

/// A kind in the version asked for, or else in the one that the cluster prefers.
fn readable<'a>(catalog: &'a Catalog, id: &ObjectId, version: &str) -> Option<&'a Kind> {
    let versions = catalog.versions(&id.group, &id.kind);
    let mut known = versions.iter().filter(|kind| !kind.to_come);
    known.clone().find(|kind| kind.version == version).or_else(|| known.next())
}

/// What is known of an object that was applied just as it is desired.
fn recorded(entry: &Entry, desired: &Hash) -> Option<Recorded> {
    let is_applied = entry.state == State::Applied && entry.desired.as_ref() == Some(desired);
    let (uid, owned) = entry.uid.clone().zip(entry.owned.clone())?;
    is_applied.then_some(Recorded { uid, owned })
}

/// See [`crate::Draft::questions`]; the snapshot notes what is asked with force.
pub(crate) fn questions(
    delivery: Option<&Delivery>,
    desired: &[Desired],
    pending: &Pending,
    snapshot: &mut Snapshot,
    inventory: &Inventory,
    options: &Options,
) -> Vec<Question> {
    let mut questions = Vec::new();
    for desired in desired {
        let id = &desired.object.id;
        let Some(live) = snapshot.live.get(id) else { continue };
        // What has its answer need not be looked at again.
        if pending.contains(id) || matches!(snapshot.dry_runs.get(id), Some(DryRun::Would(_))) {
            continue;
        }
        let found = match live {
            Live::Absent => None,
            Live::Found(packed) => Some(packed.open()),
            Live::Recorded { .. } | Live::Unreadable(_) => continue,
        };
        let found = found.as_deref();
        let force = match found {
            None => options.check_creates.then_some(false),
            Some(found) => {
                let standing = standing(found, delivery, inventory, options);
                force(&standing, found, options).map(|force| force || delivery.is_none())
            }
        };
        let was_forced = snapshot.forced.contains(id);
        let Some(force) = force
            .and_then(|force| again(found, force, was_forced, snapshot.dry_runs.get(id), options))
        else {
            continue;
        };
        let body = ignore::body(desired, found, &options.field_manager);
        let (kind, is_new) = (desired.kind.clone(), found.is_none());
        questions.push(Question { id: id.clone(), kind, body, force, is_new });
    }
    let forced = questions.iter().filter(|question| question.force);
    snapshot.forced.extend(forced.map(|question| question.id.clone()));
    questions
}

/// Whether the first question about an object is asked with force; nothing where none is asked.
fn force(standing: &Standing, found: &Found, options: &Options) -> Option<bool> {
    match standing {
        _ if found.is_terminating() => None,
        Standing::Theirs(_) => None,
        Standing::Adopted(_) => Some(true),
        Standing::Open(_) => Some(options.take == Take::All),
    }
}

/// Whether the next question about an object is asked with force; nothing where all is known.
fn again(
    found: Option<&Found>,
    force: bool,
    was_forced: bool,
    answer: Option<&DryRun>,
    options: &Options,
) -> Option<bool> {
    match answer {
        None => Some(force),
        Some(DryRun::Refused(refusal)) if !was_forced => {
            let is_won = !Conflict::of(refusal).is_empty()
                && found.is_some_and(|found| Conflict::left(refusal, found, options).is_empty());
            is_won.then_some(true)
        }
        Some(_) => None,
    }
}

/// Whether an object awaits something of the same plan that is not there, so that no server can be asked about it.
pub(crate) fn is_pending(desired: &Desired, live: &HashMap<ObjectId, Live>) -> bool {
    match &desired.awaits {
        None => false,
        Some(Awaits::Definition(_)) => true,
        // One that could not be read may well be there; the server knows.
        Some(Awaits::Namespace(id)) => matches!(live.get(id), None | Some(Live::Absent)),
    }
}
