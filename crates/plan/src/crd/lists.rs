//! What makes elements of a list distinct.

use std::collections::HashSet;

use kelson_yaml::Node;

use super::{shown, text};

/// What is wrong with the elements of a list that is a set or has keys.
pub(super) fn faults(items: &[Node], schema: &Node) -> Vec<String> {
    let keys = match text(schema, "x-kubernetes-list-type") {
        Some("set") => items.iter().map(|item| Ok(format!("={}", shown(item)))).collect(),
        Some("map") => keys(items, schema),
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for key in keys {
        match key {
            Err(fault) => faults.push(fault),
            Ok(key) => {
                if seen.contains(&key) {
                    faults.push(format!("duplicate entries for key [{key}]"));
                }
                seen.insert(key);
            }
        }
    }
    faults
}

/// The keys of the elements, defaults included; an error for an element that has none.
fn keys(items: &[Node], schema: &Node) -> Vec<Result<String, String>> {
    let names = schema.get("x-kubernetes-list-map-keys").and_then(Node::as_sequence);
    let names: Vec<&str> = names.unwrap_or_default().iter().filter_map(Node::text).collect();
    let default = |name: &str| schema.lookup(&["items", "properties", name, "default"]);
    let of = |index: usize, item: &Node| {
        let given = |name: &&str| item.get(name).filter(|node| !node.is_null());
        let found: Vec<String> = names
            .iter()
            .filter_map(|name| Some((name, given(name).or_else(|| default(name))?)))
            .map(|(name, value)| format!("{name}={}", shown(value)))
            .collect();
        match found.is_empty() {
            false => Ok(found.join(",")),
            true => {
                let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
                Err(format!(
                    "element {index}: associative list with keys has an element that omits all key fields [{}] (and \
                     doesn't have default values for any key fields)",
                    names.join(" ")
                ))
            }
        }
    };
    // An element that is no mapping has a fault of its own.
    let items = items.iter().enumerate().filter(|(_, item)| item.as_mapping().is_some());
    items.map(|(index, item)| of(index, item)).collect()
}
