//! The answer is no: a `Status`, or whatever a server in between writes.

use kelson_plan::{Cause, Refusal};
use serde_json::Value;

/// The longest text that is kept of a message.
const LONGEST: usize = 8 << 10;
/// How many causes are kept.
const CAUSES: usize = 100;

/// Reads a refusal.
pub(super) fn read(code: u16, text: &str) -> Refusal {
    let status = serde_json::from_str::<Value>(text).ok();
    let mut refusal = match status.filter(|status| status["kind"] == "Status") {
        Some(status) => from_status(code, &status),
        None => from_text(code, text),
    };
    if code == 401 {
        // The server's own text is the one word `Unauthorized`.
        refusal.message =
            "the cluster does not accept our credentials: they are missing, wrong or expired"
                .to_owned();
    }
    refusal
}

/// Whether a server says that the object is wrong, in a way that sounds as if the server were: what it cannot read as the
/// kind that it is to be, such as a number where a text must be, it refuses with 500 and without a reason. So it does with
/// what its store tells it, which passes.
pub(super) fn is_our_mistake(refusal: &Refusal) -> bool {
    let passing = ["etcdserver:", "rpc error:", "context deadline exceeded", "timed out"];
    let is_passing = passing.iter().any(|text| refusal.message.contains(text));
    refusal.code == 500 && refusal.reason.is_empty() && !is_passing
}

fn from_status(code: u16, status: &Value) -> Refusal {
    let causes = status["details"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
    Refusal {
        code,
        reason: text(&status["reason"]),
        message: text(&status["message"]),
        causes: causes.iter().take(CAUSES).map(cause).collect(),
    }
}

fn cause(value: &Value) -> Cause {
    Cause {
        reason: text(&value["reason"]),
        field: text(&value["field"]),
        message: text(&value["message"]),
    }
}

fn from_text(code: u16, text: &str) -> Refusal {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // A page for browsers says nothing to people at a terminal.
    let message = match line.starts_with('<') || line.is_empty() {
        true => "something that is not an API server answered".to_owned(),
        false => cut(line, 300),
    };
    let status = http::StatusCode::from_u16(code).ok();
    let reason = status.and_then(|status| status.canonical_reason()).unwrap_or_default();
    Refusal { code, reason: reason.replace(' ', ""), message, causes: Vec::new() }
}

fn text(value: &Value) -> String {
    cut(value.as_str().unwrap_or_default(), LONGEST)
}

fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    let mut cut = text[..end].to_owned();
    if end < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: u16, text: &str, expected: &str) {
        assert_eq!(read(code, text).to_string(), expected);
    }

    #[test]
    fn a_refusal_says_what_the_server_says() {
        check(409, r#"{"kind":"Status","message":"no","reason":"Conflict"}"#, "no (409 Conflict)");
        check(
            401,
            r#"{"kind":"Status","message":"Unauthorized","reason":"Unauthorized"}"#,
            "the cluster does not accept our credentials: they are missing, wrong or expired (401 Unauthorized)",
        );
        check(502, "\n upstream is away\n", "upstream is away (502 BadGateway)");
        check(
            503,
            "<html>",
            "something that is not an API server answered (503 ServiceUnavailable)",
        );
        check(500, r#"{"kind":"Pod"}"#, r#"{"kind":"Pod"} (500 InternalServerError)"#);
    }

    #[test]
    fn a_server_that_cannot_read_an_object_is_not_at_fault() {
        for (status, expected) in [
            (r#"{"kind":"Status","message":"failed to create typed patch object"}"#, true),
            (r#"{"kind":"Status","message":"failed to convert new object"}"#, true),
            (r#"{"kind":"Status","message":"etcdserver: leader changed"}"#, false),
            (r#"{"kind":"Status","message":"webhook","reason":"InternalError"}"#, false),
            ("<html>", false),
        ] {
            assert_eq!(is_our_mistake(&read(500, status)), expected, "{status}");
        }
    }

    #[test]
    fn causes_are_kept_but_not_without_end() {
        let cause = r#"{"reason":"FieldManagerConflict","field":".spec.replicas","message":"m"}"#;
        let causes = vec![cause; 1000].join(",");
        let status = format!(r#"{{"kind":"Status","details":{{"causes":[{causes}]}}}}"#);
        let refusal = read(409, &status);
        assert_eq!(refusal.causes.len(), 100);
        assert_eq!(refusal.causes[0].field, ".spec.replicas");
        let long = format!(r#"{{"kind":"Status","message":"{}"}}"#, "ä".repeat(100_000));
        assert!(read(500, &long).message.len() < 9000);
    }
}
