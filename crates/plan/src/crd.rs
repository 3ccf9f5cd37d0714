//! Custom resources against a definition of the same set, which no server knows yet.
//!
//! The API server answers a server-side apply in two steps: first what does not fit the types that a schema declares, then
//! what breaks its rules. Both are told at once here, in its words. Only what it would certainly refuse is a fault: rules
//! in CEL, formats of texts and patterns that its expressions know and ours do not are left to it.

mod lists; // what makes elements of a list distinct
mod value; // one value against one schema

use kelson_yaml::{Data, Node, Span, json};

use value::Check;

/// How many faults of one resource are told.
const MOST: usize = 20;

/// The fields that `metadata` has.
const METADATA: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// What is wrong with a custom resource by its definition's schema (`spec.versions[].schema.openAPIV3Schema`): each text
/// names the field, in the words of the API server where it has some. Rules in CEL are left to the server.
pub(crate) fn faults(resource: &Node, definition: &Node) -> Vec<String> {
    let Some(schema) = schema(resource, definition) else { return Vec::new() };
    // What is checked is what is sent: numbers have many forms in YAML and one in JSON.
    let Some(resource) = sent(resource) else { return Vec::new() };
    let mut check = Check::default();
    check.metadata(resource.get("metadata"), "");
    check.value(&resource, schema, "", false);
    check.faults.truncate(MOST);
    check.faults
}

/// The schema of the version that a resource is written in.
fn schema<'d>(resource: &Node, definition: &'d Node) -> Option<&'d Node> {
    let api_version = resource.get("apiVersion")?.as_str()?;
    let version = api_version.rsplit_once('/').map_or(api_version, |(_, version)| version);
    let versions = definition.lookup(&["spec", "versions"])?.as_sequence()?;
    let found = versions.iter().find(|known| text(known, "name") == Some(version))?;
    found.lookup(&["schema", "openAPIV3Schema"])
}

fn sent(resource: &Node) -> Option<Node> {
    let mut text = String::new();
    json::write(resource, &mut text).ok()?;
    json::read(&text, Span::NONE).ok()
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key).and_then(Node::text)
}

fn is_true(schema: &Node, key: &str) -> bool {
    text(schema, key) == Some("true")
}

/// The way to a field of a value.
fn below(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

/// A value as JSON, its beginning where it is long.
fn shown(node: &Node) -> String {
    let mut text = String::new();
    match json::write(node, &mut text) {
        Ok(()) => crate::stored::cropped(&text),
        Err(_) => crate::stored::cropped(node.text().unwrap_or_default()),
    }
}

impl Check {
    /// The metadata of an object, on its own or embedded in another.
    fn metadata(&mut self, metadata: Option<&Node>, path: &str) {
        let path = below(path, "metadata");
        let Some(metadata) = metadata.filter(|node| !node.is_null()) else { return };
        let Data::Mapping(fields) = &metadata.data else {
            return self.unexpected(metadata, "map", &path);
        };
        for entry in fields {
            let key = entry.key.text().unwrap_or_default();
            let path = below(&path, key);
            match key {
                _ if entry.value.is_null() => {}
                "labels" | "annotations" => self.texts(&entry.value, &path),
                "finalizers" | "ownerReferences" if entry.value.as_sequence().is_none() => {
                    self.unexpected(&entry.value, "list", &path);
                }
                _ if METADATA.contains(&key) => {}
                _ => self.undeclared(&path),
            }
        }
    }

    /// Labels or annotations.
    fn texts(&mut self, node: &Node, path: &str) {
        let Data::Mapping(texts) = &node.data else {
            return self.unexpected(node, "map", path);
        };
        for entry in texts.iter().filter(|entry| !entry.value.is_null()) {
            if entry.value.as_str().is_none() {
                let path = below(path, entry.key.text().unwrap_or_default());
                self.unexpected(&entry.value, "string", &path);
            }
        }
    }
}

#[cfg(test)]
mod tests;
