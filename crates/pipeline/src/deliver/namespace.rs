//! The namespace that holds the record: it must be there before anything is recorded, and is part of the plan that makes
//! it.

use kelson_cluster::{Cluster, Held};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Delivery, Kind, Origin};
use kelson_yaml::{Entry, Node};

use super::{DeliverError, Request};

/// What is known of the namespace that holds an inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// It does not exist.
    Missing,
    /// We made it, as the inventory says; or its labels, where a run came no further than to make it.
    Ours,
    /// It is there, whoever made it.
    There,
}

impl Home {
    pub(super) async fn of(
        cluster: &Cluster,
        held: &Held,
        request: &Request,
    ) -> Result<Self, DeliverError> {
        let id = ObjectId::of_namespace(held.delivery.namespace());
        if held.exists() {
            let entry = held.inventory.entry(&id);
            let is_ours = entry.is_some_and(|entry| entry.origin == Origin::Created);
            return Ok(if is_ours { Self::Ours } else { Self::There });
        }
        if cluster.namespace(&id.name).await?.is_none() {
            return Ok(Self::Missing);
        }
        // Who may not look at namespaces has not made one.
        let found = match request.create_namespace {
            true => cluster.get(&Kind::namespaces(), &id).await.ok().flatten(),
            false => None,
        };
        let label = |object: &Object, key: &str| {
            object
                .node
                .lookup(&["metadata", "labels", key])
                .and_then(Node::as_str)
                .map(str::to_owned)
        };
        let is_ours = found.is_some_and(|found| {
            held.delivery
                .labels()
                .iter()
                .all(|(key, value)| label(&found, key).as_deref() == Some(value))
        });
        Ok(if is_ours { Self::Ours } else { Self::There })
    }
}

/// Adds a namespace to objects, where it is not among them.
pub(super) fn add(objects: &mut Vec<Object>, name: &str) {
    let id = ObjectId::of_namespace(name);
    if objects.iter().any(|object| object.id == id) {
        return;
    }
    let entry = |key: &str, value: Node| Entry { key: Node::string(key), value };
    let node = Node::mapping(vec![
        entry("apiVersion", Node::string("v1")),
        entry("kind", Node::string("Namespace")),
        entry("metadata", Node::mapping(vec![entry("name", Node::string(name))])),
    ]);
    objects.push(Object::new(node).expect("because it has a version, a kind and a name"));
}

/// Makes the namespace of a delivery, with its labels alone. The step of the plan that makes it finds it to be ours.
pub(super) async fn create(
    cluster: &Cluster,
    delivery: &Delivery,
    request: &Request,
) -> Result<(), DeliverError> {
    let name = delivery.namespace();
    if !request.create_namespace {
        return Err(DeliverError::NoNamespace(name.to_owned()));
    }
    let manager = &request.options.field_manager;
    cluster.create_namespace(name, &delivery.labels(), manager).await?;
    Ok(())
}
