//! What came of a deploy.

use kelson_cluster::Applied;
use kelson_plan::{Delivery, Plan, Summary};
use serde::Serialize;

use super::{DeployOptions, Operation};
use crate::component::job::{Report, chain};
use crate::component::{Error, Status, StepResult};
use crate::plan::{KubernetesManifestPlanContents, OciArtifactRef, ResourceDiff, compress};

/// What came of a deploy. No value of a Secret is in it.
#[derive(Debug, Serialize)]
pub struct DeployResult {
    /// How it ended.
    pub status: Status,
    /// Whether it ended well.
    pub success: bool,
    /// What was asked for.
    pub operation: Operation,
    /// What became of each step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepResult>,
    /// The artifact, by the digest that was pulled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oci_artifact: Option<OciArtifactRef>,
    /// The delivery in the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Named>,
    /// Whether there was nothing to do.
    pub noop: bool,
    /// What would be done, to be approved: [`KubernetesManifestPlanContents`], compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents_compressed: Option<String>,
    /// The same for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents_display_compressed: Option<String>,
    /// What others may use.
    pub outputs: Outputs,
    /// How many objects of each sort there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Counts>,
    /// Whether it became ready; nothing where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// What is worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why it did not end well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many objects of each sort there were.
    #[serde(skip)]
    pub summary: Option<Summary>,
    /// The plan.
    #[serde(skip)]
    pub plan: Option<Plan>,
    /// The plan as a file, where there is something to approve.
    #[serde(skip)]
    pub plan_file: Option<String>,
    /// The digest that was delivered before, where something was.
    #[serde(skip)]
    pub deployed: Option<String>,
    /// Why it did not end well.
    #[serde(skip)]
    pub failure: Option<Error>,
}

/// What others may use.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outputs {
    /// What becomes, or became, of every object.
    pub diff: Vec<ResourceDiff>,
}

/// A delivery.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The namespace of its inventory.
    pub namespace: String,
}

/// How many objects of each sort.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counts {
    pub created: usize,
    pub changed: usize,
    pub recreated: usize,
    pub deleted: usize,
    pub released: usize,
    pub unchanged: usize,
    pub kept: usize,
    pub failed: usize,
    pub skipped: usize,
}

/// What is known of a deploy as it goes.
#[derive(Default)]
pub(super) struct Course {
    pub(super) warnings: Vec<String>,
    pub(super) delivery: Option<Delivery>,
    pub(super) artifact: Option<OciArtifactRef>,
    pub(super) deployed: Option<String>,
    pub(super) plan: Option<Plan>,
    pub(super) contents: Option<KubernetesManifestPlanContents>,
    /// Whether somebody is to approve the contents.
    pub(super) to_approve: bool,
    pub(super) applied: Option<Applied>,
    pub(super) ready: Option<bool>,
}

impl Course {
    pub(super) fn result(
        self,
        options: &DeployOptions,
        report: &Report,
        failure: Option<Error>,
    ) -> DeployResult {
        let status = failure.as_ref().map_or(Status::Finished, Error::status);
        let contents = self.contents.unwrap_or_default();
        let stored = Some(&contents).filter(|_| self.to_approve && failure.is_none());
        let text = |contents: &KubernetesManifestPlanContents| {
            serde_json::to_string(contents).expect("because texts and lists have a form in JSON")
        };
        DeployResult {
            steps: report.steps(status),
            oci_artifact: self.artifact,
            delivery: self.delivery.as_ref().map(|delivery| Named {
                name: delivery.name().to_owned(),
                namespace: delivery.namespace().to_owned(),
            }),
            noop: failure.is_none() && self.plan.as_ref().is_some_and(Plan::is_empty),
            contents_compressed: stored.map(|contents| compress(&text(contents))),
            contents_display_compressed: stored
                .map(|contents| compress(&text(&contents.display()))),
            plan_file: stored.map(|contents| contents.plan.clone()),
            outputs: Outputs { diff: contents.k8s_content_diff },
            applied: self.applied.as_ref().map(counts),
            summary: self.applied.as_ref().map(|applied| applied.summary),
            ready: self.ready,
            warnings: self.warnings,
            plan: self.plan,
            deployed: self.deployed,
            error: failure.as_ref().map(chain),
            failure,
            ..DeployResult::new(status, options.operation)
        }
    }
}

impl DeployResult {
    fn new(status: Status, operation: Operation) -> Self {
        Self {
            status,
            success: status == Status::Finished,
            operation,
            steps: Vec::new(),
            oci_artifact: None,
            delivery: None,
            noop: false,
            contents_compressed: None,
            contents_display_compressed: None,
            outputs: Outputs::default(),
            applied: None,
            ready: None,
            warnings: Vec::new(),
            error: None,
            summary: None,
            plan: None,
            plan_file: None,
            deployed: None,
            failure: None,
        }
    }

    /// What is said of a deploy that was given up before anything was written, and why.
    pub fn cancelled(operation: Operation, why: &str) -> Self {
        Self { error: Some(why.to_owned()), ..Self::new(Status::Cancelled, operation) }
    }
}

fn counts(applied: &Applied) -> Counts {
    let summary = applied.summary;
    Counts {
        created: summary.created,
        changed: summary.changed,
        recreated: summary.recreated,
        deleted: summary.deleted,
        released: summary.released,
        unchanged: summary.unchanged,
        kept: summary.kept,
        failed: summary.failed,
        skipped: summary.skipped,
    }
}
