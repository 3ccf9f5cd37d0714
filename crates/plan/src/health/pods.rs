//! Pods, and what fails by its Pods.

use kelson_yaml::Node;

use super::facts::{Facts, list, text};
use super::words::shown;
use super::{Health, Verdict, generic};

/// How long nobody may find a node for a Pod before that counts: a node may just be coming up.
const SCHEDULE_WINDOW: i64 = 15;

/// A Pod is done when it is ready or has run to its end, however that was.
pub(super) fn judge(facts: &Facts<'_>, now: i64) -> Result<Verdict, String> {
    let conditions = facts.conditions()?;
    match facts.text(&["status", "phase"]) {
        "Succeeded" => Ok(Verdict::current("Pod has completed successfully")),
        "Failed" => Ok(Verdict::current("Pod has completed, but not successfully")),
        "Running" if conditions.iter().any(|condition| condition.holds("Ready")) => {
            Ok(Verdict::current("Pod is Ready"))
        }
        "Running" => Ok(running(facts)),
        "Pending" => Ok(pending(facts, now)),
        "" => Ok(Verdict::in_progress("PodNotObserved", "Pod phase not available")),
        other => Err(format!("unknown phase {}", shown(other))),
    }
}

fn running(facts: &Facts<'_>) -> Verdict {
    let crashing: Vec<&str> = list(facts.node, &["status", "containerStatuses"])
        .iter()
        .filter(|status| text(status, &["state", "waiting", "reason"]) == Some("CrashLoopBackOff"))
        .filter_map(|status| text(status, &["name"]))
        .collect();
    match crashing.is_empty() {
        true => Verdict::in_progress("PodRunningNotReady", "Pod is running but is not Ready"),
        false => Verdict::failed(
            "ContainerCrashLooping",
            format!("Containers in CrashLoop state: {}", shown(&crashing.join(","))),
        ),
    }
}

fn pending(facts: &Facts<'_>, now: i64) -> Verdict {
    match is_unschedulable(facts) {
        false => Verdict::in_progress("PodPending", "Pod is in the Pending phase"),
        true if now < window_ends(facts) => {
            Verdict::in_progress("PodNotScheduled", "Pod has not been scheduled")
        }
        true => Verdict::failed("PodUnschedulable", "Pod could not be scheduled"),
    }
}

/// Whether the scheduler has looked for a node and found none.
pub(super) fn is_unschedulable(facts: &Facts<'_>) -> bool {
    let conditions = facts.conditions().unwrap_or_default();
    let condition = conditions.iter().find(|condition| condition.fails("PodScheduled"));
    condition.is_some_and(|condition| condition.reason == "Unschedulable")
}

/// When a Pod that has no node is taken for one that gets none. Without a time it is as old as can be.
fn window_ends(facts: &Facts<'_>) -> i64 {
    let created = facts.text(&["metadata", "creationTimestamp"]).parse::<jiff::Timestamp>();
    created.map_or(i64::MIN, |created| created.as_second().saturating_add(SCHEDULE_WINDOW))
}

/// Until when a Pod without a node is only waiting for one.
pub(super) fn holds_until(facts: &Facts<'_>, now: i64) -> Option<i64> {
    let is_pending = facts.is("", "Pod") && facts.text(&["status", "phase"]) == "Pending";
    (is_pending && is_unschedulable(facts)).then(|| window_ends(facts)).filter(|end| now < *end)
}

/// The verdict about a StatefulSet or a ReplicaSet some of whose Pods have failed. Pods that are leaving do not count, nor
/// those that have no node: another node may come.
pub(super) fn with_pods(facts: &Facts<'_>, below: &[&Node], now: i64) -> Option<Verdict> {
    let fails_by_pods = facts.is("apps", "StatefulSet")
        || facts.is("apps", "ReplicaSet")
        || facts.is("extensions", "ReplicaSet");
    if !fails_by_pods {
        return None;
    }
    let pods = below.iter().map(|node| Facts::of(node)).filter(|pod| pod.is("", "Pod"));
    let failed = pods.filter(|pod| has_failed(pod, now)).count();
    (failed > 0).then(|| Verdict::failed("PodsFailed", format!("{failed} pods have failed")))
}

fn has_failed(pod: &Facts<'_>, now: i64) -> bool {
    let verdict = match generic::before(pod) {
        Ok(None) => judge(pod, now).ok(),
        Ok(verdict) => verdict,
        Err(_) => None,
    };
    verdict.is_some_and(|verdict| verdict.health == Health::Failed) && !is_unschedulable(pod)
}
