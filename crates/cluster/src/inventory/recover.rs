//! The record, from labels.

use std::collections::HashSet;

use futures_util::StreamExt;
use kelson_model::Object;
use kelson_plan::{
    Catalog, Delivery, Entry, Event, Found, Inventory, Kind, Listener, Manager, Origin, Refusal,
    State, managers,
};

use crate::list::Pages;
use crate::{Cluster, Error};

/// Rebuilds an inventory from the labels of the objects in a cluster: every kind that can be listed is. Only objects that
/// our manager has applied count, since controllers copy labels. Whether we have made an object or only laid fields over it
/// is not written on it: where somebody else than the control plane has written fields of it, it counts as found, and is
/// never deleted.
///
/// # Errors
///
/// Fails where nothing can be listed; kinds that cannot be are warned of.
pub async fn recover(
    cluster: &Cluster,
    delivery: &Delivery,
    catalog: &Catalog,
    field_manager: &str,
    listener: &dyn Listener,
) -> Result<Inventory, Error> {
    let search = Search { cluster, selector: delivery.selector(), field_manager, listener };
    let kinds = preferred(catalog);
    let count = kinds.len();
    let mut listed = futures_util::stream::iter(kinds)
        .map(|kind| search.entries(kind))
        .buffer_unordered(cluster.parallel());
    let (mut entries, mut refused) = (Vec::new(), Vec::new());
    while let Some((kind, found)) = listed.next().await {
        match found {
            Ok(found) => entries.extend(found),
            // Some kinds can only be created, such as reviews of access.
            Err(refusal) if matches!(refusal.code, 404 | 405) => {}
            Err(refusal) => refused.push((kind.kind.clone(), refusal)),
        }
    }
    if let Some((_, refusal)) = refused.first().filter(|_| refused.len() == count) {
        let what = format!("look for objects of {delivery}");
        return Err(Error::Refused { what, refusal: refusal.clone() });
    }
    for (kind, refusal) in refused {
        let text = format!("objects of kind {kind} could not be looked for: {refusal}");
        listener.hear(&Event::Warning(text));
    }
    // One object can be listed under two groups.
    entries.sort_unstable_by(|one: &Entry, other| one.id.cmp(&other.id));
    let mut uids = HashSet::new();
    entries.retain(|entry| uids.insert(entry.uid.clone()));
    Ok(Inventory { field_manager: field_manager.to_owned(), entries, ..Inventory::default() })
}

/// Each kind once, in its preferred version.
fn preferred(catalog: &Catalog) -> Vec<&Kind> {
    let mut kinds: Vec<_> = catalog
        .kinds()
        .filter(|kind| !kind.to_come)
        .filter(|kind| catalog.versions(&kind.group, &kind.kind).first() == Some(kind))
        .collect();
    kinds.sort_unstable_by(|one, other| (&one.group, &one.kind).cmp(&(&other.group, &other.kind)));
    kinds
}

struct Search<'a> {
    cluster: &'a Cluster,
    selector: String,
    field_manager: &'a str,
    listener: &'a dyn Listener,
}

impl Search<'_> {
    async fn entries<'k>(&self, kind: &'k Kind) -> (&'k Kind, Result<Vec<Entry>, Refusal>) {
        (kind, self.try_entries(kind).await)
    }

    async fn try_entries(&self, kind: &Kind) -> Result<Vec<Entry>, Refusal> {
        let mut pages = Pages::of(kind, "")?.selected(&self.selector);
        let mut entries = Vec::new();
        while let Some(page) = pages.next(self.cluster, self.listener).await? {
            if page.is_first {
                entries.clear();
            }
            for object in page.objects(kind) {
                entries.extend(self.entry(object?));
            }
        }
        Ok(entries)
    }

    fn entry(&self, object: Object) -> Option<Entry> {
        let found = Found::new(object, self.field_manager);
        let managers = managers(&found.object.node);
        let is_ours = |manager: &Manager| manager.applies && manager.name == self.field_manager;
        if !managers.iter().any(is_ours) {
            return None;
        }
        let others = managers
            .iter()
            .filter(|manager| manager.subresource.is_empty() && manager.name != self.field_manager);
        let is_found = others.into_iter().any(|manager| !manager.name.starts_with("kube-"));
        let state = if found.is_terminating() { State::Deleting } else { State::Applied };
        Some(Entry {
            id: found.object.id,
            version: found.object.version,
            uid: Some(found.uid),
            origin: if is_found { Origin::Found } else { Origin::Created },
            state,
            desired: None,
            owned: Some(found.owned),
        })
    }
}
