//! How plans name artifacts, and the places that they are in.

use std::collections::BTreeMap;

use kelson_artifact::Reference;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Extra;

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
