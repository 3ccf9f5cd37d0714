//! The signatures of a digest, found in both forms and not yet believed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sigstore_verify::types::Bundle;

use super::{
    Annotations, Rejection, SIGNATURE, SIMPLE_SIGNING, SignatureForm, bundle, log, payload,
    signature_tag,
};
use crate::error::shown;
use crate::manifest::{Descriptor, Manifest, Parsed};
use crate::{Digest, Error, Selector, Store};

/// How many signatures of one digest are looked at. Whoever may write to the repository may add any number.
const MOST: usize = 200;
/// The largest payload or bundle that is read.
const LARGEST: u64 = 1 << 20;
/// The older form, kept as a manifest that refers to what is signed.
const LEGACY_REFERRER: &str = "application/vnd.dev.cosign.artifact.sig.v1+json";
/// How the kinds of all versions of bundles begin.
const BUNDLES: &str = "application/vnd.dev.sigstore.bundle";

/// A signature that speaks of the digest. Nobody has vouched for it yet.
pub(crate) struct Claim {
    pub(crate) form: SignatureForm,
    /// The signature as messages name it.
    pub(crate) name: String,
    /// The manifest that holds it.
    pub(crate) manifest: Digest,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    pub(crate) annotations: Annotations,
    /// Certificates, log entries and timestamps; only who needs them is told that they cannot be read.
    pub(crate) bundle: Result<Bundle, String>,
}

/// What was found: claims, and what is no claim and why.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) claims: Vec<Claim>,
    pub(crate) rejections: Vec<Rejection>,
}

impl Found {
    pub(crate) fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.rejections.is_empty()
    }

    /// Whether as many were found as are looked at; the last rejection then says so.
    fn is_full(&mut self) -> bool {
        let count = self.claims.len() + self.rejections.len();
        if count == MOST {
            let signature = "further signatures".to_owned();
            let reason = format!("no more than {MOST} are looked at");
            self.rejections.push(Rejection { signature, reason });
        }
        count >= MOST
    }

    fn add(&mut self, name: String, claim: Result<Claim, String>) {
        match claim {
            Ok(claim) => self.claims.push(claim),
            Err(reason) => self.rejections.push(Rejection { signature: name, reason }),
        }
    }
}

/// Finds the signatures of a digest.
pub(crate) async fn find(store: &Store, digest: &Digest) -> Result<Found, Error> {
    let mut found = Found::default();
    if let Some((at, manifest)) = legacy(store, digest).await? {
        layers(store, digest, at, &manifest, &mut found).await;
    }
    let mut subject = None;
    for referrer in store.referrers(digest).await? {
        if found.is_full() {
            break;
        }
        let kind = referrer.artifact_type.as_deref().unwrap_or(BUNDLES);
        if kind == LEGACY_REFERRER || kind.starts_with(BUNDLES) {
            refer(store, digest, &referrer, &mut subject, &mut found).await?;
        }
    }
    Ok(found)
}

/// The manifest of the older form, where there is one.
pub(crate) async fn legacy(
    store: &Store,
    digest: &Digest,
) -> Result<Option<(Digest, Manifest)>, Error> {
    let descriptor = match store.resolve(&Selector::Tag(signature_tag(digest))).await {
        Ok(descriptor) => descriptor,
        Err(Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    match store.manifest(&descriptor.digest).await?.parse()? {
        Parsed::Manifest(manifest) => Ok(Some((descriptor.digest, manifest))),
        Parsed::Index(_) => {
            let reason = "signatures are expected, and it is an index".to_owned();
            Err(Error::Manifest { digest: descriptor.digest, reason })
        }
    }
}

/// Looks at one referrer.
async fn refer(
    store: &Store,
    digest: &Digest,
    referrer: &Descriptor,
    subject: &mut Option<Bytes>,
    found: &mut Found,
) -> Result<(), Error> {
    let name = format!("bundle in {}", referrer.digest);
    let manifest = match read_referrer(store, digest, referrer).await {
        Ok(manifest) => manifest,
        Err(reason) => {
            found.add(name, Err(reason));
            return Ok(());
        }
    };
    let kind = manifest.artifact_type.as_deref().unwrap_or_default();
    if kind == LEGACY_REFERRER {
        layers(store, digest, referrer.digest, &manifest, found).await;
    } else if kind.starts_with(BUNDLES) {
        // A bundle may be of the manifest's own bytes, so those are read, once and only for bundles.
        let bytes = match subject {
            Some(bytes) => bytes.clone(),
            None => subject.insert(store.manifest(digest).await?.bytes).clone(),
        };
        let claim = bundled(store, digest, &bytes, referrer.digest, &manifest).await;
        found.add(name, claim);
    }
    Ok(())
}

async fn read_referrer(
    store: &Store,
    digest: &Digest,
    referrer: &Descriptor,
) -> Result<Manifest, String> {
    let raw = store.manifest(&referrer.digest).await.map_err(|error| chain(&error))?;
    let Parsed::Manifest(manifest) = raw.parse().map_err(|error| chain(&error))? else {
        return Err("it is an index".to_owned());
    };
    match &manifest.subject {
        Some(subject) if subject.digest == *digest => Ok(manifest),
        _ => Err("its manifest does not refer to what is verified".to_owned()),
    }
}

/// Looks at the layers of the older form.
async fn layers(
    store: &Store,
    digest: &Digest,
    at: Digest,
    manifest: &Manifest,
    found: &mut Found,
) {
    for (number, layer) in (1..).zip(&manifest.layers) {
        if found.is_full() {
            return;
        }
        let name = format!("layer {number} of {at}");
        let claim = layered(store, digest, at, layer, &name).await;
        found.add(name, claim);
    }
}

async fn layered(
    store: &Store,
    digest: &Digest,
    at: Digest,
    layer: &Descriptor,
    name: &str,
) -> Result<Claim, String> {
    if layer.media_type != SIMPLE_SIGNING {
        return Err(format!("it is a `{}`, not a signature", shown(&layer.media_type)));
    }
    let signature = layer.annotations.get(SIGNATURE).ok_or("its signature is missing")?;
    let signature = STANDARD.decode(signature).map_err(|_| "its signature is not base64")?;
    let message = content(store, layer).await?;
    Ok(Claim {
        form: SignatureForm::Legacy,
        name: name.to_owned(),
        manifest: at,
        annotations: payload::read(&message, digest)?,
        bundle: log::bundle(&layer.annotations, &signature),
        message: message.into(),
        signature,
    })
}

async fn bundled(
    store: &Store,
    digest: &Digest,
    subject: &[u8],
    at: Digest,
    manifest: &Manifest,
) -> Result<Claim, String> {
    let [layer] = manifest.layers.as_slice() else {
        return Err(format!("its manifest has {} layers, not 1", manifest.layers.len()));
    };
    let (bundle, content) = bundle::read(&content(store, layer).await?, digest, subject)?;
    Ok(Claim {
        form: SignatureForm::Bundle,
        name: format!("bundle in {at}"),
        manifest: at,
        message: content.message,
        signature: content.signature,
        annotations: content.annotations,
        bundle: Ok(bundle),
    })
}

async fn content(store: &Store, layer: &Descriptor) -> Result<Bytes, String> {
    if layer.size > LARGEST {
        return Err(format!("it has {} bytes, and {LARGEST} at most are read", layer.size));
    }
    let blob = store.blob(layer).await.map_err(|error| chain(&error))?;
    blob.bytes().await.map_err(|error| chain(&error))
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    shown(&causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}
