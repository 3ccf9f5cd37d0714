//! What an object says about itself in annotations.

use kelson_model::{Object, ObjectId};
use kelson_yaml::Node;

use crate::FieldPath;
use crate::marks::{DEPENDS_ON, IGNORE, WAVE};

/// What an object says about itself.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) wave: i32,
    pub(super) depends_on: Vec<ObjectId>,
    pub(super) ignored: Vec<FieldPath>,
}

/// Reads the annotations that mean something. All that is wrong with them is said at once.
pub(super) fn said(object: &Object) -> Result<Said, String> {
    let annotation = |key| {
        object.node.lookup(&["metadata", "annotations", key]).filter(|value| !value.is_null())
    };
    let mut said = Said::default();
    let mut faults = Vec::new();
    if let Some(value) = annotation(WAVE) {
        match value.text().and_then(|text| text.trim().parse().ok()) {
            Some(wave) => said.wave = wave,
            None => {
                faults.push(fault(WAVE, value, "it is a whole number in quotes, such as \"1\""))
            }
        }
    }
    for part in annotation(DEPENDS_ON).into_iter().flat_map(parts) {
        match dependency(part) {
            Some(id) if id == object.id => faults.push(format!("`{DEPENDS_ON}` names the object itself")),
            Some(id) => said.depends_on.push(id),
            None => faults.push(format!(
                "`{part}` in `{DEPENDS_ON}` is not of the form `group/namespaces/namespace/Kind/name` or `group/Kind/name`"
            )),
        }
    }
    for part in annotation(IGNORE).into_iter().flat_map(parts) {
        match FieldPath::parse(part) {
            Ok(path) => said.ignored.push(path),
            Err(why) => faults.push(format!("`{IGNORE}`: {why}")),
        }
    }
    if faults.is_empty() { Ok(said) } else { Err(faults.join("; ")) }
}

fn fault(key: &str, value: &Node, why: &str) -> String {
    format!("`{}` cannot be the value of `{key}`: {why}", value.text().unwrap_or("what is there"))
}

/// The parts of a list separated by commas.
fn parts(value: &Node) -> impl Iterator<Item = &str> {
    value.text().unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Reads an object as kpt writes it.
pub(crate) fn dependency(text: &str) -> Option<ObjectId> {
    let parts: Vec<&str> = text.split('/').collect();
    let (group, namespace, kind, name) = match parts[..] {
        [group, "namespaces", namespace, kind, name] if !namespace.is_empty() => {
            (group, namespace, kind, name)
        }
        [group, kind, name] => (group, "", kind, name),
        _ => return None,
    };
    (!kind.is_empty() && !name.is_empty()).then(|| ObjectId {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}
