//! What a node would say of Pods, said by us: the moment of it counts.

use std::time::{Duration, Instant};

use anyhow::bail;
use kelson_testkit::Bare;
use serde_json::{Value, json};

/// The names of the Pods of a namespace that are not on their way out, once there are as many as wanted.
pub(super) fn pods(bare: &Bare, namespace: &str, wanted: usize) -> anyhow::Result<Vec<String>> {
    let started = Instant::now();
    let mut bare = bare.clone();
    loop {
        let list = bare.get(&format!("/api/v1/namespaces/{namespace}/pods"))?;
        let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let stays = |pod: &&Value| pod["metadata"]["deletionTimestamp"].is_null();
        let name = |pod: &Value| pod["metadata"]["name"].as_str().map(str::to_owned);
        let mut names: Vec<String> = items.iter().filter(stays).filter_map(name).collect();
        if names.len() >= wanted {
            names.sort();
            return Ok(names);
        }
        if started.elapsed() > Duration::from_secs(300) {
            bail!("{} of {wanted} Pods in `{namespace}` after five minutes", names.len());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Writes that a Pod is ready, and returns when the server has answered.
pub(super) fn ready(bare: &mut Bare, namespace: &str, pod: &str) -> anyhow::Result<Instant> {
    let kinds = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    let conditions = kinds.map(|kind| json!({ "type": kind, "status": "True" }));
    let status = json!({ "status": {
        "phase": "Running",
        "conditions": conditions,
        "containerStatuses": [{
            "name": "web", "image": "registry.example/web:v1", "imageID": "x", "ready": true, "started": true,
            "restartCount": 0, "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } },
        }],
    }});
    let path = format!("/api/v1/namespaces/{namespace}/pods/{pod}/status?fieldManager=node");
    let answer =
        bare.send("PATCH", &path, "application/strategic-merge-patch+json", &status.to_string())?;
    match answer.status {
        200 => Ok(Instant::now()),
        other => bail!("PATCH {path}: {other} {}", answer.body),
    }
}

/// Makes the Pod of a Deployment ready, and returns the last moment at which the Deployment did not say so yet.
pub(super) fn rolled_out(bare: &mut Bare, namespace: &str, pod: &str) -> anyhow::Result<Instant> {
    // The names that the controllers add are two words.
    let name = pod.rsplitn(3, '-').last().unwrap_or(pod);
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
    let mut moment = ready(bare, namespace, pod)?;
    let started = moment;
    while bare.get(&path)?["status"]["availableReplicas"] != 1 {
        moment = Instant::now();
        if started.elapsed() > Duration::from_secs(60) {
            bail!("`{name}` is not available after a minute");
        }
    }
    Ok(moment)
}
