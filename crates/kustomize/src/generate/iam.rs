//! `IAMPolicyGenerator`: a service account bound to one of a cloud's.

use kelson_yaml::{Dialect, Node, Span, Touch};

use crate::decode::{Str, record};
use crate::fault::{Fault, Result};
use crate::read;
use crate::resource::Resource;

record! {
    /// The configuration of an `IAMPolicyGenerator`.
    Args = "types" "IAMPolicyGeneratorArgs" {
        cloud: Str = "cloud",
        kubernetes: KubernetesService = "kubernetesService",
        account: ServiceAccount = "serviceAccount",
    }
}

record! {
    /// The account in the cluster.
    KubernetesService = "types" "KubernetesService" {
        name: Str = "name",
        namespace: Str = "namespace",
    }
}

record! {
    /// The account in the cloud.
    ServiceAccount = "types" "ServiceAccount" {
        name: Str = "name",
        project: Str = "projectId",
    }
}

/// Makes the service account.
pub(crate) fn service_account(args: &Args, touch: Touch) -> Result<Vec<Resource>> {
    if &*args.cloud != "gke" {
        let text = format!("cloud provider {} not supported yet", &*args.cloud);
        return Err(Fault::new("unknown-cloud", text).at(args.cloud.span, ""));
    }
    let mut text = format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: {}@{}.iam.gserviceaccount.com\n  name: {}\n",
        &*args.account.name, &*args.account.project, &*args.kubernetes.name
    );
    if !args.kubernetes.namespace.is_empty() {
        text.push_str(&format!("\n  namespace: {}", &*args.kubernetes.namespace));
    }
    let node = kelson_yaml::first_document(&text, Span::NONE, Dialect::V3)
        .map_err(|error| Fault::new("bad-yaml", format!("yaml: {}", error.message)))?;
    let Some(mut node) = node else { return Ok(Vec::new()) };
    place(&mut node, args.span, touch);
    name_places(&mut node, args);
    Ok(vec![read::resource(node)])
}

/// Gives every value the place of the configuration.
fn place(node: &mut Node, span: Span, touch: Touch) {
    node.span = span;
    node.touch = touch;
    if let Some(mapping) = node.as_mapping_mut() {
        for entry in &mut mapping.entries {
            place(&mut entry.key, span, touch);
            place(&mut entry.value, span, touch);
        }
    }
}

/// Gives name and namespace the places of their own fields.
fn name_places(node: &mut Node, args: &Args) {
    let Some(metadata) = node.get_mut("metadata") else { return };
    if let Some(name) = metadata.get_mut("name") {
        name.span = args.kubernetes.name.span;
    }
    if let Some(namespace) = metadata.get_mut("namespace") {
        namespace.span = args.kubernetes.namespace.span;
    }
}
