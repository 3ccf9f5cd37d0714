//! A namespace of one's own, and steps made by hand.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use kelson_cluster::{
    Applied, ApplyOptions, Cluster, Connection, Error, Held, Lease, LeaseOptions,
};
use kelson_model::{Object, ObjectId};
use kelson_plan::{
    Action, Checked, Delivery, Event, Found, Ground, Hash, Kind, Listener, Origin, Plan, Silent,
    Step,
};
use kelson_testkit::{Detour, Shared, shared};
use kelson_yaml::{Dialect, Node, Span, first_document, json};
use tokio::sync::watch;

pub(crate) const MANAGER: &str = "kelson";

/// A namespace that no other test uses, with a delivery in it.
pub(crate) struct World {
    pub(crate) plane: &'static Shared,
    pub(crate) namespace: String,
    pub(crate) delivery: Delivery,
    pub(crate) cluster: Cluster,
    pub(crate) options: ApplyOptions,
    /// How long its Lease holds.
    pub(crate) lease: Duration,
}

impl World {
    pub(crate) async fn new() -> Self {
        let plane = shared().unwrap();
        Self::reached_by(plane, plane.kubeconfig()).await
    }

    /// One whose cluster is reached through a proxy with faults.
    pub(crate) async fn behind_proxy() -> (Self, Detour) {
        let plane = shared().unwrap();
        let detour = plane.behind_proxy().unwrap();
        (Self::reached_by(plane, detour.kubeconfig()).await, detour)
    }

    async fn reached_by(plane: &'static Shared, kubeconfig: &Path) -> Self {
        let namespace = plane.namespace().unwrap();
        let delivery = Delivery::new("shop", &namespace).unwrap();
        let cluster = connect(kubeconfig).await;
        let minute = Duration::from_secs(60);
        let options = ApplyOptions { established: minute, gone: minute, bound: true, ready: None };
        Self { plane, namespace, delivery, cluster, options, lease: minute }
    }

    /// Runs kubectl in the namespace.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        let arguments = [&["--namespace", &self.namespace], arguments].concat();
        self.plane.kubectl(&arguments).unwrap()
    }

    /// The objects of some kinds, by name; `pods,configmaps`.
    pub(crate) fn names(&self, kinds: &str) -> Vec<String> {
        let names = self.kubectl(&["get", kinds, "--output", "name"]);
        names.lines().map(str::to_owned).collect()
    }

    /// An object as the server has it, by its address below the namespace; nothing where it has none.
    pub(crate) fn found(&self, what: &str) -> Option<Found> {
        self.found_at(&format!("/api/v1/namespaces/{}/{what}", self.namespace))
    }

    fn found_at(&self, path: &str) -> Option<Found> {
        let answer = self.plane.bare().unwrap().send("GET", path, "", "").unwrap();
        if answer.status == 404 {
            return None;
        }
        let node = json::read(&answer.body, Span::NONE).unwrap();
        Some(Found::new(Object::new(node).unwrap(), MANAGER))
    }

    /// A step with an object in the namespace, with the labels of the delivery; its ground is what is there now.
    pub(crate) fn step(&self, action: Action, object: &str) -> Step {
        let mut node = first_document(object, Span::NONE, Dialect::V3).unwrap().unwrap();
        let kind = kind(&node);
        let metadata = node.get_mut("metadata").and_then(Node::as_mapping_mut).unwrap();
        if kind.namespaced {
            metadata.insert(Node::string("namespace"), Node::string(self.namespace.as_str()));
        }
        let labels = self.delivery.labels().map(|(key, value)| kelson_yaml::Entry {
            key: Node::string(key),
            value: Node::string(value),
        });
        metadata.insert(Node::string("labels"), Node::mapping(labels.to_vec()));
        let object = Object::new(node).unwrap();
        let found = match (&action, kind.to_come) {
            (Action::Create, _) | (_, true) => None,
            _ => self.found_at(&address(&kind, &object.id)),
        };
        let is_sent = !matches!(action, Action::Delete | Action::Release);
        Step {
            id: object.id,
            kind,
            action,
            ground: found.as_ref().map(ground).unwrap_or_default(),
            changes: Vec::new(),
            checked: Checked::ByServer,
            desired: is_sent.then(|| Hash::of(&object.node)),
            body: is_sent.then_some(object.node),
            force: false,
            origin: Origin::Created,
            takeover: None,
            wave: 0,
            asked_wave: 0,
            depends_on: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn plan(&self, steps: Vec<Step>) -> Plan {
        Plan {
            delivery: Some(self.delivery.clone()),
            cluster: String::new(),
            artifact: String::new(),
            field_manager: MANAGER.to_owned(),
            steps,
        }
    }

    pub(crate) async fn held(&self) -> Held {
        Held::load(&self.cluster, &self.delivery).await.unwrap()
    }

    pub(crate) async fn lease(&self) -> Lease {
        let options = LeaseOptions { duration: self.lease, patience: Duration::ZERO };
        Lease::take(&self.cluster, &self.delivery, &options, &Silent).await.unwrap()
    }

    /// Applies steps as a run of the program does, from the Lease to its release.
    pub(crate) async fn run(&self, steps: Vec<Step>) -> Result<Applied, Error> {
        let (_keep, stop) = watch::channel(false);
        self.run_until(steps, &stop, &Silent).await
    }

    pub(crate) async fn run_until(
        &self,
        steps: Vec<Step>,
        stop: &watch::Receiver<bool>,
        listener: &dyn Listener,
    ) -> Result<Applied, Error> {
        let (cluster, plan) = (&self.cluster, self.plan(steps));
        let lease = self.lease().await;
        let mut held = self.held().await;
        let applied =
            kelson_cluster::apply(cluster, &plan, &mut held, &lease, &self.options, stop, listener);
        let applied = applied.await;
        lease.release().await;
        applied
    }

    /// Applies steps, and tells what came of them and what the inventory says then.
    pub(crate) async fn told(&self, steps: Vec<Step>) -> String {
        let applied = self.run(steps).await;
        let mut told = match applied {
            Ok(applied) => {
                let lines = applied
                    .results
                    .iter()
                    .map(|result| format!("{}: {:?}\n", result.id, Brief(&result.outcome)));
                lines.collect()
            }
            Err(error) => format!("{error}\n"),
        };
        told.push_str(&self.listed().await);
        told.replace(&self.namespace, "NS")
    }

    /// What the inventory says.
    pub(crate) async fn listed(&self) -> String {
        let held = self.held().await;
        let line = |entry: &kelson_plan::Entry| {
            let uid = if entry.uid.is_some() { "" } else { ", no uid" };
            let hashes =
                if entry.owned.is_some() && entry.desired.is_some() { "" } else { ", no hashes" };
            format!("- {} {:?} {:?}{uid}{hashes}\n", entry.id, entry.origin, entry.state)
        };
        let listed: String = held.inventory.entries.iter().map(line).collect();
        listed.replace(&self.namespace, "NS")
    }
}

/// An outcome without what differs from run to run.
struct Brief<'a>(&'a kelson_plan::Outcome);

impl std::fmt::Debug for Brief<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use kelson_plan::Outcome;
        match self.0 {
            Outcome::Failed(refusal) => write!(formatter, "Failed: {refusal}"),
            Outcome::Kept(why) => write!(formatter, "Kept: {why}"),
            Outcome::Skipped(id) => write!(formatter, "Skipped: {id}"),
            other => other.fmt(formatter),
        }
    }
}

pub(crate) async fn connect(kubeconfig: &Path) -> Cluster {
    let kubeconfig = Some(kubeconfig.to_owned());
    let connection = Connection { kubeconfig, parallel: 4, ..Connection::default() };
    Cluster::connect(&connection).await.unwrap()
}

pub(crate) fn ground(found: &Found) -> Ground {
    Ground {
        uid: Some(found.uid.clone()),
        hash: Some(found.hash.clone()),
        resource_version: Some(found.resource_version.clone()),
        owned: Some(found.owned.clone()),
    }
}

/// The kind of an object; enough of English for the kinds of these tests.
fn kind(node: &Node) -> Kind {
    let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let lower = kind.to_lowercase();
    Kind {
        group: group.to_owned(),
        version: version.to_owned(),
        plural: format!("{lower}s"),
        namespaced: !matches!(
            kind.as_str(),
            "Namespace" | "CustomResourceDefinition" | "ClusterRole"
        ),
        to_come: group.starts_with("tocome."),
        kind,
    }
}

fn address(kind: &Kind, id: &ObjectId) -> String {
    let root = match kind.group.as_str() {
        "" => "/api".to_owned(),
        group => format!("/apis/{group}"),
    };
    let place = match kind.namespaced {
        true => format!("/namespaces/{}", id.namespace),
        false => String::new(),
    };
    format!("{root}/{}{place}/{}/{}", kind.version, kind.plural, id.name)
}

/// A ConfigMap with one value.
pub(crate) fn config(name: &str, value: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{key: '{value}'}}}}"
    )
}

/// Hears everything and keeps it.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<Event>>);

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}
