//! What the older form signs: a small document that names the digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Annotations;
use crate::Digest;
use crate::error::shown;
use crate::manifest::go_json;

const TYPE: &str = "cosign container image signature";

#[derive(Serialize, Deserialize)]
struct Payload {
    critical: Critical,
    optional: Option<BTreeMap<String, Value>>,
}

#[derive(Serialize, Deserialize)]
struct Critical {
    identity: Identity,
    image: Image,
    r#type: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Identity {
    #[serde(default)]
    docker_reference: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Image {
    docker_manifest_digest: String,
}

/// Writes the document, in cosign's bytes. The reference is for people; nothing is decided by it.
pub(crate) fn write(digest: &Digest, reference: &str, annotations: &Annotations) -> Vec<u8> {
    let value = |(name, text): (&String, &String)| (name.clone(), Value::from(text.as_str()));
    go_json(&Payload {
        critical: Critical {
            identity: Identity { docker_reference: reference.to_owned() },
            image: Image { docker_manifest_digest: digest.to_string() },
            r#type: TYPE.to_owned(),
        },
        optional: (!annotations.is_empty()).then(|| annotations.iter().map(value).collect()),
    })
}

/// Reads the document, which must be about the digest.
pub(crate) fn read(bytes: &[u8], digest: &Digest) -> Result<Annotations, String> {
    let payload: Payload = serde_json::from_slice(bytes)
        .map_err(|error| format!("its payload is not one of cosign's: {error}"))?;
    if payload.critical.r#type != TYPE {
        let actual = shown(&payload.critical.r#type);
        return Err(format!("its payload is a `{actual}`, not a `{TYPE}`"));
    }
    let signed = payload.critical.image.docker_manifest_digest;
    if signed != digest.to_string() {
        return Err(format!("it is a signature of `{}`", shown(&signed)));
    }
    Ok(texts(payload.optional.unwrap_or_default()))
}

/// Values as text: text as it is, everything else as JSON.
pub(super) fn texts(values: BTreeMap<String, Value>) -> Annotations {
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    values.into_iter().map(|(name, value)| (name, text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_has_the_bytes_of_cosign() {
        let digest = Digest::of(b"");
        let plain =
            String::from_utf8(write(&digest, "r.example/a&b", &Annotations::new())).unwrap();
        assert_eq!(
            plain,
            format!(
                "{{\"critical\":{{\"identity\":{{\"docker-reference\":\"r.example/a\\u0026b\"}},\"image\":\
                 {{\"docker-manifest-digest\":\"{digest}\"}},\"type\":\"cosign container image signature\"}},\
                 \"optional\":null}}"
            )
        );
        let annotations =
            Annotations::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "1".to_owned())]);
        let said = String::from_utf8(write(&digest, "r", &annotations)).unwrap();
        assert!(said.ends_with(r#""optional":{"a":"1","b":"2"}}"#), "{said}");
        assert_eq!(read(said.as_bytes(), &digest), Ok(annotations));
    }

    #[track_caller]
    fn check(payload: &str, expected: &str) {
        let digest = Digest::of(b"");
        let error =
            read(payload.replace("DIGEST", &digest.to_string()).as_bytes(), &digest).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn a_payload_about_something_else_is_refused() {
        let text = |digest: &str, kind: &str| {
            format!(
                r#"{{"critical":{{"identity":{{}},"image":{{"docker-manifest-digest":"{digest}"}},"type":"{kind}"}},"optional":{{}}}}"#
            )
        };
        check(&text("sha256:00", TYPE), "it is a signature of `sha256:00`");
        check(
            &text("DIGEST", "atomic container signature"),
            "its payload is a `atomic container signature`",
        );
        check(&text("\\u001b[2J", TYPE), "it is a signature of `[2J`");
        check("{}", "its payload is not one of cosign's");
        check("[]", "its payload is not one of cosign's");
        let twice = text("sha256:00", TYPE)
            .replace(r#","type""#, r#","image":{"docker-manifest-digest":"DIGEST"},"type""#);
        check(&twice, "its payload is not one of cosign's: duplicate field `image`");
    }
}
