//! What must be known before anything can be decided.

use std::collections::{BTreeSet, HashSet};

use futures_util::future::join_all;
use kelson_cluster::{Cluster, Held};
use kelson_model::{Object, ObjectId};
use kelson_plan::{
    Catalog, Draft, Inventory, Key, Listener, Options, ResolveOptions, Resolved, Snapshot,
    containers, resolve, wanted,
};

use super::namespace::{self, Home};
use super::{DeliverError, Request};

/// How often dry runs are asked for: once for all, and once more for those whose answer asks for another question.
const ROUNDS: usize = 2;
/// How many objects are decided about at a time. Each answer takes several kilobytes until then.
const PART: usize = 1_000;

/// What is known of the cluster before the objects are looked at.
pub(super) struct Known {
    pub(super) cluster: String,
    pub(super) catalog: Catalog,
    pub(super) held: Option<Held>,
    /// The namespace for the inventory.
    pub(super) home: Home,
    /// The options of the request, completed.
    pub(super) options: Options,
    scaled: Vec<ObjectId>,
}

/// Asks what does not depend on anything else, all side by side.
pub(super) async fn known(
    cluster: &Cluster,
    objects: &[Object],
    request: &Request,
) -> Result<Known, DeliverError> {
    let namespaces = scalable(objects, &request.default_namespace);
    let held = async {
        match &request.delivery {
            Some(delivery) => Held::load(cluster, delivery).await.map(Some),
            None => Ok(None),
        }
    };
    let scaled = async { Ok(cluster.scaled(&namespaces).await) };
    let (identity, mut catalog, held, scaled) =
        tokio::try_join!(cluster.identity(), cluster.catalog(), held, scaled)?;
    catalog.add_definitions(objects);
    let home = match &held {
        Some(held) => Home::of(cluster, held, request).await?,
        None => Home::There,
    };
    let mut options = request.options.clone();
    if let Some(key) = held.as_ref().map(|held| &held.inventory.key).filter(|key| !key.is_empty()) {
        options.key = Key::new(key.clone());
    }
    Ok(Known { cluster: identity, catalog, held, home, options, scaled })
}

/// Asks what would be, part by part.
pub(super) async fn ask(
    cluster: &Cluster,
    draft: &mut Draft<'_>,
    manager: &str,
    listener: &dyn Listener,
) -> Result<(), DeliverError> {
    while draft.turn(PART) {
        for _ in 0..ROUNDS {
            let questions = draft.questions();
            if questions.is_empty() {
                break;
            }
            draft.answer(cluster.dry_run(questions, manager, listener).await?);
        }
    }
    Ok(())
}

/// The namespaces with workloads whose number could be left to an autoscaler.
fn scalable(objects: &[Object], default: &str) -> Vec<String> {
    let namespaces: BTreeSet<&str> = objects
        .iter()
        .filter(|object| object.node.lookup(&["spec", "replicas"]).is_some())
        .map(|object| object.id.namespace.as_str())
        .map(|namespace| if namespace.is_empty() { default } else { namespace })
        .collect();
    namespaces.into_iter().map(str::to_owned).collect()
}

/// What the inventory says; nothing where there is none.
pub(super) fn inventory(held: Option<&Held>) -> &Inventory {
    static NOTHING: Inventory = Inventory {
        source: None,
        field_manager: String::new(),
        history: Vec::new(),
        key: Vec::new(),
        entries: Vec::new(),
    };
    held.map_or(&NOTHING, |held| &held.inventory)
}

impl Known {
    /// Holds the objects against the kinds of the cluster. The namespace that holds the inventory is one of them where we
    /// make it or have made it: the plan shows it, what is in it awaits it, and it stays as long as anything does.
    pub(super) fn resolve(&self, mut objects: Vec<Object>, request: &Request) -> Resolved {
        let is_wanted = match self.home {
            Home::Missing => request.create_namespace,
            Home::Ours => true,
            Home::There => false,
        };
        if let Some(delivery) =
            request.delivery.as_ref().filter(|_| is_wanted && !objects.is_empty())
        {
            namespace::add(&mut objects, delivery.namespace());
        }
        let options = ResolveOptions {
            default_namespace: request.default_namespace.clone(),
            ignore: request.ignore.clone(),
            scaled: self.scaled.clone(),
        };
        resolve(objects, &self.catalog, request.delivery.as_ref(), &options)
    }

    /// Reads what is there.
    pub(super) async fn snapshot(
        &self,
        cluster: &Cluster,
        resolved: &Resolved,
        request: &Request,
        listener: &dyn Listener,
    ) -> Result<Snapshot, DeliverError> {
        let inventory = inventory(self.held.as_ref());
        let (delivery, manager) = (request.delivery.as_ref(), &self.options.field_manager);
        let wanted = wanted(&resolved.desired, inventory, &self.catalog);
        let labelled = !inventory.entries.is_empty();
        let live = cluster.read(&wanted, delivery, labelled, manager, listener).await?;
        Ok(Snapshot { cluster: self.cluster.clone(), live, ..Snapshot::default() })
    }

    /// Finds out what would go with the namespaces and definitions that nobody wants any more.
    pub(super) async fn look_into_containers(&mut self, cluster: &Cluster, resolved: &Resolved) {
        let Some(held) = self.held.as_ref().filter(|_| self.options.prune.enabled) else { return };
        // What is wanted but wrong is wanted all the same.
        let problems = resolved.problems.iter().map(|problem| &problem.id);
        let desired: HashSet<&ObjectId> =
            resolved.desired.iter().map(|desired| &desired.object.id).chain(problems).collect();
        let containers = containers(&held.inventory, &|id| desired.contains(id));
        let contents = containers.into_iter().map(async |id| {
            let contents = cluster.contents(&id, &self.catalog, &held.delivery).await;
            (id, contents)
        });
        let contents = join_all(contents).await;
        self.options.prune.contents.extend(contents);
    }
}
