//! Upstream's own way from a tree to its output: text, tree, JSON, tree, text.
//!
//! It is slow, and it is right where the shortcut cannot tell: for texts that do not survive the way, and
//! for every error, whose words and line numbers come from the stage that trips.

mod check; // what go-yaml v3 refuses when it decodes
mod print; // the decoded values as JSON

use super::canonical::write_json;
use super::passage::Unclear;
use super::{error, styled};
use crate::read::first_as_written;
use crate::{Dialect, EmitError, Node, ParseError, Span, Tag, first_document};

/// Writes a document as upstream does, stage by stage.
pub(super) fn canonical(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let mut text = String::new();
    json(node, &mut text)?;
    let read = first_document(&text, Span::NONE, Dialect::V2).map_err(|e| yaml(&e, node))?;
    let read = read.unwrap_or_else(Node::null);
    let unclear = |Unclear| error("json: unsupported value", node.span);
    write_json(&read, out).map_err(unclear)
}

/// Writes the JSON of a tree as upstream does: the tree as text, read again, and that as JSON.
pub(super) fn json(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let mut text = String::new();
    styled::write(node, &mut text);
    let read = first_as_written(&text).map_err(|e| yaml(&e, node))?;
    let mut read = read.unwrap_or_else(|| Node::mapping(Vec::new()));
    check::document(&mut read, &text, node.span)?;
    print::document(&read, node.span, out)
}

fn yaml(parse: &ParseError, node: &Node) -> EmitError {
    error(format!("yaml: {}", parse.message), node.span)
}

fn is_merge(key: &Node) -> bool {
    key.as_scalar().is_some_and(|scalar| scalar.tag == Tag::Merge && scalar.text == "<<")
}
