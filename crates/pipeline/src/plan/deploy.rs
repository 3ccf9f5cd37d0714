//! What a deploy is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, OciArtifactSource, OciRegistryRepository, names};

/// Deploy one component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeployPlan {
    /// The install.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub install_id: String,
    /// The application.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub app_id: String,
    /// Its configuration.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub app_config_id: String,
    /// The component.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub component_id: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub component_name: String,
    /// Where artifacts are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src_registry: Option<OciRegistryRepository>,
    /// The tag of this deploy there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub src_tag: String,
    /// What is deployed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes_manifest: Option<KubernetesManifestDeployPlan>,
    /// What was approved, compressed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub apply_plan_contents: String,
    /// What was shown of it, compressed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub apply_plan_display: String,
    /// Answers given instead of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<Value>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Which manifests go where.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KubernetesManifestDeployPlan {
    /// The cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_info: Option<ClusterInfo>,
    /// The namespace of objects that name none; may hold places.
    #[serde(default)]
    pub namespace: String,
    /// Manifests. They come from the artifact, so that what is here is passed over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manifest: String,
    /// The artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oci_artifact: Option<OciArtifactSource>,
    /// How to log in at Amazon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aws_auth: Option<Value>,
    /// How to log in at Microsoft's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azure_auth: Option<Value>,
    /// How to log in at Google's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gcp_auth: Option<Value>,
    /// What places are filled from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How a cluster is reached.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterInfo {
    /// What it is known by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The address of its API server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    /// The certificate of whom to believe about it: PEM in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ca_data: String,
    /// Variables for programs that a kubeconfig names to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_vars: Option<BTreeMap<String, String>>,
    /// A kubeconfig.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kube_config: String,
    /// How to log in at Amazon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aws_auth: Option<Value>,
    /// How to log in at Microsoft's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azure_auth: Option<Value>,
    /// Whether a token of a cloud is made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<bool>,
    /// A role of Amazon's to take.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trusted_role_arn: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Extra,
}

impl std::fmt::Debug for KubernetesManifestDeployPlan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("KubernetesManifestDeployPlan")
            .field("cluster_info", &self.cluster_info)
            .field("namespace", &self.namespace)
            .field("oci_artifact", &self.oci_artifact)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ClusterInfo {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ClusterInfo")
            .field("id", &self.id)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl DeployPlan {
    /// The fields that nobody here knows, by their paths.
    pub fn unknown(&self) -> Vec<String> {
        let mut known = vec![("", &self.extra)];
        known.extend(self.src_registry.as_ref().map(|it| ("src_registry.", &it.extra)));
        if let Some(deploy) = &self.kubernetes_manifest {
            known.push(("kubernetes_manifest.", &deploy.extra));
            let cluster = deploy.cluster_info.as_ref();
            known.extend(cluster.map(|it| ("kubernetes_manifest.cluster_info.", &it.extra)));
            let artifact = deploy.oci_artifact.as_ref();
            known.extend(artifact.map(|it| ("kubernetes_manifest.oci_artifact.", &it.extra)));
        }
        names(&known)
    }
}
