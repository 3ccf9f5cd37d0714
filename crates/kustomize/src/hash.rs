//! The suffix that a generated object's name gets: a hash of its content.

use kelson_yaml::{Data, Node, Touch, json};
use sha2::{Digest, Sha256};

use crate::fault::{Fault, Result};
use crate::resmap::ResMap;
use crate::resource::Resource;

/// Appends the hash to the names of all objects that want it; each gets a touch of its own.
pub(crate) fn add_suffixes(
    resources: &mut ResMap,
    mut touch: impl FnMut(&Resource) -> Touch,
) -> Result<()> {
    if !resources.list().iter().any(|resource| resource.needs_hash) {
        return Ok(());
    }
    let schema = std::sync::Arc::clone(&resources.scopes);
    for resource in resources.list_mut() {
        if resource.needs_hash {
            let name = format!("{}-{}", resource.name(), of(resource)?);
            let is_cluster_scoped = schema.is_cluster_scoped(&resource.gvk());
            resource.store_previous(is_cluster_scoped);
            let touch = touch(resource);
            resource.set_name(&name, None, touch);
        }
    }
    Ok(())
}

/// The hash of an object's content.
fn of(resource: &Resource) -> Result<String> {
    let text = match resource.kind() {
        "ConfigMap" => written(&[
            ("binaryData", optional(resource, "binaryData")?),
            ("data", Some(content(resource, "data")?)),
            ("kind", Some("\"ConfigMap\"".to_owned())),
            ("name", Some("\"\"".to_owned())),
        ]),
        "Secret" => written(&[
            ("data", Some(content(resource, "data")?)),
            ("kind", Some("\"Secret\"".to_owned())),
            ("name", Some("\"\"".to_owned())),
            ("stringData", optional(resource, "stringData")?),
            ("type", Some(content(resource, "type")?)),
        ]),
        // Upstream hashes the memory of its own parser here, lines and columns included. No one can tell
        // that from outside; a hash of the content is as good.
        _ => to_json(&resource.node)?,
    };
    Ok(encode(&Sha256::digest(text.as_bytes())))
}

/// A field as it enters the hash: mappings as they are, scalars as text, nothing as empty text.
fn content(resource: &Resource, field: &str) -> Result<String> {
    match resource.node.get(field) {
        Some(node) if matches!(node.data, Data::Mapping(_)) => to_json(node),
        Some(node) => match node.text() {
            Some(text) => to_json(&Node::string(text)),
            None => Ok("null".to_owned()),
        },
        None => Ok("\"\"".to_owned()),
    }
}

/// A field that counts only if it is a mapping.
fn optional(resource: &Resource, field: &str) -> Result<Option<String>> {
    match resource.node.get(field) {
        Some(node) if matches!(node.data, Data::Mapping(_)) => to_json(node).map(Some),
        _ => Ok(None),
    }
}

fn written(fields: &[(&str, Option<String>)]) -> String {
    let size: usize = fields.iter().flat_map(|field| &field.1).map(String::len).sum();
    let mut text = String::with_capacity(size + 64);
    let mut before = '{';
    for (key, value) in fields.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
        text.extend([before, '"']);
        text.push_str(key);
        text.push_str("\":");
        text.push_str(value);
        before = ',';
    }
    text.push('}');
    text
}

fn to_json(node: &Node) -> Result<String> {
    let mut text = String::new();
    json::write(node, &mut text)
        .map_err(|error| Fault::new("not-json", error.message).at(error.span, ""))?;
    Ok(text)
}

/// The first ten hexadecimal digits, with those replaced that could make words.
fn encode(digest: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"gh2k456789mbcdtf";
    digest
        .iter()
        .take(5)
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut found = crate::read::resources(text, kelson_yaml::Span::NONE, false).unwrap();
        assert_eq!(of(&found.remove(0)).unwrap(), expected);
    }

    #[test]
    fn hashes_are_those_of_upstream() {
        check("kind: ConfigMap\nmetadata: {name: a}\ndata: {k: v, z: <b>&}\n", "75cdk7426d");
        check("kind: ConfigMap\nmetadata: {name: b}\n", "6ct58987ht");
        check("kind: Secret\nmetadata: {name: a}\ntype: Opaque\ndata: {k: dg==}\n", "ftgtgc4t9f");
        check("kind: Secret\nmetadata: {name: a}\ntype: Opaque\ndata: {}\n", "46f8b28mk5");
        let binary =
            "kind: ConfigMap\nmetadata: {name: a}\nbinaryData: {bin.dat: //4A}\ndata: {k: v}\n";
        check(binary, "5g4k6thfm7");
    }
}
