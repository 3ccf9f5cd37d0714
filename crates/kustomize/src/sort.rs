//! The order of the output.

use std::cmp::Ordering;

use hashbrown::HashMap;

use crate::fault::{Fault, Result};
use crate::id::ResId;
use crate::kustomization::{LegacySortOptions, SortOptions};
use crate::options::Reorder;
use crate::resource::Resource;

/// Kinds that others need.
pub(crate) const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
/// Kinds that act on others.
pub(crate) const LAST: [&str; 2] =
    ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// Puts the objects in the order that the kustomization asks for, else the caller.
pub(crate) fn sort(
    resources: &mut Vec<Resource>,
    options: Option<&SortOptions>,
    reorder: Reorder,
) -> Result<()> {
    match options {
        Some(options) => {
            check(options)?;
            if &*options.order.0 == "legacy" {
                by_kind(resources, &ranks(options.legacy.as_ref()));
            }
        }
        None if reorder != Reorder::None => by_kind(resources, &ranks(None)),
        None => {}
    }
    Ok(())
}

/// Refuses orders that do not exist, and settings of an order that was not chosen.
fn check(options: &SortOptions) -> Result<()> {
    let order = &*options.order.0;
    if !matches!(order, "fifo" | "legacy") {
        let text = "the field 'sortOptions.order' must be one of [fifo, legacy]";
        return Err(Fault::new("sort-order", text).at(options.span, ""));
    }
    match &options.legacy {
        Some(legacy) if order == "fifo" => {
            let text = "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'";
            Err(Fault::new("sort-order", text).at(legacy.span, ""))
        }
        _ => Ok(()),
    }
}

/// The rank of each kind that has one.
fn ranks(options: Option<&LegacySortOptions>) -> HashMap<String, i64> {
    let (first, last): (Vec<&str>, Vec<&str>) = match options {
        Some(options) => (
            options.first.iter().map(|kind| &**kind).collect(),
            options.last.iter().map(|kind| &**kind).collect(),
        ),
        None => (FIRST.to_vec(), LAST.to_vec()),
    };
    let count = i64::try_from(first.len()).unwrap_or(i64::MAX);
    let first = (-count..).zip(first);
    let last = (1..).zip(last);
    first.chain(last).map(|(rank, kind)| (kind.to_owned(), rank)).collect()
}

/// Sorts by rank of kind, then by group, version and kind, then by namespace and name.
fn by_kind(resources: &mut Vec<Resource>, ranks: &HashMap<String, i64>) {
    let keys: Vec<Key> = resources.iter().map(|resource| Key::new(resource.id(), ranks)).collect();
    // Resources are large: they are moved once, when their places are known.
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|left, right| keys[*left].compare(&keys[*right]));
    let mut unsorted: Vec<Option<Resource>> = resources.drain(..).map(Some).collect();
    resources.extend(order.into_iter().filter_map(|place| unsorted[place].take()));
}

/// What an object is sorted by.
struct Key {
    id: ResId,
    rank: i64,
}

impl Key {
    fn new(id: ResId, ranks: &HashMap<String, i64>) -> Self {
        Self { rank: ranks.get(id.gvk.kind.as_str()).copied().unwrap_or(0), id }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let (gvk, other_gvk) = (&self.id.gvk, &other.id.gvk);
        if gvk == other_gvk {
            return self.name().cmp(other.name());
        }
        let by_name = self.kind().cmp(other.kind());
        let namespaces = gvk.kind == "Namespace"
            && other_gvk.kind == "Namespace"
            && (gvk.group.is_empty() || other_gvk.group.is_empty());
        self.rank.cmp(&other.rank).then(if namespaces { by_name.reverse() } else { by_name })
    }

    /// The text `group_version_kind`, byte by byte.
    fn kind(&self) -> impl Iterator<Item = u8> {
        let gvk = &self.id.gvk;
        joined(or(&gvk.group, "~G"), b'_', or(&gvk.version, "~V")).chain(joined(
            "",
            b'_',
            or(&gvk.kind, "~K"),
        ))
    }

    /// The text `namespace|name`, byte by byte.
    fn name(&self) -> impl Iterator<Item = u8> {
        joined(or(&self.id.namespace, "~X"), b'|', or(&self.id.name, "~N"))
    }
}

fn or<'a>(text: &'a str, placeholder: &'a str) -> &'a str {
    if text.is_empty() { placeholder } else { text }
}

fn joined<'a>(left: &'a str, between: u8, right: &'a str) -> impl Iterator<Item = u8> {
    left.bytes().chain([between]).chain(right.bytes())
}
