//! One object: live against dry run.

use kelson_yaml::Node;

use crate::fields::walk::{self, Detail, Segment, same, walk};
use crate::managed::{FieldSet, Manager};
use crate::mask::Mask;
use crate::rules::{self, Case};
use crate::{FieldChange, Hash, Origin, Value, adopt};

/// A field that would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The field, with the old and the new value, masked where they are secret.
    pub field: FieldChange,
    /// The managers that own it now.
    pub managers: Vec<String>,
    /// The rule that keeps it from the eye, by name.
    pub hidden: Option<&'static str>,
}

/// What a step was computed against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The uid; nothing where the object was absent.
    pub uid: Option<String>,
    /// Of the content without status, managed fields, resource version and generation.
    pub hash: Option<Hash>,
    /// The version that was read. Status writes move it, so it is no ground for refusing; a write that carries it is
    /// sure that nothing has moved since.
    pub resource_version: Option<String>,
    /// Of the fields that we own there, see [`crate::Found::owned`]: what is recorded of an object that is as it should be.
    /// No part of what a plan is bound to.
    pub owned: Option<Hash>,
}

/// An object as it is, and what is known around it.
pub(crate) struct Comparison<'a> {
    /// As it is; nothing where it does not exist.
    pub(crate) live: Option<&'a Node>,
    /// What is sent.
    pub(crate) body: &'a Node,
    /// Who owns what of it.
    pub(crate) managers: &'a [Manager],
    /// Our field manager.
    pub(crate) manager: &'a str,
    /// How much becomes ours besides what we send.
    pub(crate) scope: Scope,
    pub(crate) mask: Mask<'a>,
}

/// What a comparison is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Values alone: nobody wants to own anything.
    Values,
    /// Values, and who owns them.
    Owners,
    /// The same, where what others own becomes ours first.
    Takeover(Origin),
}

impl Comparison<'_> {
    /// The fields that would change if the object became so, those included that only change hands.
    pub(crate) fn with(&self, would: &Node) -> Vec<Change> {
        let mut changes = Vec::new();
        let detail = Detail { parts: true, orders: true };
        walk(self.live, Some(would), detail, &mut |path, before, after| {
            if !is_servers(path) && (self.live.is_some() || !is_identity(path)) {
                changes.push(self.change(path, before, after));
            }
        });
        if let Some(live) = self.live.filter(|_| self.scope != Scope::Values) {
            self.changed_hands(live, would, &mut changes);
        }
        changes.shrink_to_fit();
        changes
    }

    /// The fields of the manifest that are not so yet, and those of ours that it no longer has, where no server can be asked.
    pub(crate) fn with_manifest(&self) -> Vec<Change> {
        let mut changes = self.with(self.body);
        changes.retain(|change| change.field.after.is_some() || change.hidden.is_none());
        changes
    }

    fn change(&self, path: &[Segment<'_>], before: Option<&Node>, after: Option<&Node>) -> Change {
        let owners = before.map(|_| self.owners(path)).unwrap_or_default();
        let case = Case {
            path,
            before,
            after,
            given: walk::at(self.body, path).is_some(),
            ours: owners.iter().any(|owner| self.is_ours(owner)),
        };
        let mut managers: Vec<String> = owners.iter().map(|owner| owner.name.clone()).collect();
        managers.dedup();
        Change {
            hidden: rules::hidden(&case),
            managers,
            field: FieldChange {
                path: walk::text(path),
                before: before.map(|node| self.value(path, node, after)),
                after: after.map(|node| self.value(path, node, before)),
            },
        }
    }

    fn is_ours(&self, owner: &Manager) -> bool {
        let is_taken = match self.scope {
            Scope::Values | Scope::Owners => false,
            Scope::Takeover(origin) => adopt::is_taken(owner, self.manager, origin),
        };
        is_taken || owner.is_ours(self.manager)
    }

    /// A value for people. Of lists that differ in order alone, the names of the elements say all.
    fn value(&self, path: &[Segment<'_>], node: &Node, other: Option<&Node>) -> Value {
        let names = || -> Option<Vec<Node>> {
            other?.as_sequence()?;
            let items = node.as_sequence()?.iter();
            items.map(|item| Some(Node::string(item.get("name")?.as_str()?))).collect()
        };
        match names() {
            Some(names) => Value::of(&Node::sequence(names)),
            None => self.mask.value(path, node),
        }
    }

    fn owners(&self, path: &[Segment<'_>]) -> Vec<&Manager> {
        let Some(place) = self.live.and_then(|live| place(live, path)) else { return Vec::new() };
        let place: Vec<&str> = place.iter().map(String::as_str).collect();
        let owns = |owner: &&Manager| owner.fields.owns_at(self.live, &place);
        self.managers.iter().filter(owns).collect()
    }

    /// Adds the fields that stay as they are and become ours, or cease to be: without a write we would not notice when
    /// somebody changes the former, nor let go of the latter.
    fn changed_hands(&self, live: &Node, would: &Node, changes: &mut Vec<Change>) {
        let Some(after) = crate::managed::applied(would, self.manager) else { return };
        let ours = self.managers.iter().find(|owner| owner.is_ours(self.manager));
        let nothing = FieldSet::default();
        let before = ours.map_or(&nothing, |ours| &ours.fields);
        let gained = after.without(before);
        let lost = before.without(&after);
        for (set, object) in [(gained, would), (lost, live)] {
            for leaf in set.leaves(object) {
                let path = segments(object, &leaf);
                let (one, other) = (walk::at(live, &path), walk::at(would, &path));
                if one.zip(other).is_some_and(|(one, other)| same(one, other)) {
                    changes.push(self.change(&path, one, other));
                }
            }
        }
    }
}

/// What the fields of another tool would leave behind: a dry run cannot know that they become ours first, and that those
/// which are not sent then go.
pub(crate) fn without_taken(
    would: &mut Node,
    live: &Node,
    taken: &FieldSet,
    left: &[&Manager],
    body: &Node,
) {
    for leaf in taken.leaves(live).into_iter().rev() {
        let path = segments(live, &leaf);
        let place: Vec<&str> = leaf.iter().map(String::as_str).collect();
        let is_kept = walk::at(body, &path).is_some()
            || left.iter().any(|owner| owner.fields.owns_at(Some(live), &place));
        if !is_kept {
            remove(would, &path);
        }
    }
}

fn remove(node: &mut Node, path: &[Segment<'_>]) {
    let Some((last, parents)) = path.split_last() else { return };
    let parent = parents.iter().try_fold(node, |node, segment| match segment {
        Segment::Key(key) => node.get_mut(key),
        Segment::Named(_) | Segment::Place(_) => {
            let at = walk::position(node, segment)?;
            node.as_sequence_mut()?.get_mut(at)
        }
    });
    let Some(parent) = parent else { return };
    match last {
        Segment::Key(key) => {
            parent.as_mapping_mut().and_then(|parent| parent.remove(key));
        }
        _ => {
            if let Some(at) = walk::position(parent, last)
                && let Some(items) = parent.as_sequence_mut()
            {
                items.remove(at);
            }
        }
    }
}

/// The keys and indices that lead to the same place as a path.
fn place(node: &Node, path: &[Segment<'_>]) -> Option<Vec<String>> {
    let mut node = node;
    let mut place = Vec::with_capacity(path.len());
    for segment in path {
        let (key, below) = match segment {
            Segment::Key(key) => ((*key).to_owned(), node.get(key)?),
            _ => {
                let at = walk::position(node, segment)?;
                (at.to_string(), node.as_sequence()?.get(at)?)
            }
        };
        place.push(key);
        node = below;
    }
    Some(place)
}

/// The path of keys and indices, with elements named where they can be.
fn segments<'a>(node: &'a Node, place: &'a [String]) -> Vec<Segment<'a>> {
    let mut node = Some(node);
    let mut segments = Vec::with_capacity(place.len());
    for key in place {
        let items = node.and_then(Node::as_sequence);
        let element = items.and_then(|items| Some((key.parse::<usize>().ok()?, items)));
        node = match element {
            Some((index, items)) => {
                let item = items.get(index);
                segments.push(walk::element(items, index));
                item
            }
            None => {
                segments.push(Segment::Key(key));
                node.and_then(|node| node.get(key))
            }
        };
    }
    segments
}

/// Metadata that a server writes.
const SERVERS: [&str; 8] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Whether a field is the server's: it is nobody's intent, and moves by itself.
fn is_servers(path: &[Segment<'_>]) -> bool {
    match path {
        [Segment::Key("status"), ..] => true,
        [Segment::Key("metadata"), Segment::Key(key), ..] => SERVERS.contains(key),
        _ => false,
    }
}

/// Whether a field is part of what an object is known by, which every line about it says already.
fn is_identity(path: &[Segment<'_>]) -> bool {
    matches!(
        path,
        [Segment::Key("apiVersion" | "kind")]
            | [Segment::Key("metadata"), Segment::Key("name" | "namespace")]
    )
}
