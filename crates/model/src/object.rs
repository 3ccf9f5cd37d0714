//! One object of a cluster, and what it is known by.

use std::fmt;

use kelson_yaml::{Entry, Node};

/// What an object is known by. The version is no part of it: one object can be asked for in several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    /// The group of its kind, empty for the core.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, empty where it has or names none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// An object as desired or as found.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is known by.
    pub id: ObjectId,
    /// The version of its kind.
    pub version: String,
    /// All of it.
    pub node: Node,
    /// Where it was written, for people; only where somebody has found that worth knowing.
    pub place: Option<Box<str>>,
}

/// What a document lacks to be an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnObject {
    /// It is no mapping.
    #[error("a mapping is expected")]
    NotAMapping,
    /// A field is missing or no text.
    #[error("`{0}` is missing or no text")]
    Lacks(&'static str),
}

impl ObjectId {
    /// What a namespace is known by.
    pub fn of_namespace(name: &str) -> Self {
        Self {
            group: String::new(),
            kind: "Namespace".to_owned(),
            namespace: String::new(),
            name: name.to_owned(),
        }
    }
}

impl Object {
    /// Takes a document as an object. Its name may not be left to the server: such an object is another one each time.
    pub fn new(node: Node) -> Result<Self, NotAnObject> {
        if node.as_mapping().is_none() {
            return Err(NotAnObject::NotAMapping);
        }
        let text = |path: &[&str]| {
            let text = node.lookup(path).and_then(Node::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        let api_version = text(&["apiVersion"]).ok_or(NotAnObject::Lacks("apiVersion"))?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let id = ObjectId {
            group: group.to_owned(),
            kind: text(&["kind"]).ok_or(NotAnObject::Lacks("kind"))?,
            namespace: text(&["metadata", "namespace"]).unwrap_or_default(),
            name: text(&["metadata", "name"]).ok_or(NotAnObject::Lacks("metadata.name"))?,
        };
        Ok(Self { id, version: version.to_owned(), node, place: None })
    }

    /// Takes a document as an object of a kind. A list says that once for all of its items, and metadata alone bears another.
    pub fn named(mut node: Node, api_version: &str, kind: &str) -> Option<Self> {
        let fields = node.as_mapping_mut()?;
        for (key, value) in [("kind", kind), ("apiVersion", api_version)] {
            fields.remove(key);
            fields.entries.insert(0, Entry { key: Node::string(key), value: Node::string(value) });
        }
        Self::new(node).ok()
    }

    /// Whether its values are nobody's business.
    pub fn is_secret(&self) -> bool {
        self.id.group.is_empty() && self.id.kind == "Secret"
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/", self.kind)?;
        if !self.namespace.is_empty() {
            write!(formatter, "{}/", self.namespace)?;
        }
        formatter.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
        let actual = match Object::new(node) {
            Ok(object) => format!("{} {}/{}", object.id, object.id.group, object.version),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected);
    }

    #[test]
    fn an_object_is_known_by_group_kind_namespace_and_name() {
        check(
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: b}}",
            "Deployment/b/a apps/v1",
        );
        check("{apiVersion: v1, kind: Node, metadata: {name: a}}", "Node/a /v1");
    }

    #[test]
    fn what_lacks_a_part_of_its_id_is_no_object() {
        check("[]", "a mapping is expected");
        check("{kind: A, metadata: {name: a}}", "`apiVersion` is missing or no text");
        check("{apiVersion: v1, metadata: {name: a}}", "`kind` is missing or no text");
        check("{apiVersion: v1, kind: A}", "`metadata.name` is missing or no text");
        check(
            "{apiVersion: v1, kind: A, metadata: {generateName: a-}}",
            "`metadata.name` is missing or no text",
        );
    }
}
