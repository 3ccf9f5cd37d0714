//! What becomes of text on upstream's way from a kustomization to a transformer.
//!
//! Upstream writes the configuration of each built-in transformer and generator as JSON, reads that as
//! YAML 1.1, writes it and reads it once more. Letters that are line breaks in YAML 1.1 do not survive.

use kelson_yaml::{Dialect, Entry, Node, Span, Style, Tag, Text, emit};

use super::{Reader, Reading};

/// Fields of a kustomization that upstream reads itself.
const READ_DIRECTLY: [&str; 12] = [
    "TypeMeta",
    "bases",
    "buildMetadata",
    "components",
    "configurations",
    "crds",
    "generators",
    "openapi",
    "resources",
    "transformers",
    "validators",
    "vars",
];

/// The text as the transformer or generator gets it.
pub(super) fn configured(text: &Text, reader: &Reader) -> Text {
    let is_passed_on = match reader.reading {
        Reading::Kustomization => {
            reader.path.first().is_some_and(|field| !READ_DIRECTLY.contains(field))
        }
        Reading::Plugin => true,
        Reading::File | Reading::StrictFile => false,
    };
    if !is_passed_on || text.is_ascii() || !text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return text.clone();
    }
    passed_on(text).unwrap_or_else(|| text.clone())
}

/// Writes and reads a text as upstream does.
fn passed_on(text: &Text) -> Option<Text> {
    // Quoted, all letters are as safe up to the JSON as they are within Go's values.
    let value = Node::scalar(text.clone(), Tag::Str, Style::DoubleQuoted);
    let config = Node::mapping(vec![Entry { key: Node::string("value"), value }]);
    let mut written = String::new();
    emit::canonical(&config, &mut written).ok()?;
    let read = kelson_yaml::first_document(&written, Span::NONE, Dialect::V2).ok()??;
    Some(read.get("value")?.text()?.into())
}
