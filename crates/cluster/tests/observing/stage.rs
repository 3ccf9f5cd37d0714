//! A namespace of one's own, with a node that decides the fate of Pods by the value of their label `variant`, or else `app`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kelson_cluster::{Cluster, Connection, End, ObserveOptions, Observed, ObservedObject, Target};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Blame, Event, HealthRules, Kind, Listener, Verdict};
use kelson_testkit::{Fate, Kubelet, Shared, shared};
use kelson_yaml::{Dialect, Span, first_document};
use tokio::sync::watch;

pub(crate) struct Stage {
    pub(crate) plane: &'static Shared,
    pub(crate) namespace: String,
    pub(crate) cluster: Cluster,
    pub(crate) kubelet: Kubelet,
    pub(crate) options: ObserveOptions,
    fates: Arc<Mutex<HashMap<String, Fate>>>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let plane = shared().unwrap();
        let namespace = plane.namespace().unwrap();
        let fates: Arc<Mutex<HashMap<String, Fate>>> = Arc::default();
        let decided = fates.clone();
        let decide = move |pod: &Pod| {
            let labels = pod.metadata.labels.clone().unwrap_or_default();
            let fates = decided.lock().unwrap();
            let fate = |label: &str| fates.get(labels.get(label)?).cloned();
            fate("variant").or_else(|| fate("app")).unwrap_or(Fate::Ready)
        };
        let client = Kubelet::client(plane.kubeconfig()).await.unwrap();
        let node = format!("node-{namespace}");
        let kubelet = Kubelet::start(client, &node, &namespace, decide).await.unwrap();
        let options = ObserveOptions {
            ready: Duration::from_secs(180),
            gone: Duration::from_secs(180),
            rules: HealthRules::default(),
            fail_fast: true,
            log_lines: 5,
            delivery: None,
        };
        let cluster = connect(plane.kubeconfig()).await;
        Self { plane, namespace, cluster, kubelet, options, fates }
    }

    /// Decides what becomes of the Pods of an app or variant, from now on; otherwise they are ready.
    pub(crate) fn fate(&self, app: &str, fate: Fate) {
        self.fates.lock().unwrap().insert(app.to_owned(), fate);
        self.kubelet.look_again();
    }

    /// Applies an object into the namespace, and says how it is waited for.
    pub(crate) fn apply(&self, object: &str) -> Target {
        let target = self.target(object);
        let address = format!("{}?fieldManager=test&force=true", address(&target));
        let mut bare = self.plane.bare().unwrap();
        let answer = bare.send("PATCH", &address, "application/apply-patch+yaml", object).unwrap();
        assert!(answer.status < 300, "{} {}", answer.status, answer.body);
        target
    }

    /// An object that need not be there.
    pub(crate) fn target(&self, object: &str) -> Target {
        let node = first_document(object, Span::NONE, Dialect::V3).unwrap().unwrap();
        let mut object = Object::new(node).unwrap();
        let namespaced =
            !matches!(object.id.kind.as_str(), "Namespace" | "CustomResourceDefinition");
        if namespaced {
            object.id.namespace.clone_from(&self.namespace);
        }
        let kind = Kind {
            group: object.id.group.clone(),
            version: object.version.clone(),
            kind: object.id.kind.clone(),
            plural: format!("{}s", object.id.kind.to_lowercase()),
            namespaced,
            to_come: false,
        };
        Target { id: object.id, kind, uid: None, gone: false }
    }

    /// The same target, with the uid that it has now.
    pub(crate) fn pinned(&self, target: &Target) -> Target {
        let uid = self.live(target).unwrap()["metadata"]["uid"].as_str().unwrap().to_owned();
        Target { uid: Some(uid), ..target.clone() }
    }

    /// An object as it is now; nothing where there is none.
    pub(crate) fn live(&self, target: &Target) -> Option<serde_json::Value> {
        let answer = self.plane.bare().unwrap().send("GET", &address(target), "", "").unwrap();
        (answer.status == 200).then(|| serde_json::from_str(&answer.body).unwrap())
    }

    pub(crate) fn delete(&self, target: &Target) {
        self.plane.bare().unwrap().send("DELETE", &address(target), "", "").unwrap();
    }

    /// Writes into the status of an object.
    pub(crate) fn status(&self, target: &Target, status: &str) {
        let path = format!("{}/status", address(target));
        let body = format!(r#"{{"status":{status}}}"#);
        let mut bare = self.plane.bare().unwrap();
        let answer = bare.send("PATCH", &path, "application/merge-patch+json", &body).unwrap();
        assert!(answer.status < 300, "{} {}", answer.status, answer.body);
    }

    /// Runs kubectl in the namespace.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        let arguments = [&["--namespace", &self.namespace], arguments].concat();
        self.plane.kubectl(&arguments).unwrap()
    }

    /// Waits for targets to the end.
    pub(crate) async fn observe(&self, targets: &[Target]) -> (Observed, Arc<Heard>) {
        let heard = Arc::new(Heard::default());
        (self.observe_with(targets, &heard).await, heard)
    }

    /// Waits for targets to the end, or until somebody who hears of it has had enough.
    pub(crate) async fn observe_with(&self, targets: &[Target], heard: &Heard) -> Observed {
        let (cluster, options) = (&self.cluster, &self.options);
        let stop = heard.stop.subscribe();
        let observed = kelson_cluster::observe(cluster, targets, options, &stop, heard).await;
        let observed = observed.unwrap_or_else(|error| panic!("{error}\n{}", heard.told()));
        let told = heard.told();
        assert!(told.starts_with("observing"), "{told}");
        assert!(told.trim_end().lines().last().unwrap().starts_with("observed"), "{told}");
        observed
    }

    /// Waits until all of these are said of targets, in one breath.
    #[track_caller]
    pub(crate) fn until_told<'a>(
        &'a self,
        targets: &'a [Target],
        expected: &'a [&'a str],
    ) -> impl Future<Output = String> + 'a {
        let place = std::panic::Location::caller();
        async move {
            let heard = Heard::until(expected);
            let observed = self.observe_with(targets, &heard).await;
            let told = heard.told();
            assert_eq!(observed.end, End::Stopped, "{place}: {expected:?} was not said:\n{told}");
            told
        }
    }

    /// Waits for targets, and compares how that ends and what is said then of the objects.
    pub(crate) async fn check(&self, targets: &[Target], end: End, expected: &[&str]) {
        let (observed, heard) = self.observe(targets).await;
        let text = shown(&observed.objects);
        let context = format!("{:?}\n{text}\nheard:\n{}", observed.end, heard.told());
        assert_eq!(observed.end, end, "{context}");
        for expected in expected {
            assert!(text.contains(expected), "{expected} is not in\n{context}");
        }
    }
}

pub(crate) async fn connect(kubeconfig: &Path) -> Cluster {
    let kubeconfig = Some(kubeconfig.to_owned());
    Cluster::connect(&Connection { kubeconfig, ..Connection::default() }).await.unwrap()
}

fn address(target: &Target) -> String {
    let root = match target.kind.group.as_str() {
        "" => "/api".to_owned(),
        group => format!("/apis/{group}"),
    };
    let place = match target.kind.namespaced {
        true => format!("/namespaces/{}", target.id.namespace),
        false => String::new(),
    };
    format!("{root}/{}{place}/{}/{}", target.kind.version, target.kind.plural, target.id.name)
}

/// Objects, for people.
pub(crate) fn shown(objects: &[ObservedObject]) -> String {
    let lines = objects.iter().map(|object| line(&object.id, &object.verdict, &object.because));
    lines.collect()
}

fn line(id: &ObjectId, verdict: &Verdict, because: &[Blame]) -> String {
    let because: String = because.iter().map(reason).collect();
    format!(
        "{}/{} {:?} {}: {}{because}\n",
        id.kind, id.name, verdict.health, verdict.reason, verdict.message
    )
}

fn reason(blame: &Blame) -> String {
    let Blame { object, reason, message, container, log, .. } = blame;
    let container = container.as_deref().unwrap_or_default();
    format!(" | {}/{} {container} {reason}: {message} {log:?}", object.kind, object.name)
}

/// Keeps what it hears as lines, and stops the wait when one of them has all that is expected.
pub(crate) struct Heard {
    lines: Mutex<String>,
    expected: Vec<String>,
    stop: watch::Sender<bool>,
}

impl Default for Heard {
    fn default() -> Self {
        Self::until(&[])
    }
}

impl Heard {
    pub(crate) fn until(expected: &[&str]) -> Self {
        let expected = expected.iter().map(|&text| text.to_owned()).collect();
        Self { lines: Mutex::default(), expected, stop: watch::channel(false).0 }
    }

    pub(crate) fn told(&self) -> String {
        self.lines.lock().unwrap().clone()
    }

    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until something was said.
    pub(crate) async fn has(&self, text: &str) {
        for _ in 0..2400 {
            if self.told().contains(text) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nobody said `{text}`:\n{}", self.told());
    }
}

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        let line = match event {
            Event::Observing { objects } => format!("observing {objects}\n"),
            Event::Health { id, verdict, because } => line(id, verdict, because),
            Event::Observed(summary) => format!("observed {summary:?}\n"),
            Event::Warning(text) => format!("warning: {text}\n"),
            Event::Retry { what, why } => format!("retry {what}: {why}\n"),
            other => format!("{other:?}\n"),
        };
        self.lines.lock().unwrap().push_str(&line);
        if !self.expected.is_empty() && self.expected.iter().all(|text| line.contains(text)) {
            self.stop();
        }
    }
}

/// A Deployment whose Pods are of the app of its name.
pub(crate) fn deployment(name: &str, replicas: u32) -> String {
    workload("apps/v1", "Deployment", name, &format!("replicas: {replicas}"), "")
}

/// Something that makes Pods.
pub(crate) fn workload(version: &str, kind: &str, name: &str, spec: &str, pod: &str) -> String {
    let selector = match version {
        "apps/v1" => format!(", selector: {{matchLabels: {{app: {name}}}}}"),
        _ => String::new(),
    };
    format!(
        "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}}}, spec: {{{spec}{selector}, \
         template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: \
         [{{name: main, image: 'example.com/{name}:1'}}]{pod}}}}}}}}}"
    )
}

pub(crate) fn config(name: &str) -> String {
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{key: value}}}}")
}

pub(crate) fn job(name: &str, more: &str) -> String {
    workload("batch/v1", "Job", name, &format!("backoffLimit: 0{more}"), ", restartPolicy: Never")
}

pub(crate) fn crash(log: &str) -> Fate {
    Fate::CrashLoop { log: log.to_owned() }
}
