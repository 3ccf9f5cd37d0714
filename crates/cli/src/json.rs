//! The machine's form of output.

use anyhow::anyhow;
use kelson_model::{Diagnostic, Severity, Sources};
use kelson_yaml::{Entry, Node, Span, Style, Tag};

use crate::path;

/// An object from its fields, those without a value left out.
pub(crate) fn object<const N: usize>(fields: [(&str, Option<Node>); N]) -> Node {
    let entries = fields.into_iter().filter_map(|(key, value)| {
        let value = value?;
        Some(Entry { key: Node::string(key), value })
    });
    Node::mapping(entries.collect())
}

/// A text.
pub(crate) fn string(text: &impl ToString) -> Node {
    Node::string(text.to_string())
}

/// A number.
pub(crate) fn number(number: usize) -> Node {
    Node::scalar(number.to_string(), Tag::Int, Style::Plain)
}

/// A truth value.
pub(crate) fn boolean(value: bool) -> Node {
    Node::scalar(if value { "true" } else { "false" }, Tag::Bool, Style::Plain)
}

/// Diagnostics with their places.
pub(crate) fn diagnostics(list: &[Diagnostic], sources: &Sources) -> Node {
    let one = |diagnostic: &Diagnostic| {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let places = diagnostic.labels.iter().filter_map(|label| place(label.span, sources));
        object([
            ("severity", Some(Node::string(severity))),
            ("code", Some(Node::string(diagnostic.code))),
            ("message", Some(Node::string(&*diagnostic.message))),
            ("upstream", diagnostic.upstream.as_deref().map(Node::string)),
            ("help", diagnostic.help.as_deref().map(Node::string)),
            ("places", Some(Node::sequence(places.collect()))),
        ])
    };
    Node::sequence(list.iter().map(one).collect())
}

/// A place as file, line and column.
pub(crate) fn place(span: Span, sources: &Sources) -> Option<Node> {
    let place = sources.place(span)?;
    Some(object([
        ("file", Some(Node::string(path::shown(place.name)))),
        ("line", Some(number(place.line))),
        ("column", Some(number(place.column))),
    ]))
}

/// The text of a value, with a newline at its end.
pub(crate) fn text(node: &Node) -> anyhow::Result<String> {
    let mut text = String::new();
    kelson_yaml::json::write(node, &mut text).map_err(|error| anyhow!("{}", error.message))?;
    text.push('\n');
    Ok(text)
}
