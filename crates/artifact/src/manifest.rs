//! Manifests, indexes and the descriptors in them.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{Digest, Error};

/// The names of the formats that matter.
pub mod media {
    /// An OCI image manifest.
    pub const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
    /// An OCI image index.
    pub const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
    /// Docker's manifest, version 2, schema 2.
    pub const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
    /// Docker's list of manifests.
    pub const DOCKER_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";
    /// Docker's image configuration.
    pub const DOCKER_CONFIG: &str = "application/vnd.docker.container.image.v1+json";
    /// Docker's layer.
    pub const DOCKER_LAYER: &str = "application/vnd.docker.image.rootfs.diff.tar.gzip";
    /// The configuration of Flux's artifacts.
    pub const FLUX_CONFIG: &str = "application/vnd.cncf.flux.config.v1+json";
    /// The content of Flux's artifacts.
    pub const FLUX_CONTENT: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
    /// The two bytes `{}`.
    pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";
}

/// The largest manifest or index that is read, as registries are asked to accept it.
pub const LARGEST_MANIFEST: u64 = 4 << 20;

/// Names some content: what it is, how long, and its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// How many bytes it has.
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
    /// What else is said of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// What kind of artifact it is, in indexes and lists of referrers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Which machines it is for, in indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<serde_json::Value>,
}

impl Descriptor {
    /// Describes content.
    pub fn of(media_type: &str, content: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            size: content.len() as u64,
            digest: Digest::of(content),
            annotations: BTreeMap::new(),
            artifact_type: None,
            platform: None,
        }
    }

    /// Whether it names an index rather than a manifest.
    pub fn is_index(&self) -> bool {
        [media::OCI_INDEX, media::DOCKER_LIST].contains(&self.media_type.as_str())
    }
}

/// A manifest: a configuration and layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Always 2.
    pub schema_version: u32,
    /// What the manifest is; older ones do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// What kind of artifact it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The configuration.
    pub config: Descriptor,
    /// The content, in order.
    #[serde(default)]
    pub layers: Vec<Descriptor>,
    /// The manifest that this one says something about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// What else is said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// An index: manifests, for instance one per platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Always 2.
    pub schema_version: u32,
    /// What the index is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// What kind of artifact it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The manifests.
    #[serde(default)]
    pub manifests: Vec<Descriptor>,
    /// The manifest that this one says something about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// What else is said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A manifest or index as stored: its bytes are what its digest is of, so they travel unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// What the bytes are.
    pub descriptor: Descriptor,
    /// The bytes.
    pub bytes: Bytes,
}

/// What a [`Raw`] turns out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A manifest.
    Manifest(Manifest),
    /// An index.
    Index(Index),
}

impl Raw {
    /// Describes bytes that are a manifest or index of the given type.
    pub fn new(media_type: &str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self { descriptor: Descriptor::of(media_type, &bytes), bytes }
    }

    /// Writes a manifest as compact JSON in the order of the fields, with Go's escapes, so that one manifest has one
    /// digest whoever writes it.
    pub fn write(manifest: &Manifest) -> Self {
        let media_type = manifest.media_type.as_deref().unwrap_or(media::OCI_MANIFEST);
        Self::new(media_type, go_json(manifest))
    }

    /// Writes an index in the same way.
    pub fn write_index(index: &Index) -> Self {
        let media_type = index.media_type.as_deref().unwrap_or(media::OCI_INDEX);
        Self::new(media_type, go_json(index))
    }

    /// Reads the bytes. They must not say that they are something else than their descriptor says.
    pub fn parse(&self) -> Result<Parsed, Error> {
        let refuse = |reason: String| Error::Manifest { digest: self.descriptor.digest, reason };
        let value: serde_json::Value =
            serde_json::from_slice(&self.bytes).map_err(|error| refuse(error.to_string()))?;
        if let Some(says) = value["mediaType"].as_str()
            && says != self.descriptor.media_type
        {
            let named = &self.descriptor.media_type;
            return Err(refuse(format!("it says `{says}`, but was named as `{named}`")));
        }
        // Such a document would be one thing to some programs and another to others, under one digest.
        let has = |key: &str| !value[key].is_null();
        if has("manifests") && (has("layers") || has("config")) {
            return Err(refuse("it is a manifest and an index at once".to_owned()));
        }
        match self.descriptor.media_type.as_str() {
            media::OCI_MANIFEST | media::DOCKER_MANIFEST => serde_json::from_slice(&self.bytes)
                .map(Parsed::Manifest)
                .map_err(|error| refuse(error.to_string())),
            media::OCI_INDEX | media::DOCKER_LIST => serde_json::from_slice(&self.bytes)
                .map(Parsed::Index)
                .map_err(|error| refuse(error.to_string())),
            other => Err(refuse(format!("its type `{other}` is neither a manifest nor an index"))),
        }
    }
}

/// JSON as Go's `encoding/json` writes it: compact, with `<`, `>` and `&` escaped.
pub(crate) fn go_json(value: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_string(value).expect("because the types have text keys alone");
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(media_type: &str, text: &str, expected: &str) {
        let actual = match Raw::new(media_type, text.as_bytes().to_vec()).parse() {
            Ok(Parsed::Manifest(_)) => "a manifest".to_owned(),
            Ok(Parsed::Index(_)) => "an index".to_owned(),
            Err(error) => error.to_string().split(": ").skip(1).collect::<Vec<_>>().join(": "),
        };
        assert!(actual.starts_with(expected), "{actual}");
    }

    #[test]
    fn a_document_is_what_its_type_says_and_nothing_else() {
        let config = Descriptor::of(media::EMPTY, b"{}");
        let config = serde_json::to_string(&config).unwrap();
        let manifest = format!(r#"{{"schemaVersion":2,"config":{config},"layers":[]}}"#);
        check(media::OCI_MANIFEST, &manifest, "a manifest");
        check(media::OCI_INDEX, r#"{"schemaVersion":2,"manifests":[]}"#, "an index");
        let both = format!(r#"{{"schemaVersion":2,"config":{config},"manifests":[]}}"#);
        check(media::OCI_MANIFEST, &both, "it is a manifest and an index at once");
        check(media::OCI_INDEX, &both, "it is a manifest and an index at once");
        check(media::OCI_MANIFEST, r#"{"mediaType":"a/b"}"#, "it says `a/b`, but was named as");
        check("text/html", "{}", "its type `text/html` is neither");
        check(media::OCI_INDEX, r#"{"schemaVersion":2,"schemaVersion":2}"#, "duplicate field");
        check(media::OCI_INDEX, "<html>", "expected value");
    }
}
