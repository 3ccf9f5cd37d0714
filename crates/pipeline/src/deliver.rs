//! From objects to a changed cluster: the second half of the arrow, in the order in which it happens.
//!
//! [`plan`] gathers and decides and writes nothing. [`execute`] does what a plan says, and nothing else. Between the two
//! stands a person, or a file with what a person has approved ([`approved`]). [`observe`] waits until what was done is well.

mod gather; // what must be known before anything can be decided
mod import; // the record of another tool becomes ours
mod keep; // what was applied can be had again
mod namespace; // the namespace that holds the record
mod observe; // whether what was applied is well
mod outcome; // what a plan without a write comes to
mod record; // what the inventory says of an apply
mod recover; // a record that was lost

use kelson_cluster::{Applied, ApplyOptions, Cluster, Held, Lease, LeaseOptions};
use kelson_model::Object;
use kelson_plan::file::{self, Approved};
use kelson_plan::{Delivery, Draft, Event, Ignore, Listener, Options, Plan};
use tokio::sync::watch;

pub use import::{Imported, import};
pub use keep::{Keep, LARGEST_KEPT};
pub use observe::{awaited, observe, rendered, targets, wait};
pub use recover::{recover, save};

/// What is to be delivered, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// For which delivery; nothing to compare sources with a cluster alone.
    pub delivery: Option<Delivery>,
    /// The digest of the artifact that holds the objects.
    pub artifact: String,
    /// The revision of the source, where it has one.
    pub revision: String,
    /// Where they came from, see [`kelson_plan::inventory::Origins::sources`].
    pub sources: Vec<String>,
    /// How the artifact can be had again.
    pub keep: Keep,
    /// The number of the apply that this one goes back to, where it is a rollback.
    pub rollback: Option<u64>,
    /// Whether another source than the one in the inventory is meant.
    pub change_source: bool,
    /// Whether the namespace that holds the inventory is made where it is missing.
    pub create_namespace: bool,
    /// The namespace of objects that name none.
    pub default_namespace: String,
    /// Fields that are left to others.
    pub ignore: Vec<Ignore>,
    /// How the plan is made. Its key is replaced by the inventory's where there is one, and becomes that where not.
    pub options: Options,
}

/// A plan, and what it was made with.
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The inventory; nothing without a delivery.
    pub held: Option<Held>,
    /// Whether the namespace that is to hold the inventory does not exist yet.
    pub namespace_missing: bool,
}

/// What an execution needs to know besides the plan.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How the Lease is taken.
    pub lease: LeaseOptions,
    /// How objects are waited for.
    pub apply: ApplyOptions,
    /// Now, as RFC 3339.
    pub at: String,
}

/// Why nothing was delivered.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The cluster cannot be worked with.
    #[error(transparent)]
    Cluster(#[from] kelson_cluster::Error),
    /// The delivery has another source.
    #[error(
        "{delivery} was delivered from {known}, not from {given}; if that is meant, say so with --change-source"
    )]
    OtherSource {
        /// Which delivery.
        delivery: String,
        /// Its source.
        known: String,
        /// What was given.
        given: String,
    },
    /// There is nowhere to keep the inventory.
    #[error(
        "there is no namespace `{0}` to hold the inventory; make it with --create-namespace, or name another with --namespace"
    )]
    NoNamespace(String),
    /// A plan that belongs to no delivery can be looked at only.
    #[error("what belongs to no delivery cannot be applied; name one")]
    Nameless,
    /// The ground has moved since the plan was approved.
    #[error("the ground has moved since this plan was made: {}", .0.join("; "))]
    Moved(Vec<String>),
    /// The inventory of another tool cannot be taken over.
    #[error("the ConfigMap `{name}` cannot be imported")]
    Import {
        /// Which one.
        name: String,
        /// Why not.
        source: kelson_plan::inventory::Malformed,
    },
    /// The inventory of another tool is not there.
    #[error("there is no ConfigMap `{name}` in the namespace `{namespace}`")]
    NothingToImport {
        /// Which one.
        name: String,
        /// Where.
        namespace: String,
    },
    /// There is an inventory already.
    #[error("{0} has an inventory already; delete it first, or import under another name")]
    Exists(String),
}

/// Gathers what must be known and decides what must be done.
///
/// # Errors
///
/// Fails where the cluster cannot be asked, and where the delivery has another source.
pub async fn plan(
    cluster: &Cluster,
    objects: Vec<Object>,
    request: &Request,
    listener: &dyn Listener,
) -> Result<Planned, DeliverError> {
    let mut known = gather::known(cluster, &objects, request).await?;
    record::check_source(known.held.as_ref(), request)?;
    let resolved = known.resolve(objects, request);
    let snapshot = known.snapshot(cluster, &resolved, request, listener).await?;
    known.look_into_containers(cluster, &resolved).await;
    let gather::Known { held, catalog, options, home, .. } = known;
    let inventory = gather::inventory(held.as_ref());
    let delivery = request.delivery.as_ref();
    let mut draft = Draft::new(delivery, resolved, snapshot, inventory, &options);
    gather::ask(cluster, &mut draft, &options.field_manager, listener).await?;
    let mut plan = draft.finish(&catalog);
    plan.artifact.clone_from(&request.artifact);
    listener.hear(&Event::Planned(plan.summary()));
    Ok(Planned { plan, held, namespace_missing: home == namespace::Home::Missing })
}

/// Plans anew what was approved, and makes sure that it would do the same.
///
/// # Errors
///
/// Fails as [`plan`] does, and where anything has moved since.
pub async fn approved(
    cluster: &Cluster,
    objects: Vec<Object>,
    request: &Request,
    approved: &Approved,
    listener: &dyn Listener,
) -> Result<Planned, DeliverError> {
    let planned = match plan(cluster, objects, request, listener).await {
        // Somebody has delivered something else since.
        Err(error @ DeliverError::OtherSource { .. }) => {
            return Err(DeliverError::Moved(vec![error.to_string()]));
        }
        planned => planned?,
    };
    let hash = planned.held.as_ref().and_then(Held::hash);
    let moved = file::moved(approved, &planned.plan, hash.as_ref());
    match moved.is_empty() {
        true => Ok(planned),
        false => Err(DeliverError::Moved(moved)),
    }
}

/// Executes a plan that was just made: takes the Lease, makes sure that the inventory is still the one that was planned
/// with, applies, records. Where nothing is to be done, nothing is: no Lease, no write.
///
/// # Errors
///
/// Fails where the Lease or the inventory is somebody else's, and on request.
pub async fn execute(
    cluster: &Cluster,
    request: &Request,
    planned: &Planned,
    execution: &Execution,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Applied, DeliverError> {
    let Planned { plan, held, namespace_missing } = planned;
    let held = held.as_ref().ok_or(DeliverError::Nameless)?;
    if record::is_settled(plan, held, request) {
        return Ok(outcome::without_writes(plan, listener));
    }
    if *namespace_missing {
        namespace::create(cluster, &held.delivery, request).await?;
    }
    let lease = take(cluster, &held.delivery, execution, stop, listener).await?;
    let work = Work { cluster, plan, lease: &lease, execution, stop, listener };
    let applied = work.apply(held, request).await;
    lease.release().await;
    Ok(applied?.0)
}

/// Executes the plan of a deletion, and removes the record when nothing is left in it.
///
/// # Errors
///
/// As [`execute`].
pub async fn delete(
    cluster: &Cluster,
    request: &Request,
    planned: &Planned,
    execution: &Execution,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Applied, DeliverError> {
    let Planned { plan, held, .. } = planned;
    let held = held.as_ref().ok_or(DeliverError::Nameless)?;
    if !held.exists() {
        return Ok(outcome::without_writes(plan, listener));
    }
    let lease = take(cluster, &held.delivery, execution, stop, listener).await?;
    let work = Work { cluster, plan, lease: &lease, execution, stop, listener };
    let applied = match work.apply(held, request).await {
        Ok((applied, left)) if left.inventory.entries.is_empty() => {
            left.remove(cluster).await.map(|()| applied).map_err(DeliverError::from)
        }
        other => other.map(|(applied, _)| applied),
    };
    lease.release().await;
    applied
}

/// Takes the Lease, unless somebody has had enough of waiting for it.
async fn take(
    cluster: &Cluster,
    delivery: &Delivery,
    execution: &Execution,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Lease, DeliverError> {
    let mut stop = stop.clone();
    let stopped = async {
        // Where nobody can stop it any more, nobody does.
        if stop.wait_for(|is_wanted| *is_wanted).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        lease = Lease::take(cluster, delivery, &execution.lease, listener) => Ok(lease?),
        () = stopped => Err(kelson_cluster::Error::Interrupted.into()),
    }
}

/// What happens while the Lease is held.
struct Work<'a> {
    cluster: &'a Cluster,
    plan: &'a Plan,
    lease: &'a Lease,
    execution: &'a Execution,
    stop: &'a watch::Receiver<bool>,
    listener: &'a dyn Listener,
}

impl Work<'_> {
    /// Applies, if the inventory is the one that was planned with. What it says afterwards comes back too.
    async fn apply(
        &self,
        planned: &Held,
        request: &Request,
    ) -> Result<(Applied, Held), DeliverError> {
        let shelf = keep::put(self.cluster, planned, request, self.listener).await;
        let mut held = Held::load(self.cluster, &planned.delivery).await?;
        if held.hash() != planned.hash() {
            let what = format!("the inventory of {} was written by somebody else", held.delivery);
            return Err(DeliverError::Moved(vec![what]));
        }
        let (at, who) = (&self.execution.at, self.lease.who());
        record::begin(&mut held.inventory, request, shelf.content.clone(), at, who);
        let Self { cluster, plan, lease, execution, stop, listener } = *self;
        let applied = kelson_cluster::apply(
            cluster,
            plan,
            &mut held,
            lease,
            &execution.apply,
            stop,
            listener,
        );
        let applied = applied.await?;
        shelf.sweep(cluster, &held).await;
        Ok((applied, held))
    }
}
