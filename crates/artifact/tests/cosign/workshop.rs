//! A layout to sign in, and signatures to spoil.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use kelson_artifact::manifest::media;
use kelson_artifact::{
    Annotations, Descriptor, Digest, Error, InMemory, Layout, Manifest, Parsed, PrivateKey, Raw,
    SignatureForm, Signer, Store, Verified, sign,
};
use serde_json::Value;

const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// A folder of one test, gone afterwards.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("kelson-cosign-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&path).ok();
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Stores an artifact under the tag `v1`.
pub(crate) async fn artifact(store: &Store, content: &[u8]) -> Digest {
    let manifest = Manifest {
        schema_version: 2,
        media_type: Some(media::OCI_MANIFEST.to_owned()),
        artifact_type: Some("application/vnd.example".to_owned()),
        config: put(store, media::EMPTY, b"{}").await,
        layers: vec![put(store, "text/plain", content).await],
        subject: None,
        annotations: Annotations::new(),
    };
    let raw = Raw::write(&manifest);
    store.put_manifest(&raw, Some("v1")).await.unwrap();
    raw.descriptor.digest
}

async fn put(store: &Store, media_type: &str, content: &[u8]) -> Descriptor {
    let descriptor = Descriptor::of(media_type, content);
    let source =
        InMemory { descriptor: descriptor.clone(), content: Bytes::copy_from_slice(content) };
    store.put_blob(&descriptor, &source, None).await.unwrap();
    descriptor
}

/// A layout to sign in.
pub(crate) struct Workshop {
    pub(crate) store: Store,
    _folder: Option<Folder>,
}

/// A layer of the older form.
#[derive(Clone)]
pub(crate) struct Layer {
    pub(crate) media_type: String,
    pub(crate) payload: Vec<u8>,
    pub(crate) signature: Option<String>,
    /// The size that is said, where it is not the right one.
    pub(crate) size: Option<u64>,
    pub(crate) annotations: Annotations,
}

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let store = Store::Layout(Layout::directory(&folder.0.join("layout")));
        Self { store, _folder: Some(folder) }
    }

    /// One that works elsewhere.
    pub(crate) fn on(store: Store) -> Self {
        Self { store, _folder: None }
    }

    pub(crate) async fn artifact(&self, content: &[u8]) -> Digest {
        artifact(&self.store, content).await
    }

    /// A signature in the older form, as we make it.
    pub(crate) async fn layer(&self, digest: &Digest, key: &PrivateKey) -> Layer {
        let layer = self.made(digest, key, SignatureForm::Legacy).await;
        let payload = self.store.blob(&layer).await.unwrap().bytes().await.unwrap();
        let signature = layer.annotations.get(SIGNATURE).cloned();
        Layer {
            media_type: layer.media_type,
            payload: payload.to_vec(),
            signature,
            size: None,
            annotations: Annotations::new(),
        }
    }

    /// A signature as a bundle, as we make it.
    pub(crate) async fn bundle(&self, digest: &Digest, key: &PrivateKey) -> Value {
        let layer = self.made(digest, key, SignatureForm::Bundle).await;
        let json = self.store.blob(&layer).await.unwrap().bytes().await.unwrap();
        serde_json::from_slice(&json).unwrap()
    }

    /// Signs, and returns the layer that holds the signature.
    async fn made(&self, digest: &Digest, key: &PrivateKey, form: SignatureForm) -> Descriptor {
        let none = Annotations::new();
        let signed = sign(&self.store, digest, "r.example/shop", key, form, &none).await.unwrap();
        let raw = self.store.manifest(&signed.manifest).await.unwrap();
        let Parsed::Manifest(manifest) = raw.parse().unwrap() else { panic!("an index") };
        manifest.layers.into_iter().next().unwrap()
    }

    /// Makes these the signatures of the older form.
    pub(crate) async fn put_layers(&self, digest: &Digest, layers: &[Layer]) {
        let mut manifest = Manifest {
            schema_version: 2,
            media_type: Some(media::OCI_MANIFEST.to_owned()),
            artifact_type: None,
            config: put(&self.store, "application/vnd.oci.image.config.v1+json", b"{}").await,
            layers: Vec::new(),
            subject: None,
            annotations: Annotations::new(),
        };
        for layer in layers {
            let mut described = put(&self.store, &layer.media_type, &layer.payload).await;
            described.size = layer.size.unwrap_or(described.size);
            described.annotations = layer.annotations.clone();
            let signature = layer.signature.clone().map(|text| (SIGNATURE.to_owned(), text));
            described.annotations.extend(signature);
            manifest.layers.push(described);
        }
        let tag = format!("sha256-{}.sig", digest.hex());
        self.store.put_manifest(&Raw::write(&manifest), Some(&tag)).await.unwrap();
    }

    /// Adds a manifest with bundles that refers to a digest.
    pub(crate) async fn put_bundle(&self, subject: &Digest, bundles: &[&[u8]]) {
        let mut layers = Vec::new();
        for bundle in bundles {
            layers.push(put(&self.store, BUNDLE, bundle).await);
        }
        let manifest = Manifest {
            schema_version: 2,
            media_type: Some(media::OCI_MANIFEST.to_owned()),
            artifact_type: Some(BUNDLE.to_owned()),
            config: put(&self.store, media::EMPTY, b"{}").await,
            layers,
            subject: Some(self.store.manifest(subject).await.unwrap().descriptor),
            annotations: Annotations::new(),
        };
        self.store.put_manifest(&Raw::write(&manifest), None).await.unwrap();
    }
}

/// Rewrites a part of the statement in a bundle, without signing it again.
pub(crate) fn rewrite(bundle: &mut Value, from: &str, to: &str) {
    let payload = &mut bundle["dsseEnvelope"]["payload"];
    let text = STANDARD.decode(payload.as_str().unwrap()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(from), "{text}");
    *payload = STANDARD.encode(text.replace(from, to)).into();
}

/// One line per signature, or the error with digests and places as words.
pub(crate) fn describe(verified: Result<Vec<Verified>, Error>) -> String {
    match verified {
        Ok(verified) => verified.iter().map(line).collect(),
        Err(error) => {
            let text = error.to_string();
            let place = text.split_once('`').and_then(|(_, rest)| rest.split_once('`'));
            let text = match place {
                Some((place, _)) if place.starts_with("oci-layout:") => {
                    text.replacen(place, "PLACE", 1)
                }
                _ => text.clone(),
            };
            without_digests(&text) + "\n"
        }
    }
}

fn line(verified: &Verified) -> String {
    let form = match verified.form {
        SignatureForm::Legacy => "tag",
        SignatureForm::Bundle => "bundle",
    };
    let signer = match &verified.signer {
        Signer::Key { id } => format!("key {id}"),
        Signer::Identity { identity, issuer } => format!("{identity} by {issuer}"),
    };
    let said: String =
        verified.annotations.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    format!("{form}: {signer}{said}\n")
}

fn without_digests(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "DIGEST" + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit())
    })
}
