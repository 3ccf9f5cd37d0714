//! What would be lost with an object.

use kelson_model::ObjectId;
use kelson_yaml::Node;

use super::PruneOptions;
use crate::Found;

/// How many things in a namespace or of a definition are named.
const NAMED: usize = 5;

/// What would be lost with an object, in a sentence; nothing where that is only what we can make again.
pub(super) fn held(found: &Found, options: &PruneOptions) -> Option<String> {
    let id = &found.object.id;
    let node = &found.object.node;
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "PersistentVolumeClaim") => Some(claim(node)),
        ("", "PersistentVolume") => {
            Some(format!("the data of the volume `{}` may go with it", id.name))
        }
        ("apps", "StatefulSet") => templates(node),
        ("", "Namespace") => contents("with it would go what is not ours", id, options),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            contents("all its instances would go with it", id, options)
        }
        _ => None,
    }
}

fn claim(node: &Node) -> String {
    let text = |path: &[&str]| node.lookup(path).and_then(Node::text);
    let size = text(&["status", "capacity", "storage"])
        .or_else(|| text(&["spec", "resources", "requests", "storage"]));
    let size = size.map(|size| format!(" ({size})")).unwrap_or_default();
    match text(&["spec", "volumeName"]) {
        Some(volume) => format!("the data of its volume `{volume}`{size} may go with it"),
        None => format!("the data of its volume{size} may go with it"),
    }
}

/// A StatefulSet whose Pods have claims of their own. Most clusters keep those, but nobody uses them any more.
fn templates(node: &Node) -> Option<String> {
    let templates = node.lookup(&["spec", "volumeClaimTemplates"])?.as_sequence()?;
    let name = |node: &Node| Some(format!("`{}`", node.lookup(&["metadata", "name"])?.text()?));
    let names: Vec<String> = templates.iter().filter_map(name).collect();
    (!templates.is_empty())
        .then(|| format!("its Pods keep data in claims made from {}", names.join(", ")))
}

fn contents(loss: &str, id: &ObjectId, options: &PruneOptions) -> Option<String> {
    let names = match options.contents.get(id).map(Vec::as_slice) {
        None => return Some("what else is in it is not known".to_owned()),
        Some([]) => return None,
        Some(names) => names,
    };
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{loss}: {}{more}", shown.join(", ")))
}
