//! An object as it is.

use std::borrow::Cow;
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
    Found(Box<Packed>),
    /// It could not be read, so nobody knows whether it exists.
    Unreadable(String),
}

/// An object that exists, put away until somebody looks at it. Thousands may be known at once, and a tree takes five times as
/// much room as the text it was read from.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The object, without its content where there is the text.
    found: Found,
    text: Option<Box<str>>,
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
    /// Takes an object as a server sent it, and keeps no more of it than is needed where it is as it was recorded. `text` is
    /// what it was read from, where that is at hand.
    pub fn of(
        object: Object,
        text: Option<&str>,
        manager: &str,
        recorded: Option<&Recorded>,
    ) -> Self {
        let found = Found::new(object, manager);
        let is_recorded = recorded.is_some_and(|recorded| {
            recorded.uid == found.uid && recorded.owned == found.owned && !found.is_terminating()
        });
        match is_recorded {
            true => Self::Recorded { resource_version: found.resource_version, hash: found.hash },
            false => Self::Found(Box::new(Packed::new(found, text))),
        }
    }
}

impl Packed {
    /// Puts an object away; with the text that it was read from, instead of its content.
    pub fn new(mut found: Found, text: Option<&str>) -> Self {
        if text.is_some() {
            found.object.node = Node::null();
        }
        Self { found, text: text.map(Into::into) }
    }

    /// The object with its content.
    pub fn open(&self) -> Cow<'_, Found> {
        let Some(text) = &self.text else { return Cow::Borrowed(&self.found) };
        let mut found = self.found.clone();
        let ObjectId { group, kind, .. } = &found.object.id;
        let version = &found.object.version;
        let api_version = match group.as_str() {
            "" => version.clone(),
            group => format!("{group}/{version}"),
        };
        found.object = json::read(text, Span::NONE)
            .ok()
            .and_then(|node| Object::named(node, &api_version, kind))
            .expect("because it was read from this text before");
        Cow::Owned(found)
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
            let live = Live::of(object(rest, data), None, "kelson", Some(&recorded));
            matches!(live, Live::Recorded { .. })
        };
        assert!(is_recorded("", "x: '1'"));
        assert!(is_recorded("annotations: {revision: '3'},", "x: '1', y: '2'"));
        assert!(!is_recorded("", "x: '2'"));
        assert!(!is_recorded("deletionTimestamp: t,", "x: '1'"));
        let other = Recorded { uid: "v".to_owned(), ..recorded.clone() };
        let live = Live::of(object("", "x: '1'"), None, "kelson", Some(&other));
        assert!(matches!(live, Live::Found(_)));
        let live = Live::of(object("", "x: '1'"), None, "other", Some(&recorded));
        assert!(matches!(live, Live::Found(_)));
    }
}
