//! Signs digests, in the forms that cosign reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::json;

use crate::blob::InMemory;
use crate::cosign::find::{self, find};
use crate::cosign::{BUNDLE, SIGNATURE, SIMPLE_SIGNING, bundle, payload, signature_tag};
use crate::manifest::{Descriptor, Manifest, Raw, media};
use crate::{
    Annotations, Digest, Error, PrivateKey, Selector, SignatureError, SignatureForm, Store,
};

/// A signature in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// How it is kept.
    pub form: SignatureForm,
    /// The manifest that holds it.
    pub manifest: Digest,
    /// Whether the key had signed the same before, so that nothing was written.
    pub already: bool,
}

/// Signs a digest that is in the store, and keeps the signature there, beside those of others. `reference` is what people
/// call the artifact, without tag and digest; the older form repeats it, and nothing is decided by it.
///
/// Two who sign the same digest at once in the older form may lose one signature: registries cannot add to a tag.
pub async fn sign(
    store: &Store,
    digest: &Digest,
    reference: &str,
    key: &PrivateKey,
    form: SignatureForm,
    annotations: &Annotations,
) -> Result<Signed, Error> {
    let subject = store.resolve(&Selector::Digest(*digest)).await?;
    if let Some(manifest) = signed_before(store, digest, key, form, annotations).await? {
        return Ok(Signed { form, manifest, already: true });
    }
    let manifest = match form {
        SignatureForm::Legacy => add_layer(store, digest, reference, key, annotations).await?,
        SignatureForm::Bundle => add_bundle(store, subject, key, annotations).await?,
    };
    Ok(Signed { form, manifest, already: false })
}

/// Where the key has signed the same already.
async fn signed_before(
    store: &Store,
    digest: &Digest,
    key: &PrivateKey,
    form: SignatureForm,
    annotations: &Annotations,
) -> Result<Option<Digest>, Error> {
    let found = find(store, digest).await?;
    let same = found.claims.iter().find(|claim| {
        claim.form == form
            && claim.annotations == *annotations
            && key.public().verifies(&claim.message, &claim.signature)
    });
    Ok(same.map(|claim| claim.manifest))
}

/// Adds a layer to the manifest of the older form.
async fn add_layer(
    store: &Store,
    digest: &Digest,
    reference: &str,
    key: &PrivateKey,
    annotations: &Annotations,
) -> Result<Digest, Error> {
    let payload = payload::write(digest, reference, annotations);
    let signature = STANDARD.encode(key.sign(&payload)?);
    let mut layer = put(store, SIMPLE_SIGNING, payload).await?;
    layer.annotations.insert(SIGNATURE.to_owned(), signature);
    let tag = signature_tag(digest);
    let mut manifest = match find::legacy(store, digest).await? {
        Some((_, manifest)) => extendable(manifest, &tag)?,
        None => empty_manifest(),
    };
    manifest.layers.push(layer);
    manifest.config = put(store, &manifest.config.media_type, config(&manifest.layers)).await?;
    let raw = Raw::write(&manifest);
    store.put_manifest(&raw, Some(&tag)).await?;
    Ok(raw.descriptor.digest)
}

/// A manifest to which a signature can be added without anything being lost.
fn extendable(manifest: Manifest, tag: &str) -> Result<Manifest, SignatureError> {
    match manifest.layers.iter().find(|layer| layer.media_type != SIMPLE_SIGNING) {
        None => Ok(manifest),
        Some(layer) => Err(SignatureError::NotSignatures {
            tag: tag.to_owned(),
            reason: format!("it holds a `{}`", crate::error::shown(&layer.media_type)),
        }),
    }
}

fn empty_manifest() -> Manifest {
    Manifest {
        schema_version: 2,
        media_type: Some(media::OCI_MANIFEST.to_owned()),
        artifact_type: None,
        config: Descriptor::of("application/vnd.oci.image.config.v1+json", b""),
        layers: Vec::new(),
        subject: None,
        annotations: Annotations::new(),
    }
}

/// The image configuration that cosign writes for so many signatures.
fn config(layers: &[Descriptor]) -> Vec<u8> {
    let never = "0001-01-01T00:00:00Z";
    let history: Vec<_> = layers.iter().map(|_| json!({ "created": never })).collect();
    let digests: Vec<Digest> = layers.iter().map(|layer| layer.digest).collect();
    let config = json!({
        "architecture": "",
        "config": {},
        "created": never,
        "history": history,
        "os": "",
        "rootfs": { "diff_ids": digests, "type": "layers" },
    });
    config.to_string().into_bytes()
}

/// Adds a manifest that refers to what is signed.
async fn add_bundle(
    store: &Store,
    subject: Descriptor,
    key: &PrivateKey,
    annotations: &Annotations,
) -> Result<Digest, Error> {
    let bundle = bundle::write(&subject.digest, annotations, key)?;
    let said = [
        ("dev.sigstore.bundle.content", "dsse-envelope"),
        ("dev.sigstore.bundle.predicateType", bundle::PREDICATE),
    ];
    let manifest = Manifest {
        schema_version: 2,
        media_type: Some(media::OCI_MANIFEST.to_owned()),
        artifact_type: Some(BUNDLE.to_owned()),
        config: put(store, media::EMPTY, b"{}".to_vec()).await?,
        layers: vec![put(store, BUNDLE, bundle).await?],
        subject: Some(Descriptor {
            annotations: Annotations::new(),
            artifact_type: None,
            platform: None,
            ..subject
        }),
        annotations: said.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    let raw = Raw::write(&manifest);
    store.put_manifest(&raw, None).await?;
    Ok(raw.descriptor.digest)
}

async fn put(store: &Store, media_type: &str, content: Vec<u8>) -> Result<Descriptor, Error> {
    let descriptor = Descriptor::of(media_type, &content);
    let source = InMemory { descriptor: descriptor.clone(), content: Bytes::from(content) };
    store.put_blob(&descriptor, &source, None).await?;
    Ok(descriptor)
}
