//! The webhook before a real API server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::time::{Duration, Instant};

use kelson_testkit::{Bare, Verdict, Webhook, shared};
use serde_json::{Value, json};

/// Makes ConfigMaps with a webhook in between until the server has heard of it, and returns what it answers then.
#[track_caller]
fn check(kind: &str, decide: impl Fn(&Value) -> Verdict + Send + Sync + 'static) -> (u16, Value) {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let mut bare = plane.bare().unwrap();
    let webhook = Webhook::start(decide).unwrap();
    install(&mut bare, kind, &namespace, &webhook);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let started = Instant::now();
    for number in 0.. {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}});
        let answer = bare.send("POST", &path, "application/json", &map.to_string()).unwrap();
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        if answer.status != 201 || body["data"] != Value::Null {
            return (answer.status, body);
        }
        assert!(started.elapsed() < Duration::from_secs(60), "the webhook is never asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    unreachable!("the numbers have no end")
}

/// Only for one namespace, since others test on the same control plane.
fn install(bare: &mut Bare, kind: &str, namespace: &str, webhook: &Webhook) {
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": namespace},
        "webhooks": [{
            "name": "test.kelson.dev", "clientConfig": webhook.client_config(), "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "timeoutSeconds": 1,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
        }],
    });
    let path = format!("/apis/admissionregistration.k8s.io/v1/{}s", kind.to_lowercase());
    let answer = bare.send("POST", &path, "application/json", &configuration.to_string()).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[test]
fn a_webhook_denies() {
    let (status, body) = check("ValidatingWebhookConfiguration", |request| {
        Verdict::Deny(format!("no {} today", request["kind"]["kind"].as_str().unwrap_or("?")))
    });
    assert_eq!(status, 403);
    assert!(body["message"].as_str().unwrap().contains("no ConfigMap today"), "{body}");
}

#[test]
fn a_webhook_changes() {
    let patch = json!([{"op": "add", "path": "/data", "value": {"added": "yes"}}]);
    let (status, body) =
        check("MutatingWebhookConfiguration", move |_| Verdict::Patch(patch.clone()));
    assert_eq!((status, &body["data"]["added"]), (201, &json!("yes")));
}

#[test]
fn a_webhook_says_nothing() {
    let (status, body) = check("ValidatingWebhookConfiguration", |_| Verdict::Silence);
    assert_eq!(status, 500);
    assert!(body["message"].as_str().unwrap().contains("failed calling webhook"), "{body}");
}
