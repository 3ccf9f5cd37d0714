//! Registries that a plan names.

use kelson_artifact::Descriptor;

use super::Error;
use crate::plan::{OciArtifact, OciRegistryRepository};

/// Refuses ways to log in that only a cloud's own programs know.
pub(in crate::component) fn check_registry(
    registry: &OciRegistryRepository,
    name: &str,
) -> Result<(), Error> {
    let cloud = [("ecr_auth", &registry.ecr_auth), ("acr_auth", &registry.acr_auth)];
    match cloud.iter().find(|(_, auth)| auth.is_some()) {
        Some((key, _)) => Err(Error::Plan(format!(
            "{name}.{key} is not understood: log in with a credential helper, or give username and password"
        ))),
        None => Ok(()),
    }
}

/// A descriptor as runners report it.
pub(in crate::component) fn described(
    descriptor: &Descriptor,
    repository: String,
    tag: String,
) -> OciArtifact {
    OciArtifact {
        tag,
        repository,
        media_type: descriptor.media_type.clone(),
        digest: descriptor.digest.to_string(),
        size: descriptor.size,
        urls: Vec::new(),
        annotations: descriptor.annotations.clone(),
        artifact_type: descriptor.artifact_type.clone().unwrap_or_default(),
        platform: descriptor.platform.clone(),
    }
}
