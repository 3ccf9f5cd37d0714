//! Pods that are not even made, and volumes that nobody provides.

use super::event::Events;
use super::{Finding, Reason};
use crate::health::facts::Facts;
use crate::health::words::shown;

/// What keeps an object from making its Pods, or a claim from getting its volume.
pub(super) fn finding<'a>(facts: &Facts<'a>, events: &Events<'a>) -> Option<Finding> {
    match (facts.group, facts.kind) {
        ("", "PersistentVolumeClaim") => unbound(facts, events),
        ("apps" | "extensions" | "batch", _) => uncreated(facts, events),
        _ => None,
    }
}

fn unbound<'a>(claim: &Facts<'a>, events: &Events<'a>) -> Option<Finding> {
    if claim.text(&["status", "phase"]) == "Bound" {
        return None;
    }
    let event = events.last(claim)?;
    let message = format!("{}: {}", shown(event.reason), shown(event.message));
    Some(Finding::new(claim, Reason::NotBound, message))
}

/// What the server said when a Pod was asked for. A condition is of now; an Event may be of a time when something else was
/// wrong, and counts only where Pods are missing.
fn uncreated<'a>(owner: &Facts<'a>, events: &Events<'a>) -> Option<Finding> {
    let condition = owner.condition("ReplicaFailure");
    let condition = condition.filter(|condition| condition.holds("ReplicaFailure"));
    let event = || events.last_of(owner, &["FailedCreate"]).filter(|_| lacks_pods(owner));
    let message = match condition {
        Some(condition) => condition.message,
        None => event()?.message,
    };
    let reason = match message.contains("exceeded quota") || message.contains("must specify limits")
    {
        true => Reason::Quota,
        false => Reason::FailedCreate,
    };
    Some(Finding::new(owner, reason, shown(message)))
}

fn lacks_pods(owner: &Facts<'_>) -> bool {
    let count = |path: &[&str]| owner.whole(path).unwrap_or(0);
    match owner.kind {
        "DaemonSet" => {
            count(&["status", "currentNumberScheduled"])
                < count(&["status", "desiredNumberScheduled"])
        }
        "Job" => count(&["status", "active"]) == 0,
        _ => count(&["status", "replicas"]) < owner.whole(&["spec", "replicas"]).unwrap_or(1),
    }
}
