//! Signatures: those of the real cosign, ours, and those that somebody has spoiled.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod hostile; // spoiled signatures
mod keyless; // signatures by identities
mod keys; // keys, good and bad
mod real; // the real cosign, on a real registry
mod recorded; // what the real cosign signed
mod signed; // what we sign
mod workshop; // layouts to sign and to spoil

use std::path::{Path, PathBuf};

use kelson_artifact::{Policy, PrivateKey, PublicKey, SignatureForm};

/// The kinds of keys for which there are signatures of cosign.
const KINDS: [&str; 3] = ["p256", "p384", "rsa"];
const BOTH: [SignatureForm; 2] = [SignatureForm::Legacy, SignatureForm::Bundle];

/// What `cargo xtask baseline cosign` recorded for a kind of key.
fn data(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cosign").join(kind)
}

fn public(kind: &str) -> PublicKey {
    PublicKey::read(&std::fs::read(data(kind).join("cosign.pub")).unwrap()).unwrap()
}

fn private(kind: &str) -> PrivateKey {
    PrivateKey::read(&std::fs::read(data(kind).join("plain.pem")).unwrap(), None).unwrap()
}

fn by(keys: &[&PublicKey]) -> Policy {
    Policy { keys: keys.iter().map(|key| (*key).clone()).collect(), ..Policy::default() }
}
