//! What is applied: as many Deployments, Services, ServiceAccounts and ConfigMaps.

use serde_json::{Value, json};

/// Objects of four kinds, `count` altogether; ConfigMaps and Deployments have a mark that tells whether they are changed.
///
/// They are in the order in which Kelson applies them, for everybody: a controller that is busy with the first
/// Deployments takes the server's time from what comes after them.
pub(in crate::bench) fn objects(count: usize, changed: bool) -> Vec<Value> {
    let mut all: Vec<Value> = (0..count / 4).flat_map(|number| four(number, changed)).collect();
    let kinds = ["ServiceAccount", "ConfigMap", "Service", "Deployment"];
    all.sort_by_key(|object| kinds.iter().position(|kind| object["kind"] == *kind));
    all
}

/// The objects as one file of manifests.
pub(in crate::bench) fn manifests(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{object}\n")).collect()
}

/// The path below the API server at which an object is.
pub(super) fn path(object: &Value, namespace: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let root = if version.contains('/') { "/apis" } else { "/api" };
    let (resource, name) = (kind.to_lowercase(), text(&object["metadata"]["name"]));
    format!("{root}/{version}/namespaces/{namespace}/{resource}s/{name}")
}

fn four(number: usize, changed: bool) -> [Value; 4] {
    let name = format!("app-{number:05}");
    let labels = json!({ "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench" });
    let metadata = json!({ "name": name, "labels": labels });
    let mark = if changed { "new" } else { "old" };
    [
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata }),
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
            "data": { "mark": mark, "settings.yaml": "level: info\nworkers: 4\nbackend: https://backend.example\n" },
        }),
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": metadata,
            "spec": { "selector": labels, "ports": [{ "name": "http", "port": 80, "targetPort": 8080 }] },
        }),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": {
                "replicas": 1,
                "selector": { "matchLabels": labels },
                "template": {
                    "metadata": { "labels": labels, "annotations": { "mark": mark } },
                    "spec": {
                        "serviceAccountName": name,
                        "containers": [{
                            "name": "web",
                            "image": "registry.example/web:v1",
                            "ports": [{ "name": "http", "containerPort": 8080 }],
                            "envFrom": [{ "configMapRef": { "name": name } }],
                            "resources": { "requests": { "cpu": "100m", "memory": "64Mi" }, "limits": { "memory": "128Mi" } },
                            "readinessProbe": { "httpGet": { "path": "/ready", "port": "http" } },
                        }],
                    },
                },
            },
        }),
    ]
}
