//! Whether the cluster is as the last deploy left it, and whether that was of this artifact.

use kelson_model::ObjectId;
use kelson_plan::{Action, Plan, Step};
use serde::Serialize;

use super::DeployResult;

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Drift {
    /// Always `drift`.
    pub event: &'static str,
    /// The component.
    pub component: String,
    /// How it stands.
    pub status: DriftStatus,
    /// When it was looked at, as RFC 3339.
    pub time: String,
    /// The digest of the artifact that is to be deployed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the one that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployed: Option<String>,
    /// The objects that are not as they should be.
    pub changes: Vec<Drifted>,
    /// Why nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How a component stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftStatus {
    /// As it was left.
    NoDrift,
    /// Otherwise.
    Drifted,
    /// Nobody knows.
    Failed,
}

/// An object that is not as it should be.
#[derive(Clone, Debug, Serialize)]
pub struct Drifted {
    /// Its group, empty for the core.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, where it has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What a deploy would do with it.
    pub action: &'static str,
    /// Its fields that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// What a plan that was just made says about drift.
pub fn drift(component: &str, result: &DeployResult, time: String) -> Drift {
    let changes = result.plan.as_ref().map(changes).unwrap_or_default();
    let digest = result.oci_artifact.as_ref().map(|artifact| artifact.digest.clone());
    let status = match result.failure.is_some() || result.plan.is_none() {
        true => DriftStatus::Failed,
        false if changes.is_empty() && digest == result.deployed => DriftStatus::NoDrift,
        false => DriftStatus::Drifted,
    };
    Drift {
        event: "drift",
        component: component.to_owned(),
        status,
        time,
        digest,
        deployed: result.deployed.clone(),
        changes,
        error: result.error.clone(),
    }
}

fn changes(plan: &Plan) -> Vec<Drifted> {
    let drifted = |step: &Step| {
        let action = match &step.action {
            Action::Create => "create",
            Action::Change => "change",
            Action::Recreate(_) => "recreate",
            Action::Delete => "delete",
            Action::Release => "release",
            Action::Keep(_) | Action::Forget | Action::Fail(_) => return None,
        };
        let ObjectId { group, kind, namespace, name } = step.id.clone();
        let shown = step.changes.iter().filter(|change| change.hidden.is_none());
        let fields = match &step.action {
            Action::Change => shown.map(|change| change.field.path.clone()).collect(),
            _ => Vec::new(),
        };
        Some(Drifted { group, kind, namespace, name, action, fields })
    };
    plan.steps.iter().filter_map(drifted).collect()
}
