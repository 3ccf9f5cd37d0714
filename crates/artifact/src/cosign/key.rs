//! Keys to sign and to verify with.

use std::fmt;

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA256_ASN1,
    ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA384_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
    VerificationAlgorithm,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_model::Secret;
use pem::Pem;
use sha2::{Digest as _, Sha256};
use sigstore_verify::crypto::KeyAlgorithm;
use sigstore_verify::types::DerPublicKey;
use zeroize::Zeroizing;

use super::{SignatureError, prehashed, sealed};
use crate::error::shown;

/// The largest file that is taken for a key.
const LARGEST: usize = 64 << 10;

/// A key to sign with: ECDSA on P-256 or P-384, Ed25519, or RSA.
pub struct PrivateKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

/// A way of reading a key.
type Way = fn(&[u8]) -> Option<Pair>;

impl PrivateKey {
    /// Reads a key in PEM: cosign's own, encrypted with a password, or one that is not encrypted, in PKCS #8 or
    /// in the older forms for elliptic curves and RSA.
    pub fn read(text: &[u8], password: Option<&Secret>) -> Result<Self, SignatureError> {
        Self::try_read(text, password)
            .map_err(|reason| SignatureError::Key { kind: "private", reason })
    }

    fn try_read(text: &[u8], password: Option<&Secret>) -> Result<Self, String> {
        let pem = read_pem(text)?;
        match pem.tag() {
            "ENCRYPTED SIGSTORE PRIVATE KEY" | "ENCRYPTED COSIGN PRIVATE KEY" => {
                let password = password.ok_or("it is encrypted, and no password is given")?;
                Self::from_pkcs8(&sealed::open(pem.contents(), password)?)
            }
            "PRIVATE KEY" => Self::from_pkcs8(pem.contents()),
            "EC PRIVATE KEY" => Self::from_each(
                pem.contents(),
                &[
                    |der| {
                        EcdsaKeyPair::from_private_key_der(&ECDSA_P256_SHA256_ASN1_SIGNING, der)
                            .ok()
                            .map(Pair::Ecdsa)
                    },
                    |der| {
                        EcdsaKeyPair::from_private_key_der(&ECDSA_P384_SHA384_ASN1_SIGNING, der)
                            .ok()
                            .map(Pair::Ecdsa)
                    },
                ],
            ),
            "RSA PRIVATE KEY" => Self::from_each(
                pem.contents(),
                &[|der| RsaKeyPair::from_der(der).ok().map(Pair::Rsa)],
            ),
            "ENCRYPTED PRIVATE KEY" => Err("it is encrypted in a way that cosign does not know; \
                 `cosign import-key-pair` turns it into one that can be used"
                .to_owned()),
            other => Err(format!("it says that it is a `{}`", shown(other))),
        }
    }

    fn from_pkcs8(der: &[u8]) -> Result<Self, String> {
        Self::from_each(
            der,
            &[
                |der| {
                    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, der)
                        .ok()
                        .map(Pair::Ecdsa)
                },
                |der| {
                    EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_ASN1_SIGNING, der)
                        .ok()
                        .map(Pair::Ecdsa)
                },
                |der| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Pair::Ed25519),
                |der| RsaKeyPair::from_pkcs8(der).ok().map(Pair::Rsa),
            ],
        )
    }

    /// The first way of reading that leads to a key.
    fn from_each(der: &[u8], ways: &[Way]) -> Result<Self, String> {
        let pair = ways.iter().find_map(|way| way(der)).ok_or(
            "it is neither an ECDSA key on P-256 or P-384, nor an Ed25519 key, nor an RSA key of 2048 to 8192 bits",
        )?;
        let der: Result<PublicKeyX509Der<'static>, _> = match &pair {
            Pair::Ecdsa(pair) => pair.public_key().as_der(),
            Pair::Ed25519(pair) => pair.public_key().as_der(),
            Pair::Rsa(pair) => pair.public_key().as_der(),
        };
        let der = der.map_err(|_| "its public half cannot be had")?;
        Ok(Self { public: PublicKey::from_der(der.as_ref())?, pair })
    }

    /// Makes a new ECDSA key on P-256, and what cosign would write into its file `cosign.key`.
    pub fn generate(password: &Secret) -> Result<(Self, String), SignatureError> {
        Self::try_generate(password)
            .map_err(|reason| SignatureError::Key { kind: "private", reason })
    }

    fn try_generate(password: &Secret) -> Result<(Self, String), String> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
            .map_err(|_| "it cannot be made")?;
        let document = Zeroizing::new(document.as_ref().to_vec());
        let sealed = sealed::seal(&document, password)?;
        let text = write_pem("ENCRYPTED SIGSTORE PRIVATE KEY", sealed);
        Ok((Self::from_pkcs8(&document)?, text))
    }

    /// The half that others verify with.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs. Ed25519 and RSA give the same signature each time; ECDSA does not.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        let random = SystemRandom::new();
        let signed = match &self.pair {
            Pair::Ecdsa(pair) => pair.sign(&random, message).map(|signed| signed.as_ref().to_vec()),
            Pair::Ed25519(pair) => pair.try_sign(message).map(|signed| signed.as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let mut signed = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signed).map(|()| signed)
            }
        };
        let refuse = |_| "it does not sign".to_owned();
        signed.map_err(|error| SignatureError::Key { kind: "private", reason: refuse(error) })
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PrivateKey(*** of {})", self.public.id())
    }
}

/// A key to verify with.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    der: Vec<u8>,
    algorithm: KeyAlgorithm,
}

impl PublicKey {
    /// Reads a key in PEM, as in cosign's file `cosign.pub`.
    pub fn read(text: &[u8]) -> Result<Self, SignatureError> {
        let read = || {
            let pem = read_pem(text)?;
            match pem.tag() {
                "PUBLIC KEY" => Self::from_der(pem.contents()),
                other => Err(format!("it says that it is a `{}`", shown(other))),
            }
        };
        read().map_err(|reason| SignatureError::Key { kind: "public", reason })
    }

    fn from_der(der: &[u8]) -> Result<Self, String> {
        let key = DerPublicKey::new(der.to_vec());
        let kinds =
            "it is neither an ECDSA key on P-256 or P-384, nor an Ed25519 key, nor an RSA key";
        let algorithm = KeyAlgorithm::from_spki(&key).map_err(|_| kinds)?;
        let known = Self { der: der.to_vec(), algorithm };
        let whole = |algorithm: &&'static dyn VerificationAlgorithm| {
            UnparsedPublicKey::new(*algorithm, der).parse().is_ok()
        };
        match known.algorithms().first().is_some_and(whole) {
            true => Ok(known),
            false => Err(kinds.to_owned()),
        }
    }

    /// What cosign calls the key in its bundles: the SHA-256 of its DER form, in base64.
    pub fn id(&self) -> String {
        STANDARD.encode(Sha256::digest(&self.der))
    }

    /// The key in PEM.
    pub fn to_pem(&self) -> String {
        write_pem("PUBLIC KEY", self.der.clone())
    }

    /// The key as the trust root's judge wants it.
    pub(crate) fn to_der(&self) -> DerPublicKey {
        DerPublicKey::new(self.der.clone())
    }

    /// Whether the holder of the private half signed the message.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let verify = |algorithm: &&'static dyn VerificationAlgorithm| {
            UnparsedPublicKey::new(*algorithm, &self.der).verify(message, signature).is_ok()
        };
        let hashed = || {
            self.algorithm == KeyAlgorithm::Ed25519
                && prehashed::verifies(&self.der, message, signature)
        };
        self.algorithms().iter().any(verify) || hashed()
    }

    /// How signatures by this key are made. Versions of cosign differ in the hash for P-384.
    fn algorithms(&self) -> &'static [&'static dyn VerificationAlgorithm] {
        match self.algorithm {
            KeyAlgorithm::EcdsaP256 => &[&ECDSA_P256_SHA256_ASN1],
            KeyAlgorithm::EcdsaP384 => &[&ECDSA_P384_SHA384_ASN1, &ECDSA_P384_SHA256_ASN1],
            KeyAlgorithm::Ed25519 => &[&ED25519],
            KeyAlgorithm::Rsa => &[&RSA_PKCS1_2048_8192_SHA256],
            _ => &[],
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PublicKey({})", self.id())
    }
}

fn read_pem(text: &[u8]) -> Result<Pem, String> {
    if text.len() > LARGEST {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    // The parser's own error may quote the text, which may be a private key.
    pem::parse(text).map_err(|_| "it is not PEM".to_owned())
}

fn write_pem(tag: &str, content: Vec<u8>) -> String {
    let config = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    pem::encode_config(&Pem::new(tag, content), config)
}
