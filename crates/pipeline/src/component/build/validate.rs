//! Whether a plan can be built.

use kelson_artifact::Reference;

use super::Error;
use crate::component::job::{check_registry, refuse};
use crate::plan::{
    BuildPlan, KubernetesManifestBuildPlan, KustomizeConfig, OciArtifactSource,
    OciRegistryRepository, SourceType, is_sandboxed,
};

/// A plan that can be built.
pub(super) struct Valid<'a> {
    pub(super) plan: &'a BuildPlan,
    pub(super) source: Source<'a>,
    pub(super) registry: &'a OciRegistryRepository,
    pub(super) destination: Reference,
}

/// What is built.
pub(super) enum Source<'a> {
    Inline(&'a str),
    Kustomize { path: &'a str, config: KustomizeConfig },
    Artifact { source: &'a OciArtifactSource, reference: Reference },
}

pub(super) fn validate(plan: &BuildPlan) -> Result<Valid<'_>, Error> {
    if is_sandboxed(plan.sandbox_mode.as_ref()) {
        return refuse("`sandbox_mode` asks for answers without work, which are not given here");
    }
    let build = plan.kubernetes_manifest_build_plan.as_ref().ok_or_else(|| other(plan))?;
    let source = source(build)?;
    let Some(registry) = &plan.dst_registry else { return refuse("dst_registry is required") };
    check_registry(registry, "dst_registry")?;
    if plan.dst_tag.is_empty() {
        return refuse("dst_tag is required");
    }
    let destination = registry.reference(&plan.dst_tag)?;
    Ok(Valid { plan, source, registry, destination })
}

fn source(build: &KubernetesManifestBuildPlan) -> Result<Source<'_>, Error> {
    match &build.source_type {
        SourceType::Inline if build.inline_manifest.trim().is_empty() => {
            refuse("inline_manifest is required")
        }
        SourceType::Inline => Ok(Source::Inline(&build.inline_manifest)),
        SourceType::Kustomize if build.kustomize_path.is_empty() => {
            refuse("kustomize.path is required")
        }
        SourceType::Kustomize => {
            let config = build.kustomize_config.clone().unwrap_or_default();
            match config.load_restrictor.as_str() {
                "" | "none" | "rootOnly" => {
                    Ok(Source::Kustomize { path: &build.kustomize_path, config })
                }
                other => Err(Error::Plan(format!(
                    "kustomize.load_restrictor is `none` or `rootOnly`, not `{other}`"
                ))),
            }
        }
        SourceType::OciArtifact => {
            let Some(source) = &build.oci_artifact_source else {
                return refuse("oci_artifact.url is required");
            };
            match (source.url.is_empty(), source.tag.is_empty() && source.digest.is_empty()) {
                (true, _) => refuse("oci_artifact.url is required"),
                (_, true) => refuse("oci_artifact requires either tag or digest"),
                _ => Ok(Source::Artifact { source, reference: source.reference()? }),
            }
        }
        SourceType::Other(name) => Err(Error::Plan(format!(
            "source_type is `inline`, `kustomize` or `oci_artifact`, not `{name}`"
        ))),
    }
}

/// What the plan builds instead.
fn other(plan: &BuildPlan) -> Error {
    let is_plan = |key: &&String| key.ends_with("_plan");
    Error::Plan(match plan.extra.keys().find(is_plan) {
        Some(name) => {
            format!("a `{name}` is not built here, only a `kubernetes_manifest_build_plan`")
        }
        None => "kubernetes_manifest_build_plan is required".to_owned(),
    })
}
