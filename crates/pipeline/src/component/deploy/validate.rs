//! Whether a plan can be deployed.

use kelson_artifact::Reference;
use kelson_cluster::Connection;

use super::approval::{self, Approval};
use super::{DeployOptions, Operation, cluster};
use crate::component::Error;
use crate::component::job::{check_registry, refuse};
use crate::plan::{
    DeployPlan, KubernetesManifestDeployPlan, OciArtifactSource, OciRegistryRepository, PlanOp,
    is_sandboxed,
};

/// A plan that can be deployed.
pub(super) struct Valid<'a> {
    pub(super) deploy: &'a KubernetesManifestDeployPlan,
    /// Nothing where everything goes.
    pub(super) artifact: Option<Artifact<'a>>,
    pub(super) approval: Option<Approval>,
    pub(super) op: PlanOp,
    pub(super) connection: Connection,
    pub(super) warnings: Vec<String>,
}

/// The artifact, and how its place is reached.
pub(super) struct Artifact<'a> {
    pub(super) reference: Reference,
    pub(super) registry: Option<&'a OciRegistryRepository>,
    pub(super) credentials: &'a str,
}

/// What the system that this was written for says; people look for these words.
const NO_ARTIFACT: &str = "OCI artifact reference is required - this indicates a build phase issue";

pub(super) fn validate<'a>(
    plan: &'a DeployPlan,
    options: &DeployOptions,
) -> Result<Valid<'a>, Error> {
    if is_sandboxed(plan.sandbox_mode.as_ref()) {
        return refuse("`sandbox_mode` asks for answers without work, which are not given here");
    }
    let deploy = plan.kubernetes_manifest.as_ref().ok_or_else(|| other(plan))?;
    if deploy.namespace.trim().is_empty() {
        return refuse("kubernetes_manifest.namespace is required");
    }
    let approval = match options.operation {
        Operation::ApplyPlan => Some(approval::read(&plan.apply_plan_contents)?),
        _ => None,
    };
    let op = match &approval {
        Some(approval) => approval.op.clone(),
        None if options.deletes() => PlanOp::Delete,
        None => PlanOp::Apply,
    };
    let artifact = match op {
        PlanOp::Delete => None,
        _ => Some(artifact(plan, deploy)?),
    };
    let mut warnings = Vec::new();
    if !deploy.manifest.is_empty() {
        let what = "the plan's `kubernetes_manifest.manifest` is passed over: the artifact has the manifests";
        warnings.push(what.to_owned());
    }
    let connection = cluster::connection(deploy, options, &mut warnings)?;
    Ok(Valid { deploy, artifact, approval, op, connection, warnings })
}

/// What the plan deploys instead.
fn other(plan: &DeployPlan) -> Error {
    let others = ["helm", "terraform", "noop"];
    Error::Plan(match others.into_iter().find(|name| plan.extra.contains_key(*name)) {
        Some(name) => format!("a `{name}` is not deployed here, only a `kubernetes_manifest`"),
        None => "kubernetes_manifest is required".to_owned(),
    })
}

/// Which artifact it is: the one that is named, by digest where there is one, else the tag of this deploy.
fn artifact<'a>(
    plan: &'a DeployPlan,
    deploy: &'a KubernetesManifestDeployPlan,
) -> Result<Artifact<'a>, Error> {
    if let Some(registry) = &plan.src_registry {
        check_registry(registry, "src_registry")?;
    }
    let place = plan.src_registry.as_ref().filter(|registry| !registry.repository.is_empty());
    let named = deploy.oci_artifact.as_ref().filter(|source| !is_empty(source));
    match (named, place) {
        (Some(source), Some(registry)) => {
            let here = registry.reference("")?;
            let reference = match source.url.is_empty() {
                true => of(source, &here)?,
                false => source.reference()?,
            };
            let registry = (reference.place == here.place).then_some(registry);
            Ok(Artifact { reference, registry, credentials: &source.credentials_ref })
        }
        (Some(source), None) if source.url.is_empty() => {
            refuse("kubernetes_manifest.oci_artifact.url is required")
        }
        (Some(source), None) => {
            let reference = source.reference()?;
            Ok(Artifact { reference, registry: None, credentials: &source.credentials_ref })
        }
        (None, Some(registry)) if !plan.src_tag.is_empty() => {
            let reference = registry.reference(&plan.src_tag)?;
            Ok(Artifact { reference, registry: Some(registry), credentials: "" })
        }
        (None, _) => refuse(NO_ARTIFACT),
    }
}

fn is_empty(source: &OciArtifactSource) -> bool {
    source.url.is_empty() && source.tag.is_empty() && source.digest.is_empty()
}

/// Tag and digest of an artifact at a place.
fn of(source: &OciArtifactSource, place: &Reference) -> Result<Reference, Error> {
    let url = place.place.to_string();
    Ok(OciArtifactSource { url, ..source.clone() }.reference()?)
}
