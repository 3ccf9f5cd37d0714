//! What an apply costs the server, counted at the proxy.

use std::collections::BTreeMap;

use kelson_testkit::{Detour, Seen};

use crate::Stage;

/// Objects of four kinds, as the benchmark has them.
fn files(count: usize, mode: &str) -> String {
    let mut text = "#- app/objects.yaml\n".to_owned();
    for number in 0..count {
        let mode = if number == 0 { mode } else { "slow" };
        text.push_str(&format!(
            "---
apiVersion: v1
kind: ConfigMap
metadata: {{name: map-{number}}}
data: {{mode: {mode}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: account-{number}}}
---
apiVersion: v1
kind: Service
metadata: {{name: service-{number}}}
spec: {{selector: {{app: web-{number}}}, ports: [{{port: 80}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web-{number}}}}}
  template:
    metadata: {{labels: {{app: web-{number}}}}}
    spec: {{containers: [{{name: web, image: registry.example/web:v1}}]}}
"
        ));
    }
    text
}

/// Requests that write, without those of the lease; who we are is asked by a POST that writes nothing.
fn writes(detour: &Detour) -> Vec<Seen> {
    let mut seen = detour.seen();
    let others = ["dryRun", "/leases", "/selfsubjectreviews"];
    seen.retain(|seen| {
        seen.method != "GET" && !others.iter().any(|part| seen.target.contains(part))
    });
    seen
}

fn delivered(count: usize) -> (Stage, Detour) {
    let stage = Stage::new(&files(count, "slow"));
    let ran = stage.run("kelson apply app --name app --yes --parallel 16");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let detour = stage.plane.behind_proxy().unwrap();
    (stage.through(&detour), detour)
}

#[test]
fn an_unchanged_apply_lists_once_for_each_kind_and_writes_nothing() {
    let (stage, detour) = delivered(5);
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let all: Vec<String> = detour.seen().iter().map(ToString::to_string).collect();
    assert!(writes(&detour).is_empty(), "{all:#?}");
    assert!(detour.seen_at("PATCH", "").is_empty(), "a dry run: {all:#?}");
    assert!(detour.seen_at("GET", "artifact").is_empty(), "nobody looks at what is kept: {all:#?}");
    let mut lists: BTreeMap<String, usize> = BTreeMap::new();
    for seen in detour.seen_at("GET", "labelSelector") {
        let path = seen.target.split('?').next().unwrap();
        *lists.entry(path.rsplit('/').next().unwrap().to_owned()).or_default() += 1;
    }
    for kind in ["configmaps", "serviceaccounts", "services", "deployments"] {
        assert_eq!(lists.get(kind), Some(&1), "{kind}: {all:#?}");
    }
    let gets = |kind: &str| detour.seen_at("GET", &format!("/{kind}/")).len();
    assert_eq!(gets("configmaps") + gets("services") + gets("deployments"), 0, "{all:#?}");
}

#[test]
fn one_changed_object_costs_one_dry_run_and_one_write() {
    let (stage, detour) = delivered(5);
    let changed = files(5, "fast").replace("#- app/objects.yaml\n", "");
    std::fs::write(stage.folder.path("app/objects.yaml"), changed).unwrap();
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let all: Vec<String> = detour.seen().iter().map(ToString::to_string).collect();
    let patches = detour.seen_at("PATCH", "/configmaps/map-0");
    assert_eq!(patches.len(), 2, "{all:#?}");
    assert!(patches[0].target.contains("dryRun=All") && !patches[1].target.contains("dryRun"));
    let others = writes(&detour).iter().filter(|seen| !seen.target.contains("/secrets")).count();
    assert_eq!(others, 1, "{all:#?}");
    // The record is written before and after. What was changed is kept, so that one can go back to it: one Secret, after
    // one look at what is kept already.
    let secrets = |method: &str, part: &str| detour.seen_at(method, part).len();
    assert_eq!(secrets("PATCH", "/secrets/kelson.app?"), 2, "{all:#?}");
    assert_eq!(secrets("PATCH", "/secrets/kelson.app.kept."), 1, "{all:#?}");
    assert_eq!(secrets("GET", "kelson.dev%2Fartifact"), 1, "{all:#?}");
    assert_eq!(secrets("DELETE", "/secrets"), 0, "{all:#?}");
}

#[test]
fn a_first_apply_sends_each_object_once() {
    let stage = Stage::new(&files(5, "slow"));
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson apply app --name app --yes --parallel 16");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let all: Vec<String> = detour.seen().iter().map(ToString::to_string).collect();
    for kind in ["configmaps", "serviceaccounts", "services", "deployments"] {
        assert_eq!(detour.seen_at("PATCH", &format!("/{kind}/")).len(), 5, "{kind}: {all:#?}");
    }
}
