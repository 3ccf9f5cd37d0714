//! What keeps a number of Pods running: Deployments, StatefulSets, ReplicaSets, DaemonSets.
//!
//! Each rule is a list of checks; the first that finds too few or too many decides.

use super::Verdict;
use super::facts::Facts;

/// What the controller takes for a Deployment that may take as long as it likes.
const NO_DEADLINE: i64 = i32::MAX as i64;

/// A Deployment is done when its new ReplicaSet is available, and failed when that took longer than it may.
pub(super) fn deployment(facts: &Facts<'_>) -> Result<Verdict, String> {
    let deadline = facts.whole(&["spec", "progressDeadlineSeconds"]).unwrap_or(NO_DEADLINE);
    let (mut progressed, mut available) = (deadline == NO_DEADLINE, false);
    for condition in facts.conditions()? {
        if condition.kind == "Progressing" && condition.reason == "ProgressDeadlineExceeded" {
            return Ok(Verdict::failed(condition.reason, "Progress deadline exceeded"));
        }
        progressed |=
            condition.holds("Progressing") && condition.reason == "NewReplicaSetAvailable";
        available |= condition.holds("Available");
    }
    let wanted = wanted(facts);
    let [replicas, updated, ready, at_hand] =
        counts(facts, ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"]);
    Ok(few("LessReplicas", "Replicas", replicas, wanted)
        .or_else(|| few("LessUpdated", "Updated", updated, wanted))
        .or_else(|| many(replicas, wanted))
        .or_else(|| few("LessAvailable", "Available", at_hand, updated))
        .or_else(|| few("LessReady", "Ready", ready, wanted))
        .or_else(|| unless(progressed, "ReplicaSetNotAvailable", "ReplicaSet not Available"))
        .or_else(|| unless(available, "DeploymentNotAvailable", "Deployment not Available"))
        .unwrap_or_else(|| {
            Verdict::current(format!("Deployment is available. Replicas: {replicas}"))
        }))
}

/// A StatefulSet is done when all Pods, or those beyond its partition, are of the new revision. One whose Pods people delete
/// themselves is always done.
pub(super) fn stateful_set(facts: &Facts<'_>) -> Verdict {
    if facts.text(&["spec", "updateStrategy", "type"]) == "OnDelete" {
        return Verdict::current("StatefulSet is using the ondelete update strategy");
    }
    let wanted = wanted(facts);
    let [replicas, ready, current, updated] =
        counts(facts, ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas"]);
    let partition = facts.whole(&["spec", "updateStrategy", "rollingUpdate", "partition"]);
    few("LessReplicas", "Replicas", replicas, wanted)
        .or_else(|| few("LessReady", "Ready", ready, wanted))
        .or_else(|| many(replicas, wanted))
        .or_else(|| match partition.filter(|partition| *partition != -1) {
            Some(partition) => Some(rolled_out(updated, wanted.saturating_sub(partition))),
            None => few("LessCurrent", "current", current, wanted).or_else(|| revised(facts)),
        })
        .unwrap_or_else(|| scheduled(replicas))
}

fn rolled_out(updated: i64, wanted: i64) -> Verdict {
    few("PartitionRollout", "updated", updated, wanted).unwrap_or_else(|| {
        Verdict::current(format!("Partition rollout complete. updated: {updated}"))
    })
}

fn revised(facts: &Facts<'_>) -> Option<Verdict> {
    let revision = |key| facts.text(&["status", key]);
    let message = "Waiting for updated revision to match current";
    unless(revision("currentRevision") == revision("updateRevision"), "RevisionMismatch", message)
}

/// A ReplicaSet is done when all its Pods are there, labelled, ready and available, and no more of them.
pub(super) fn replica_set(facts: &Facts<'_>) -> Result<Verdict, String> {
    if facts.conditions()?.iter().any(|condition| condition.holds("ReplicaFailure")) {
        let message = "Replica Failure condition. Check Pods";
        return Ok(Verdict::in_progress("ReplicaFailure", message));
    }
    let wanted = wanted(facts);
    let [replicas, labelled, ready, available] =
        counts(facts, ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"]);
    Ok(few("LessLabelled", "Labelled", labelled, wanted)
        .or_else(|| few("LessAvailable", "Available", available, wanted))
        .or_else(|| few("LessReady", "Ready", ready, wanted))
        .or_else(|| many(replicas, wanted))
        .unwrap_or_else(|| {
            Verdict::current(format!("ReplicaSet is available. Replicas: {replicas}"))
        }))
}

/// A DaemonSet is done when every node that should has a Pod of the new revision. Its controller always tells generations;
/// without them it has not come to it yet.
pub(super) fn daemon_set(facts: &Facts<'_>) -> Result<Verdict, String> {
    let lacks = |reason, field| {
        Ok(Verdict::in_progress(reason, format!("{} {field} not found", facts.kind)))
    };
    if facts.number(&["metadata", "generation"])?.is_none() {
        return lacks("NoGeneration", "metadata.generation");
    }
    if facts.number(&["status", "observedGeneration"])?.is_none() {
        return lacks("NoObservedGeneration", "status.observedGeneration");
    }
    let wanted = facts.whole(&["status", "desiredNumberScheduled"]).filter(|wanted| *wanted != -1);
    let Some(wanted) = wanted else {
        let message = "Missing .status.desiredNumberScheduled";
        return Ok(Verdict::in_progress("NoDesiredNumber", message));
    };
    let [current, updated, available, ready] = counts(
        facts,
        ["currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"],
    );
    Ok(few("LessCurrent", "Current", current, wanted)
        .or_else(|| few("LessUpdated", "Updated", updated, wanted))
        .or_else(|| few("LessAvailable", "Available", available, wanted))
        .or_else(|| few("LessReady", "Ready", ready, wanted))
        .unwrap_or_else(|| scheduled(wanted)))
}

/// How many Pods are wanted. Where nothing is said the controllers make one.
fn wanted(facts: &Facts<'_>) -> i64 {
    facts.whole(&["spec", "replicas"]).unwrap_or(1)
}

fn counts<const N: usize>(facts: &Facts<'_>, keys: [&str; N]) -> [i64; N] {
    keys.map(|key| facts.whole(&["status", key]).unwrap_or(0))
}

fn few(reason: &str, what: &str, found: i64, wanted: i64) -> Option<Verdict> {
    unless(found >= wanted, reason, &format!("{what}: {found}/{wanted}"))
}

fn many(found: i64, wanted: i64) -> Option<Verdict> {
    let surplus = found.saturating_sub(wanted);
    unless(surplus <= 0, "ExtraPods", &format!("Pending termination: {surplus}"))
}

fn unless(holds: bool, reason: &str, message: &str) -> Option<Verdict> {
    (!holds).then(|| Verdict::in_progress(reason, message))
}

fn scheduled(replicas: i64) -> Verdict {
    Verdict::current(format!("All replicas scheduled as expected. Replicas: {replicas}"))
}
