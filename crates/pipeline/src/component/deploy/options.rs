//! What a caller can choose about a deploy.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use kelson_artifact::PullOptions;
use kelson_cluster::{Cluster, Connection, ObserveOptions};
use kelson_plan::Options;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::deliver::{Execution, Planned, Request};

/// What a runner is asked to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Say what would be done.
    CreateApplyPlan,
    /// Say what would be deleted.
    CreateTeardownPlan,
    /// Do what was approved, and nothing else.
    ApplyPlan,
    /// Plan and do it in one go.
    #[default]
    Exec,
}

/// Asks somebody about a plan; no is no failure.
pub type Approve = Arc<
    dyn for<'a> Fn(&'a Cluster, &'a Planned, &'a Request) -> BoxFuture<'a, std::io::Result<bool>>
        + Send
        + Sync,
>;

/// From the moment it is called on, whoever wants an end says so by what comes back, instead of dropping the deploy.
pub type StopWanted = Arc<dyn Fn() -> watch::Receiver<bool> + Send + Sync>;

/// What a caller can choose about a deploy.
#[derive(Clone)]
pub struct DeployOptions {
    /// What is done.
    pub operation: Operation,
    /// For [`Operation::Exec`]: whether everything goes.
    pub teardown: bool,
    /// The delivery, instead of what follows from the component's name.
    pub name: Option<String>,
    /// How the cluster is reached, beside what the plan says.
    pub connection: Connection,
    /// Whether that says which cluster it is, so that the plan need not.
    pub names_cluster: bool,
    /// States that are laid over that of the plan, one after the other.
    pub states: Vec<Value>,
    /// Values that are laid over all states, by their paths.
    pub values: Vec<(String, String)>,
    /// How plans are made; an approved one has its own.
    pub plan: Options,
    /// Whether another component may take over a delivery.
    pub change_source: bool,
    /// How plans are executed.
    pub execution: Execution,
    /// How health is waited for; nothing where it is not.
    pub observe: Option<ObserveOptions>,
    /// Whether what does not become well has failed.
    pub block_deploy: bool,
    /// How long all of it may take; 15 minutes where nothing is said.
    pub timeout: Option<Duration>,
    /// How often [`Operation::Exec`] is tried again after a failure.
    pub retries: u32,
    /// Whether the health of what has not changed is passed over.
    pub skip_noops: bool,
    /// How the artifact is pulled.
    pub pull: PullOptions,
    /// Who is asked before [`Operation::Exec`] changes anything; nobody where that is meant.
    pub approve: Option<Approve>,
    /// Who may want an end while something is written.
    pub stop: StopWanted,
}

impl DeployOptions {
    /// Whether everything goes, as far as the operation says.
    pub(super) fn deletes(&self) -> bool {
        match self.operation {
            Operation::CreateTeardownPlan => true,
            Operation::Exec => self.teardown,
            Operation::CreateApplyPlan | Operation::ApplyPlan => false,
        }
    }
}
