//! The last step of the arrow: whether what was applied is well, and how the record remembers it.

use std::collections::HashMap;

use kelson_cluster::{
    Applied, Cluster, End, Error, Held, ObserveOptions, Observed, ObservedObject, Target, Targets,
};
use kelson_model::{Object, ObjectId};
use kelson_plan::{
    Delivery, Event, Listener, Outcome, Plan, Problem, ResolveOptions, Summary, resolve,
};
use tokio::sync::watch;

use super::{DeliverError, Planned, record};

/// Waits until what was applied is well, and records whether it became so. What was written and what was found as it should
/// be is waited for alike; what failed to be applied is not.
///
/// Nothing comes back where nobody looked: where nothing was to be written, nothing failed, and the record says that this
/// very artifact became ready. Looking would cost a list for each kind, and an apply that changes nothing is to cost no
/// more than finding that out; whoever wants to know all the same asks by [`wait`].
///
/// # Errors
///
/// Fails where the cluster cannot be reached.
pub async fn observe(
    cluster: &Cluster,
    planned: &Planned,
    applied: &Applied,
    options: &ObserveOptions,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Option<Observed>, DeliverError> {
    let targets = awaited(&planned.plan, applied);
    if targets.is_empty() || is_known_to_be_ready(planned, &applied.summary) {
        return Ok(None);
    }
    let delivery = planned.plan.delivery.clone();
    let options = ObserveOptions { delivery, ..options.clone() };
    let observed = kelson_cluster::observe(cluster, &targets, &options, stop, listener).await?;
    if let (Some(delivery), Some(result)) = (&options.delivery, result(observed.end)) {
        let recorded = remember(cluster, delivery, &planned.plan.artifact, result).await;
        if let Err(error) = recorded {
            let what = format!("that {delivery} is {result} could not be recorded: {error}");
            listener.hear(&Event::Warning(what));
        }
    }
    Ok(Some(observed))
}

/// The objects of a plan that are to be well after it was executed.
pub fn awaited(plan: &Plan, applied: &Applied) -> Vec<Target> {
    let outcomes: HashMap<&ObjectId, &Outcome> =
        applied.results.iter().map(|result| (&result.id, &result.outcome)).collect();
    let is_there = |id: &ObjectId| match outcomes.get(id) {
        Some(Outcome::Created | Outcome::Changed | Outcome::Recreated | Outcome::Unchanged) => true,
        Some(
            Outcome::Deleted
            | Outcome::Released
            | Outcome::Kept(_)
            | Outcome::Failed(_)
            | Outcome::Skipped(_),
        )
        | None => false,
    };
    let steps = plan.steps.iter().filter(|step| is_there(&step.id));
    steps
        .map(|step| Target { id: step.id.clone(), kind: step.kind.clone(), uid: None, gone: false })
        .collect()
}

/// The objects of deliveries as their records have them, in their order: those that are being deleted are to be gone, the
/// others well.
///
/// # Errors
///
/// Fails where the kinds of the cluster cannot be read.
pub async fn targets(cluster: &Cluster, all: &[&Held]) -> Result<Vec<Targets>, DeliverError> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let catalog = cluster.catalog().await?;
    let of_one = |held: &&Held| kelson_cluster::targets(&catalog, &held.inventory.entries);
    Ok(all.iter().map(of_one).collect())
}

/// Waits until objects are well or gone, whoever applied them, and writes nothing. What is of a kind that the cluster no
/// longer has will never be well, but gone it is.
///
/// # Errors
///
/// Fails where the cluster cannot be reached.
pub async fn wait(
    cluster: &Cluster,
    targets: &Targets,
    options: &ObserveOptions,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Observed, DeliverError> {
    for missing in &targets.missing {
        let ObservedObject { id, verdict, because } = missing.clone();
        listener.hear(&Event::Health { id, verdict, because });
    }
    let mut observed =
        kelson_cluster::observe(cluster, &targets.targets, options, stop, listener).await?;
    observed.objects.extend_from_slice(&targets.missing);
    if observed.end == End::Ready && !targets.missing.is_empty() {
        observed.end = End::Failed;
    }
    Ok(observed)
}

/// Objects that were rendered, as the cluster would know them; and those that it has no place for, with the reason.
///
/// # Errors
///
/// Fails where the kinds of the cluster cannot be read.
pub async fn rendered(
    cluster: &Cluster,
    objects: Vec<Object>,
    default_namespace: &str,
) -> Result<(Vec<Target>, Vec<Problem>), DeliverError> {
    let mut catalog = cluster.catalog().await?;
    catalog.add_definitions(&objects);
    let options = ResolveOptions {
        default_namespace: default_namespace.to_owned(),
        ..ResolveOptions::default()
    };
    let resolved = resolve(objects, &catalog, None, &options);
    let targets = resolved.desired.into_iter().map(|desired| Target {
        id: desired.object.id,
        kind: desired.kind,
        uid: None,
        gone: false,
    });
    Ok((targets.collect(), resolved.problems))
}

/// Whether nothing has moved since the artifact of this plan became ready.
fn is_known_to_be_ready(planned: &Planned, summary: &Summary) -> bool {
    let Summary { created, changed, recreated, deleted, released, failed, skipped, .. } = *summary;
    let history = planned.held.iter().flat_map(|held| held.inventory.history.last());
    created + changed + recreated + deleted + released + failed + skipped == 0
        && history
            .into_iter()
            .any(|last| last.digest == planned.plan.artifact && last.result == record::READY)
}

/// What the record says of an end; of a wait that was broken off nothing is known.
fn result(end: End) -> Option<&'static str> {
    match end {
        End::Ready => Some(record::READY),
        End::Failed | End::Late => Some(record::NOT_READY),
        End::Stopped => None,
    }
}

/// Writes how the last apply ended, where that is still the last and all of it was applied. Whoever delivers meanwhile has the
/// last word.
async fn remember(
    cluster: &Cluster,
    delivery: &Delivery,
    artifact: &str,
    result: &str,
) -> Result<(), Error> {
    let mut held = Held::load(cluster, delivery).await?;
    let Some(last) = held.inventory.history.last_mut() else { return Ok(()) };
    if last.digest != artifact || !last.is_applied() || last.result == result {
        return Ok(());
    }
    last.result = result.to_owned();
    match held.save(cluster).await {
        Err(Error::InventoryMoved(_)) => Ok(()),
        saved => saved,
    }
}
