//! What is behind a workload that is not ready: its Pods, what should have made them, and the Events about all of these.

mod container; // what keeps a container from running
mod event; // Events, by the object that they are about
mod group; // the same reason at many Pods is one
mod owner; // Pods and volumes that are not even made
mod pod; // what keeps a Pod from being ready

use kelson_model::ObjectId;
use kelson_yaml::Node;

use super::Blame;
use super::facts::Facts;
use super::words::shown;
use event::Events;

/// Says what keeps a workload from being ready, worst first, from the Pods (and ReplicaSets, Jobs) below it and the Events about
/// it and them. `object` may be a Pod itself. The answer is short, however many Pods there are.
pub fn blame(object: &Node, below: &[&Node], events: &[&Node]) -> Vec<Blame> {
    let objects: Vec<Facts<'_>> =
        std::iter::once(&object).chain(below).map(|node| Facts::of(node)).collect();
    let events = Events::about(&objects, events);
    let mut findings = Vec::new();
    for facts in &objects {
        match facts.is("", "Pod") {
            true => findings.extend(pod::findings(facts, &events)),
            false => findings.extend(owner::finding(facts, &events)),
        }
    }
    if findings.is_empty() {
        findings.extend(last_warning(&objects, &events));
    }
    group::grouped(findings, pods_wanted(&objects[0]))
}

/// One reason at one object.
struct Finding {
    object: ObjectId,
    reason: Reason,
    /// What is the same at all Pods that have this reason; the message may tell more, such as a number of restarts.
    key: String,
    message: String,
    container: Option<String>,
    is_final: bool,
}

/// The reasons, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    ImagePull,
    CrashLoop,
    ContainerConfig,
    Exited,
    Evicted,
    Unschedulable,
    Volume,
    NotBound,
    Quota,
    FailedCreate,
    Probe,
    Starting,
    Event,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::ImagePull => "ImagePull",
            Self::CrashLoop => "CrashLoop",
            Self::ContainerConfig => "ContainerConfig",
            Self::Exited => "Exited",
            Self::Evicted => "Evicted",
            Self::Unschedulable => "Unschedulable",
            Self::Volume => "Volume",
            Self::NotBound => "NotBound",
            Self::Quota => "Quota",
            Self::FailedCreate => "FailedCreate",
            Self::Probe => "Probe",
            Self::Starting => "Starting",
            Self::Event => "Event",
        }
    }
}

impl Finding {
    fn new(facts: &Facts<'_>, reason: Reason, message: String) -> Self {
        let (object, container) = (facts.id(), None);
        Self { object, reason, key: message.clone(), message, container, is_final: false }
    }
}

/// What was last warned of, where nothing else is known.
fn last_warning(objects: &[Facts<'_>], events: &Events<'_>) -> Option<Finding> {
    let warnings = objects.iter().filter_map(|facts| Some((facts, events.last(facts)?)));
    let (facts, event) = warnings.max_by_key(|(_, event)| event.when)?;
    let message = format!("{}: {}", shown(event.reason), shown(event.message));
    Some(Finding::new(facts, Reason::Event, message))
}

/// How many Pods a workload should have, where it says so.
fn pods_wanted(workload: &Facts<'_>) -> Option<i64> {
    match (workload.group, workload.kind) {
        ("apps", "DaemonSet") => workload.whole(&["status", "desiredNumberScheduled"]),
        ("batch", "Job") => workload.whole(&["spec", "parallelism"]),
        _ => workload.whole(&["spec", "replicas"]),
    }
}

#[cfg(test)]
mod tests;
