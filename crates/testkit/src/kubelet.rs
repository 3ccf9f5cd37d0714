//! Plays the node: a control plane without kubelets leaves every Pod pending, so a test says what becomes of them.
//!
//! Guarantees: each Pod is bound, its status written once per fate, with the Warning that a node has to say about it, and when
//! it is deleted it really goes. Fates may change: [`Kubelet::look_again`] asks for them anew.
//! Left out: nothing is run, no volume is mounted, no probe is asked.

mod logs; // serves what containers print
mod status; // what a Pod's status says for each fate

use std::path::Path;
use std::sync::Arc;

use futures_util::TryStreamExt;
use k8s_openapi::api::core::v1::{Event, Node, Pod};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config, ResourceExt};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::Error;
use logs::Logs;

/// What becomes of a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Runs and is ready.
    Ready,
    /// Runs, but its readiness probe fails.
    Unready,
    /// Ran to its end, as the Pods of a Job should.
    Succeeded,
    /// Ended with an error and is not started again.
    Failed,
    /// Ends with an error, over and over, after printing this.
    CrashLoop {
        /// What the container printed last.
        log: String,
    },
    /// Its image cannot be pulled.
    ImagePull,
    /// No node has room for it.
    Unschedulable,
    /// Stays as the API server made it.
    Pending,
}

/// A node that exists only in the API server, and what happens to the Pods on it. It ends when dropped.
pub struct Kubelet {
    name: String,
    client: Client,
    logs: Logs,
    again: Arc<Notify>,
    tasks: Vec<JoinHandle<()>>,
}

impl Kubelet {
    /// Connects with a kubeconfig, for this and for the test's own questions.
    pub async fn client(kubeconfig: &Path) -> Result<Client, Error> {
        // Whoever came first has set the same provider.
        rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
        let invalid = |error: &dyn std::fmt::Display| {
            Error::Missing(format!("cannot use the kubeconfig `{}`: {error}", kubeconfig.display()))
        };
        let file = Kubeconfig::read_from(kubeconfig).map_err(|error| invalid(&error))?;
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
            .await
            .map_err(|error| invalid(&error))?;
        Client::try_from(config).map_err(api("a connection"))
    }

    /// Registers a ready node called `name` and decides the fate of every Pod in `namespace`.
    pub async fn start(
        client: Client,
        name: &str,
        namespace: &str,
        decide: impl Fn(&Pod) -> Fate + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let (logs, server) = Logs::serve().await?;
        register(&client, name, logs.port()).await?;
        let again = Arc::new(Notify::new());
        let worker = Worker {
            pods: Api::namespaced(client.clone(), namespace),
            events: Api::namespaced(client.clone(), namespace),
            node: name.to_owned(),
            logs: logs.clone(),
            again: again.clone(),
            decide: Arc::new(decide),
        };
        let watcher = tokio::spawn(worker.run());
        Ok(Self { name: name.to_owned(), client, logs, again, tasks: vec![server, watcher] })
    }

    /// Decides the fate of every Pod anew: what the decision looks at has changed.
    pub fn look_again(&self) {
        self.again.notify_one();
    }

    /// Sets what `kubectl logs` shows of a Pod.
    pub fn set_log(&self, namespace: &str, pod: &str, text: &str) {
        self.logs.set(namespace, pod, text);
    }

    /// Sets what `kubectl logs --previous` shows of a Pod, which has no such log otherwise.
    pub fn set_previous_log(&self, namespace: &str, pod: &str, text: &str) {
        self.logs.set_previous(namespace, pod, text);
    }

    /// Lets everybody who asks for the log of a Pod wait for ever.
    pub fn hang_log(&self, namespace: &str, pod: &str) {
        self.logs.hang(namespace, pod);
    }

    /// Marks the node as ready or not.
    pub async fn set_ready(&self, ready: bool) -> Result<(), Error> {
        write_node(&self.client, &self.name, self.logs.port(), ready).await
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Names what was asked when the API server refuses.
fn api(what: &str) -> impl FnOnce(kube::Error) -> Error {
    let what = what.to_owned();
    move |source| Error::Api { what, source: Box::new(source) }
}

async fn register(client: &Client, name: &str, port: u16) -> Result<(), Error> {
    let nodes: Api<Node> = Api::all(client.clone());
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
    let parameters = PatchParams::apply("kelson-testkit");
    nodes.patch(name, &parameters, &Patch::Apply(node)).await.map_err(api("a node"))?;
    write_node(client, name, port, true).await
}

async fn write_node(client: &Client, name: &str, port: u16, ready: bool) -> Result<(), Error> {
    let nodes: Api<Node> = Api::all(client.clone());
    let status = status::of_node(port, ready);
    nodes
        .patch_status(name, &PatchParams::default(), &Patch::Merge(status))
        .await
        .map_err(api("a node's status"))?;
    Ok(())
}

/// Follows the Pods of one namespace.
struct Worker {
    pods: Api<Pod>,
    events: Api<Event>,
    node: String,
    logs: Logs,
    again: Arc<Notify>,
    decide: Arc<dyn Fn(&Pod) -> Fate + Send + Sync>,
}

impl Worker {
    /// Watches for ever, from the beginning each time the watch ends.
    async fn run(self) {
        loop {
            if let Err(error) = self.follow().await {
                // The control plane may be on its way out; a test that needs us will see its Pods pending.
                crate::go::note(&format!("kubelet {}: {error}", self.node));
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
        }
    }

    async fn follow(&self) -> Result<(), kube::Error> {
        let list = self.pods.list(&Default::default()).await?;
        let version = list.metadata.resource_version.clone().unwrap_or_default();
        for pod in list {
            self.handle(&pod).await?;
        }
        let mut events = Box::pin(self.pods.watch(&WatchParams::default(), &version).await?);
        loop {
            let event = tokio::select! {
                event = events.try_next() => event?,
                // The list that comes next has all Pods.
                () = self.again.notified() => None,
            };
            let Some(event) = event else { return Ok(()) };
            if let WatchEvent::Added(pod) | WatchEvent::Modified(pod) = event {
                self.handle(&pod).await?;
            }
        }
    }

    async fn handle(&self, pod: &Pod) -> Result<(), kube::Error> {
        let name = pod.name_any();
        if pod.metadata.deletion_timestamp.is_some() {
            return unless_gone(
                self.pods.delete(&name, &DeleteParams::default().grace_period(0)).await,
            );
        }
        let fate = (self.decide)(pod);
        let bound = pod.spec.as_ref().and_then(|spec| spec.node_name.as_ref());
        if bound.is_some_and(|node| *node != self.node) || fate == Fate::Pending {
            return Ok(());
        }
        if bound.is_none() && fate != Fate::Unschedulable {
            unless_gone(self.bind(&name).await)?;
        }
        if let Fate::CrashLoop { log } = &fate {
            self.logs.set(&pod.namespace().unwrap_or_default(), &name, log);
        }
        let status = status::of_pod(pod, &fate);
        if status::is_written(pod, &status) {
            return Ok(());
        }
        if let Some((reason, message)) = status::warning(&fate) {
            let event = Patch::Apply(status::event(pod, reason, message));
            let (name, parameters) =
                (status::event_name(pod, reason), PatchParams::apply("kelson-testkit"));
            unless_gone(self.events.patch(&name, &parameters, &event).await)?;
        }
        let patch = Patch::Merge(json!({ "status": status }));
        unless_gone(self.pods.patch_status(&name, &PatchParams::default(), &patch).await)
    }

    async fn bind(&self, pod: &str) -> Result<(), kube::Error> {
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self.node},
        });
        let parameters = PostParams::default();
        let _: Value = self.pods.create_subresource("binding", pod, &parameters, &binding).await?;
        Ok(())
    }
}

/// A Pod that vanished in between needs nothing more.
fn unless_gone<T>(result: Result<T, kube::Error>) -> Result<(), kube::Error> {
    match result {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(()),
        Err(error) => Err(error),
    }
}
