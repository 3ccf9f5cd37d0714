//! What a runner is told and what it answers, as JSON.
//!
//! Fields that nobody here knows are kept and reported as warnings: a newer system may say more than we understand.

use std::collections::BTreeMap;

use kelson_artifact::Reference;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What else a plan says.
pub type Extra = BTreeMap<String, Value>;

/// One of several plans; the ones that we do are those for building and copying.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompositePlan {
    /// Build something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_plan: Option<BuildPlan>,
    /// Copy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_oci_plan: Option<SyncOciPlan>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

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

/// Somebody else's artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OciArtifactSource {
    /// Where it is.
    #[serde(default)]
    pub url: String,
    /// Its tag.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// Its digest, which decides where both are given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The name of the credentials to pull it with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub credentials_ref: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A repository of a registry.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OciRegistryRepository {
    /// `ecr`, `acr`, `private_oci` or `public_oci`.
    #[serde(default)]
    pub registry_type: String,
    /// The region of a cloud's registry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// How to log in at Amazon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecr_auth: Option<Value>,
    /// How to log in at Microsoft's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acr_auth: Option<Value>,
    /// The user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// The password.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub password: String,
    /// The repository, with or without the registry before it; or `oci-layout:DIR`.
    #[serde(default)]
    pub repository: String,
    /// The registry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub login_server: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

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

/// An artifact where it was built or copied to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OciArtifact {
    /// The tag it was put under.
    pub tag: String,
    /// Where it is.
    pub repository: String,
    /// What its manifest is.
    pub media_type: String,
    /// Its digest.
    pub digest: String,
    /// The size of its manifest.
    pub size: u64,
    /// Further places.
    pub urls: Vec<String>,
    /// What its manifest's descriptor says.
    pub annotations: BTreeMap<String, String>,
    /// What kind of artifact it is.
    pub artifact_type: String,
    /// Which machines it is for.
    pub platform: Option<Value>,
}

/// Names an artifact for the deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OciArtifactRef {
    /// Where it is.
    pub url: String,
    /// Its tag.
    pub tag: String,
    /// Its digest.
    pub digest: String,
}

impl std::fmt::Debug for OciRegistryRepository {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OciRegistryRepository")
            .field("repository", &self.repository)
            .field("login_server", &self.login_server)
            .finish_non_exhaustive()
    }
}

impl OciRegistryRepository {
    /// A place that needs no more than its name.
    pub fn at(place: &str) -> Self {
        let (registry_type, repository) = match place.strip_prefix("oci://") {
            Some(repository) => ("private_oci", repository),
            None => ("public_oci", place),
        };
        let login_server = match repository.split_once('/') {
            Some((host, _)) if !place.starts_with("oci-layout:") => host,
            _ => "",
        };
        Self {
            registry_type: registry_type.to_owned(),
            repository: repository.to_owned(),
            login_server: login_server.to_owned(),
            ..Self::default()
        }
    }

    /// The place under a tag.
    ///
    /// # Errors
    ///
    /// Fails where the names are none.
    pub fn reference(&self, tag: &str) -> Result<Reference, kelson_artifact::Error> {
        let repository = self.repository.trim_start_matches("oci://");
        let server = self.login_server.trim_start_matches("https://").trim_end_matches('/');
        let inside = |server: &str| {
            repository.strip_prefix(server).is_some_and(|rest| rest.starts_with('/'))
        };
        let place = match repository {
            layout if layout.starts_with("oci-layout:") => layout.to_owned(),
            _ if server.is_empty() || inside(server) => format!("oci://{repository}"),
            _ => format!("oci://{server}/{repository}"),
        };
        let mut reference: Reference = place.parse()?;
        if !tag.is_empty() {
            reference = format!("{place}:{tag}").parse()?;
        }
        Ok(reference)
    }
}

impl OciArtifactSource {
    /// What it names.
    ///
    /// # Errors
    ///
    /// Fails where it names nothing, or says twice what it is.
    pub fn reference(&self) -> Result<Reference, kelson_artifact::Error> {
        let place = match Reference::is_meant(&self.url) {
            true => self.url.clone(),
            false => format!("oci://{}", self.url),
        };
        let mut reference: Reference = place.parse()?;
        if !self.tag.is_empty() {
            reference.tag = format!("{}:{}", reference.place, self.tag).parse::<Reference>()?.tag;
        }
        if !self.digest.is_empty() {
            let text = format!("{}@{}", reference.place, self.digest);
            reference.digest = text.parse::<Reference>()?.digest;
        }
        Ok(reference)
    }
}

/// Reads a plan: a build plan, one for copying, or either inside of a composite.
///
/// # Errors
///
/// Fails where the text is no JSON, or is of the wrong shape.
pub fn read(text: &str) -> Result<CompositePlan, serde_json::Error> {
    let value: Value = serde_json::from_str(text)?;
    let has = |key: &str| value.get(key).is_some();
    if has("build_plan") || has("sync_oci_plan") {
        return serde_json::from_value(value);
    }
    if has("src_registry") {
        let sync_oci_plan = Some(serde_json::from_value(value)?);
        return Ok(CompositePlan { sync_oci_plan, ..CompositePlan::default() });
    }
    let build_plan = Some(serde_json::from_value(value)?);
    Ok(CompositePlan { build_plan, ..CompositePlan::default() })
}

impl BuildPlan {
    /// The fields that nobody here knows, by their paths.
    pub fn unknown(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut add = |prefix: &str, extra: &Extra| {
            names.extend(extra.keys().map(|key| format!("{prefix}{key}")));
        };
        add("", &self.extra);
        if let Some(git) = &self.git_source {
            add("git_source.", &git.extra);
        }
        if let Some(registry) = &self.dst_registry {
            add("dst_registry.", &registry.extra);
        }
        if let Some(build) = &self.kubernetes_manifest_build_plan {
            add("kubernetes_manifest_build_plan.", &build.extra);
            if let Some(config) = &build.kustomize_config {
                add("kubernetes_manifest_build_plan.kustomize_config.", &config.extra);
            }
            if let Some(source) = &build.oci_artifact_source {
                add("kubernetes_manifest_build_plan.oci_artifact_source.", &source.extra);
            }
        }
        names
    }
}
