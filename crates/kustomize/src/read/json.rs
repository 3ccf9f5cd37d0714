//! Values as they come back from a passage through JSON: exact numbers, quoted text, sorted keys.

use kelson_yaml::{Data, Node, Span, Style, Tag, json};

use crate::fault::{Fault, Result};
use crate::write::for_each;

/// The tree as JSON would bring it back, with the places it had.
pub(crate) fn through(node: &Node) -> Result<Node> {
    let mut text = String::new();
    json::write(&unstyled(node), &mut text)
        .map_err(|error| Fault::new("not-json", error.message).at(error.span, ""))?;
    let mut copy = json::read(&text, Span::NONE)
        .map_err(|error| Fault::new("not-json", error.message).at(node.span, ""))?;
    place(&mut copy, node);
    for_each(&mut copy, &mut |node| match &mut node.data {
        Data::Mapping(mapping) => mapping.flow = true,
        Data::Sequence(sequence) => sequence.flow = true,
        Data::Scalar(_) => {}
    });
    Ok(copy)
}

/// The tree in a style from which its values are read as they are, since nothing writes it on this way.
fn unstyled(node: &Node) -> Node {
    let mut copy = node.clone();
    for_each(&mut copy, &mut |node| match &mut node.data {
        Data::Mapping(mapping) => mapping.flow = false,
        Data::Sequence(sequence) => sequence.flow = false,
        Data::Scalar(scalar) => {
            let is_text = scalar.tag == Tag::Str && scalar.style != Style::Plain;
            if is_text && scalar.text.contains('\n') {
                scalar.style = Style::DoubleQuoted;
            }
        }
    });
    copy
}

/// Gives a copy the places of what it was made from.
pub(crate) fn place(copy: &mut Node, from: &Node) {
    copy.span = from.span;
    copy.touch = from.touch;
    if let Some(scalar) = copy.as_scalar_mut()
        && matches!(scalar.tag, Tag::Int | Tag::Float)
    {
        // What is too large for a whole number is a float from here on.
        scalar.tag = kelson_yaml::resolve(&scalar.text, kelson_yaml::Dialect::V3);
        scalar.style = kelson_yaml::Style::Plain;
    }
    match (&mut copy.data, &from.data) {
        (Data::Scalar(scalar), Data::Scalar(source)) if source.style == Style::Place => {
            scalar.style = Style::Place;
        }
        (Data::Sequence(items), Data::Sequence(sources)) => {
            for (item, source) in items.items.iter_mut().zip(&sources.items) {
                place(item, source);
            }
        }
        (Data::Mapping(entries), Data::Mapping(sources)) => {
            for entry in &mut entries.entries {
                let key = entry.key.text().unwrap_or_default();
                let source = sources.entries.iter().find(|source| source.key.text() == Some(key));
                if let Some(source) = source {
                    entry.key.span = source.key.span;
                    place(&mut entry.value, &source.value);
                }
            }
        }
        _ => {}
    }
}

/// What Go calls the type of a decoded value.
pub(crate) fn go_type(node: &Node) -> &'static str {
    match &node.data {
        Data::Mapping(_) => "map[string]interface {}",
        Data::Sequence(_) => "[]interface {}",
        Data::Scalar(scalar) => match scalar.resolved() {
            Tag::Bool => "bool",
            Tag::Int => "int",
            Tag::Float => "float64",
            Tag::Timestamp => "time.Time",
            Tag::Null => "<nil>",
            _ => "string",
        },
    }
}
