//! What keeps a Pod from being ready.

use super::event::Events;
use super::{Finding, Reason, container};
use crate::health::facts::{Facts, list};
use crate::health::pods::is_unschedulable;
use crate::health::words::shown;

/// What the kubelet cannot give to a Pod, in the words of its Events.
const VOLUMES: [&str; 3] = ["FailedMount", "FailedAttachVolume", "FailedMapVolume"];

/// The reasons of one Pod; none where it is ready, done or on its way out.
pub(super) fn findings<'a>(pod: &Facts<'a>, events: &Events<'a>) -> Vec<Finding> {
    let is_ready = pod.condition("Ready").is_some_and(|condition| condition.status == "True");
    let phase = pod.text(&["status", "phase"]);
    if is_ready || phase == "Succeeded" || pod.is_terminating() {
        return Vec::new();
    }
    if phase == "Failed" {
        return vec![failed(pod)];
    }
    if is_unschedulable(pod) {
        return vec![unschedulable(pod)];
    }
    let mut findings = containers(pod, events);
    if findings.iter().all(|finding| finding.reason == Reason::Starting) {
        findings.extend(volume(pod, events));
    }
    if findings.is_empty() {
        findings.extend(gated(pod));
    }
    findings
}

/// Init containers come first: the others wait for them.
fn containers<'a>(pod: &Facts<'a>, events: &Events<'a>) -> Vec<Finding> {
    let of = |key: &str| list(pod.node, &["status", key]).iter();
    let initial = of("initContainerStatuses")
        .filter_map(|status| container::finding(pod, status, "init container", events));
    let initial: Vec<Finding> = initial.collect();
    if !initial.is_empty() {
        return initial;
    }
    of("containerStatuses")
        .filter_map(|status| container::finding(pod, status, "container", events))
        .collect()
}

fn unschedulable(pod: &Facts<'_>) -> Finding {
    let message = pod.condition("PodScheduled").map(|condition| condition.shown());
    let message = message.filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| "no node is found for it".to_owned());
    Finding::new(pod, Reason::Unschedulable, message)
}

/// A Pod that has come to its end never comes back.
fn failed(pod: &Facts<'_>) -> Finding {
    let statuses = ["initContainerStatuses", "containerStatuses"];
    let statuses = statuses.iter().flat_map(|key| list(pod.node, &["status", key]));
    let exited = statuses.filter_map(|status| container::exited(pod, status)).next();
    let reason = pod.text(&["status", "reason"]);
    let mut finding = match exited {
        Some(exited) if reason.is_empty() => exited,
        _ => {
            let word = if reason.is_empty() { "Failed" } else { reason };
            let message = format!("{word}: {}", pod.text(&["status", "message"]));
            let reason = if word == "Evicted" { Reason::Evicted } else { Reason::Exited };
            Finding::new(pod, reason, shown(message.trim_end_matches(": ")))
        }
    };
    finding.is_final = true;
    finding
}

fn volume<'a>(pod: &Facts<'a>, events: &Events<'a>) -> Option<Finding> {
    let event = events.last_of(pod, &VOLUMES)?;
    Some(Finding::new(pod, Reason::Volume, shown(event.message)))
}

/// Containers that are all well in a Pod that is not: something else has a say.
fn gated(pod: &Facts<'_>) -> Option<Finding> {
    let condition = pod.condition("Ready").filter(|condition| !condition.message.is_empty())?;
    Some(Finding::new(pod, Reason::Starting, condition.shown()))
}
