//! What becomes of the Pods of a stage: each says so itself in its label `fate`.

use kelson_testkit::{Fate, Kubelet};
use tokio::runtime::Runtime;

use crate::Stage;

/// A node that plays along for as long as it is held.
pub(crate) struct Node {
    _kubelet: Kubelet,
    _runtime: Runtime,
}

impl Node {
    /// Plays the node of a stage's namespace.
    pub(crate) fn of(stage: &Stage) -> Self {
        let runtime = Runtime::new().unwrap();
        let (namespace, name) = (&stage.namespace, format!("node-{}", stage.namespace));
        let kubelet = runtime.block_on(async {
            let client = Kubelet::client(stage.plane.kubeconfig()).await.unwrap();
            Kubelet::start(client, &name, namespace, |pod| {
                let labels = pod.metadata.labels.clone().unwrap_or_default();
                fate(labels.get("fate").map_or("", String::as_str))
            })
            .await
            .unwrap()
        });
        Self { _kubelet: kubelet, _runtime: runtime }
    }
}

fn fate(word: &str) -> Fate {
    match word {
        "ready" => Fate::Ready,
        "unready" => Fate::Unready,
        "crash" => {
            Fate::CrashLoop { log: "starting\nno database at \u{1b}[31mdb:5432\n".to_owned() }
        }
        "image" => Fate::ImagePull,
        "unschedulable" => Fate::Unschedulable,
        "failed" => Fate::Failed,
        _ => Fate::Pending,
    }
}

/// A Deployment whose Pods have a fate, and a rollout that is given up after a second.
pub(crate) fn deployment(name: &str, fate: &str) -> String {
    format!(
        "---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 1
  progressDeadlineSeconds: 1
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}, fate: {fate}}}}}
    spec: {{containers: [{{name: web, image: registry.example/web:v1}}]}}
"
    )
}
