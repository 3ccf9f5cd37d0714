//! The record of kustomizer becomes ours.
//!
//! What is imported is not taken over yet: each object that is still there gets its owner's labels and is entered as
//! adopted, so that it can be pruned. Its fields become ours with the next apply, which compares all of them.

use std::collections::HashMap;

use kelson_cluster::Cluster;
use kelson_model::ObjectId;
use kelson_plan::inventory::{self, Entry, Inventory, Origin};
use kelson_plan::{
    Action, Catalog, Change, Checked, FieldChange, Found, Ground, Kind, Listener, Live, Plan, Step,
    Value, Wanted,
};
use kelson_yaml::Node;

use super::gather::known;
use super::{DeliverError, Planned, Request};

/// The labels by which kustomizer knows what an inventory lists.
const THEIR_NAME: &str = "inventory.kustomizer.dev/name";
const THEIR_NAMESPACE: &str = "inventory.kustomizer.dev/namespace";

/// What kustomizer has applied, as a plan that makes it ours.
pub struct Imported {
    /// The plan.
    pub planned: Planned,
    /// What is not imported, and why.
    pub left_out: Vec<(ObjectId, String)>,
    /// The ConfigMap it was read from.
    pub config_map: ObjectId,
    /// The kind of that.
    pub kind: Kind,
}

/// Reads the inventory `inv-<name>` of kustomizer in the delivery's namespace, and plans what makes its objects ours.
///
/// # Errors
///
/// Fails where there is none, where it cannot be read, and where the delivery has an inventory already.
pub async fn import(
    cluster: &Cluster,
    name: &str,
    request: &Request,
    listener: &dyn Listener,
) -> Result<Imported, DeliverError> {
    let known = known(cluster, &[], request).await?;
    let delivery = request.delivery.as_ref().ok_or(DeliverError::Nameless)?;
    if known.held.as_ref().is_some_and(|held| !held.inventory.entries.is_empty()) {
        return Err(DeliverError::Exists(delivery.to_string()));
    }
    let config_map = ObjectId {
        group: String::new(),
        kind: "ConfigMap".to_owned(),
        namespace: delivery.namespace().to_owned(),
        name: format!("inv-{name}"),
    };
    let kind = kind_of(&known.catalog, &config_map, "v1");
    let found = cluster.get(&kind, &config_map).await?;
    let found = found.ok_or_else(|| DeliverError::NothingToImport {
        name: config_map.name.clone(),
        namespace: config_map.namespace.clone(),
    })?;
    let theirs = inventory::import(&found.node)
        .map_err(|source| DeliverError::Import { name: config_map.name.clone(), source })?;
    let manager = &request.options.field_manager;
    let wanted = wanted(&theirs, &known.catalog);
    let live = cluster.read(&wanted, None, false, manager, listener).await?;
    let owner = (name, delivery.namespace());
    let (steps, left_out) = steps(&theirs, &live, &known.catalog, request, owner);
    let plan = Plan {
        delivery: Some(delivery.clone()),
        cluster: known.cluster,
        artifact: request.artifact.clone(),
        field_manager: manager.clone(),
        steps,
    };
    let planned = Planned { plan, held: known.held, namespace_missing: false };
    Ok(Imported { planned, left_out, config_map, kind })
}

fn wanted(theirs: &Inventory, catalog: &Catalog) -> Vec<Wanted> {
    let wanted = |entry: &Entry| Wanted {
        id: entry.id.clone(),
        kind: kind_of(catalog, &entry.id, &entry.version),
        recorded: None,
    };
    let is_known = |entry: &&Entry| !catalog.versions(&entry.id.group, &entry.id.kind).is_empty();
    theirs.entries.iter().filter(is_known).map(wanted).collect()
}

/// The kind of an object, in the version that is asked for where the cluster has it.
fn kind_of(catalog: &Catalog, id: &ObjectId, version: &str) -> Kind {
    let found = catalog.find(&id.group, version, &id.kind);
    let found = found.or_else(|| catalog.versions(&id.group, &id.kind).first());
    found.cloned().unwrap_or_else(|| Kind {
        group: id.group.clone(),
        version: version.to_owned(),
        kind: id.kind.clone(),
        plural: format!("{}s", id.kind.to_lowercase()),
        namespaced: !id.namespace.is_empty(),
        to_come: false,
    })
}

/// A step for each object that is there and bears kustomizer's labels; the others with the reason why not.
fn steps(
    theirs: &Inventory,
    live: &HashMap<ObjectId, Live>,
    catalog: &Catalog,
    request: &Request,
    owner: (&str, &str),
) -> (Vec<Step>, Vec<(ObjectId, String)>) {
    let (mut steps, mut left_out) = (Vec::new(), Vec::new());
    for entry in &theirs.entries {
        let found = match live.get(&entry.id) {
            Some(Live::Found(packed)) => packed.open(),
            Some(Live::Unreadable(why)) => {
                left_out.push((entry.id.clone(), format!("it cannot be read: {why}")));
                continue;
            }
            Some(Live::Absent | Live::Recorded { .. }) => {
                left_out.push((entry.id.clone(), "it is gone".to_owned()));
                continue;
            }
            None => {
                left_out.push((entry.id.clone(), "the cluster has no such kind".to_owned()));
                continue;
            }
        };
        let labels = (found.label(THEIR_NAME), found.label(THEIR_NAMESPACE));
        if labels != (Some(owner.0), Some(owner.1)) {
            let why = "its labels do not say that it belongs to this inventory".to_owned();
            left_out.push((entry.id.clone(), why));
            continue;
        }
        steps.push(step(entry, &found, kind_of(catalog, &entry.id, &entry.version), request));
    }
    (steps, left_out)
}

/// Lays the owner's labels over an object, and nothing else.
fn step(entry: &Entry, found: &Found, kind: Kind, request: &Request) -> Step {
    let labels = request.delivery.iter().flat_map(|delivery| delivery.labels());
    let change = |(key, value): (&str, &str)| Change {
        field: FieldChange {
            path: format!("metadata.labels[{key}]"),
            before: found.label(key).map(|text| Value::Shown(text.to_owned())),
            after: Some(Value::Shown(value.to_owned())),
        },
        managers: Vec::new(),
        hidden: None,
    };
    Step {
        id: entry.id.clone(),
        body: Some(body(&entry.id, &kind, labels.clone())),
        kind,
        action: Action::Change,
        ground: Ground {
            uid: Some(found.uid.clone()),
            hash: Some(found.hash.clone()),
            resource_version: Some(found.resource_version.clone()),
            owned: Some(found.owned.clone()),
        },
        changes: labels.map(change).collect(),
        checked: Checked::OnApply,
        desired: None,
        force: false,
        origin: Origin::Adopted,
        takeover: None,
        wave: 0,
        asked_wave: 0,
        depends_on: Vec::new(),
        notes: Vec::new(),
    }
}

fn body<'a>(id: &ObjectId, kind: &Kind, labels: impl Iterator<Item = (&'a str, &'a str)>) -> Node {
    let entry = |key: &str, value: Node| kelson_yaml::Entry { key: Node::string(key), value };
    let api_version = match kind.group.as_str() {
        "" => kind.version.clone(),
        group => format!("{group}/{}", kind.version),
    };
    let labels = labels.map(|(key, value)| entry(key, Node::string(value))).collect();
    let mut metadata =
        vec![entry("labels", Node::mapping(labels)), entry("name", Node::string(id.name.as_str()))];
    if !id.namespace.is_empty() {
        metadata.push(entry("namespace", Node::string(id.namespace.as_str())));
    }
    Node::mapping(vec![
        entry("apiVersion", Node::string(api_version)),
        entry("kind", Node::string(id.kind.as_str())),
        entry("metadata", Node::mapping(metadata)),
    ])
}
