//! A delivery with everything in it: creates, changes, recreates and prunes, next to what is not ours.

use std::collections::BTreeSet;
use std::process::Child;

use kelson_testkit::Detour;
use serde_json::{Value, json};

use crate::Stage;

const FILES: &str = "#- v1/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: changed}
data: {mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: anew}
immutable: true
data: {mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stale}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: stale}
#- v2/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: changed}
data: {mode: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: anew}
immutable: true
data: {mode: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fresh}
---
apiVersion: v1
kind: Secret
metadata: {name: fresh}
stringData: {password: hunter2}
";

/// The first version is delivered; the second is about to be, through a proxy.
pub(crate) struct Ordeal {
    pub(crate) detour: Detour,
    stage: Stage,
    /// What is not ours, as it was.
    foreign: Value,
}

impl Ordeal {
    pub(crate) fn new() -> Self {
        let stage = Stage::new(FILES);
        stage.step("use v1");
        let ran = stage.run("kelson apply app --name app --yes");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        stage.step("use v2");
        let foreign =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "foreign"}});
        stage.post("/api/v1/namespaces/the-namespace/configmaps", &foreign);
        let foreign = stage.get("/api/v1/namespaces/the-namespace/configmaps/foreign");
        let detour = stage.plane.behind_proxy().unwrap();
        Self { stage: stage.through(&detour), detour, foreign }
    }

    /// Starts the apply of the second version.
    pub(crate) fn start(&self, parallel: usize) -> Child {
        let line = "kelson apply app --name app --yes --recreate --lease-duration 5s --parallel";
        self.stage.start(&format!("{line} {parallel}"))
    }

    /// What the request with a number was.
    pub(crate) fn describe(&self, number: usize) -> String {
        let seen = self.detour.seen();
        let text = seen.get(number - 1).map_or_else(|| "none".to_owned(), ToString::to_string);
        self.stage.normal(&format!("request {number}: {text}"))
    }

    /// Applies once more, without faults, and looks whether everything is as it should be: converged, nothing untracked,
    /// nothing foreign touched.
    #[track_caller]
    pub(crate) fn converges(self, what: &str) {
        let stage = self.stage.directly();
        let ran = stage.run("kelson apply app --name app --yes --recreate --parallel 16");
        assert_eq!(ran.code, 0, "{what}: {}", ran.shown());
        let known = [
            "ConfigMap/anew",
            "ConfigMap/changed",
            "ConfigMap/fresh",
            "ConfigMap/same",
            "Secret/fresh",
        ];
        let known: BTreeSet<String> = known.map(str::to_owned).into();
        assert_eq!(labelled(&stage), known, "{what}: in the cluster");
        assert_eq!(listed(&stage), known, "{what}: in the inventory");
        for name in ["changed", "anew"] {
            let path = format!("/api/v1/namespaces/the-namespace/configmaps/{name}");
            assert_eq!(stage.get(&path)["data"]["mode"], "fast", "{what}: {name}");
        }
        let foreign = stage.get("/api/v1/namespaces/the-namespace/configmaps/foreign");
        assert_eq!(foreign, self.foreign, "{what}: what is not ours was touched");
        let ran = stage.run("kelson plan app --name app");
        assert_eq!(ran.code, 0, "{what}: {}", ran.shown());
        assert_eq!(kept(&stage), remembered(&stage), "{what}: artifacts that are kept");
    }
}

/// The artifacts in Secrets.
fn kept(stage: &Stage) -> BTreeSet<String> {
    let path = "/api/v1/namespaces/the-namespace/secrets?fieldSelector=type=kelson.dev/artifact";
    let list = stage.get(path);
    let names = list["items"].as_array().unwrap().iter();
    let name = |item: &Value| item["metadata"]["name"].as_str().unwrap().to_owned();
    names.map(|item| name(item).replace("kelson.app.kept.", "sha256:").replace(".0", "")).collect()
}

/// The artifacts that the history says are kept: one whose Secret was refused is not, and it says so.
fn remembered(stage: &Stage) -> BTreeSet<String> {
    let ran = stage.run("kelson history app --json");
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    let entries = shown["history"].as_array().unwrap_or_else(|| panic!("{}", ran.shown()));
    let kept = entries.iter().filter(|entry| entry["kept"] == true);
    kept.map(|entry| entry["digest"].as_str().unwrap().to_owned()).collect()
}

/// What has our labels.
fn labelled(stage: &Stage) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (kind, resource) in
        [("ConfigMap", "configmaps"), ("Secret", "secrets"), ("ServiceAccount", "serviceaccounts")]
    {
        let path = format!(
            "/api/v1/namespaces/the-namespace/{resource}?labelSelector=kelson.dev/name=app"
        );
        let list = stage.get(&path);
        let names = list["items"].as_array().unwrap().iter();
        found.extend(
            names.map(|item| format!("{kind}/{}", item["metadata"]["name"].as_str().unwrap())),
        );
    }
    found
}

/// What the inventory lists; every entry must be settled.
fn listed(stage: &Stage) -> BTreeSet<String> {
    let ran = stage.run("kelson inventory show app --json");
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    let entries = shown["entries"].as_array().unwrap_or_else(|| panic!("{}", ran.shown()));
    entries
        .iter()
        .map(|entry| {
            assert_eq!(entry["state"], "applied", "{entry}");
            let object = &entry["object"];
            format!("{}/{}", object["kind"].as_str().unwrap(), object["name"].as_str().unwrap())
        })
        .collect()
}
