//! Nothing of a Secret is said: servers quote values in what they say about them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_plan::Refusal;
use kelson_yaml::{Node, Span};

use super::Request;

/// What stands where a value was.
const MASK: &str = "***";
/// Shorter values are found in any text; where they are quoted they are cut all the same.
const SHORTEST: usize = 3;

/// Cuts out of a refusal what may be a value of the Secret that the request is about.
pub(super) fn redact(mut refusal: Refusal, request: &Request) -> Refusal {
    if !is_about_secrets(&request.path) || is_harmless(&refusal) {
        return refusal;
    }
    let values = values(&request.body);
    let name = request.path.rsplit('/').next().unwrap_or_default();
    let cut = |text: &str| unquoted(&without(text, &values), name);
    refusal.message = cut(&refusal.message);
    for cause in &mut refusal.causes {
        cause.message = cut(&cause.message);
    }
    refusal
}

/// Whether an address is that of Secrets of the core.
fn is_about_secrets(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/api/v1/") else { return false };
    let mut parts = rest.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("namespaces"), _, resource) => resource == Some("secrets"),
        (resource, ..) => resource == Some("secrets"),
    }
}

/// Whether the server itself speaks, of managers and fields, of users and rights, of what is not there. What a webhook
/// says is its own.
fn is_harmless(refusal: &Refusal) -> bool {
    let is_conflict = !refusal.causes.is_empty()
        && refusal.causes.iter().all(|cause| cause.reason == "FieldManagerConflict");
    let is_about_us = matches!(refusal.code, 401 | 403 | 404 | 409 | 429);
    is_conflict || is_about_us && !refusal.message.contains("webhook")
}

/// The values that were sent, as they were sent and as they are.
fn values(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let Ok(node) = kelson_yaml::json::read(&text, Span::NONE) else { return Vec::new() };
    let below = |key: &str| {
        let entries = node.get(key).and_then(Node::as_mapping).map(|map| map.entries.as_slice());
        entries.unwrap_or_default().iter().filter_map(|entry| entry.value.text())
    };
    let decoded = below("data").filter_map(|text| STANDARD.decode(text).ok());
    let decoded = decoded.filter_map(|bytes| String::from_utf8(bytes).ok());
    let sent = below("data").chain(below("stringData")).map(str::to_owned);
    let mut values: Vec<_> = sent.chain(decoded).filter(|text| text.len() >= SHORTEST).collect();
    // The longest first, so that none is left with the end of another.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values
}

fn without(text: &str, values: &[String]) -> String {
    values.iter().fold(text.to_owned(), |text, value| text.replace(value.as_str(), MASK))
}

/// Cuts what stands in quotes, unless it is the name of the object, and what Go prints of a value in braces.
fn unquoted(text: &str, name: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '`', '{']) {
        kept.push_str(&rest[..at]);
        let open = rest.as_bytes()[at];
        let inside = &rest[at + 1..];
        let end = end_of(inside, if open == b'{' { b'}' } else { open });
        let quoted = &inside[..end];
        let close = inside.as_bytes().get(end).copied();
        kept.push(char::from(open));
        kept.push_str(if quoted == name { quoted } else { MASK });
        kept.extend(close.map(char::from));
        rest = &inside[(end + usize::from(close.is_some())).min(inside.len())..];
    }
    kept.push_str(rest);
    kept
}

/// Where a quoted text ends; a quote after a backslash is a part of it.
fn end_of(text: &str, quote: u8) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let is_end = byte == quote && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use kelson_plan::Cause;

    use super::*;

    #[track_caller]
    fn check(code: u16, message: &str, expected: &str) {
        let body = r#"{"data":{"a":"c2VzYW1lIQ=="},"stringData":{"b":"open","c":"no"}}"#;
        let request = Request::apply("/api/v1/namespaces/n/secrets/mine", body);
        let refusal = Refusal { code, message: message.to_owned(), ..Refusal::default() };
        assert_eq!(redact(refusal, &request).message, expected);
    }

    #[test]
    fn values_are_cut_wherever_they_stand() {
        check(422, r#"Secret "mine" is invalid"#, r#"Secret "mine" is invalid"#);
        check(422, r#"data[a]: Invalid value: "x\"y""#, r#"data[a]: Invalid value: "***""#);
        check(
            500,
            ".stringData.a: expected string, got &value.valueUnstructured{Value:12345}",
            ".stringData.a: expected string, got &value.valueUnstructured{***}",
        );
        check(
            403,
            r#"admission webhook "w" denied the request: c2VzYW1lIQ== is sesame! as open"#,
            r#"admission webhook "***" denied the request: *** is *** as ***"#,
        );
        check(400, "unfinished `open", "unfinished `***");
        check(400, r#"unfinished "a\"#, r#"unfinished "***"#);
    }

    #[test]
    fn what_the_server_says_of_rights_is_kept() {
        let text = r#"secrets "mine" is forbidden: User "eve" cannot get resource "secrets""#;
        check(403, text, text);
    }

    #[test]
    fn conflicts_and_other_kinds_are_kept() {
        let conflict = Cause {
            reason: "FieldManagerConflict".to_owned(),
            field: ".data.a".to_owned(),
            message: r#"conflict with "kubectl" using v1"#.to_owned(),
        };
        let refusal = Refusal { code: 409, causes: vec![conflict], ..Refusal::default() };
        let request = Request::get("/api/v1/namespaces/n/secrets/mine");
        assert_eq!(redact(refusal.clone(), &request), refusal);
        let refusal = Refusal { code: 422, message: "\"a\"".to_owned(), ..Refusal::default() };
        let request = Request::get("/api/v1/namespaces/secrets/configmaps/mine");
        assert_eq!(redact(refusal.clone(), &request), refusal);
        let request = Request::get("/api/v1/secrets");
        assert_eq!(redact(refusal, &request).message, "\"***\"");
    }
}
