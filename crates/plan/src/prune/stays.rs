//! What must not go, whatever the inventory says.

use crate::marks::{KEPT_BY_OTHERS, OWNER_NAME, OWNER_NAMESPACE, PRUNE};
use crate::{Delivery, Found};

/// Another delivery that an object belongs to now, by its labels.
pub(super) fn handed_over(found: &Found, delivery: &Delivery) -> Option<String> {
    let (name, namespace) = (found.label(OWNER_NAME)?, found.label(OWNER_NAMESPACE)?);
    let is_ours = name == delivery.name() && namespace == delivery.namespace();
    (!is_ours).then(|| format!("{namespace}/{name}"))
}

/// Why an object is not touched, if it is not: nothing says that it is ours.
pub(super) fn is_not_ours(found: &Found, delivery: &Delivery) -> Option<String> {
    let mut labels = delivery.labels().into_iter();
    let (key, _) = labels.find(|(key, value)| found.label(key) != Some(value))?;
    Some(format!(
        "its label `{key}` does not say that it belongs to {delivery}: delete it yourself, or put the label back"
    ))
}

/// Why an object of ours is not deleted, if it is not.
pub(super) fn is_kept(found: &Found) -> Option<String> {
    is_reserved(found).or_else(|| is_asked_for(found))
}

/// Namespaces that a cluster cannot do without.
fn is_reserved(found: &Found) -> Option<String> {
    let id = &found.object.id;
    let is_namespace = id.group.is_empty() && id.kind == "Namespace";
    let is_reserved = is_namespace && (id.name == "default" || id.name.starts_with("kube-"));
    is_reserved.then(|| "a namespace of the cluster itself is never deleted".to_owned())
}

/// Marks that somebody put on the object so that it stays.
fn is_asked_for(found: &Found) -> Option<String> {
    let marks = [(PRUNE, "disabled")].into_iter().chain(KEPT_BY_OTHERS);
    // Flux takes its marks from labels too.
    let has = |key: &str, value: &str| {
        [found.annotation(key), found.label(key)].into_iter().flatten().any(|text| text == value)
    };
    let (key, value) = marks.into_iter().find(|(key, value)| has(key, value))?;
    Some(format!("it is marked `{key}: {value}`"))
}
