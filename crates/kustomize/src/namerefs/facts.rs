//! What is known of each object while references are followed, and where names lead.

use std::hash::{BuildHasher, Hash};
use std::mem;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use kelson_yaml::{Node, Span, Text};

use crate::id::{Gvk, ResId};
use crate::resmap::{self, ResMap};
use crate::resource::{NO_NAMESPACE, Previous, Resource};

/// What is known of one object.
pub(super) struct Facts {
    pub(super) gvk: Gvk,
    /// Group, version and kind as they were read.
    pub(super) original: Gvk,
    pub(super) name: Text,
    pub(super) name_span: Span,
    /// As written.
    pub(super) namespace: Text,
    pub(super) namespace_span: Span,
    /// As it decides.
    pub(super) effective: Text,
    pub(super) original_namespace: Text,
    pub(super) is_cluster_scoped: bool,
    history: Vec<Previous>,
    prefixes: Vec<Text>,
    suffixes: Vec<Text>,
}

/// What is known of all objects.
pub(super) struct Known {
    pub(super) facts: Vec<Facts>,
    by_name: HashMap<u64, Vec<u32>, FixedState>,
    by_place: HashMap<u64, Vec<u32>, FixedState>,
    /// For each namespace, those its objects came from.
    came_from: HashMap<Text, HashSet<Text>>,
    all_came_from: HashSet<Text>,
}

impl Known {
    /// Looks at all objects once. What they were called before is taken from them until it is given back.
    pub(super) fn take(resources: &mut ResMap) -> Self {
        let mut known = Self {
            facts: Vec::with_capacity(resources.len()),
            by_name: HashMap::default(),
            by_place: HashMap::default(),
            came_from: HashMap::new(),
            all_came_from: HashSet::new(),
        };
        let schema = Arc::clone(&resources.scopes);
        for resource in resources.contents_mut() {
            let gvk = resource.gvk();
            let is_cluster_scoped = schema.is_cluster_scoped(&gvk);
            known.push(Facts::take(resource, gvk, is_cluster_scoped));
        }
        known
    }

    /// Gives the objects back what was taken from them.
    pub(super) fn give_back(self, resources: &mut ResMap) {
        for (resource, facts) in resources.contents_mut().iter_mut().zip(self.facts) {
            resource.history = facts.history;
            resource.prefixes = facts.prefixes;
            resource.suffixes = facts.suffixes;
        }
    }

    /// Whether no object ever had another name.
    pub(super) fn is_unchanged(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The objects that had a name, and perhaps others.
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        look_up(&self.by_name, &name)
    }

    /// The objects that had a name and are in a namespace, and perhaps others.
    pub(super) fn named_in(&self, name: &str, namespace: &str) -> Vec<usize> {
        let mut found = look_up(&self.by_place, &(name, namespace));
        found.retain(|at| self.facts[*at].effective == namespace);
        found
    }

    /// Whether any object came from a namespace.
    pub(super) fn any_was_in(&self, namespace: &str) -> bool {
        self.all_came_from.contains(namespace)
    }

    /// Whether any object that is in one namespace came from another.
    pub(super) fn was_in(&self, current: &str, original: &str) -> bool {
        self.came_from.get(current).is_some_and(|set| set.contains(original))
    }

    fn push(&mut self, facts: Facts) {
        let at = u32::try_from(self.facts.len()).unwrap_or(u32::MAX);
        for previous in &facts.history {
            let name = previous.name.as_str();
            let place = hash(&(name, facts.effective.as_str()));
            note(self.by_name.entry(hash(&name)).or_default(), at);
            note(self.by_place.entry(place).or_default(), at);
        }
        if facts.original_namespace != NO_NAMESPACE {
            let set = self.came_from.entry(facts.effective.clone()).or_default();
            if set.insert(facts.original_namespace.clone()) {
                self.all_came_from.insert(facts.original_namespace.clone());
            }
        }
        self.facts.push(facts);
    }
}

impl Facts {
    fn take(resource: &mut Resource, gvk: Gvk, is_cluster_scoped: bool) -> Self {
        let effective: Text = resource.effective_namespace(is_cluster_scoped).into();
        let original_namespace = match resource.history.first() {
            Some(first) => resmap::effective(&first.namespace).into(),
            None => effective.clone(),
        };
        let place = |key: &str| {
            resource.node.lookup(&["metadata", key]).map_or(Span::NONE, |node: &Node| node.span)
        };
        Self {
            original: resource.original_gvk(),
            gvk,
            name: resource.name().into(),
            name_span: place("name"),
            namespace: resource.namespace().into(),
            namespace_span: place("namespace"),
            effective,
            original_namespace,
            is_cluster_scoped,
            history: mem::take(&mut resource.history),
            prefixes: mem::take(&mut resource.prefixes),
            suffixes: mem::take(&mut resource.suffixes),
        }
    }

    /// The id as it stands now.
    pub(super) fn id(&self) -> ResId {
        ResId { gvk: self.gvk.clone(), name: self.name.clone(), namespace: self.namespace.clone() }
    }

    /// Whether the object once had a name.
    pub(super) fn had_name(&self, name: &str) -> bool {
        self.history.iter().any(|previous| previous.name == name)
    }

    /// Whether the object once was of a kind.
    pub(super) fn was_selected_by(&self, selector: &Gvk) -> bool {
        let fits = |selector: &str, value: &str| selector.is_empty() || selector == value;
        fits(&selector.group, &self.gvk.group)
            && fits(&selector.version, &self.gvk.version)
            && self.history.iter().any(|previous| fits(&selector.kind, &previous.kind))
    }

    /// Whether namespaces allow this object to refer to another.
    pub(super) fn may_refer_to(&self, other: &Self) -> bool {
        self.is_cluster_scoped
            || other.is_cluster_scoped
            || other.gvk.kind == "ServiceAccount"
            || self.effective == other.effective
    }

    /// Whether both got the same prefixes and suffixes; with `lenient`, none at all is like any.
    pub(super) fn is_renamed_like(&self, other: &Self, lenient: bool) -> bool {
        let alike = |left: &[Text], right: &[Text]| {
            (lenient && (left.is_empty() || right.is_empty())) || same_ending(left, right)
        };
        alike(&self.prefixes, &other.prefixes) && alike(&self.suffixes, &other.suffixes)
    }
}

/// Whether one list ends like the other; an empty list only like an empty one.
fn same_ending(left: &[Text], right: &[Text]) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if short.is_empty() { long.is_empty() } else { long.ends_with(short) }
}

/// Notes an object once.
fn note(list: &mut Vec<u32>, at: u32) {
    if list.last() != Some(&at) {
        list.push(at);
    }
}

fn look_up(table: &HashMap<u64, Vec<u32>, FixedState>, key: &impl Hash) -> Vec<usize> {
    let found = table.get(&hash(key)).map(Vec::as_slice).unwrap_or_default();
    found.iter().map(|at| *at as usize).collect()
}

fn hash(key: &impl Hash) -> u64 {
    FixedState::with_seed(0x6e61_6d65).hash_one(key)
}
