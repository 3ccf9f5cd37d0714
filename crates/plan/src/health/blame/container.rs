//! What keeps a container from running, or from being ready.

use kelson_yaml::Node;

use super::event::Events;
use super::{Finding, Reason};
use crate::health::facts::{Facts, is_true, list, text, whole};
use crate::health::words::shown;

/// Why an image is not there, in the words of the kubelet.
const IMAGE: [&str; 7] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];
/// Those that no later attempt can change.
const IMAGE_FINAL: [&str; 2] = ["InvalidImageName", "ErrImageNeverPull"];
/// What a container waits for that is on its way.
const STARTING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// The reason of one container, by its status; nothing where it does what it should. `what` is what people call it.
pub(super) fn finding<'a>(
    pod: &Facts<'a>,
    status: &'a Node,
    what: &str,
    events: &Events<'a>,
) -> Option<Finding> {
    let container = Container { pod, status, what, name: text(status, &["name"])? };
    match text(status, &["state", "waiting", "reason"]) {
        Some(reason) if IMAGE.contains(&reason) => Some(container.image(reason, events)),
        Some("CrashLoopBackOff") => Some(container.crash_loop()),
        Some(reason) if STARTING.contains(&reason) => None,
        Some(reason) => Some(container.refused(reason)),
        None if status.lookup(&["state", "terminated"]).is_some() => container.exited(),
        None if status.lookup(&["state", "running"]).is_some() => container.unready(events),
        None => None,
    }
}

/// How a container has come to its end, where that was a bad one.
pub(super) fn exited(pod: &Facts<'_>, status: &Node) -> Option<Finding> {
    Container { pod, status, what: "container", name: text(status, &["name"])? }.exited()
}

struct Container<'f, 'a> {
    pod: &'f Facts<'a>,
    status: &'f Node,
    what: &'f str,
    name: &'f str,
}

impl<'a> Container<'_, 'a> {
    fn finding(&self, reason: Reason, message: &str) -> Finding {
        let message = format!("{} `{}` {message}", self.what, shown(self.name));
        Finding::new(self.pod, reason, message)
    }

    /// The same, with a log that says more.
    fn logged(&self, reason: Reason, message: &str) -> Finding {
        Finding { container: Some(self.name.to_owned()), ..self.finding(reason, message) }
    }

    /// The event has the registry's words where the status only says that it is waited for the next attempt.
    fn image(&self, reason: &str, events: &Events<'a>) -> Finding {
        let image = shown(text(self.status, &["image"]).unwrap_or_default());
        let event = events.last_about(self.pod, self.name, "Failed", "Failed to pull image");
        let own = text(self.status, &["state", "waiting", "message"]).unwrap_or_default();
        let why = match event {
            Some(event) if reason == "ImagePullBackOff" || own.is_empty() => event.message,
            _ => own,
        };
        let message = format!("cannot get its image `{image}`: {reason}: {}", shown(why));
        let finding = self.finding(Reason::ImagePull, message.trim_end_matches(": "));
        Finding { is_final: IMAGE_FINAL.contains(&reason), ..finding }
    }

    fn crash_loop(&self) -> Finding {
        let restarts = self.status.get("restartCount").and_then(whole).unwrap_or(0);
        let ended = self.status.lookup(&["lastState", "terminated"]).map(end);
        let ended = ended.unwrap_or_else(|| "keeps ending".to_owned());
        let finding = self.logged(Reason::CrashLoop, &ended);
        let times = if restarts == 1 { "once".to_owned() } else { format!("{restarts} times") };
        let message = format!("{}; restarted {times}", finding.message);
        Finding { message, ..finding }
    }

    fn refused(&self, reason: &str) -> Finding {
        let why = text(self.status, &["state", "waiting", "message"]).unwrap_or_default();
        let message = format!("cannot be made: {}: {}", shown(reason), shown(why));
        self.finding(Reason::ContainerConfig, message.trim_end_matches(": "))
    }

    fn exited(&self) -> Option<Finding> {
        let terminated = self.status.lookup(&["state", "terminated"])?;
        let is_bad = terminated.get("exitCode").and_then(whole) != Some(0);
        is_bad.then(|| self.logged(Reason::Exited, &end(terminated)))
    }

    /// Running, but not ready. Where no probe is asked it is only a matter of moments, or an init container is at work.
    fn unready(&self, events: &Events<'a>) -> Option<Finding> {
        if is_true(self.status, &["ready"]) {
            return None;
        }
        let event = events.last_about(self.pod, self.name, "Unhealthy", "");
        let probe = self.probe();
        match (event, probe) {
            (Some(event), _) => {
                let finding =
                    self.logged(Reason::Probe, &format!("is not ready: {}", shown(event.message)));
                let key = self.same_everywhere(&finding.message);
                Some(Finding { key, ..finding })
            }
            (None, Some(probe)) => Some(
                self.logged(Reason::Probe, &format!("runs, but its {probe} has not succeeded yet")),
            ),
            (None, None) => Some(self.finding(Reason::Starting, "runs, but is not ready yet")),
        }
    }

    /// The probe that is asked now: as long as one for the start is not done, no other is.
    fn probe(&self) -> Option<&'static str> {
        let specs = ["initContainers", "containers"];
        let mut specs = specs.iter().flat_map(|key| list(self.pod.node, &["spec", key]));
        let spec = specs.find(|spec| text(spec, &["name"]) == Some(self.name))?;
        if spec.get("startupProbe").is_some() && !is_true(self.status, &["started"]) {
            return Some("startup probe");
        }
        spec.get("readinessProbe").map(|_| "readiness probe")
    }

    /// A message without what only this Pod has: its name and addresses.
    fn same_everywhere(&self, message: &str) -> String {
        let pod = self.pod;
        let own = [pod.name(), pod.text(&["status", "podIP"])];
        own.into_iter()
            .filter(|own| !own.is_empty())
            .fold(message.to_owned(), |message, own| message.replace(own, "…"))
    }
}

/// How a container has ended, with what it left behind.
fn end(terminated: &Node) -> String {
    let code = terminated.get("exitCode").and_then(whole).unwrap_or_default();
    let reason = text(terminated, &["reason"]).unwrap_or_default();
    let message = text(terminated, &["message"]).unwrap_or_default();
    let mut end = format!("exited with code {code}");
    if !matches!(reason, "" | "Error" | "Completed") {
        end.push_str(&format!(" ({})", shown(reason)));
    }
    if !message.is_empty() {
        end.push_str(&format!(": {}", shown(message)));
    }
    end
}
