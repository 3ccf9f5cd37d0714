//! All groups in one document: `APIGroupDiscoveryList`.

use kelson_plan::Catalog;
use serde_json::Value;

use super::{add, items};

/// Takes the kinds of a document; of each group the preferred version comes first.
pub(super) fn read(document: &Value, catalog: &mut Catalog) {
    for group in items(&document["items"]) {
        let name = group["metadata"]["name"].as_str().unwrap_or_default();
        for version in items(&group["versions"]) {
            read_version(name, version, catalog);
        }
    }
}

fn read_version(group: &str, version: &Value, catalog: &mut Catalog) {
    let Some(name) = version["version"].as_str() else { return };
    // What is known of a server that does not answer may be old, or nothing.
    if version["freshness"] == "Stale" {
        let why = format!("the server of {group}/{name} does not answer");
        catalog.unreadable.push((group.to_owned(), why));
    }
    for resource in items(&version["resources"]) {
        let names = (&resource["responseKind"]["kind"], &resource["resource"]);
        let namespaced = resource["scope"] == "Namespaced";
        add(catalog, (group, name), names, namespaced, &resource["verbs"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_groups_are_noted_and_what_cannot_be_read_is_no_kind() {
        let document = serde_json::json!({"kind": "APIGroupDiscoveryList", "items": [
            {"metadata": {"name": "a.example"}, "versions": [
                {"version": "v2", "freshness": "Current", "resources": [
                    {"resource": "things", "responseKind": {"kind": "Thing"}, "scope": "Namespaced", "verbs": ["get", "list"]},
                    {"resource": "reviews", "responseKind": {"kind": "Review"}, "scope": "Cluster", "verbs": ["create"]},
                ]},
                {"version": "v1", "resources": [
                    {"resource": "things", "responseKind": {"kind": "Thing"}, "scope": "Namespaced", "verbs": ["get"]},
                ]},
            ]},
            {"metadata": {"name": "b.example"}, "versions": [{"version": "v1", "freshness": "Stale"}]},
            {"metadata": {}, "versions": [{}]},
            7,
        ]});
        let mut catalog = Catalog::default();
        read(&document, &mut catalog);
        let versions = catalog.versions("a.example", "Thing").iter().map(|kind| &kind.version);
        assert_eq!(versions.collect::<Vec<_>>(), ["v2", "v1"]);
        assert_eq!(catalog.kinds().count(), 2);
        let why = "the server of b.example/v1 does not answer".to_owned();
        assert_eq!(catalog.unreadable, [("b.example".to_owned(), why)]);
    }
}
