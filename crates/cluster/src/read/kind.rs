//! All that is wanted of one kind, in few requests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Kind, Listener, Live, Recorded, Refusal};

use super::is_final;
use crate::Cluster;
use crate::list::{Page, Pages};

/// From how many objects of one kind and namespace on a list is worth more than asking for each.
const MANY: usize = 8;
/// A list is read for some of its objects where they are at least one in so many.
const SHARE: usize = 20;

/// What is sought of a kind.
pub(super) struct Sought {
    kind: Kind,
    manager: String,
    pub(super) names: HashMap<ObjectId, Option<Recorded>>,
}

type Lives = HashMap<ObjectId, Live>;

impl Sought {
    pub(super) fn new(kind: Kind, manager: &str) -> Self {
        Self { kind, manager: manager.to_owned(), names: HashMap::new() }
    }

    fn live(&self, object: Object, text: &str) -> Option<(ObjectId, Live)> {
        let (id, recorded) = self.names.get_key_value(&object.id)?;
        Some((id.clone(), Live::of(object, Some(text), &self.manager, recorded.as_ref())))
    }

    /// What of a page is sought.
    fn pick(&self, page: &Page) -> Result<Vec<(ObjectId, Live)>, Refusal> {
        let items = page.texts(&self.kind);
        items
            .filter_map(|item| item.map(|(object, text)| self.live(object, text)).transpose())
            .collect()
    }

    /// What is not known yet, by namespace.
    fn missing<'a>(&'a self, live: &Lives) -> BTreeMap<&'a str, Vec<&'a ObjectId>> {
        let mut missing: BTreeMap<&str, Vec<&ObjectId>> = BTreeMap::new();
        for id in self.names.keys().filter(|id| !live.contains_key(id)) {
            missing.entry(&id.namespace).or_default().push(id);
        }
        missing
    }
}

impl Cluster {
    pub(super) async fn read_kind(
        &self,
        sought: Arc<Sought>,
        selector: Option<&str>,
        listener: &dyn Listener,
    ) -> Result<Lives, Refusal> {
        let mut live = match selector {
            Some(selector) => self.read_labelled(&sought, selector, listener).await?,
            None => Lives::new(),
        };
        let missing = sought.missing(&live).into_iter();
        let reads =
            missing.map(|(namespace, ids)| self.read_namespace(&sought, namespace, ids, listener));
        let reads: Vec<_> =
            stream::iter(reads).buffer_unordered(self.parallel()).try_collect().await?;
        live.extend(reads.into_iter().flatten());
        Ok(live)
    }

    /// By labels: in all namespaces where there are several, else, or where that is refused, in each. What is refused
    /// there too is left to be asked for one by one.
    async fn read_labelled(
        &self,
        sought: &Arc<Sought>,
        selector: &str,
        listener: &dyn Listener,
    ) -> Result<Lives, Refusal> {
        let namespaces = sought.missing(&Lives::new());
        let everywhere = match namespaces.len() {
            0 | 1 => None,
            _ => self.read_list(sought, "", Some(selector), listener).await?,
        };
        if let Some(live) = everywhere {
            return Ok(live);
        }
        let several = namespaces.len() > 1;
        let worth = namespaces.into_iter().filter(|(_, ids)| !several || ids.len() >= MANY);
        let lists =
            worth.map(|(namespace, _)| self.read_list(sought, namespace, Some(selector), listener));
        let lists: Vec<_> =
            stream::iter(lists).buffer_unordered(self.parallel()).try_collect().await?;
        Ok(lists.into_iter().flatten().flatten().collect())
    }

    /// What of a list is sought; nothing where the list is refused.
    async fn read_list(
        &self,
        sought: &Arc<Sought>,
        namespace: &str,
        selector: Option<&str>,
        listener: &dyn Listener,
    ) -> Result<Option<Lives>, Refusal> {
        let Ok(mut pages) = Pages::of(&sought.kind, namespace) else { return Ok(None) };
        if let Some(selector) = selector {
            pages = pages.selected(selector);
        }
        let mut live = Lives::new();
        loop {
            let page = match pages.next(self, listener).await {
                Ok(Some(page)) => page,
                Ok(None) => return Ok(Some(live)),
                Err(refusal) if is_final(&refusal) => return Err(refusal),
                Err(_) => return Ok(None),
            };
            if page.is_first {
                live.clear();
            }
            let picker = sought.clone();
            // Reading and hashing a page is work; others need not wait for it.
            let picked = tokio::task::spawn_blocking(move || picker.pick(&page)).await;
            live.extend(picked.map_err(|_| crate::request::unreadable())??);
        }
    }

    /// The rest of a namespace: few are asked for one by one; of many it is first learnt which exist at all.
    async fn read_namespace(
        &self,
        sought: &Arc<Sought>,
        namespace: &str,
        mut ids: Vec<&ObjectId>,
        listener: &dyn Listener,
    ) -> Result<Lives, Refusal> {
        let mut live = Lives::new();
        if ids.len() >= MANY
            && let Some((names, all)) = self.names(&sought.kind, namespace, listener).await?
        {
            let absent = ids.extract_if(.., |id| !names.contains(&id.name));
            live.extend(absent.map(|id| (id.clone(), Live::Absent)));
            if ids.len() >= MANY && ids.len() * SHARE >= all {
                let listed = self.read_list(sought, namespace, None, listener).await?;
                live.extend(listed.unwrap_or_default());
                ids.retain(|id| !live.contains_key(id));
            }
        }
        let reads = ids.into_iter().map(|id| self.read_one(sought, id, listener));
        let reads: Vec<_> =
            stream::iter(reads).buffer_unordered(self.parallel()).try_collect().await?;
        live.extend(reads);
        Ok(live)
    }

    /// The names in a namespace; nothing where they cannot be listed.
    async fn names(
        &self,
        kind: &Kind,
        namespace: &str,
        listener: &dyn Listener,
    ) -> Result<Option<(HashSet<String>, usize)>, Refusal> {
        let Ok(pages) = Pages::of(kind, namespace) else { return Ok(None) };
        let mut pages = pages.metadata();
        let mut names = HashSet::new();
        loop {
            let page = match pages.next(self, listener).await {
                Ok(Some(page)) => page,
                Ok(None) => {
                    let all = names.len();
                    return Ok(Some((names, all)));
                }
                // The kind is gone, and all of it.
                Err(refusal) if refusal.code == 404 => return Ok(Some((HashSet::new(), 0))),
                Err(refusal) if is_final(&refusal) => return Err(refusal),
                Err(_) => return Ok(None),
            };
            if page.is_first {
                names.clear();
            }
            for object in page.objects(kind) {
                names.insert(object?.id.name);
            }
        }
    }

    async fn read_one(
        &self,
        sought: &Sought,
        id: &ObjectId,
        listener: &dyn Listener,
    ) -> Result<(ObjectId, Live), Refusal> {
        let recorded = sought.names.get(id).and_then(Option::as_ref);
        let live = match self.find(&sought.kind, id, listener).await {
            Ok(Some(object)) => Live::of(object, None, &sought.manager, recorded),
            Ok(None) => Live::Absent,
            Err(refusal) if is_final(&refusal) => return Err(refusal),
            Err(refusal) => Live::Unreadable(refusal.to_string()),
        };
        Ok((id.clone(), live))
    }
}
