//! Fields that name other objects, one for each row of upstream's table that the manifests do not have anyway.

use super::dice::Dice;
use super::value::{Value, list, map, text};

/// Kind, path and the kind that is named there; `[]` marks a list.
const ROWS: &[(&str, &str, &str)] = &[
    ("HorizontalPodAutoscaler", "spec|scaleTargetRef|name", "StatefulSet"),
    ("HorizontalPodAutoscaler", "spec|scaleTargetRef|name", "ReplicationController"),
    ("Node", "spec|configSource|configMap|name", "ConfigMap"),
    (
        "Ingress",
        "metadata|annotations|nginx.ingress.kubernetes.io/fastcgi-params-configmap",
        "ConfigMap",
    ),
    ("Ingress", "metadata|annotations|ingress.kubernetes.io/auth-secret", "Secret"),
    ("Ingress", "metadata|annotations|nginx.ingress.kubernetes.io/auth-secret", "Secret"),
    ("Ingress", "metadata|annotations|nginx.ingress.kubernetes.io/auth-tls-secret", "Secret"),
    ("Ingress", "spec|backend|serviceName", "Service"),
    ("Ingress", "spec|rules[]|http|paths[]|backend|serviceName", "Service"),
    ("Ingress", "spec|defaultBackend|service|name", "Service"),
    ("Ingress", "spec|ingressClassName", "IngressClass"),
    ("StorageClass", "parameters|secretName", "Secret"),
    ("StorageClass", "parameters|adminSecretName", "Secret"),
    ("StorageClass", "parameters|userSecretName", "Secret"),
    ("StorageClass", "parameters|secretRef", "Secret"),
    ("PersistentVolume", "spec|azureFile|secretName", "Secret"),
    ("PersistentVolume", "spec|storageClassName", "StorageClass"),
    ("ClusterRole", "rules[]|resourceNames[]", "PersistentVolume"),
    ("APIService", "spec|service|name", "Service"),
    ("MutatingWebhookConfiguration", "webhooks[]|clientConfig|service|name", "Service"),
    ("ValidatingAdmissionPolicyBinding", "spec|policyName", "ValidatingAdmissionPolicy"),
    ("Pod", "spec|volumes[]|azureFile|secretName", "Secret"),
    ("Pod", "spec|volumes[]|cephfs|secretRef|name", "Secret"),
    ("Deployment", "spec|template|spec|volumes[]|rbd|secretRef|name", "Secret"),
    ("Deployment", "spec|template|spec|volumes[]|scaleIO|secretRef|name", "Secret"),
    ("StatefulSet", "spec|template|spec|volumes[]|iscsi|secretRef|name", "Secret"),
    ("DaemonSet", "spec|template|spec|volumes[]|flexVolume|secretRef|name", "Secret"),
    (
        "CronJob",
        "spec|jobTemplate|spec|template|spec|volumes[]|projected|sources[]|secret|name",
        "Secret",
    ),
    ("ReplicationController", "spec|template|spec|serviceAccountName", "ServiceAccount"),
    ("Job", "spec|template|spec|initContainers[]|envFrom[]|secretRef|name", "Secret"),
    ("ReplicaSet", "spec|template|spec|imagePullSecrets[]|name", "Secret"),
    ("CustomResourceDefinition", "spec|conversion|webhook|clientConfig|service|name", "Service"),
];

/// Gives an object some of the fields of its kind; `name` finds an object of a kind to name.
pub(super) fn add(
    dice: &mut Dice,
    kind: &str,
    value: &mut Value,
    mut name: impl FnMut(&mut Dice, &str) -> Value,
) {
    for (_, path, target) in ROWS.iter().filter(|(referrer, ..)| *referrer == kind) {
        if dice.chance(25) {
            let leaf = name(dice, target);
            let parts: Vec<&str> = path.split('|').collect();
            place(value, &parts, leaf);
        }
    }
}

/// Puts a leaf at a path, through what is there as far as it has the right shape.
fn place(value: &mut Value, path: &[&str], leaf: Value) {
    let Value::Map(entries) = value else { return };
    let (name, is_list) = match path[0].strip_suffix("[]") {
        Some(name) => (name, true),
        None => (path[0], false),
    };
    let present = entries.iter_mut().find(|(key, _)| key == name);
    match present {
        Some((_, Value::List(items))) if is_list && path.len() > 1 && !items.is_empty() => {
            place(&mut items[0], &path[1..], leaf);
        }
        Some((_, field)) if !is_list && path.len() > 1 => place(field, &path[1..], leaf),
        Some(_) => {}
        None => {
            let inner = match path.len() {
                1 => leaf,
                _ => {
                    let mut inner = map([]);
                    if is_list {
                        inner.set("name", text("made"));
                    }
                    place(&mut inner, &path[1..], leaf);
                    inner
                }
            };
            entries.push((name.to_owned(), if is_list { list([inner]) } else { inner }));
        }
    }
}
