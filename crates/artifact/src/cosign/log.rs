//! What the older form says of a signature in annotations, as the bundle that would say the same.
//!
//! So one judge decides on both forms, and it compares signature, key or certificate, and payload with those in the log
//! entry: an entry that is genuine but belongs to another signature proves nothing.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use sigstore_verify::types::Bundle;

use super::Annotations;
use crate::error::shown;

const CERTIFICATE: &str = "dev.sigstore.cosign/certificate";
const CHAIN: &str = "dev.sigstore.cosign/chain";
const LOG: &str = "dev.sigstore.cosign/bundle";
const TIMESTAMP: &str = "dev.sigstore.cosign/rfc3161timestamp";

/// The longest chain of certificates that is looked at.
const LONGEST_CHAIN: usize = 8;
/// The largest annotation that is looked at.
const LARGEST: usize = 256 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Logged {
    signed_entry_timestamp: String,
    payload: Entry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    body: String,
    integrated_time: i64,
    log_index: i64,
    #[serde(rename = "logID")]
    log_id: String,
}

#[derive(Deserialize)]
struct Timestamp {
    #[serde(rename = "SignedRFC3161Timestamp")]
    token: String,
}

/// Turns a layer's annotations and its signature into a bundle.
pub(crate) fn bundle(annotations: &Annotations, signature: &[u8]) -> Result<Bundle, String> {
    if annotations.values().any(|value| value.len() > LARGEST) {
        return Err(format!("one of its annotations has more than {LARGEST} bytes"));
    }
    let logged = annotations.get(LOG).map(|text| entry(text)).transpose()?;
    let timestamp = annotations.get(TIMESTAMP).map(|text| timestamp(text)).transpose()?;
    let mut material = signer(annotations)?;
    material["tlogEntries"] = logged.into_iter().collect();
    let timestamps: Vec<Value> = timestamp.into_iter().collect();
    material["timestampVerificationData"] = json!({ "rfc3161Timestamps": timestamps });
    let bundle = json!({
        "mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1",
        "messageSignature": { "signature": STANDARD.encode(signature) },
        "verificationMaterial": material,
    });
    serde_json::from_value(bundle)
        .map_err(|error| format!("its annotations cannot be used: {}", shown(&error.to_string())))
}

/// The certificates, or nothing but the hint that a key is meant.
fn signer(annotations: &Annotations) -> Result<Value, String> {
    let Some(certificate) = annotations.get(CERTIFICATE) else {
        return Ok(json!({ "publicKey": { "hint": "" } }));
    };
    let chain = annotations.get(CHAIN).map_or("", String::as_str);
    let certificates = pem::parse_many(format!("{certificate}\n{chain}"))
        .map_err(|_| "its certificates are not PEM".to_owned())?;
    if certificates.is_empty() || certificates.len() > LONGEST_CHAIN {
        return Err(format!(
            "it has {} certificates, not 1 to {LONGEST_CHAIN}",
            certificates.len()
        ));
    }
    let raw = |pem: &pem::Pem| json!({ "rawBytes": STANDARD.encode(pem.contents()) });
    let certificates: Vec<Value> = certificates.iter().map(raw).collect();
    Ok(json!({ "x509CertificateChain": { "certificates": certificates } }))
}

/// The log's promise to have taken the signature in.
fn entry(text: &str) -> Result<Value, String> {
    let unusable = |what: &str| format!("its log entry cannot be used: {what}");
    let logged: Logged =
        serde_json::from_str(text).map_err(|error| unusable(&shown(&error.to_string())))?;
    let entry = logged.payload;
    let id =
        bytes_of_hex(&entry.log_id).ok_or_else(|| unusable("the log's name is not hexadecimal"))?;
    let body = STANDARD.decode(&entry.body).map_err(|_| unusable("its body is not base64"))?;
    let body: Value =
        serde_json::from_slice(&body).map_err(|_| unusable("its body is not JSON"))?;
    Ok(json!({
        "logIndex": entry.log_index.to_string(),
        "logId": { "keyId": STANDARD.encode(id) },
        "kindVersion": { "kind": body["kind"], "version": body["apiVersion"] },
        "integratedTime": entry.integrated_time.to_string(),
        "inclusionPromise": { "signedEntryTimestamp": logged.signed_entry_timestamp },
        "canonicalizedBody": entry.body,
    }))
}

fn timestamp(text: &str) -> Result<Value, String> {
    let timestamp: Timestamp = serde_json::from_str(text)
        .map_err(|error| format!("its timestamp cannot be used: {}", shown(&error.to_string())))?;
    Ok(json!({ "signedTimestamp": timestamp.token }))
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit))
        .then(|| digits.chunks_exact(2).map(pair).collect::<Option<Vec<u8>>>())
        .flatten()
}
