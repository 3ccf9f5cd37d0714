//! The order in which objects can be applied: what others need comes first.

use kelson_kustomize::{Build, Failure, Object};

/// Kinds that others need, in order.
const FIRST: [&str; 23] = [
    "CustomResourceDefinition",
    "Namespace",
    "ClusterClass",
    "RuntimeClass",
    "PriorityClass",
    "StorageClass",
    "VolumeSnapshotClass",
    "IngressClass",
    "GatewayClass",
    "ResourceQuota",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Service",
    "LimitRange",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that stand in the way of others, in order.
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// Sorts objects as kustomizer applies and packs them: by rank of their kind, then group, kind, namespace, name.
pub fn in_apply_order(objects: &mut [Object]) {
    objects.sort_by(|left, right| key(left).cmp(&key(right)));
}

/// The objects in the order of application, each followed by `---`: texts of this form stay valid when they are put
/// one behind the other.
///
/// # Errors
///
/// Fails for objects that have no form in JSON.
pub fn to_apply_yaml(build: &mut Build) -> Result<String, Failure> {
    in_apply_order(&mut build.objects);
    let mut text = String::new();
    for object in &build.objects {
        build.write_object(object, &mut text)?;
        text.push_str("---\n");
    }
    Ok(text)
}

fn key(object: &Object) -> (usize, &str, &str, &str, &str) {
    let kind = object.kind();
    (rank(kind), object.group(), kind, object.namespace(), object.name())
}

fn rank(kind: &str) -> usize {
    let first = FIRST.iter().position(|known| *known == kind);
    let last = || LAST.iter().position(|known| *known == kind).map(|at| FIRST.len() + 1 + at);
    first.or_else(last).unwrap_or(FIRST.len())
}
