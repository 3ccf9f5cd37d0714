//! What would go with something that holds other things: a namespace, a definition.

use std::pin::pin;

use futures_util::{StreamExt, stream};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Catalog, Delivery, Kind, OWNER_NAME, OWNER_NAMESPACE, Refusal, Silent};
use kelson_yaml::Node;

use crate::Cluster;
use crate::list::Pages;

/// How many names are enough to make a point.
const FEW: usize = 5;
/// Groups whose objects are nowhere kept: they are views of others.
const VIEWS: [&str; 3] = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"];

impl Cluster {
    /// What a namespace holds that is not of this delivery, or what instances a definition has: a few names, for people.
    /// What cannot be read counts as something.
    pub async fn contents(
        &self,
        container: &ObjectId,
        catalog: &Catalog,
        delivery: &Delivery,
    ) -> Vec<String> {
        match (container.group.as_str(), container.kind.as_str()) {
            ("", "Namespace") => self.foreign(&container.name, catalog, delivery).await,
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                self.instances(&container.name, catalog).await
            }
            _ => Vec::new(),
        }
    }

    async fn foreign(
        &self,
        namespace: &str,
        catalog: &Catalog,
        delivery: &Delivery,
    ) -> Vec<String> {
        let unreadable = catalog.unreadable.iter();
        let mut names: Vec<_> = unreadable
            .filter(|(group, _)| !VIEWS.contains(&group.as_str()))
            .map(|(group, why)| format!("whatever there is of {group} ({why})"))
            .collect();
        let owner = Owner { catalog, delivery };
        let mut kinds: Vec<_> = catalog.kinds().filter(|kind| owner.is_kept(kind)).collect();
        // The same names each time, as far as they are found in time.
        kinds.sort_by_key(|kind| (&kind.group, &kind.plural));
        let lists = kinds.into_iter().map(|kind| self.foreign_of(kind, namespace, &owner));
        let mut lists = pin!(stream::iter(lists).buffered(self.parallel()));
        while names.len() < FEW
            && let Some(found) = lists.next().await
        {
            names.extend(found);
        }
        names.truncate(FEW);
        names
    }

    async fn foreign_of(&self, kind: &Kind, namespace: &str, owner: &Owner<'_>) -> Vec<String> {
        let is_foreign = |object: &Object| owner.is_foreign(object);
        self.some(kind, namespace, is_foreign).await.unwrap_or_else(|refusal| {
            vec![format!("whatever there is of {} ({refusal})", kind.plural)]
        })
    }

    async fn instances(&self, definition: &str, catalog: &Catalog) -> Vec<String> {
        let known = catalog.kinds().filter(|kind| !kind.to_come);
        let name = |kind: &Kind| format!("{}.{}", kind.plural, kind.group);
        let unknown = |why: &str| vec![format!("whatever instances there are ({why})")];
        let Some(kind) = known.into_iter().find(|kind| name(kind) == definition) else {
            return unknown("the cluster does not serve the kind");
        };
        let found = self.some(kind, "", |_| true).await;
        found.unwrap_or_else(|refusal| unknown(&refusal.to_string()))
    }

    /// A few objects of a kind that are of a certain sort. A kind that is gone, or has no lists, has none.
    async fn some(
        &self,
        kind: &Kind,
        namespace: &str,
        is_meant: impl Fn(&Object) -> bool,
    ) -> Result<Vec<String>, Refusal> {
        let mut pages = Pages::of(kind, namespace)?.metadata().at_once(100);
        let mut found = Vec::new();
        loop {
            let page = match pages.next(self, &Silent).await {
                Ok(Some(page)) if found.len() < FEW => page,
                Ok(_) => return Ok(found),
                Err(refusal) if matches!(refusal.code, 404 | 405) => return Ok(found),
                Err(refusal) => return Err(refusal),
            };
            if page.is_first {
                found.clear();
            }
            let objects: Vec<_> = page.objects(kind).collect::<Result<_, _>>()?;
            let meant = objects.iter().filter(|object| is_meant(object));
            found.extend(meant.take(FEW).map(|object| object.id.to_string()));
        }
    }
}

/// Tells what is ours, or comes and goes by itself.
struct Owner<'a> {
    catalog: &'a Catalog,
    delivery: &'a Delivery,
}

impl Owner<'_> {
    /// Whether a kind, in this version, is one whose objects are somebody's.
    fn is_kept(&self, kind: &Kind) -> bool {
        let preferred = self.catalog.versions(&kind.group, &kind.kind).first();
        let is_view = VIEWS.contains(&kind.group.as_str());
        kind.namespaced
            && !kind.to_come
            && !is_view
            && kind.kind != "Event"
            && preferred == Some(kind)
    }

    fn is_foreign(&self, object: &Object) -> bool {
        !(self.is_ours(object) || is_of_every_namespace(object) || self.is_controlled(object))
    }

    /// By its labels; and the record of the delivery itself, with what belongs to it.
    fn is_ours(&self, object: &Object) -> bool {
        let (name, namespace) = (self.delivery.name(), self.delivery.namespace());
        let is_labelled = label(object, OWNER_NAME) == Some(name)
            && label(object, OWNER_NAMESPACE) == Some(namespace);
        let own = format!("kelson.{name}");
        let is_record = object.id.namespace == namespace
            && label(object, "app.kubernetes.io/managed-by") == Some("kelson")
            && (object.id.name == own || object.id.name.starts_with(&format!("{own}.")))
            && matches!(object.id.kind.as_str(), "Secret" | "Lease");
        is_labelled || is_record
    }

    /// Whether a controller made it for something that is itself in the namespace, and looked at there.
    fn is_controlled(&self, object: &Object) -> bool {
        let owners = object.node.lookup(&["metadata", "ownerReferences"]);
        let owners = owners.and_then(Node::as_sequence).unwrap_or_default();
        let controller =
            |owner: &&Node| owner.get("controller").and_then(Node::text) == Some("true");
        let Some(owner) = owners.iter().find(controller) else { return false };
        let text = |key: &str| owner.get(key).and_then(Node::as_str).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        let kind = self.catalog.versions(group, text("kind")).first();
        kind.is_some_and(|kind| kind.namespaced)
    }
}

fn label<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.node.lookup(&["metadata", "labels", key])?.as_str()
}

/// Whether the cluster itself puts it into each namespace, or beside each Service.
fn is_of_every_namespace(object: &Object) -> bool {
    let id = &object.id;
    match (id.kind.as_str(), id.name.as_str()) {
        ("ServiceAccount", "default") | ("ConfigMap", "kube-root-ca.crt") => id.group.is_empty(),
        ("Endpoints", _) => label(object, "endpoints.kubernetes.io/managed-by").is_some(),
        _ => false,
    }
}
