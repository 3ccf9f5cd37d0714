//! Signatures as cosign makes them: keys, what is signed, and where signatures are kept.
//!
//! There are two forms. The older one is an image under the tag `sha256-….sig`, with one layer per signature. The newer
//! one is a sigstore bundle in a manifest that refers to what is signed.

pub(crate) mod bundle; // the newer form
mod error; // why a key, a policy or a signature is refused
pub(crate) mod find; // the signatures of a digest
pub(crate) mod key; // keys
pub(crate) mod keyless; // certificates and logs, judged by a trust root
pub(crate) mod log; // log entries of the older form
pub(crate) mod payload; // what the older form signs
mod prehashed; // what cosign signs with Ed25519 keys
mod sealed; // private keys under a password

pub use error::{Rejection, SignatureError};
pub use key::{PrivateKey, PublicKey};
pub use keyless::TrustRoot;

use crate::Digest;

/// How a signature is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureForm {
    /// A layer of the image under the tag `sha256-….sig`: what cosign made before version 3, and what every verifier reads.
    Legacy,
    /// A sigstore bundle that refers to what is signed: what cosign makes since version 3.
    Bundle,
}

/// What is said beside a signature, by name.
pub type Annotations = std::collections::BTreeMap<String, String>;

/// The kind of a layer of the older form.
pub(crate) const SIMPLE_SIGNING: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
/// The kind of a bundle.
pub(crate) const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
/// The layer's annotation that holds the signature.
pub(crate) const SIGNATURE: &str = "dev.cosignproject.cosign/signature";

/// The tag under which the older form keeps the signatures of a digest.
pub(crate) fn signature_tag(digest: &Digest) -> String {
    format!("sha256-{}.sig", digest.hex())
}
