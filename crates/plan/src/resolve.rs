//! What was rendered, held against the kinds of a cluster.

mod missing; // what is said of a kind that is not there
mod said; // what an object says about itself in annotations
mod scaled; // workloads that an autoscaler scales

use std::collections::{HashMap, HashSet};

use kelson_model::{Object, ObjectId};

pub(crate) use said::dependency;

use crate::catalog::api_version;
use crate::marks::{OWNER_NAME, OWNER_NAMESPACE};
use crate::{Awaits, Catalog, Delivery, Desired, FieldPath, Hash, Ignore, Kind, normal};

/// What a caller can choose about a resolution.
#[derive(Clone, Debug, Default)]
pub struct ResolveOptions {
    /// The namespace of objects that name none and whose kind has one.
    pub default_namespace: String,
    /// Fields that are left to others.
    pub ignore: Vec<Ignore>,
    /// Workloads that an autoscaler in the cluster targets, whose `/spec/replicas` is left to it.
    pub scaled: Vec<ObjectId>,
}

/// What was rendered, resolved.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// What is desired, in the order given.
    pub desired: Vec<Desired>,
    /// What cannot be: missing kinds, two objects with one id, bad annotations.
    pub problems: Vec<Problem>,
}

/// Why an object cannot be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which one.
    pub id: ObjectId,
    /// Its version, for people.
    pub version: String,
    /// Why not, and what to do.
    pub message: String,
}

/// Holds objects against the kinds of a cluster (which [`Catalog::add_definitions`] has completed), gives them their
/// namespace and their owner's labels, and normalises them as Flux does before an apply. Without a delivery no labels are
/// added.
pub fn resolve(
    objects: Vec<Object>,
    catalog: &Catalog,
    delivery: Option<&Delivery>,
    options: &ResolveOptions,
) -> Resolved {
    let mut problems = Vec::new();
    let mut placed: Vec<Placed> = Vec::with_capacity(objects.len());
    for object in objects {
        match place(object, catalog, &options.default_namespace) {
            Ok(object) => placed.push(object),
            Err(problem) => problems.push(*problem),
        }
    }
    let placed = without_twins(placed, &mut problems);
    let namespaces: HashSet<String> = placed.iter().filter_map(Placed::namespace).collect();
    let scaled = scaled::targets(placed.iter().map(|placed| &placed.object), &options.scaled);
    let context = Context { delivery, ignore: &options.ignore, namespaces, scaled };
    let mut desired = Vec::with_capacity(placed.len());
    for placed in placed {
        match context.desired(placed) {
            Ok(object) => desired.push(object),
            Err(problem) => problems.push(*problem),
        }
    }
    Resolved { desired, problems }
}

/// An object whose kind and namespace are known.
struct Placed {
    object: Object,
    kind: Kind,
    /// Where it names no namespace, and is given one.
    by_default: bool,
    notes: Vec<String>,
}

impl Placed {
    /// The name of the namespace that it is.
    fn namespace(&self) -> Option<String> {
        let id = &self.object.id;
        (id.group.is_empty() && id.kind == "Namespace").then(|| id.name.clone())
    }

    /// How it was written, for people.
    fn written(&self) -> String {
        let mut text = api_version(&self.object.id.group, &self.object.version);
        if self.by_default {
            text.push_str(" without a namespace");
        }
        if let Some(place) = &self.object.place {
            text.push_str(&format!(" in {place}"));
        }
        text
    }
}

fn place(mut object: Object, catalog: &Catalog, default: &str) -> Result<Placed, Box<Problem>> {
    let Some(kind) = catalog.find(&object.id.group, &object.version, &object.id.kind) else {
        let message = missing::message(&object, catalog);
        return Err(Box::new(Problem { id: object.id, version: object.version, message }));
    };
    let mut notes = Vec::new();
    let by_default = kind.namespaced && object.id.namespace.is_empty();
    if by_default {
        object.id.namespace = default.to_owned();
        normal::set_namespace(&mut object.node, Some(default));
    } else if !kind.namespaced && !object.id.namespace.is_empty() {
        let namespace = std::mem::take(&mut object.id.namespace);
        notes.push(format!("its namespace `{namespace}` is left out: a {} has none", kind.kind));
        normal::set_namespace(&mut object.node, None);
    }
    Ok(Placed { object, kind: kind.clone(), by_default, notes })
}

/// Takes out all objects that share an id with another, and says so once for each id.
fn without_twins(placed: Vec<Placed>, problems: &mut Vec<Problem>) -> Vec<Placed> {
    let mut first: HashMap<&ObjectId, usize> = HashMap::with_capacity(placed.len());
    let mut twins: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, object) in placed.iter().enumerate() {
        match first.get(&object.object.id) {
            Some(&known) => twins.entry(known).or_default().push(index),
            None => {
                first.insert(&object.object.id, index);
            }
        }
    }
    if twins.is_empty() {
        return placed;
    }
    let mut gone: HashSet<usize> = HashSet::new();
    let mut groups: Vec<(usize, Vec<usize>)> = twins.into_iter().collect();
    groups.sort_unstable();
    for (known, others) in groups {
        let all = || std::iter::once(known).chain(others.iter().copied());
        let written: Vec<String> = all().map(|index| placed[index].written()).collect();
        problems.push(Problem {
            id: placed[known].object.id.clone(),
            version: placed[known].object.version.clone(),
            message: format!(
                "there are {} objects with this id ({}); leave one, or give them other names",
                written.len(),
                written.join(", ")
            ),
        });
        gone.extend(all());
    }
    let left = placed.into_iter().enumerate().filter(|(index, _)| !gone.contains(index));
    left.map(|(_, placed)| placed).collect()
}

/// What all objects of a set have in common.
struct Context<'a> {
    delivery: Option<&'a Delivery>,
    ignore: &'a [Ignore],
    namespaces: HashSet<String>,
    scaled: HashMap<ObjectId, String>,
}

impl Context<'_> {
    fn desired(&self, placed: Placed) -> Result<Desired, Box<Problem>> {
        let Placed { mut object, kind, notes, .. } = placed;
        let problem = |object: &Object, message: String| {
            let (id, version) = (object.id.clone(), object.version.clone());
            Box::new(Problem { id, version, message })
        };
        normal::normalize(&mut object.node);
        let said = said::said(&object).map_err(|message| problem(&object, message))?;
        if let Some(delivery) = self.delivery
            && !normal::set_labels(&mut object.node, &delivery.labels())
        {
            return Err(problem(&object, "`metadata.labels` is no mapping of texts".to_owned()));
        }
        let ignored = self.ignored(&object.id, said.ignored);
        Ok(Desired {
            hash: hash(&object, &ignored),
            awaits: self.awaits(&object.id, &kind),
            wave: said.wave,
            depends_on: said.depends_on,
            ignored,
            notes,
            kind,
            object,
        })
    }

    fn ignored(&self, id: &ObjectId, said: Vec<FieldPath>) -> Vec<(FieldPath, String)> {
        let mut ignored: Vec<(FieldPath, String)> =
            said.into_iter().map(|path| (path, "the object says so".to_owned())).collect();
        let rules = self.ignore.iter().filter(|rule| rule.is_about(&id.kind));
        ignored.extend(
            rules.map(|rule| (rule.path.clone(), format!("--ignore {}:{}", rule.kind, rule.path))),
        );
        if let Some(why) = self.scaled.get(id) {
            ignored.push((scaled::replicas(), why.clone()));
        }
        if self.delivery.is_none() {
            ignored.extend(owner_labels());
        }
        ignored
    }

    fn awaits(&self, id: &ObjectId, kind: &Kind) -> Option<Awaits> {
        if kind.to_come {
            return Some(Awaits::Definition(kind.definition()));
        }
        self.namespaces
            .contains(&id.namespace)
            .then(|| Awaits::Namespace(ObjectId::of_namespace(&id.namespace)))
    }
}

/// The labels of deliveries: where there is none, whose an object is stays as it is.
fn owner_labels() -> impl Iterator<Item = (FieldPath, String)> {
    [OWNER_NAME, OWNER_NAMESPACE].into_iter().filter_map(|label| {
        let path = format!("/metadata/labels/{}", label.replace('/', "~1"));
        Some((FieldPath::parse(&path).ok()?, "it says whose the object is".to_owned()))
    })
}

/// Of what is sent, without what is left to others.
fn hash(object: &Object, ignored: &[(FieldPath, String)]) -> Hash {
    if !ignored.iter().any(|(path, _)| path.is_in(&object.node)) {
        return Hash::of(&object.node);
    }
    let mut node = object.node.clone();
    ignored.iter().for_each(|(path, _)| path.remove(&mut node));
    Hash::of(&node)
}

#[cfg(test)]
mod tests;
