//! A directory with components and a layout to build them to, gone afterwards.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use kelson_artifact::registry::{Client, Options};
use kelson_artifact::{Parsed, Reference, Store};
use kelson_pipeline::component::{self, BuildOptions, BuildResult, Component, Error, Event, World};
use kelson_pipeline::plan::BuildPlan;

/// An inline component as the old system has them, with places that the deploy fills.
pub(crate) const INLINE: &str = r#"name = "settings"
type = "kubernetes_manifest"
namespace = "{{.nuon.install.id}}"
manifest = """
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: "{{.nuon.install.id}}" }
spec:
  replicas: {{.nuon.inputs.replicas}}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { mode: fast }
"""
"#;

pub(crate) struct Bench {
    directory: PathBuf,
    pub(crate) world: World,
    pub(crate) options: BuildOptions,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Bench {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("kelson-component-{}-{name}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        for inside in ["work", "workspace"] {
            std::fs::create_dir_all(directory.join(inside)).unwrap();
        }
        let events = Arc::new(Mutex::new(Vec::new()));
        let client = Client::new(Options::default()).unwrap();
        let again = client.clone();
        let mut world = World::new(client, Arc::new(move |_, _| Ok(again.clone())));
        let sink = Arc::clone(&events);
        world.events = Arc::new(move |event| sink.lock().unwrap().push(event.clone()));
        let options = BuildOptions {
            local: directory.join("work"),
            workspace: Some(directory.join("workspace")),
            ..BuildOptions::default()
        };
        Self { directory, world, options, events }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.directory.join("work").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The layout that is built to.
    pub(crate) fn place(&self) -> String {
        format!("oci-layout:{}/layout", self.directory.display())
    }

    pub(crate) fn plan(&self, file: &str, tag: &str) -> BuildPlan {
        let component: Component = match component::read("component.toml", file) {
            Ok(component) => component,
            Err(failure) => panic!("{:?}", failure.diagnostics),
        };
        component::emit_plan(&component, &self.place(), tag, &self.options).unwrap()
    }

    pub(crate) async fn build(
        &self,
        name: &str,
        file: &str,
        tag: &str,
    ) -> Result<BuildResult, Error> {
        self.events.lock().unwrap().clear();
        let plan = self.plan(file, tag);
        component::build(name, &plan, &self.world, &self.options).await
    }

    /// What was told, in short.
    pub(crate) fn steps(&self) -> String {
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let events = self.events.lock().unwrap();
        let lines: Vec<String> = events
            .iter()
            .map(|event| {
                let status = word(serde_json::to_value(event.status).unwrap());
                match event.step {
                    Some(step) => format!("{} {status}", word(serde_json::to_value(step).unwrap())),
                    None => status,
                }
            })
            .collect();
        lines.join(", ")
    }

    fn store(&self) -> Store {
        let reference: Reference = self.place().parse().unwrap();
        Store::open(&reference.place, &self.world.client)
    }

    pub(crate) async fn tags(&self) -> Vec<String> {
        self.store().tags().await.unwrap()
    }

    pub(crate) async fn annotations(&self, tag: &str) -> BTreeMap<String, String> {
        let store = self.store();
        let reference: Reference = format!("{}:{tag}", self.place()).parse().unwrap();
        let found = store.find(&reference).await.unwrap();
        match store.manifest(&found.digest).await.unwrap().parse().unwrap() {
            Parsed::Manifest(manifest) => manifest.annotations,
            Parsed::Index(_) => panic!("an index"),
        }
    }

    /// The objects of an artifact, as one text.
    pub(crate) async fn content(&self, tag: &str) -> String {
        let reference: Reference = format!("{}:{tag}", self.place()).parse().unwrap();
        let pulled = kelson_artifact::pull(&self.store(), &reference, &Default::default()).await;
        pulled
            .unwrap()
            .tree
            .files()
            .map(|(_, content)| String::from_utf8_lossy(content).into_owned())
            .collect()
    }

    /// What transfers have left on disk.
    pub(crate) fn left_behind(&self) -> usize {
        std::fs::read_dir(self.directory.join("workspace")).unwrap().count()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.directory).ok();
    }
}
