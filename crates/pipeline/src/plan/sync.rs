//! What a copy is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, OciRegistryRepository};

/// Copy an artifact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncOciPlan {
    /// Where from.
    #[serde(default)]
    pub src_registry: Option<OciRegistryRepository>,
    /// Its tag there.
    #[serde(default)]
    pub src_tag: String,
    /// Where to.
    #[serde(default)]
    pub dst_registry: Option<OciRegistryRepository>,
    /// Its tag there.
    #[serde(default)]
    pub dst_tag: String,
    /// Answers given instead of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<Value>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}
