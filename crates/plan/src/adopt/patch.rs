//! How the fields of another tool become ours.

use kelson_yaml::{Entry, Node};

use super::{TRACES, fields, is_taken};
use crate::managed::{self, FieldSet, Manager};
use crate::{Found, Origin};

/// The JSON patch that makes what others own ours, so that a field removed later really goes: what we applied under another
/// name, and, where the object is adopted, what other tools manage; their annotations and labels of bookkeeping are removed
/// then. It tests the resource version. Nothing where nothing is to be taken over.
pub fn takeover(found: &Found, manager: &str, origin: Origin) -> Option<Node> {
    let taken = fields(found, manager, origin);
    let marks = if origin == Origin::Adopted { marks(found) } else { Vec::new() };
    if taken.is_empty() && marks.is_empty() {
        return None;
    }
    let version = Node::string(found.resource_version.as_str());
    let mut patch = vec![operation("test", "/metadata/resourceVersion", Some(version))];
    if !taken.is_empty() {
        let entries = Node::sequence(entries(found, manager, origin, &taken));
        patch.push(operation("replace", "/metadata/managedFields", Some(entries)));
    }
    patch.extend(marks.iter().map(|path| operation("remove", path, None)));
    Some(Node::sequence(patch))
}

/// The pointers to all marks of tools.
fn marks(found: &Found) -> Vec<String> {
    let mut pointers = Vec::new();
    for field in ["labels", "annotations"] {
        let Some(known) = found.object.node.lookup(&["metadata", field]) else { continue };
        for mark in
            TRACES.iter().flat_map(|trace| trace.marks).filter(|mark| known.get(mark).is_some())
        {
            pointers
                .push(format!("/metadata/{field}/{}", mark.replace('~', "~0").replace('/', "~1")));
        }
    }
    pointers
}

/// The entries of `managedFields` without those that are taken over, which are united into ours.
fn entries(found: &Found, manager: &str, origin: Origin, taken: &FieldSet) -> Vec<Node> {
    let object = &found.object.node;
    let ours = managed::applied(object, manager).unwrap_or_default().union(taken);
    let left = managed::entries(object).iter().filter(|entry| {
        !managed::is_applied_by(entry, manager) && !is_taken(&Manager::of(entry), manager, origin)
    });
    let mut entries: Vec<Node> = left.cloned().collect();
    let version = object.get("apiVersion").and_then(Node::text).unwrap_or_default();
    entries.push(mapping(vec![
        ("manager", Node::string(manager)),
        ("operation", Node::string("Apply")),
        ("apiVersion", Node::string(version)),
        ("fieldsType", Node::string("FieldsV1")),
        ("fieldsV1", ours.to_node()),
    ]));
    entries
}

fn operation(name: &str, path: &str, value: Option<Node>) -> Node {
    let mut pairs = vec![("op", Node::string(name)), ("path", Node::string(path))];
    pairs.extend(value.map(|value| ("value", value)));
    mapping(pairs)
}

fn mapping(pairs: Vec<(&str, Node)>) -> Node {
    let entry = |(key, value)| Entry { key: Node::string(key), value };
    Node::mapping(pairs.into_iter().map(entry).collect())
}
