//! What is said of a kind that is not there.

use kelson_model::{Object, nearest};

use crate::Catalog;
use crate::catalog::api_version;

/// Says that a kind is missing, what there is instead, and what to do. What could not be read is not called missing.
pub(super) fn message(object: &Object, catalog: &Catalog) -> String {
    let (group, kind) = (object.id.group.as_str(), object.id.kind.as_str());
    let wanted = format!("{} {kind}", api_version(group, &object.version));
    if let Some(why) = catalog.why_unreadable(group) {
        let group = if group.is_empty() { "the core" } else { group };
        return format!(
            "whether the cluster has {wanted} is not known: the kinds of {group} could not be read: {why}"
        );
    }
    let versions: Vec<String> =
        catalog.versions(group, kind).iter().map(crate::Kind::api_version).collect();
    if !versions.is_empty() {
        return format!(
            "the cluster has no {wanted}, but {}; write that as `apiVersion`",
            versions.join(" and ")
        );
    }
    if let Some(hint) = elsewhere(kind, catalog).or_else(|| slip(group, kind, catalog)) {
        return format!("the cluster has no {wanted}; it has {hint}");
    }
    format!(
        "the cluster has no {wanted}, and no CustomResourceDefinition of the set brings it; install what defines it \
         first, or add that to the set"
    )
}

/// The kind under another group.
fn elsewhere(kind: &str, catalog: &Catalog) -> Option<String> {
    let mut known: Vec<String> = catalog
        .kinds()
        .filter(|known| known.kind == kind)
        .map(|known| format!("{} {kind}", known.api_version()))
        .collect();
    known.sort_unstable();
    (!known.is_empty()).then(|| known.join(" and "))
}

/// A kind of the same group that is written nearly the same.
fn slip(group: &str, kind: &str, catalog: &Catalog) -> Option<String> {
    let mut kinds: Vec<&crate::Kind> =
        catalog.kinds().filter(|known| known.group == group).collect();
    kinds.sort_unstable_by(|one, other| one.kind.cmp(&other.kind));
    let name = nearest(kind, kinds.iter().map(|known| known.kind.as_str()))?;
    let known = kinds.iter().find(|known| known.kind == name)?;
    Some(format!("{} {name}", known.api_version()))
}
