//! Inventories of kustomizer: ConfigMaps `inv-<name>`.

use kelson_yaml::Node;
use serde::Deserialize;

use super::{Applied, Entry, Inventory, Malformed, Origin, State, identifier};

/// What kustomizer's annotations begin with.
const MARK: &str = "inventory.kustomizer.dev";

/// An element of `data.resources`.
#[derive(Deserialize)]
struct Resource {
    id: String,
    #[serde(default)]
    ver: String,
}

/// Reads the ConfigMap in which kustomizer keeps what it has applied. Entries have no uid yet; their origin is `Adopted`.
/// The source is left open: kustomizer names its sources differently, and the first apply enters ours.
///
/// # Errors
///
/// Fails for a ConfigMap that is no inventory.
pub fn import(config_map: &Node) -> Result<Inventory, Malformed> {
    let Some(resources) = text(config_map, &["data", "resources"]) else {
        return Err(Malformed(
            "it has no `data.resources`, where kustomizer keeps its list".into(),
        ));
    };
    let resources: Vec<Resource> = serde_json::from_str(resources).map_err(|error| {
        Malformed(format!("`data.resources`: {}", crate::stored::brief(&error)))
    })?;
    let mut entries = resources.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    entries.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    entries.dedup_by(|one, other| one.id == other.id);
    Ok(Inventory { history: vec![applied(config_map)], entries, ..Inventory::default() })
}

fn entry(resource: Resource) -> Result<Entry, Malformed> {
    let id = identifier::parse(&resource.id)
        .filter(|id| !id.kind.is_empty() && !id.name.is_empty())
        .ok_or_else(|| {
            let text = crate::stored::cropped(&resource.id);
            Malformed(format!(
                "`{text}` in `data.resources` is no id: `<namespace>_<name>_<group>_<kind>` is expected"
            ))
        })?;
    Ok(Entry {
        id,
        version: resource.ver,
        uid: None,
        origin: Origin::Adopted,
        state: State::Applied,
        desired: None,
        owned: None,
    })
}

/// What kustomizer says of its last apply.
fn applied(config_map: &Node) -> Applied {
    let annotation = |name: &str| {
        let key = format!("{MARK}/{name}");
        text(config_map, &["metadata", "annotations", &key]).unwrap_or_default().to_owned()
    };
    let artifacts = text(config_map, &["data", "artifacts"]).unwrap_or_default();
    let artifacts: Vec<String> = serde_json::from_str(artifacts).unwrap_or_default();
    // Of several artifacts none is what was applied.
    let digest = match artifacts.as_slice() {
        [one] => one.rsplit_once('@').map_or("", |(_, digest)| digest),
        _ => "",
    };
    Applied {
        digest: digest.to_owned(),
        revision: annotation("revision"),
        at: annotation("last-applied-time"),
        by: "kustomizer".to_owned(),
        result: "applied".to_owned(),
        ..Applied::default()
    }
}

fn text<'n>(node: &'n Node, path: &[&str]) -> Option<&'n str> {
    node.lookup(path).and_then(Node::as_str)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
        let actual = match import(&node) {
            Ok(inventory) => super::super::write(&inventory),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&actual);
    }

    #[test]
    fn what_kustomizer_applied_is_taken_over_entry_by_entry() {
        check(
            r#"
apiVersion: v1
kind: ConfigMap
metadata:
  name: inv-shop
  labels: {app.kubernetes.io/name: shop, app.kubernetes.io/component: inventory}
  annotations:
    inventory.kustomizer.dev/last-applied-time: "2024-05-01T10:00:00Z"
    inventory.kustomizer.dev/revision: v1.2.0
data:
  artifacts: '["registry.example.com/shop@sha256:abc"]'
  resources: '[{"id":"shop_web_apps_Deployment","ver":"v1"},{"id":"_shop__Namespace","ver":"v1"},{"id":"_a__b_rbac.authorization.k8s.io_ClusterRole","ver":"v1"}]'
"#,
            expect![[
                r#"{"schema":"kelson.dev/inventory/v1","history":[{"digest":"sha256:abc","revision":"v1.2.0","at":"2024-05-01T10:00:00Z","by":"kustomizer","result":"applied"}],"entries":[{"kind":"Namespace","version":"v1","name":"shop","origin":"adopted"},{"group":"apps","kind":"Deployment","version":"v1","namespace":"shop","name":"web","origin":"adopted"},{"group":"rbac.authorization.k8s.io","kind":"ClusterRole","version":"v1","name":"a:b","origin":"adopted"}]}"#
            ]],
        );
    }

    #[test]
    fn other_config_maps_are_no_inventories() {
        check(
            "{data: {a: b}}",
            expect![
                "this inventory cannot be read: it has no `data.resources`, where kustomizer keeps its list"
            ],
        );
        check(
            "{data: {resources: '{'}}",
            expect![
                "this inventory cannot be read: `data.resources`: invalid type: map, expected a sequence at line 1 column 0"
            ],
        );
        check(
            r#"{data: {resources: '[{"id":"web"}]'}}"#,
            expect![
                "this inventory cannot be read: `web` in `data.resources` is no id: `<namespace>_<name>_<group>_<kind>` is expected"
            ],
        );
    }
}
