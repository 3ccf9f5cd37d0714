//! Content, in short: SHA-256 over a canonical form.

use std::fmt::{self, Write};

use kelson_yaml::{Data, Mapping, Node, Scalar, Tag, number};
use sha2::{Digest, Sha256};

/// A hash of some content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash(String);

impl Hash {
    /// Of a value: compact JSON with sorted keys, however it was written.
    pub fn of(node: &Node) -> Self {
        let mut hasher = Hasher::new();
        hasher.node(node);
        hasher.finish()
    }

    /// Of a live object's content: without status, managed fields, resource version and generation, and without the
    /// annotations in which the control plane keeps its own books.
    pub fn of_content(node: &Node) -> Self {
        let mut hasher = Hasher::new();
        let metadata = |metadata: &Node, out: &mut Hasher| match metadata.as_mapping() {
            Some(mapping) => content_of_metadata(mapping, out),
            None => canonical(metadata, out),
        };
        let written = match node.as_mapping() {
            Some(mapping) => pairs_with(
                mapping,
                &mut hasher,
                |key| key != "status",
                |key, value, out| {
                    if key == "metadata" { metadata(value, out) } else { canonical(value, out) }
                },
            ),
            None => canonical(node, &mut hasher),
        };
        debug_assert!(written.is_ok(), "a hasher takes everything");
        hasher.finish()
    }

    /// Of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.0.update(bytes);
        hasher.finish()
    }

    /// Takes back what was stored; nothing where that is no hash.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A hash in the making, fed piece by piece.
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn node(&mut self, node: &Node) {
        canonical(node, self).ok();
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.0.update(text);
    }

    pub(crate) fn finish(self) -> Hash {
        Hash(hexadecimal(&self.0.finalize()))
    }
}

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Writes a value as compact JSON with sorted keys. Two values that mean the same are written the same.
pub(crate) fn canonical(node: &Node, out: &mut impl Write) -> fmt::Result {
    match &node.data {
        Data::Scalar(inner) => scalar(inner, out),
        Data::Sequence(sequence) => {
            out.write_char('[')?;
            for (index, item) in sequence.items.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                canonical(item, out)?;
            }
            out.write_char(']')
        }
        Data::Mapping(mapping) => pairs(mapping, out, |_| true, canonical),
    }
}

/// Annotations that controllers of the control plane write soon after an object, and again and again: as little a change of
/// it as its status.
const BOOKS: [&str; 3] = [
    "control-plane.alpha.kubernetes.io/leader",
    "deployment.kubernetes.io/revision",
    "endpoints.kubernetes.io/last-change-trigger-time",
];

fn content_of_metadata(metadata: &Mapping, out: &mut Hasher) -> fmt::Result {
    const VOLATILE: [&str; 3] = ["managedFields", "resourceVersion", "generation"];
    let is_book = |key: &str| BOOKS.contains(&key);
    let annotations = metadata.get("annotations").and_then(Node::as_mapping);
    // Where there are no others, it is as if there were none at all.
    let is_bare = annotations.is_some_and(|annotations| {
        annotations.iter().all(|entry| entry.key.text().is_some_and(is_book))
    });
    let is_left_out = |key: &str| VOLATILE.contains(&key) || is_bare && key == "annotations";
    pairs_with(
        metadata,
        out,
        |key| !is_left_out(key),
        |key, value, out| match value.as_mapping() {
            Some(annotations) if key == "annotations" => {
                pairs(annotations, out, |key| !is_book(key), canonical)
            }
            _ => canonical(value, out),
        },
    )
}

/// Writes those pairs of a mapping whose keys are wanted.
fn pairs<W: Write>(
    mapping: &Mapping,
    out: &mut W,
    wanted: impl Fn(&str) -> bool,
    write: impl Fn(&Node, &mut W) -> fmt::Result,
) -> fmt::Result {
    pairs_with(mapping, out, wanted, |_, value, out| write(value, out))
}

fn pairs_with<W: Write>(
    mapping: &Mapping,
    out: &mut W,
    wanted: impl Fn(&str) -> bool,
    write: impl Fn(&str, &Node, &mut W) -> fmt::Result,
) -> fmt::Result {
    let mut pairs: Vec<(&str, &Node)> = mapping
        .iter()
        .filter_map(|entry| Some((entry.key.text()?, &entry.value)))
        .filter(|(key, _)| wanted(key))
        .collect();
    // Where a key repeats, the first counts, as for everybody who looks one up.
    pairs.sort_by_key(|(key, _)| *key);
    pairs.dedup_by_key(|(key, _)| *key);
    out.write_char('{')?;
    for (index, (key, value)) in pairs.into_iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        string(key, out)?;
        out.write_char(':')?;
        write(key, value, out)?;
    }
    out.write_char('}')
}

fn scalar(scalar: &Scalar, out: &mut impl Write) -> fmt::Result {
    match scalar.resolved() {
        Tag::Null => out.write_str("null"),
        Tag::Bool => {
            out.write_str(if scalar.text.eq_ignore_ascii_case("true") { "true" } else { "false" })
        }
        Tag::Int => match number::parse_int(&scalar.text) {
            Some(int) => write!(out, "{int}"),
            None => float(&scalar.text, out),
        },
        Tag::Float => float(&scalar.text, out),
        _ => string(&scalar.text, out),
    }
}

fn float(text: &str, out: &mut impl Write) -> fmt::Result {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let mut digits = String::new();
            number::format_json(value, &mut digits);
            out.write_str(&digits)
        }
        _ => out.write_str(text),
    }
}

fn string(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|it: char| it == '"' || it == '\\' || it < ' ') {
        out.write_str(&rest[..at])?;
        write!(out, "\\u{:04x}", rest.as_bytes()[at])?;
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    fn node(text: &str) -> Node {
        first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()
    }

    #[track_caller]
    fn check(one: &str, other: &str, same: bool) {
        assert_eq!(Hash::of(&node(one)) == Hash::of(&node(other)), same, "{one} and {other}");
    }

    #[test]
    fn a_hash_is_of_what_is_meant_not_of_how_it_is_written() {
        check("{a: 1, b: [x]}", "b:\n- \"x\"\na: 0x1\n", true);
        check("{a: 1.50}", "{a: 1.5}", true);
        check("{a: ~}", "{a: null}", true);
        check("{a: 1}", "{a: '1'}", false);
        check("{a: [1, 2]}", "{a: [2, 1]}", false);
        check("{a: 'x\"', b: y}", "{a: x, b: '\"y'}", false);
        check("{a: .nan}", "{a: .inf}", false);
    }

    #[test]
    fn status_and_bookkeeping_are_no_content() {
        let bare = "{kind: A, metadata: {name: a, labels: {x: y}}, spec: {a: 1}}";
        let full =
            "{kind: A, metadata: {name: a, labels: {x: y}, generation: 3, resourceVersion: '7',
            managedFields: []}, spec: {a: 1}, status: {ready: true}}";
        assert_eq!(Hash::of_content(&node(bare)), Hash::of_content(&node(full)));
        let other = bare.replace("y}", "z}");
        assert_ne!(Hash::of_content(&node(bare)), Hash::of_content(&node(&other)));
        Hash::of_content(&node("[1]"));
    }

    #[test]
    fn the_books_of_the_control_plane_are_no_content() {
        let hash = |annotations: &str| {
            let text = format!("{{kind: A, metadata: {{name: a{annotations}}}}}");
            Hash::of_content(&node(&text))
        };
        let revision = "deployment.kubernetes.io/revision: '1'";
        assert_eq!(hash(""), hash(&format!(", annotations: {{{revision}}}")));
        assert_eq!(
            hash(", annotations: {x: y}"),
            hash(&format!(", annotations: {{x: y, {revision}}}"))
        );
        assert_ne!(hash(""), hash(", annotations: {x: y}"));
    }

    #[test]
    fn the_hash_is_that_of_the_compact_json() {
        assert_eq!(
            Hash::of(&node("{b: [1, x], a: ~}")),
            Hash::of_bytes(br#"{"a":null,"b":[1,"x"]}"#)
        );
        assert_eq!(Hash::parse(Hash::of_bytes(b"").as_str()), Some(Hash::of_bytes(b"")));
        assert_eq!(Hash::parse("abc"), None);
    }
}
