//! What a deploy would do, as it is shown, approved and given back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Extra;

/// Of a [`ResourceDiff`]: the form that is written, and the only one that is known.
pub const DIFF_VERSION: &str = "2";

/// Of a [`ResourceDiff`] or [`DiffEntry`]: it stays as it is.
pub const UNCHANGED: u8 = 0;
/// It goes.
pub const REMOVED: u8 = 1;
/// It comes.
pub const ADDED: u8 = 2;
/// It becomes another.
pub const MODIFIED: u8 = 3;
/// It cannot be done.
pub const ERROR: u8 = 4;

/// What a deploy would do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KubernetesManifestPlanContents {
    /// The plan itself, as a plan file has it.
    #[serde(default)]
    pub plan: String,
    /// Whether it applies or deletes.
    #[serde(default)]
    pub op: PlanOp,
    /// What becomes of each object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k8s_content_diff: Vec<ResourceDiff>,
    /// The objects as they would be sent, for policies to look at; YAML.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dry_run_output: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Whether a plan applies or deletes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOp {
    /// Objects are made and changed.
    #[default]
    Apply,
    /// All of them go.
    Delete,
    /// One that we do not know.
    #[serde(untagged)]
    Other(String),
}

/// What becomes of an object. Types are numbers: 0 unchanged, 1 removed, 2 added, 3 modified, 4 error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceDiff {
    /// The form of this, see [`DIFF_VERSION`].
    #[serde(default, rename = "_version")]
    pub version: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The group and version of its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub api: String,
    /// What its kind is called in addresses.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource: String,
    /// `apply` or `delete`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub op: String,
    /// What becomes of it.
    #[serde(default, rename = "type")]
    pub kind_of_change: u8,
    /// Why it cannot be done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Whether the server has looked at it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Its fields.
    #[serde(default)]
    pub entries: Vec<DiffEntry>,
}

/// What becomes of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiffEntry {
    /// The way to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Value>,
    /// What it will be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Value>,
    /// What becomes of it.
    #[serde(default, rename = "type")]
    pub kind_of_change: u8,
    /// Changes inside of it; we write each of them as an entry of its own.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub changes: Extra,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub payload: String,
}

impl KubernetesManifestPlanContents {
    /// Whether nothing would be done.
    pub fn is_noop(&self) -> bool {
        self.k8s_content_diff.iter().all(|diff| diff.kind_of_change == UNCHANGED)
    }

    /// What of it is for people: all but the plan itself.
    #[must_use]
    pub fn display(&self) -> Self {
        Self { plan: String::new(), ..self.clone() }
    }
}
