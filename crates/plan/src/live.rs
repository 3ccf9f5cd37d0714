//! An object as it is.

use std::collections::{HashMap, HashSet};

use kelson_model::{Object, ObjectId};
use kelson_yaml::{Node, Span, json};

use crate::{DryRun, Hash, Recorded, managed};

/// What is known of a cluster, gathered for a plan.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The uid of the namespace `kube-system`, which no two clusters share.
    pub cluster: String,
    /// What is there of all that was wanted.
    pub live: HashMap<ObjectId, Live>,
    /// What the server would make of what it was asked about.
    pub dry_runs: HashMap<ObjectId, DryRun>,
    /// Whose dry runs were asked for with force, since every field that stood in the way may be taken.
    pub forced: HashSet<ObjectId>,
}

/// What is known of one object.
#[derive(Clone, Debug)]
pub enum Live {
    /// It does not exist.
    Absent,
    /// It is as it was when it was last applied: same uid, same content of the fields that we own.
    Recorded {
        /// The version it was read at.
        resource_version: String,
        /// Of its whole content.
        hash: Hash,
    },
    /// It exists.
    Found(Box<Found>),
    /// It exists, and is put away until somebody looks at it.
    Packed(Box<Packed>),
    /// It could not be read, so nobody knows whether it exists.
    Unreadable(String),
}

/// An object that exists, as the text that a server sent. Thousands may be known at once, and a tree takes five times as much.
#[derive(Clone, Debug)]
pub struct Packed {
    /// All but the content.
    found: Found,
    text: Box<str>,
}

/// An object that exists.
#[derive(Clone, Debug)]
pub struct Found {
    /// All of it, managed fields and status included.
    pub object: Object,
    /// Which one it is, of all that ever had its name.
    pub uid: String,
    /// The version it was read at.
    pub resource_version: String,
    /// Of its content without status, managed fields, resource version and generation: what a plan is bound to.
    pub hash: Hash,
    /// Of the fields that our manager owns, with their values: what tells whether an apply could change anything.
    pub owned: Hash,
}

impl Live {
    /// Takes an object as a server sent it, and keeps no more of it than is needed where it is as it was recorded.
    pub fn of(object: Object, manager: &str, recorded: Option<&Recorded>) -> Self {
        let found = Found::new(object, manager);
        let is_recorded = recorded.is_some_and(|recorded| {
            recorded.uid == found.uid && recorded.owned == found.owned && !found.is_terminating()
        });
        match is_recorded {
            true => Self::Recorded { resource_version: found.resource_version, hash: found.hash },
            false => Self::Found(Box::new(found)),
        }
    }

    /// Puts away what exists; `text` is what it was read from.
    pub fn packed(self, text: &str) -> Self {
        match self {
            Self::Found(mut found) => {
                found.object.node = Node::null();
                Self::Packed(Box::new(Packed { found: *found, text: text.into() }))
            }
            other => other,
        }
    }

    /// Takes out again what was put away.
    pub fn open(&mut self) {
        if let Self::Packed(packed) = self {
            *self = Self::Found(Box::new(packed.open()));
        }
    }
}

impl Packed {
    /// The object with its content.
    pub fn open(&self) -> Found {
        let mut found = self.found.clone();
        let ObjectId { group, kind, .. } = &found.object.id;
        let version = &found.object.version;
        let api_version = match group.as_str() {
            "" => version.clone(),
            group => format!("{group}/{version}"),
        };
        let node = json::read(&self.text, Span::NONE).ok();
        found.object = node
            .and_then(|node| Object::named(node, &api_version, kind))
            .expect("because it was read from this text before");
        found
    }
}

impl Found {
    /// Takes an object as a server sent it. `manager` is our field manager.
    pub fn new(object: Object, manager: &str) -> Self {
        let text = |key| object.node.lookup(&["metadata", key]).and_then(Node::text);
        Self {
            uid: text("uid").unwrap_or_default().to_owned(),
            resource_version: text("resourceVersion").unwrap_or_default().to_owned(),
            hash: Hash::of_content(&object.node),
            owned: owned(&object, manager),
            object,
        }
    }

    /// Whether it is on its way out.
    pub fn is_terminating(&self) -> bool {
        self.object.node.lookup(&["metadata", "deletionTimestamp"]).is_some()
    }

    /// A label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.object.node.lookup(&["metadata", "labels", key])?.as_str()
    }

    /// An annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.object.node.lookup(&["metadata", "annotations", key])?.as_str()
    }
}

/// The hash of what we own; one of nothing where we own nothing.
fn owned(object: &Object, manager: &str) -> Hash {
    managed::applied(&object.node, manager).unwrap_or_default().hash(&object.node)
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    fn object(rest: &str, data: &str) -> Object {
        let text = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, uid: u, resourceVersion: '7', {rest} managedFields: [\
             {{manager: kelson, operation: Apply, fieldsV1: {{'f:data': {{'f:x': {{}}}}}}}}]}}, data: {{{data}}}}}"
        );
        Object::new(first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn an_object_is_as_recorded_while_what_we_own_is() {
        let found = Found::new(object("", "x: '1'"), "kelson");
        let recorded = Recorded { uid: found.uid, owned: found.owned };
        let is_recorded = |rest, data| {
            let live = Live::of(object(rest, data), "kelson", Some(&recorded));
            matches!(live, Live::Recorded { .. })
        };
        assert!(is_recorded("", "x: '1'"));
        assert!(is_recorded("annotations: {revision: '3'},", "x: '1', y: '2'"));
        assert!(!is_recorded("", "x: '2'"));
        assert!(!is_recorded("deletionTimestamp: t,", "x: '1'"));
        let other = Recorded { uid: "v".to_owned(), ..recorded.clone() };
        let live = Live::of(object("", "x: '1'"), "kelson", Some(&other));
        assert!(matches!(live, Live::Found(_)));
        assert!(matches!(Live::of(object("", "x: '1'"), "other", Some(&recorded)), Live::Found(_)));
    }
}
