//! What is said of an artifact, without its content. Works for what cannot be read, too.

use std::collections::BTreeMap;

use super::follow;
use crate::manifest::Parsed;
use crate::recognise::{annotation, recognise, refuse_index};
use crate::{Descriptor, Error, Manifest, Producer, Reference, Store};

/// What is said of an artifact.
#[derive(Debug)]
pub struct Description {
    /// What the reference named.
    pub descriptor: Descriptor,
    /// The manifest; none where the reference named an index of several.
    pub manifest: Option<Manifest>,
    /// Who made it, or why it cannot be read.
    pub producer: Result<Producer, Error>,
    /// When it was made.
    pub created: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Which revision of that.
    pub revision: Option<String>,
    /// The checksum of the plain text.
    pub checksum: Option<String>,
    /// How it is encrypted.
    pub encrypted: Option<String>,
    /// Everything that is said of it.
    pub annotations: BTreeMap<String, String>,
}

/// Reads what is said of an artifact. None of its content is fetched.
pub async fn describe(store: &Store, reference: &Reference) -> Result<Description, Error> {
    let followed = follow(store, reference).await?;
    let descriptor = followed.first.descriptor;
    let (manifest, producer, annotations) = match followed.end {
        Parsed::Manifest(manifest) => {
            let (producer, annotations) = (recognise(&manifest), manifest.annotations.clone());
            (Some(manifest), producer, annotations)
        }
        Parsed::Index(index) => (None, Err(refuse_index(&index)), index.annotations),
    };
    let say = |key: &str| annotations.get(key).cloned();
    Ok(Description {
        descriptor,
        manifest,
        producer,
        created: say(annotation::OCI_CREATED).or_else(|| say(annotation::CREATED)),
        source: say(annotation::OCI_SOURCE),
        revision: say(annotation::OCI_REVISION),
        checksum: say(annotation::CHECKSUM),
        encrypted: say(annotation::ENCRYPTED),
        annotations,
    })
}
