//! What the server itself takes: exactly one request for each object, by a client that knows nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use kelson_testkit::Bare;
use serde_json::{Value, json};

use super::objects::path;

/// How many requests are under way at once.
const WIDTH: usize = 16;
const APPLY: &str = "application/apply-patch+yaml";

/// Applies every object by one request and says how long all of them took.
pub(super) fn replay(
    bare: &Bare,
    namespace: &str,
    objects: &[Value],
    query: &str,
) -> anyhow::Result<Duration> {
    let requests: Vec<(String, String)> = objects
        .iter()
        .map(|object| {
            (format!("{}?fieldManager=raw{query}", path(object, namespace)), object.to_string())
        })
        .collect();
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..WIDTH {
            let mut bare = bare.clone();
            let (next, requests, failure) = (&next, &requests, &failure);
            scope.spawn(move || {
                while let Some((path, body)) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = apply(&mut bare, path, body) {
                        *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                            Some(error);
                        return;
                    }
                }
            });
        }
    });
    let took = started.elapsed();
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(took),
    }
}

fn apply(bare: &mut Bare, path: &str, body: &str) -> anyhow::Result<()> {
    let answer = bare.send("PATCH", path, APPLY, body)?;
    if !(200..300).contains(&answer.status) {
        bail!("PATCH {path}: {} {}", answer.status, answer.body);
    }
    Ok(())
}

/// Makes a namespace.
pub(in crate::bench) fn namespace(bare: &mut Bare, name: &str) -> anyhow::Result<()> {
    let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    let path = format!("/api/v1/namespaces/{name}?fieldManager=bench");
    apply(bare, &path, &body.to_string())
}

/// Waits until every Deployment of a namespace has its Pod, so that controllers do not disturb what is measured next.
pub(super) fn settle(bare: &mut Bare, namespace: &str, deployments: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    let path = format!("/api/v1/namespaces/{namespace}/pods?limit=1");
    loop {
        let list = bare.get(&path).context("the pods")?;
        let more = list["metadata"]["remainingItemCount"].as_u64().unwrap_or_default() as usize;
        let pods = list["items"].as_array().map_or(0, Vec::len) + more;
        if pods >= deployments {
            break;
        }
        if started.elapsed() > Duration::from_secs(600) {
            bail!("{pods} of {deployments} pods in `{namespace}` after ten minutes");
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    // The last status writes follow the last Pod.
    std::thread::sleep(Duration::from_secs(2));
    Ok(())
}

/// Writes the status of Deployments, as controllers do, while something is done.
pub(super) fn while_status_is_written<T>(
    bare: &Bare,
    namespace: &str,
    objects: &[Value],
    work: impl FnOnce() -> T,
) -> T {
    let ends = AtomicBool::new(false);
    let mut bare = bare.clone();
    std::thread::scope(|scope| {
        let ends = &ends;
        scope.spawn(move || {
            let deployments =
                objects.iter().filter(|object| object["kind"] == "Deployment").cycle();
            for (number, object) in deployments.enumerate() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                let path = format!("{}/status?fieldManager=controller", path(object, namespace));
                let status =
                    json!({ "status": { "observedGeneration": 1, "collisionCount": number } });
                // A write that fails for once is as good as one that was slow.
                bare.send("PATCH", &path, "application/merge-patch+json", &status.to_string()).ok();
            }
        });
        let done = work();
        ends.store(true, Ordering::Relaxed);
        done
    })
}
