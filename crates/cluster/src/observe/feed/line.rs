//! What a watch says in one line.

use kelson_model::Object;
use kelson_plan::Kind;
use kelson_yaml::{Node, Span, json};

/// What was said.
#[derive(Debug)]
pub(super) enum Said {
    /// An object is there, as of a version.
    Seen(Object, String),
    /// An object is gone, as of a version.
    Gone(Object, String),
    /// All that happened up to this version was told.
    Version(String),
    /// The version from which we watch is forgotten.
    Expired,
    /// The server cannot go on.
    Trouble,
}

/// Reads a line; nothing where it cannot be read.
pub(super) fn read(line: &str, kind: &Kind) -> Option<Said> {
    let mut node = json::read(line, Span::NONE).ok()?;
    let fields = node.as_mapping_mut()?;
    let object = fields.remove("object")?.value;
    let version = object.lookup(&["metadata", "resourceVersion"]).and_then(Node::as_str);
    let version = version.filter(|version| !version.is_empty()).map(str::to_owned);
    match node.get("type")?.as_str()? {
        "BOOKMARK" => Some(Said::Version(version?)),
        "ERROR" => {
            let code = object.get("code").and_then(Node::text);
            Some(if code == Some("410") { Said::Expired } else { Said::Trouble })
        }
        "DELETED" => Some(Said::Gone(crate::list::named(object, kind)?, version?)),
        "ADDED" | "MODIFIED" => Some(Said::Seen(crate::list::named(object, kind)?, version?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let kind = Kind {
            group: "apps".to_owned(),
            version: "v1".to_owned(),
            kind: "Deployment".to_owned(),
            plural: "deployments".to_owned(),
            namespaced: true,
            to_come: false,
        };
        let actual = match read(line, &kind) {
            None => "unreadable".to_owned(),
            Some(Said::Seen(object, version)) => format!("seen {} {version}", object.id),
            Some(Said::Gone(object, version)) => format!("gone {} {version}", object.id),
            Some(other) => format!("{other:?}"),
        };
        assert_eq!(actual, expected, "{line}");
    }

    #[test]
    fn a_line_says_what_happened() {
        let object = r#"{"kind":"PartialObjectMetadata","metadata":{"name":"a","namespace":"b","resourceVersion":"7"}}"#;
        let line = |word: &str| format!(r#"{{"type":"{word}","object":{object}}}"#);
        check(&line("ADDED"), "seen Deployment/b/a 7");
        check(&line("MODIFIED"), "seen Deployment/b/a 7");
        check(&line("DELETED"), "gone Deployment/b/a 7");
        check(&line("BOOKMARK"), r#"Version("7")"#);
        check(&line("ODD"), "unreadable");
        check(r#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#, "Expired");
        check(r#"{"type":"ERROR","object":{"kind":"Status","code":500}}"#, "Trouble");
    }

    #[test]
    fn what_is_no_line_of_a_watch_is_not_read() {
        for line in [
            "",
            "x",
            "[]",
            "{}",
            r#"{"type":"ADDED"}"#,
            r#"{"type":"ADDED","object":7}"#,
            r#"{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}"#,
            r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#,
            r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":""}}}"#,
            r#"{"type":"ADDED","object":{"meta"#,
        ] {
            check(line, "unreadable");
        }
    }
}
