//! What the status of Pods and nodes says for each fate.

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::Fate;

/// A point in time that no test depends on.
const LONG_AGO: &str = "2020-01-01T00:00:00Z";

/// The status patch of a node whose logs are served on `port`.
pub(super) fn of_node(port: u16, ready: bool) -> Value {
    let status = if ready { "True" } else { "False" };
    json!({"status": {
        // No host name: the API server would prefer it and could not resolve it.
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
        "capacity": {"cpu": "64", "memory": "256Gi", "pods": "10000"},
        "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "10000"},
        "conditions": [condition("Ready", status, "KubeletReady", "")],
    }})
}

/// The status of a Pod.
pub(super) fn of_pod(pod: &Pod, fate: &Fate) -> Value {
    let (phase, ready, state) = match fate {
        Fate::Ready => ("Running", true, json!({"running": {"startedAt": LONG_AGO}})),
        Fate::Unready => ("Running", false, json!({"running": {"startedAt": LONG_AGO}})),
        Fate::Succeeded => ("Succeeded", false, terminated(0, "Completed")),
        Fate::Failed => ("Failed", false, terminated(1, "Error")),
        Fate::CrashLoop { .. } => (
            "Running",
            false,
            json!({"waiting": {
                "reason": "CrashLoopBackOff",
                "message": "back-off 10s restarting failed container",
            }}),
        ),
        Fate::ImagePull => (
            "Pending",
            false,
            json!({"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}),
        ),
        Fate::Unschedulable => return unschedulable(),
        Fate::Pending => ("Pending", false, json!({})),
    };
    let yes_no = if ready { "True" } else { "False" };
    let reason = if ready { "" } else { "ContainersNotReady" };
    json!({
        "phase": phase,
        "podIP": "127.0.0.1",
        "podIPs": [{"ip": "127.0.0.1"}],
        "hostIP": "127.0.0.1",
        "startTime": LONG_AGO,
        "conditions": [
            condition("PodScheduled", "True", "", ""),
            condition("Initialized", "True", "", ""),
            condition("ContainersReady", yes_no, reason, ""),
            condition("Ready", yes_no, reason, ""),
        ],
        "containerStatuses": containers(pod, fate, ready, &state),
    })
}

/// What a node, or the scheduler, has to say about a fate: the reason and the message of a Warning.
pub(super) fn warning(fate: &Fate) -> Option<(&'static str, &'static str)> {
    match fate {
        Fate::Unready => {
            Some(("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503"))
        }
        Fate::CrashLoop { .. } => Some(("BackOff", "Back-off restarting failed container")),
        Fate::ImagePull => Some(("Failed", "Failed to pull image: not found")),
        Fate::Unschedulable => Some(("FailedScheduling", NO_ROOM)),
        Fate::Ready | Fate::Succeeded | Fate::Failed | Fate::Pending => None,
    }
}

/// The Warning about a Pod, as it is applied.
pub(super) fn event(pod: &Pod, reason: &str, message: &str) -> Value {
    let metadata = &pod.metadata;
    let now = k8s_openapi::jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": event_name(pod, reason)},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "namespace": metadata.namespace,
            "name": metadata.name,
            "uid": metadata.uid,
        },
        "type": "Warning",
        "reason": reason,
        "message": message,
        "source": {"component": "kubelet"},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    })
}

/// One name for each reason: what is said again replaces what was said.
pub(super) fn event_name(pod: &Pod, reason: &str) -> String {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    format!("{name}.{}", reason.to_lowercase())
}

/// Whether the Pod says so already: a write would only wake every watcher.
pub(super) fn is_written(pod: &Pod, status: &Value) -> bool {
    let Ok(live) = serde_json::to_value(&pod.status) else { return false };
    let same = |key: &str| live.get(key) == status.get(key);
    let summary = |value: &Value| {
        let list = value.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|one| (one["type"].clone(), one["status"].clone())).collect::<Vec<_>>()
    };
    let states = |value: &Value| {
        let list = value.get("containerStatuses").and_then(Value::as_array);
        list.map(|list| list.iter().map(|one| one["state"].clone()).collect::<Vec<_>>())
    };
    same("phase") && summary(&live) == summary(status) && states(&live) == states(status)
}

const NO_ROOM: &str = "0/1 nodes are available: 1 Insufficient cpu.";

fn unschedulable() -> Value {
    json!({
        "phase": "Pending",
        "conditions": [condition("PodScheduled", "False", "Unschedulable", NO_ROOM)],
    })
}

fn containers(pod: &Pod, fate: &Fate, ready: bool, state: &Value) -> Value {
    let containers = pod.spec.as_ref().map(|spec| spec.containers.as_slice()).unwrap_or_default();
    let crashes = matches!(fate, Fate::CrashLoop { .. });
    let list = containers.iter().map(|container| {
        let image = container.image.clone().unwrap_or_default();
        let mut status = json!({
            "name": container.name,
            "image": image,
            "imageID": image,
            "ready": ready,
            "started": ready,
            "restartCount": if crashes { 3 } else { 0 },
            "state": state,
        });
        if crashes {
            status["lastState"] = terminated(1, "Error");
        }
        status
    });
    list.collect()
}

fn terminated(code: i32, reason: &str) -> Value {
    json!({"terminated": {
        "exitCode": code, "reason": reason, "startedAt": LONG_AGO, "finishedAt": LONG_AGO,
    }})
}

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": LONG_AGO,
    })
}
