//! How the cluster of a plan is reached.

use kelson_cluster::Connection;
use kelson_model::Secret;
use serde_json::{Value, json};

use super::DeployOptions;
use crate::component::Error;
use crate::component::job::refuse;
use crate::plan::{ClusterInfo, KubernetesManifestDeployPlan};

/// What the plan says about its cluster, under what the caller says. A caller who names a cluster needs nothing of it.
pub(super) fn connection(
    deploy: &KubernetesManifestDeployPlan,
    options: &DeployOptions,
    warnings: &mut Vec<String>,
) -> Result<Connection, Error> {
    let cloud = cloud(deploy);
    if options.names_cluster {
        let passed_over = |name: &&str| {
            format!(
                "the plan's `kubernetes_manifest.{name}` is passed over: the cluster was named otherwise"
            )
        };
        warnings.extend(cloud.iter().map(passed_over));
        return Ok(options.connection.clone());
    }
    if let Some(name) = cloud.first() {
        return Err(Error::Plan(format!(
            "kubernetes_manifest.{name} is not understood: give a cluster_info.kube_config that logs in by itself, or name the cluster with --kubeconfig"
        )));
    }
    let Some(info) = &deploy.cluster_info else {
        return refuse(
            "kubernetes_manifest.cluster_info is required, or name the cluster with --kubeconfig",
        );
    };
    let text = match (info.kube_config.is_empty(), info.endpoint.is_empty()) {
        (false, _) => info.kube_config.clone(),
        (true, false) => kubeconfig(info).to_string(),
        (true, true) => {
            return refuse(
                "kubernetes_manifest.cluster_info has neither kube_config nor endpoint: give one of them, or name the cluster with --kubeconfig",
            );
        }
    };
    let variables = info.env_vars.iter().flatten();
    let variables = variables.map(|(name, value)| (name.clone(), Secret::new(value.as_str())));
    Ok(Connection {
        kubeconfig_text: Some(Secret::new(text)),
        variables: variables.collect(),
        ..options.connection.clone()
    })
}

/// Ways to log in that only a cloud's own programs know.
fn cloud(deploy: &KubernetesManifestDeployPlan) -> Vec<&'static str> {
    let info = deploy.cluster_info.as_ref();
    let of = |auth: fn(&ClusterInfo) -> bool| info.is_some_and(auth);
    let is_given = |auth: &Option<Value>| auth.as_ref().is_some_and(|auth| !auth.is_null());
    let ways = [
        ("cluster_info.aws_auth", of(|it| it.aws_auth.as_ref().is_some_and(|it| !it.is_null()))),
        (
            "cluster_info.azure_auth",
            of(|it| it.azure_auth.as_ref().is_some_and(|it| !it.is_null())),
        ),
        ("cluster_info.trusted_role_arn", of(|it| !it.trusted_role_arn.is_empty())),
        ("aws_auth", is_given(&deploy.aws_auth)),
        ("azure_auth", is_given(&deploy.azure_auth)),
        ("gcp_auth", is_given(&deploy.gcp_auth)),
    ];
    ways.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}

/// A kubeconfig for an address. How to log in there is for the caller to say.
fn kubeconfig(info: &ClusterInfo) -> Value {
    let name = "plan";
    let mut cluster = json!({"server": info.endpoint});
    if !info.ca_data.is_empty() {
        cluster["certificate-authority-data"] = info.ca_data.as_str().into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    })
}
