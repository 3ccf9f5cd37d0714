//! Components: a TOML file says where manifests come from, jobs make an artifact of them and deploy it.
//!
//! [`read`] reads the file, [`emit_plan`] and [`emit_deploy_plan`] write down what a runner would be told, [`build`] and
//! [`deploy`] do it, [`sync`] copies what was built to another registry.

mod build; // the build, step by step
mod check; // what a component must and must not say
mod cron; // when to look for drift
mod deploy; // the deploy, step by step
mod drift; // whether the cluster is as it was left
pub mod fill; // places get their values
mod job; // what both have in common
mod patched; // patches on top of an overlay
mod read; // the file
mod references; // components that places name
mod run; // many at once
mod schema; // the fields that a component has
mod sync; // from registry to registry
mod toml; // values with their places

use std::time::Duration;

use serde_json::Value;

pub use build::{BuildOptions, BuildResult, build};
pub use cron::{Cron, NotASchedule, Turn, Watchman};
pub use deploy::{
    Approve, DeployOptions, DeployResult, Operation, Outputs, StopWanted, delivery_name, deploy,
};
pub use drift::{Drift, DriftStatus, drift};
pub use job::{
    Connect, Error, Event, Events, Repositories, Status, Step, StepResult, Verify, World,
};
pub use read::read;
pub use run::{Job, build_all};
pub use sync::sync;

use crate::plan::{
    BuildPlan, DeployPlan, GitSource, KubernetesManifestBuildPlan, KubernetesManifestDeployPlan,
    KustomizeConfig, OciArtifactSource, OciRegistryRepository, SourceType,
};

/// A component as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// The name that its outputs go by.
    pub var_name: String,
    /// The namespace it is deployed to; may hold places that the deploy fills.
    pub namespace: String,
    /// What is deployed before it: what the file says, and the components that its places name.
    pub dependencies: Vec<String>,
    /// When to look for drift, as cron writes it.
    pub drift_schedule: Option<String>,
    /// Where its manifests come from.
    pub source: Source,
    /// How its health is judged.
    pub health: Health,
    /// How long a build may take.
    pub build_timeout: Duration,
    /// How long a deployment may take.
    pub deploy_timeout: Duration,
    /// How often a failed deployment is tried again.
    pub max_auto_retries: u32,
    /// Whether plans without changes are passed over.
    pub skip_noops: bool,
    /// Whether passing policies approve a plan.
    pub auto_approve_on_policies_passing: bool,
}

/// Where manifests come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// They are written in the component.
    Manifest(String),
    /// They are in a file, whose path is relative to the component's directory.
    File(String),
    /// An overlay.
    Kustomize(Kustomize),
    /// Somebody else's artifact.
    Artifact(OciArtifactSource),
}

/// An overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kustomize {
    /// Its directory, relative to the root of its source.
    pub path: String,
    /// How it is built.
    pub config: KustomizeConfig,
    /// The repository it is in; without one it is in the component's own tree.
    pub repository: Option<Repository>,
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its address, or `owner/name`.
    pub repo: String,
    /// The directory in it that paths are relative to.
    pub directory: String,
    /// The branch, tag or commit; empty for the default branch.
    pub reference: String,
    /// Whether it is reached through a connected account.
    pub connected: bool,
}

/// How health is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it is.
    pub enabled: bool,
    /// How long things may take to become well.
    pub stabilization_window: Duration,
    /// Whether a deployment waits for it.
    pub block_deploy: bool,
    /// What is asked beside the objects themselves.
    pub probes: Vec<Probe>,
}

/// One question about health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// `http`, `tcp` or `exec`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whom it asks.
    pub url: String,
    /// What it runs.
    pub command: Vec<String>,
}

impl Default for Health {
    fn default() -> Self {
        let stabilization_window = Duration::from_secs(180);
        Self { enabled: true, stabilization_window, block_deploy: false, probes: Vec::new() }
    }
}

/// Writes down what a runner is told to build a component to a place under a tag. A manifest that is in a file is read.
///
/// # Errors
///
/// Fails where that file cannot be read, or is not below [`BuildOptions::local_root`].
pub fn emit_plan(
    component: &Component,
    to: &str,
    tag: &str,
    options: &BuildOptions,
) -> Result<BuildPlan, Error> {
    let labels = [("component_id", component.name.as_str()), ("component_build_id", tag)];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let mut build = KubernetesManifestBuildPlan { labels, ..Default::default() };
    let mut git_source = None;
    match &component.source {
        Source::Manifest(text) => build.inline_manifest = text.clone(),
        Source::File(path) => build.inline_manifest = build::read_local(path, options)?,
        Source::Kustomize(it) => {
            build.source_type = SourceType::Kustomize;
            build.kustomize_path = it.path.clone();
            build.kustomize_config = Some(it.config.clone());
            git_source = it.repository.as_ref().map(git);
            if let Some(repository) = &it.repository {
                build.kustomize_path = below(&repository.directory, &it.path);
            }
        }
        Source::Artifact(it) => {
            build.source_type = SourceType::OciArtifact;
            build.oci_artifact_source = Some(it.clone());
        }
    }
    Ok(BuildPlan {
        component_id: component.name.clone(),
        component_build_id: tag.to_owned(),
        git_source,
        dst_registry: Some(OciRegistryRepository::at(to)),
        dst_tag: tag.to_owned(),
        kubernetes_manifest_build_plan: Some(build),
        ..BuildPlan::default()
    })
}

/// Writes down what a runner is told to deploy the artifact of a component.
pub fn emit_deploy_plan(
    component: &Component,
    artifact: Option<OciArtifactSource>,
    state: Option<Value>,
) -> DeployPlan {
    let kubernetes_manifest = KubernetesManifestDeployPlan {
        namespace: component.namespace.clone(),
        oci_artifact: artifact,
        state,
        ..KubernetesManifestDeployPlan::default()
    };
    DeployPlan {
        component_name: component.name.clone(),
        kubernetes_manifest: Some(kubernetes_manifest),
        ..DeployPlan::default()
    }
}

fn git(repository: &Repository) -> GitSource {
    GitSource {
        url: repository.repo.clone(),
        reference: repository.reference.clone(),
        path: repository.directory.clone(),
        ..GitSource::default()
    }
}

/// A path below a directory, without a `/` at its start; `.` is the directory of the repository itself.
fn below(directory: &str, path: &str) -> String {
    let path = kelson_model::clean(&format!("{directory}/{path}"));
    match path.trim_start_matches('/') {
        "" => ".".to_owned(),
        path => path.to_owned(),
    }
}
