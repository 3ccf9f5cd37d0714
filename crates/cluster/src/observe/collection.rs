//! Which objects are followed together: by one list and one watch.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use kelson_model::ObjectId;
use kelson_plan::{HealthRules, Kind, Refusal};

use super::Target;
use crate::list::Pages;
use crate::request::{Request, path};

/// From how many namespaces on all are followed at once, also where no labels keep the objects of others away.
const MANY: usize = 4;
/// Objects of which nobody knows beforehand which are meant are read in smaller pages: most are soon dropped.
const PAGE: usize = 100;
/// Only names, labels and the like.
const METADATA: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// Where objects are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// In the whole cluster.
    Everywhere,
    /// In one namespace.
    Namespace(String),
    /// Each by itself, by asking for it: it can be neither listed nor watched.
    Each,
}

/// Some objects of a kind.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) kind: Kind,
    pub(super) scope: Scope,
    /// Only those with these labels, where that is known of all.
    pub(super) labels: Option<String>,
    fields: Option<String>,
    /// The ones that are meant, and whether they are to stay; nothing where that is for others to find out.
    ids: Option<HashMap<ObjectId, bool>>,
    /// Whether it is enough to know that they exist.
    metadata: bool,
}

impl Collection {
    /// The collections that have all targets in them: one for each kind, or some where it is in few namespaces.
    pub(super) fn all(targets: &[Target], labels: Option<&str>, rules: &HealthRules) -> Vec<Self> {
        let mut kinds: BTreeMap<(&str, &str, &str), Self> = BTreeMap::new();
        for target in targets {
            let kind = &target.kind;
            let key = (kind.group.as_str(), kind.plural.as_str(), kind.version.as_str());
            let whole = kinds.entry(key).or_insert_with(|| Self {
                kind: kind.clone(),
                scope: Scope::Everywhere,
                labels: labels.map(str::to_owned),
                fields: None,
                ids: Some(HashMap::new()),
                metadata: is_mere_content(kind) && !rules.has_rule(&kind.group, &kind.kind),
            });
            whole.ids.get_or_insert_default().insert(target.id.clone(), !target.gone);
        }
        kinds.into_values().flat_map(Self::placed).collect()
    }

    /// All objects of a kind in a namespace that a field selector selects.
    pub(super) fn behind(kind: Kind, namespace: &str, fields: Option<&str>) -> Self {
        Self {
            kind,
            scope: Scope::Namespace(namespace.to_owned()),
            labels: None,
            fields: fields.map(str::to_owned),
            ids: None,
            metadata: false,
        }
    }

    fn placed(self) -> Vec<Self> {
        let namespaces = self.by_namespace().len();
        let everywhere = self.labels.is_some() || namespaces > MANY;
        match self.kind.namespaced && (namespaces <= 1 || !everywhere) {
            true => self.narrower(),
            false => vec![self.pinned()],
        }
    }

    fn by_namespace(&self) -> BTreeMap<&str, HashMap<ObjectId, bool>> {
        let mut namespaces: BTreeMap<&str, HashMap<ObjectId, bool>> = BTreeMap::new();
        for (id, stays) in self.ids.iter().flatten() {
            namespaces.entry(&id.namespace).or_default().insert(id.clone(), *stays);
        }
        namespaces
    }

    /// The same objects where less is allowed: by namespace, then each by itself.
    pub(super) fn narrower(&self) -> Vec<Self> {
        let scope = |namespace: &str| match self.scope {
            Scope::Everywhere if self.kind.namespaced => Scope::Namespace(namespace.to_owned()),
            _ => Scope::Each,
        };
        let parts = self.by_namespace().into_iter();
        let parts = parts.map(|(namespace, ids)| {
            Self { scope: scope(namespace), ids: Some(ids), ..self.clone() }.pinned()
        });
        parts.collect()
    }

    /// A single object is selected by its name, which some are allowed who may not see all.
    fn pinned(mut self) -> Self {
        let mut ids = self.ids.iter().flatten();
        if let (Some((id, _)), None) = (ids.next(), ids.next())
            && !id.name.contains([',', '=', '\\'])
        {
            self.fields = Some(format!("metadata.name={}", id.name));
            self.labels = None;
        }
        self
    }

    /// Whether an object may be one of those that are meant.
    pub(super) fn is_meant(&self, id: &ObjectId) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains_key(id))
    }

    /// Whether an object is one that is to stay.
    pub(super) fn stays(&self, id: &ObjectId) -> bool {
        self.ids.as_ref().is_some_and(|ids| ids.get(id) == Some(&true))
    }

    /// The ones that are meant.
    pub(super) fn ids(&self) -> impl Iterator<Item = &ObjectId> {
        self.ids.iter().flatten().map(|(id, _)| id)
    }

    /// Its list.
    pub(super) fn pages(&self) -> Result<Pages, Refusal> {
        let mut pages = Pages::of(&self.kind, self.namespace()?)?;
        if let Some(labels) = &self.labels {
            pages = pages.selected(labels);
        }
        if let Some(fields) = &self.fields {
            pages = pages.with_fields(fields);
        }
        if self.metadata {
            pages = pages.metadata();
        }
        Ok(if self.ids.is_none() { pages.at_once(PAGE) } else { pages })
    }

    /// Its watch from a version on, for some time.
    pub(super) fn watch(&self, version: &str, period: Duration) -> Result<Request, Refusal> {
        let mut request = Request::get(path(&self.kind, self.namespace()?, "")?)
            .with("watch", "1")
            .with("allowWatchBookmarks", "true")
            .with("timeoutSeconds", period.as_secs().max(1).to_string())
            .with("resourceVersion", version);
        if let Some(labels) = &self.labels {
            request = request.with("labelSelector", labels);
        }
        if let Some(fields) = &self.fields {
            request = request.with("fieldSelector", fields);
        }
        Ok(if self.metadata { request.accepting(METADATA) } else { request })
    }

    fn namespace(&self) -> Result<&str, Refusal> {
        match &self.scope {
            // The address without a namespace would be that of all.
            Scope::Namespace(namespace) if namespace.is_empty() && self.kind.namespaced => {
                let message = format!("a {} is in a namespace, but none is given", self.kind.kind);
                Err(Refusal { reason: "Invalid".to_owned(), message, ..Refusal::default() })
            }
            Scope::Namespace(namespace) => Ok(namespace),
            Scope::Everywhere | Scope::Each => Ok(""),
        }
    }

    /// What is followed, for people.
    pub(super) fn name(&self) -> String {
        match self.kind.group.as_str() {
            "" => self.kind.plural.clone(),
            group => format!("{}.{group}", self.kind.plural),
        }
    }
}

/// Whether objects of a kind are well when they are there. What is in them, such as values of Secrets, is not even read.
fn is_mere_content(kind: &Kind) -> bool {
    kind.group.is_empty() && matches!(kind.kind.as_str(), "ConfigMap" | "Secret")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(kind: &str, namespace: &str, name: &str) -> Target {
        let plural = format!("{}s", kind.to_lowercase());
        let kind = Kind {
            group: String::new(),
            version: "v1".to_owned(),
            kind: kind.to_owned(),
            plural,
            namespaced: kind != "Node",
            to_come: false,
        };
        let id = ObjectId {
            group: String::new(),
            kind: kind.kind.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        Target { id, kind, uid: None, gone: false }
    }

    fn shown(collections: &[Collection]) -> Vec<String> {
        let shown = collections.iter().map(|collection| {
            let request = collection.watch("7", Duration::from_secs(5));
            let request = request.unwrap_or_else(|refusal| Request::get(refusal.to_string()));
            let query = request.query.iter().filter(|(key, _)| key.ends_with("Selector"));
            let query: String = query.map(|(key, value)| format!(" {key} {value}")).collect();
            format!("{}{query}", request.path)
        });
        shown.collect()
    }

    #[track_caller]
    fn check(targets: &[Target], labels: Option<&str>, expected: &[&str]) {
        let collections = Collection::all(targets, labels, &HealthRules::default());
        assert_eq!(shown(&collections), expected);
    }

    #[test]
    fn one_kind_is_one_collection_with_labels_and_few_without() {
        let two = [target("Pod", "a", "x"), target("Pod", "a", "y"), target("Pod", "b", "x")];
        check(&two, Some("l=1"), &["/api/v1/pods labelSelector l=1"]);
        check(
            &two,
            None,
            &[
                "/api/v1/namespaces/a/pods",
                "/api/v1/namespaces/b/pods fieldSelector metadata.name=x",
            ],
        );
        let names: Vec<_> = (0..9).map(|number| format!("n{number}")).collect();
        let many: Vec<_> = names.iter().map(|name| target("Pod", name, "x")).collect();
        check(&many, None, &["/api/v1/pods"]);
        check(&two[..2], Some("l=1"), &["/api/v1/namespaces/a/pods labelSelector l=1"]);
    }

    #[test]
    fn a_single_object_is_selected_by_its_name() {
        check(&[target("Node", "", "x")], None, &["/api/v1/nodes fieldSelector metadata.name=x"]);
        check(&[target("Node", "", "a,b")], None, &["/api/v1/nodes"]);
        let several = [target("Node", "", "x"), target("Node", "", "y")];
        check(&several, Some("l=1"), &["/api/v1/nodes labelSelector l=1"]);
    }

    #[test]
    fn what_is_refused_is_followed_more_narrowly() {
        let two = [target("Pod", "a", "x"), target("Pod", "a", "y"), target("Pod", "b", "x")];
        let all = Collection::all(&two, Some("l=1"), &HealthRules::default());
        let narrower = all[0].narrower();
        assert_eq!(
            shown(&narrower),
            [
                "/api/v1/namespaces/a/pods labelSelector l=1",
                "/api/v1/namespaces/b/pods fieldSelector metadata.name=x",
            ]
        );
        assert_eq!(narrower[0].narrower()[0].scope, Scope::Each);
        let nodes = Collection::all(&[target("Node", "", "x")], None, &HealthRules::default());
        assert_eq!(nodes[0].narrower()[0].scope, Scope::Each);
    }

    #[test]
    fn nobody_follows_everything_by_mistake() {
        let error = "a Pod is in a namespace, but none is given";
        check(&[target("Pod", "", "x")], None, &[error]);
    }
}
