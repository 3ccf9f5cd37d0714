//! A sigstore of one's own: a certificate authority, a log and a trust root that names them, without any server.
//!
//! What the public services would give out over the network is made in memory, in their formats: certificates that name
//! an identity and who vouches for it, the certificate log's timestamp in them, and the log's promises and proofs.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, PublicKeyData, SanType,
    SigningKey, date_time_ymd,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::Error;

/// How long certificates hold, in seconds.
pub const LIFETIME: u64 = 600;

/// The type of the statements that are signed.
const STATEMENT: &str = "application/vnd.in-toto+json";

/// A certificate authority, a log of certificates and a log of signatures.
pub struct Sigstore {
    authority: Issuer<'static, KeyPair>,
    authority_der: Vec<u8>,
    certificates: KeyPair,
    signatures: KeyPair,
}

/// Whom a certificate is for.
pub struct Whom<'a> {
    /// A mail address or URI.
    pub identity: &'a str,
    /// Who vouches for it.
    pub issuer: &'a str,
    /// Since when the certificate holds, in seconds since 1970.
    pub since: u64,
}

/// Somebody with a certificate.
pub struct Holder {
    key: KeyPair,
    /// The certificate.
    pub certificate: Vec<u8>,
}

/// What a log entry is about.
pub enum Logged<'a> {
    /// The bytes that are signed.
    Message(&'a [u8]),
    /// A statement, of which an envelope is signed.
    Statement(&'a [u8]),
}

impl Logged<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Message(_) => "hashedrekord",
            Self::Statement(_) => "dsse",
        }
    }

    /// What the log writes down; keys in order, as it is to be canonical.
    fn body(&self, signature: &[u8], signer: &str) -> Value {
        let hash =
            |bytes: &[u8]| json!({ "algorithm": "sha256", "value": hex(&Sha256::digest(bytes)) });
        let (signature, signer) = (STANDARD.encode(signature), STANDARD.encode(signer));
        let spec = match self {
            Self::Message(message) => json!({
                "data": { "hash": hash(message) },
                "signature": { "content": signature, "publicKey": { "content": signer } },
            }),
            Self::Statement(statement) => json!({
                // The hash of the envelope depends on how it was written, so nobody can compare it.
                "envelopeHash": hash(b""),
                "payloadHash": hash(statement),
                "signatures": [{ "signature": signature, "verifier": signer }],
            }),
        };
        json!({ "apiVersion": "0.0.1", "kind": self.kind(), "spec": spec })
    }
}

impl Sigstore {
    /// Makes the keys.
    pub fn new() -> Result<Self, Error> {
        let wrap = |error| Error::Certificate("a sigstore".to_owned(), error);
        let key = KeyPair::generate().map_err(wrap)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "kelson-testkit sigstore");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        (params.not_before, params.not_after) =
            (date_time_ymd(2020, 1, 1), date_time_ymd(2049, 1, 1));
        let authority_der = params.self_signed(&key).map_err(wrap)?.der().to_vec();
        Ok(Self {
            authority: Issuer::new(params, key),
            authority_der,
            certificates: KeyPair::generate().map_err(wrap)?,
            signatures: KeyPair::generate().map_err(wrap)?,
        })
    }

    /// The trust root, as a `trusted_root.json`.
    pub fn trusted_root(&self) -> String {
        let since = json!({ "start": "2020-01-01T00:00:00Z" });
        let log = |name: &str, key: &KeyPair| {
            json!({
                "baseUrl": format!("https://{name}.example"),
                "hashAlgorithm": "SHA2_256",
                "publicKey": {
                    "rawBytes": STANDARD.encode(key.subject_public_key_info()),
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "validFor": since,
                },
                "logId": { "keyId": STANDARD.encode(log_id(key)) },
            })
        };
        let root = json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log("rekor", &self.signatures)],
            "certificateAuthorities": [{
                "subject": { "organization": "kelson-testkit", "commonName": "kelson-testkit sigstore" },
                "uri": "https://fulcio.example",
                "certChain": { "certificates": [{ "rawBytes": STANDARD.encode(&self.authority_der) }] },
                "validFor": since,
            }],
            "ctlogs": [log("ctfe", &self.certificates)],
            "timestampAuthorities": [],
        });
        root.to_string()
    }

    /// Gives somebody a certificate that the log of certificates has seen.
    pub fn certify(&self, whom: &Whom<'_>) -> Result<Holder, Error> {
        let wrap = |error| Error::Certificate(whom.identity.to_owned(), error);
        let key = KeyPair::generate().map_err(wrap)?;
        let mut params = leaf(whom).map_err(wrap)?;
        let unseen = params.signed_by(&key, &self.authority).map_err(wrap)?;
        let timestamp =
            self.timestamp(to_be_signed(unseen.der()), whom.since * 1000).map_err(wrap)?;
        params.custom_extensions.push(CustomExtension::from_oid_content(
            &[1, 3, 6, 1, 4, 1, 11129, 2, 4, 2],
            der(0x04, &timestamp),
        ));
        let certificate = params.signed_by(&key, &self.authority).map_err(wrap)?.der().to_vec();
        Ok(Holder { key, certificate })
    }

    /// The list of the one timestamp (RFC 6962) that the log of certificates gives for what it will see.
    fn timestamp(&self, certificate: &[u8], milliseconds: u64) -> Result<Vec<u8>, rcgen::Error> {
        let authority = self.authority.key().subject_public_key_info();
        let mut signed = vec![0, 0];
        signed.extend(milliseconds.to_be_bytes());
        signed.extend([0, 1]);
        signed.extend(Sha256::digest(authority));
        signed.extend(&(certificate.len() as u32).to_be_bytes()[1..]);
        signed.extend(certificate);
        signed.extend([0, 0]);
        let signature = self.certificates.sign(&signed)?;
        let mut one = vec![0];
        one.extend(log_id(&self.certificates));
        one.extend(milliseconds.to_be_bytes());
        one.extend([0, 0, 4, 3]);
        one.extend(short(&signature));
        Ok(short(&short(&one)))
    }

    /// The log's entry for a signature: as it stands in a bundle, with promise and proof. The log holds nothing else.
    pub fn log(
        &self,
        what: &Logged<'_>,
        signature: &[u8],
        signer: &str,
        at: u64,
    ) -> Result<Value, Error> {
        let wrap = |error| Error::Certificate("a log entry".to_owned(), error);
        let kind = what.kind();
        let body = what.body(signature, signer).to_string();
        let id = log_id(&self.signatures);
        let promised = json!({
            "body": STANDARD.encode(&body), "integratedTime": at, "logID": hex(&id), "logIndex": 0,
        });
        let promise = self.signatures.sign(promised.to_string().as_bytes()).map_err(wrap)?;
        let root = Sha256::digest([&[0], body.as_bytes()].concat());
        let note = format!("rekor.example - 1\n1\n{}\n", STANDARD.encode(root));
        let seal = self.signatures.sign(note.as_bytes()).map_err(wrap)?;
        let seal = STANDARD.encode([&id[..4], &seal].concat());
        Ok(json!({
            "logIndex": "0",
            "logId": { "keyId": STANDARD.encode(&id) },
            "kindVersion": { "kind": kind, "version": "0.0.1" },
            "integratedTime": at.to_string(),
            "inclusionPromise": { "signedEntryTimestamp": STANDARD.encode(promise) },
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": STANDARD.encode(root),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": { "envelope": format!("{note}\n— rekor.example {seal}\n") },
            },
            "canonicalizedBody": STANDARD.encode(&body),
        }))
    }
}

impl Holder {
    /// Signs.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.key.sign(message).map_err(|error| Error::Certificate("a signature".to_owned(), error))
    }

    /// The certificate in PEM.
    pub fn pem(&self) -> String {
        let text = STANDARD.encode(&self.certificate);
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).filter_map(|line| str::from_utf8(line).ok()).collect();
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
    }
}

/// What is signed of a statement that stands in a bundle.
pub fn envelope(statement: &str) -> Vec<u8> {
    format!("DSSEv1 {} {STATEMENT} {} {statement}", STATEMENT.len(), statement.len()).into_bytes()
}

/// A bundle of a statement, by somebody with a certificate, with the log's entries.
pub fn bundle(statement: &str, signature: &[u8], signer: &Holder, entries: &[Value]) -> Value {
    json!({
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {
            "certificate": { "rawBytes": STANDARD.encode(&signer.certificate) },
            "tlogEntries": entries,
        },
        "dsseEnvelope": {
            "payload": STANDARD.encode(statement),
            "payloadType": STATEMENT,
            "signatures": [{ "sig": STANDARD.encode(signature) }],
        },
    })
}

/// A log entry of a bundle, as the older form has it in an annotation.
pub fn legacy_entry(entry: &Value) -> Value {
    let id = entry["logId"]["keyId"]
        .as_str()
        .and_then(|id| STANDARD.decode(id).ok())
        .unwrap_or_default();
    let number = |name: &str| entry[name].as_str().and_then(|text| text.parse::<u64>().ok());
    json!({
        "SignedEntryTimestamp": entry["inclusionPromise"]["signedEntryTimestamp"],
        "Payload": {
            "body": entry["canonicalizedBody"],
            "integratedTime": number("integratedTime"),
            "logIndex": number("logIndex"),
            "logID": hex(&id),
        },
    })
}

/// A certificate for somebody, without the timestamp of the log.
fn leaf(whom: &Whom<'_>) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.serial_number = Some(7u64.into());
    params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(whom.since);
    params.not_after = params.not_before + Duration::from_secs(LIFETIME);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
    let identity = whom.identity.try_into()?;
    params.subject_alt_names = vec![match whom.identity.contains("://") {
        true => SanType::URI(identity),
        false => SanType::Rfc822Name(identity),
    }];
    // Who vouches is said twice: as text alone, as it was at first, and as a DER value, as it is now.
    let issuer = whom.issuer.as_bytes();
    params.custom_extensions = [(1, issuer.to_vec()), (8, der(0x0c, issuer))]
        .into_iter()
        .map(|(number, said)| {
            CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 57264, 1, number], said)
        })
        .collect();
    Ok(params)
}

/// The part of a certificate that is signed: the first element of the sequence.
fn to_be_signed(certificate: &[u8]) -> &[u8] {
    let (start, _) = content(certificate);
    let inner = &certificate[start..];
    let (start, length) = content(inner);
    &inner[..start + length]
}

/// Where the content of a DER value begins, and how long it is.
fn content(der: &[u8]) -> (usize, usize) {
    match der[1] {
        length @ 0..=0x7f => (2, length.into()),
        long => {
            let count = usize::from(long & 0x7f);
            let length =
                der[2..2 + count].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            (2 + count, length)
        }
    }
}

/// A DER value of less than 64 KiB.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    // The shortest form of the length is the only one allowed.
    let [high, low] = (content.len() as u16).to_be_bytes();
    let head = match (high, low) {
        (0, 0..=0x7f) => vec![tag, low],
        (0, _) => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [&head, content].concat()
}

/// Bytes with their number before them.
fn short(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
}

fn log_id(key: &KeyPair) -> Vec<u8> {
    Sha256::digest(key.subject_public_key_info()).to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
