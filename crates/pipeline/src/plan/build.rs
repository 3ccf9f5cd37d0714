//! What a build is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, OciArtifactSource, OciRegistryRepository, names};

/// Build one component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildPlan {
    /// The component.
    #[serde(default)]
    pub component_id: String,
    /// The build.
    #[serde(default)]
    pub component_build_id: String,
    /// The repository that the source is in.
    #[serde(default)]
    pub git_source: Option<GitSource>,
    /// Where the artifact goes.
    #[serde(default)]
    pub dst_registry: Option<OciRegistryRepository>,
    /// Its tag there.
    #[serde(default)]
    pub dst_tag: String,
    /// What is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes_manifest_build_plan: Option<KubernetesManifestBuildPlan>,
    /// Answers given instead of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<Value>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A repository at a commit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GitSource {
    /// Its address.
    #[serde(default)]
    pub url: String,
    /// The branch, tag or commit.
    #[serde(default, rename = "ref")]
    pub reference: String,
    /// The directory in it that patches are relative to.
    #[serde(default)]
    pub path: String,
    /// Whether submodules are needed.
    #[serde(default)]
    pub recurse_submodules: bool,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What manifests are made into an artifact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KubernetesManifestBuildPlan {
    /// What the build is known by.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Which of the sources it is.
    #[serde(default)]
    pub source_type: SourceType,
    /// The manifest itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inline_manifest: String,
    /// The overlay, relative to the root of the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kustomize_path: String,
    /// How the overlay is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kustomize_config: Option<KustomizeConfig>,
    /// Somebody else's artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oci_artifact_source: Option<OciArtifactSource>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The three sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// The plan has the manifest.
    #[default]
    Inline,
    /// An overlay.
    Kustomize,
    /// Somebody else's artifact.
    OciArtifact,
    /// One that we do not know.
    #[serde(untagged)]
    Other(String),
}

/// How an overlay is built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KustomizeConfig {
    /// Files with patches that are applied on top of it.
    #[serde(default)]
    pub patches: Vec<String>,
    /// Whether charts are rendered.
    #[serde(default)]
    pub enable_helm: bool,
    /// `none` or `rootOnly`.
    #[serde(default)]
    pub load_restrictor: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

impl BuildPlan {
    /// The fields that nobody here knows, by their paths.
    pub fn unknown(&self) -> Vec<String> {
        let mut known = vec![("", &self.extra)];
        known.extend(self.git_source.as_ref().map(|git| ("git_source.", &git.extra)));
        known.extend(self.dst_registry.as_ref().map(|it| ("dst_registry.", &it.extra)));
        if let Some(build) = &self.kubernetes_manifest_build_plan {
            known.push(("kubernetes_manifest_build_plan.", &build.extra));
            let config = build.kustomize_config.as_ref();
            known.extend(
                config.map(|config| {
                    ("kubernetes_manifest_build_plan.kustomize_config.", &config.extra)
                }),
            );
            let source = build.oci_artifact_source.as_ref();
            known.extend(source.map(|source| {
                ("kubernetes_manifest_build_plan.oci_artifact_source.", &source.extra)
            }));
        }
        names(&known)
    }
}
