//! What is sent: an object as JSON, bound to the one object and version that is meant.

use kelson_yaml::{EmitError, Node, json};

/// Which object, in which version, a request is about. The server refuses it (409) for any other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pin<'a> {
    /// None: it must not exist.
    Absent,
    /// This one.
    At {
        /// Its uid.
        uid: &'a str,
        /// Its version.
        resource_version: &'a str,
    },
}

/// A version that no object has: the store counts from 1, and its first revision is never an object's.
pub(crate) const NEVER: &str = "1";

/// Writes an object as JSON with its pin. The object is not copied: what is pinned goes into the text.
pub(crate) fn pinned(body: &Node, pin: Pin<'_>) -> Result<String, EmitError> {
    let mut text = String::new();
    json::write(body, &mut text)?;
    if let Some(place) = metadata(&text) {
        text.insert_str(place, &pin.fields());
    }
    Ok(text)
}

impl Pin<'_> {
    fn fields(self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Absent => format!("\"resourceVersion\":\"{NEVER}\","),
            Self::At { uid, resource_version } => {
                format!("\"uid\":{},\"resourceVersion\":{},", quoted(uid), quoted(resource_version))
            }
        }
    }
}

/// Where the first field of `metadata` stands in the JSON of an object, which has a name there.
fn metadata(text: &str) -> Option<usize> {
    const KEY: &[u8] = b"\"metadata\":{";
    let bytes = text.as_bytes();
    let (mut depth, mut position) = (0_usize, 0);
    while position < bytes.len() {
        match bytes[position] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' if depth == 1 && bytes[position..].starts_with(KEY) => {
                return Some(position + KEY.len());
            }
            b'"' => position = end_of_text(bytes, position),
            _ => {}
        }
        position += 1;
    }
    None
}

/// Where the text that begins at a quotation mark ends with another.
fn end_of_text(bytes: &[u8], begin: usize) -> usize {
    let mut position = begin + 1;
    while position < bytes.len() && bytes[position] != b'"' {
        position += 1 + usize::from(bytes[position] == b'\\');
    }
    position
}

#[cfg(test)]
mod tests {
    use kelson_yaml::Span;

    use super::*;

    #[track_caller]
    fn check(body: &str, pin: Pin<'_>, expected: &str) {
        let node = json::read(body, Span::NONE).unwrap();
        assert_eq!(pinned(&node, pin).unwrap(), expected);
    }

    #[test]
    fn what_must_not_exist_has_a_version_that_nothing_has() {
        check(
            r#"{"kind":"A","metadata":{"name":"a"}}"#,
            Pin::Absent,
            r#"{"kind":"A","metadata":{"resourceVersion":"1","name":"a"}}"#,
        );
    }

    #[test]
    fn what_is_changed_is_named_by_uid_and_version() {
        check(
            r#"{"metadata":{"name":"a"}}"#,
            Pin::At { uid: "u\"", resource_version: "7" },
            r#"{"metadata":{"uid":"u\"","resourceVersion":"7","name":"a"}}"#,
        );
    }

    #[test]
    fn only_the_metadata_of_the_object_itself_is_meant() {
        check(
            r#"{"a":{"metadata":{"x":1}},"b":"\\\"metadata\":{","c":[{"metadata":{"y":2}}],"metadata":{"name":"a"}}"#,
            Pin::Absent,
            r#"{"a":{"metadata":{"x":1}},"b":"\\\"metadata\":{","c":[{"metadata":{"y":2}}],"metadata":{"resourceVersion":"1","name":"a"}}"#,
        );
    }
}
