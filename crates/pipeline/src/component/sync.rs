//! Copies a built artifact from one registry to another.

use kelson_artifact::CopyOptions;

use super::World;
use super::job::{Error, check_registry, described, refuse};
use crate::plan::{OciArtifact, OciRegistryRepository, SyncOciPlan, is_sandboxed};

/// Copies what a plan says and describes what is there now. Bytes travel unchanged, so digests and signatures stay good.
///
/// # Errors
///
/// Fails where the plan is not complete, and where the copy fails.
pub async fn sync(
    plan: &SyncOciPlan,
    world: &World,
    options: &CopyOptions,
) -> Result<OciArtifact, Error> {
    if is_sandboxed(plan.sandbox_mode.as_ref()) {
        return refuse("`sandbox_mode` asks for answers without work, which are not given here");
    }
    let from = registry(plan.src_registry.as_ref(), "src_registry")?;
    let to = registry(plan.dst_registry.as_ref(), "dst_registry")?;
    for (tag, name) in [(&plan.src_tag, "src_tag"), (&plan.dst_tag, "dst_tag")] {
        if tag.is_empty() {
            return Err(Error::Plan(format!("{name} is required")));
        }
    }
    let source = from.reference(&plan.src_tag)?;
    let target = to.reference(&plan.dst_tag)?;
    let (from, to) = (world.store(from, &source)?, world.store(to, &target)?);
    let tags = [plan.dst_tag.clone()];
    let copied = kelson_artifact::copy(&from, &source, &to, &tags, options).await?;
    Ok(described(&copied.descriptor, target.place.to_string(), plan.dst_tag.clone()))
}

fn registry<'a>(
    registry: Option<&'a OciRegistryRepository>,
    name: &str,
) -> Result<&'a OciRegistryRepository, Error> {
    let registry = registry.ok_or_else(|| Error::Plan(format!("{name} is required")))?;
    check_registry(registry, name)?;
    Ok(registry)
}
