//! What a runner is told and what it answers, as JSON.
//!
//! Fields that nobody here knows are kept and reported as warnings: a newer system may say more than we understand.

mod artifact; // artifacts and their places
mod build; // what a build is told
mod compressed; // texts as they are stored
mod contents; // what a deploy would do
mod deploy; // what a deploy is told
mod read; // plans from texts
mod sync; // what a copy is told

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use artifact::{OciArtifact, OciArtifactRef, OciArtifactSource, OciRegistryRepository};
pub use build::{BuildPlan, GitSource, KubernetesManifestBuildPlan, KustomizeConfig, SourceType};
pub use compressed::{NotCompressed, compress, expand};
pub use contents::{
    ADDED, DIFF_VERSION, DiffEntry, ERROR, KubernetesManifestPlanContents, MODIFIED, PlanOp,
    REMOVED, ResourceDiff, UNCHANGED,
};
pub use deploy::{ClusterInfo, DeployPlan, KubernetesManifestDeployPlan};
pub use read::{Malformed, parse, read};
pub use sync::SyncOciPlan;

/// What else a plan says.
pub type Extra = BTreeMap<String, Value>;

/// One of several plans; the ones that we do are those for building, copying and deploying.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompositePlan {
    /// Build something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_plan: Option<BuildPlan>,
    /// Copy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_oci_plan: Option<SyncOciPlan>,
    /// Deploy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_plan: Option<DeployPlan>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The names of further fields, each after what leads to it.
fn names(places: &[(&str, &Extra)]) -> Vec<String> {
    let names = |(prefix, extra): &(&str, &Extra)| -> Vec<String> {
        extra.keys().map(|key| format!("{prefix}{key}")).collect()
    };
    places.iter().flat_map(names).collect()
}

/// Whether a plan asks for answers without work.
pub(crate) fn is_sandboxed(mode: Option<&Value>) -> bool {
    mode.is_some_and(|mode| mode["enabled"] == true)
}
