//! Workloads that an autoscaler scales: how many replicas they have is its business.

use std::collections::HashMap;

use kelson_model::{Object, ObjectId};
use kelson_yaml::Node;

use crate::FieldPath;

/// The field that is an autoscaler's.
pub(super) fn replicas() -> FieldPath {
    FieldPath::parse("/spec/replicas").expect("because it is a JSON pointer")
}

/// What autoscalers of the set and of the cluster scale, with the reason that a person is told.
pub(super) fn targets<'a>(
    objects: impl Iterator<Item = &'a Object>,
    in_cluster: &[ObjectId],
) -> HashMap<ObjectId, String> {
    let cluster = in_cluster.iter();
    let mut targets: HashMap<ObjectId, String> = cluster
        .map(|id| (id.clone(), "an autoscaler in the cluster scales it".to_owned()))
        .collect();
    for object in objects {
        if let Some(target) = target(object) {
            targets.insert(target, format!("{} scales it", object.id));
        }
    }
    targets
}

/// What an autoscaler scales.
fn target(object: &Object) -> Option<ObjectId> {
    // KEDA's need not say what it scales where that is a Deployment.
    let defaults = match (object.id.group.as_str(), object.id.kind.as_str()) {
        ("autoscaling", "HorizontalPodAutoscaler") => ("", ""),
        ("keda.sh", "ScaledObject") => ("apps/v1", "Deployment"),
        _ => return None,
    };
    let reference = object.node.lookup(&["spec", "scaleTargetRef"])?;
    let text = |key, default| reference.get(key).and_then(Node::as_str).unwrap_or(default);
    let name = text("name", "");
    let group = text("apiVersion", defaults.0).rsplit_once('/').map_or("", |(group, _)| group);
    (!name.is_empty()).then(|| ObjectId {
        group: group.to_owned(),
        kind: text("kind", defaults.1).to_owned(),
        namespace: object.id.namespace.clone(),
        name: name.to_owned(),
    })
}
