//! The newer form: an in-toto statement about the digest in a signed envelope, in a sigstore bundle.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sigstore_verify::types::{Bundle, SignatureContent};

use super::{Annotations, BUNDLE, PrivateKey, SignatureError, payload};
use crate::Digest;
use crate::error::shown;
use crate::manifest::go_json;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENTS: [&str; 2] =
    ["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"];
/// What cosign says of a statement that is nothing but a signature.
pub(crate) const PREDICATE: &str = "https://sigstore.dev/cosign/sign/v1";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    predicate_type: String,
    #[serde(default)]
    predicate: Value,
}

#[derive(Serialize, Deserialize)]
struct Subject {
    digest: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotations: Option<BTreeMap<String, Value>>,
}

/// Signs a digest and writes the bundle.
pub(crate) fn write(
    digest: &Digest,
    annotations: &Annotations,
    key: &PrivateKey,
) -> Result<Vec<u8>, SignatureError> {
    let value = |(name, text): (&String, &String)| (name.clone(), Value::from(text.as_str()));
    let subject = Subject {
        digest: BTreeMap::from([("sha256".to_owned(), digest.hex())]),
        annotations: (!annotations.is_empty()).then(|| annotations.iter().map(value).collect()),
    };
    let statement = go_json(&Statement {
        kind: STATEMENTS[0].to_owned(),
        subject: vec![subject],
        predicate_type: PREDICATE.to_owned(),
        predicate: json!({}),
    });
    let signature = key.sign(&sigstore_verify::types::pae(PAYLOAD_TYPE, &statement))?;
    Ok(go_json(&json!({
        "dsseEnvelope": {
            "payload": STANDARD.encode(&statement),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{ "sig": STANDARD.encode(signature) }],
        },
        "mediaType": BUNDLE,
        "verificationMaterial": { "publicKey": { "hint": key.public().id() } },
    })))
}

/// What a bundle's signature is over, and what is said beside it.
pub(crate) struct Content {
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    pub(crate) annotations: Annotations,
}

/// Reads a bundle, which must be about the digest; `manifest` is what the digest is of.
pub(crate) fn read(
    json: &[u8],
    digest: &Digest,
    manifest: &[u8],
) -> Result<(Bundle, Content), String> {
    let text = std::str::from_utf8(json).map_err(|_| "it is not a bundle: it is not text")?;
    let bundle = Bundle::from_json(text)
        .map_err(|error| format!("it is not a bundle: {}", shown(&error.to_string())))?;
    let content = match &bundle.content {
        SignatureContent::DsseEnvelope(envelope) => {
            if envelope.payload_type != PAYLOAD_TYPE {
                let kind = shown(&envelope.payload_type);
                return Err(format!("it signs a `{kind}`, not a `{PAYLOAD_TYPE}`"));
            }
            Content {
                annotations: read_statement(envelope.payload.as_bytes(), digest)?,
                message: envelope.pae(),
                signature: envelope.signature.sig.as_bytes().to_vec(),
            }
        }
        SignatureContent::MessageSignature(signed) => {
            let named = signed.message_digest.as_ref();
            if named.is_some_and(|named| named.digest.to_hex() != digest.hex()) {
                return Err("it is a signature of something else".to_owned());
            }
            Content {
                message: manifest.to_vec(),
                signature: signed.signature.as_bytes().to_vec(),
                annotations: Annotations::new(),
            }
        }
        _ => return Err("it is a bundle of an unknown kind".to_owned()),
    };
    Ok((bundle, content))
}

/// Reads a statement, which must be a signature of the digest and not, say, an account of how it was built.
fn read_statement(json: &[u8], digest: &Digest) -> Result<Annotations, String> {
    let statement: Statement = serde_json::from_slice(json)
        .map_err(|error| format!("it signs no in-toto statement: {error}"))?;
    if !STATEMENTS.contains(&statement.kind.as_str()) {
        return Err(format!("it signs a statement of the kind `{}`", shown(&statement.kind)));
    }
    if statement.predicate_type != PREDICATE {
        let kind = shown(&statement.predicate_type);
        return Err(format!("it is an attestation of the type `{kind}`, not a signature"));
    }
    let hex = digest.hex();
    let subject =
        statement.subject.into_iter().find(|subject| subject.digest.get("sha256") == Some(&hex));
    let subject = subject.ok_or("it is a signature of something else")?;
    Ok(payload::texts(subject.annotations.unwrap_or_default()))
}
