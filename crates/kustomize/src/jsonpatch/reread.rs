//! What kustomize cannot read of what it wrote.
//!
//! It writes a patched object as YAML and reads that again. A text of several lines becomes a block whose indentation is that
//! of its first line, and a tab in the place of indentation is refused.

use kelson_yaml::{Data, Dialect, Node, Span, Style, emit, first_document};

use crate::fault::{Fault, Result};
use crate::metadata;
use crate::resource::Resource;

/// Fails where kustomize could not read a patched object again.
pub(crate) fn check(resource: &Resource) -> Result<()> {
    let Some(span) = tab(&resource.node) else { return Ok(()) };
    let mut sorted = metadata::with_books(resource);
    sort(&mut sorted);
    let mut text = String::new();
    emit::canonical(&sorted, &mut text)
        .map_err(|error| Fault::new("json-patch", error.message).at(error.span, ""))?;
    first_document(&text, Span::NONE, Dialect::V3).map(drop).map_err(|error| {
        Fault::new("json-patch", error.upstream())
            .at(span, "this text begins with a tab")
            .help("an object with such a text cannot be patched by operations: begin the text with something else, or use a strategic merge patch")
    })
}

/// Orders all fields and writes them in lines of their own as kustomize does on the way, so that the line in its message is
/// the same.
fn sort(node: &mut Node) {
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => {
            sequence.flow = false;
            sequence.items.iter_mut().for_each(sort);
        }
        Data::Mapping(mapping) => {
            mapping.flow = false;
            mapping.entries.sort_by(|one, other| one.key.text().cmp(&other.key.text()));
            mapping.entries.iter_mut().for_each(|entry| sort(&mut entry.value));
        }
    }
}

/// The place of a block whose first character is a tab.
fn tab(node: &Node) -> Option<Span> {
    match &node.data {
        Data::Scalar(scalar) => {
            let is_block = scalar.style == Style::Literal;
            (is_block && scalar.text.starts_with('\t')).then_some(node.span)
        }
        Data::Sequence(sequence) => sequence.items.iter().find_map(tab),
        Data::Mapping(mapping) => mapping.iter().find_map(|entry| tab(&entry.value)),
    }
}
