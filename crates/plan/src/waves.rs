//! What comes before what.

mod graph; // what depends on what, and where that is a circle

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kelson_model::ObjectId;

use crate::catalog::is_definition;
use crate::{Action, Kind, Step};

/// Kinds that others need, in the order of Flux. `kelson-render` has another list, with which kustomizer packs
/// artifacts: there the bytes of an artifact depend on it, here it may grow.
const FIRST: [&str; 23] = [
    "CustomResourceDefinition",
    "Namespace",
    "ClusterRole",
    "ClusterClass",
    "RuntimeClass",
    "PriorityClass",
    "StorageClass",
    "VolumeSnapshotClass",
    "IngressClass",
    "GatewayClass",
    "ClusterRoleBinding",
    "ResourceQuota",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ConfigMap",
    "Secret",
    "Service",
    "LimitRange",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that stand in the way of others, in order.
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// The rank of a kind: lower ones are applied first, see the tables of Flux.
pub fn rank(kind: &str) -> usize {
    let first = FIRST.iter().position(|known| *known == kind);
    let last = || LAST.iter().position(|known| *known == kind).map(|at| FIRST.len() + 1 + at);
    first.or_else(last).unwrap_or(FIRST.len())
}

/// The stage of an object: each is done before the next begins, whatever wave an object asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// CustomResourceDefinitions.
    Definitions,
    /// Namespaces.
    Namespaces,
    /// ClusterRoles: whoever binds one must be able to see what it grants.
    Roles,
    /// Kinds whose name ends in `Class`, by which others choose.
    Classes,
    /// ClusterRoleBindings.
    Bindings,
    /// All that is not named here.
    Others,
    /// Webhooks: from then on they have a say in all of the above.
    Webhooks,
}

impl Stage {
    /// The stage of an object.
    pub fn of(id: &ObjectId) -> Self {
        match (id.group.as_str(), id.kind.as_str()) {
            _ if is_definition(id) => Self::Definitions,
            ("", "Namespace") => Self::Namespaces,
            ("rbac.authorization.k8s.io", "ClusterRole") => Self::Roles,
            ("rbac.authorization.k8s.io", "ClusterRoleBinding") => Self::Bindings,
            ("admissionregistration.k8s.io", kind) if LAST.contains(&kind) => Self::Webhooks,
            (_, kind) if kind.ends_with("Class") => Self::Classes,
            _ => Self::Others,
        }
    }
}

/// When something is done, before anything depends on anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// It is applied.
    Apply(Stage, i32, usize),
    /// Nothing is done with it any more.
    Rest,
    /// It goes, in reverse.
    Remove(std::cmp::Reverse<(Stage, i32, usize)>),
    /// The namespace that holds the inventory goes last of all: with it goes the record of the rest.
    End,
}

impl Turn {
    fn of(step: &Step, home: Option<&str>) -> Self {
        let stage = Stage::of(&step.id);
        // One class does not wait for another.
        let rank = if stage == Stage::Classes { 0 } else { rank(&step.id.kind) };
        match &step.action {
            Action::Delete if stage == Stage::Namespaces && home == Some(&step.id.name) => {
                Self::End
            }
            Action::Delete | Action::Release => {
                Self::Remove(std::cmp::Reverse((stage, step.asked_wave, rank)))
            }
            Action::Keep(Some(_)) | Action::Forget => Self::Rest,
            _ => Self::Apply(stage, step.asked_wave, rank),
        }
    }
}

/// Gives every step its wave: first definitions, then namespaces, then cluster-wide classes and roles; then by the wave
/// that objects ask for and the rank of their kind; webhooks last; what depends on something after that. Deletes come
/// after everything else, in reverse, and the namespace `home`, which holds the inventory, is the last of them. Waves are
/// counted from 0, without gaps.
///
/// What a step needs of the same plan, its namespace and the definition of its kind, is added to what it depends on; so is,
/// for a namespace or a definition that goes, what is in it and goes too.
///
/// Circles of dependencies are given back: each object in one cannot be applied.
pub(crate) fn assign(steps: &mut [Step], home: Option<&str>) -> Vec<(ObjectId, String)> {
    add_containers(steps);
    let places: HashMap<&ObjectId, usize> =
        steps.iter().enumerate().map(|(at, step)| (&step.id, at)).collect();
    let edges: Vec<Vec<usize>> = steps.iter().map(|step| before(step, steps, &places)).collect();
    let groups = graph::groups(&edges);
    let turns: Vec<Turn> = steps.iter().map(|step| Turn::of(step, home)).collect();
    let waves = waves(&turns, &edges, &groups);
    let circles = groups.iter().filter(|group| graph::is_circle(group, &edges));
    let circles = circles.flat_map(|group| describe(group, steps)).collect();
    for (step, wave) in steps.iter_mut().zip(waves) {
        step.wave = wave;
    }
    circles
}

/// Whether a step takes something away.
fn removes(step: &Step) -> bool {
    matches!(step.action, Action::Delete | Action::Release)
}

/// The steps that must be done before a step, by their places. What is applied does not wait for what goes: that comes
/// later in any case.
fn before(step: &Step, steps: &[Step], places: &HashMap<&ObjectId, usize>) -> Vec<usize> {
    let found = step.depends_on.iter().filter_map(|id| places.get(id).copied());
    found.filter(|&at| removes(step) || !removes(&steps[at])).collect()
}

/// Adds what a step needs of the same plan to what it depends on.
fn add_containers(steps: &mut [Step]) {
    let mut places: HashMap<ObjectId, usize> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        // What is already there and stays cannot fail.
        if holds_others(&step.id) && step.action != Action::Keep(None) {
            places.insert(step.id.clone(), at);
        }
    }
    for at in 0..steps.len() {
        for container in containers(&steps[at].id, &steps[at].kind) {
            let Some(&place) = places.get(&container) else { continue };
            match (removes(&steps[place]), removes(&steps[at])) {
                (false, false) => depend(&mut steps[at], container),
                (true, true) => {
                    let inside = steps[at].id.clone();
                    steps[place].depends_on.push(inside);
                }
                _ => {}
            }
        }
    }
}

fn depend(step: &mut Step, on: ObjectId) {
    if !step.depends_on.contains(&on) {
        step.depends_on.push(on);
    }
}

/// Whether an object is a namespace or a definition.
pub(crate) fn holds_others(id: &ObjectId) -> bool {
    matches!(Stage::of(id), Stage::Namespaces | Stage::Definitions)
}

/// What an object cannot exist without: its namespace and the definition of its kind, should that have one.
pub(crate) fn containers(id: &ObjectId, kind: &Kind) -> impl Iterator<Item = ObjectId> + use<> {
    let namespace = (!id.namespace.is_empty()).then(|| ObjectId::of_namespace(&id.namespace));
    // A group of the core's own has no dot, and no definition.
    let has_definition = id.group.contains('.') && !kind.plural.is_empty();
    let definition = has_definition.then(|| kind.definition());
    namespace.into_iter().chain(definition)
}

/// The waves, from what comes first by its turn alone. What depends on something of the same or a later turn is put
/// right behind that, and before the turn that follows it.
fn waves(turns: &[Turn], edges: &[Vec<usize>], groups: &[Vec<usize>]) -> Vec<usize> {
    let mut places: Vec<(Turn, usize)> = turns.iter().map(|&turn| (turn, 0)).collect();
    for group in groups.iter().filter(|group| !graph::is_circle(group, edges)) {
        for &at in group {
            let behind = edges[at].iter().map(|&before| (places[before].0, places[before].1 + 1));
            places[at] = behind.fold(places[at], std::cmp::max);
        }
    }
    let distinct: BTreeSet<(Turn, usize)> = places.iter().copied().collect();
    let numbers: BTreeMap<(Turn, usize), usize> =
        distinct.into_iter().enumerate().map(|(number, place)| (place, number)).collect();
    places.iter().map(|place| numbers[place]).collect()
}

/// How many objects of a circle are named.
const NAMED: usize = 5;

fn describe(group: &[usize], steps: &[Step]) -> Vec<(ObjectId, String)> {
    let mut names: Vec<String> = group.iter().map(|&at| format!("`{}`", steps[at].id)).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let names = names.join(", ");
    let text = match (group.len(), more) {
        (1, _) => "it depends on itself".to_owned(),
        (_, 0) => format!("these depend on each other in a circle: {names}"),
        _ => format!("these depend on each other in a circle: {names} and {more} more"),
    };
    group.iter().map(|&at| (steps[at].id.clone(), text.clone())).collect()
}

#[cfg(test)]
mod tests;
