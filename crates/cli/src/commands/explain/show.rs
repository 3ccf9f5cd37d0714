//! How it is told: a block for one field, a table for several, JSON for machines.

use kelson_kustomize::{Build, Object};
use kelson_yaml::{Data, Node, Span};

use super::find;
use crate::{json, path};

/// A value is cut in the table after this many letters.
const WIDEST: usize = 48;

/// A field of an object: its name and its value.
pub(super) type Leaf<'a> = (String, &'a Node);

/// The fields as JSON.
pub(super) fn json(leaves: &[Leaf<'_>], object: &Object, build: &Build) -> anyhow::Result<String> {
    let one = |(name, node): &Leaf<'_>| {
        let touched = build.touched(node).map(|(step, place)| {
            json::object([
                ("transformer", Some(Node::string(&*step.name))),
                ("place", json::place(place, &build.sources)),
            ])
        });
        json::object([
            ("field", Some(Node::string(&**name))),
            ("value", Some(masked(name, node, object))),
            ("from", json::place(node.span, &build.sources)),
            ("touchedBy", touched),
        ])
    };
    json::text(&Node::sequence(leaves.iter().map(one).collect()))
}

/// The fields as text.
pub(super) fn text(leaves: &[Leaf<'_>], object: &Object, build: &Build) -> String {
    match leaves {
        [(name, node)] => block(name, node, object, build),
        _ => table(leaves, object, build),
    }
}

/// One field, with the line that gave it.
fn block(name: &str, node: &Node, object: &Object, build: &Build) -> String {
    let mut text = format!("{}\n\n{name}: {}\n", find::describe(object), value(name, node, object));
    match build.sources.place(node.span) {
        Some(place) => {
            let (file, line, column) = (path::shown(place.name), place.line, place.column);
            text.push_str(&format!("  from        {file}:{line}:{column}\n"));
            if !is_secret(name, object) && !place.text.trim().is_empty() {
                text.push_str(&format!("              {}\n", place.text.trim()));
            }
        }
        None => text.push_str("  from        the build itself\n"),
    }
    if let Some((step, place)) = build.touched(node) {
        text.push_str(&format!("  touched by  {}\n", step.name));
        if let Some(place) = shown(place, build) {
            text.push_str(&format!("              {place}\n"));
        }
    }
    text
}

/// Several fields, one a line.
fn table(leaves: &[Leaf<'_>], object: &Object, build: &Build) -> String {
    let head = ["FIELD", "VALUE", "FROM", "TOUCHED BY"].map(str::to_owned);
    let row = |(name, node): &Leaf<'_>| {
        let from = shown(node.span, build).unwrap_or_else(|| "the build itself".to_owned());
        let touched = build.touched(node).map(|(step, place)| {
            let place = shown(place, build).map(|place| format!(" {place}"));
            format!("{}{}", step.name, place.unwrap_or_default())
        });
        let value = cut(value(name, node, object));
        [name.clone(), value, from, touched.unwrap_or_default()]
    };
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(leaves.iter().map(row)).collect();
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let mut text = format!("{}\n\n", find::describe(object));
    for [name, value, from, touched] in &rows {
        let line =
            format!("{name:0$}  {value:1$}  {from:2$}  {touched}", widths[0], widths[1], widths[2]);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A place as `file:line`.
fn shown(span: Span, build: &Build) -> Option<String> {
    let place = build.sources.place(span)?;
    Some(format!("{}:{}", path::shown(place.name), place.line))
}

fn cut(text: String) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// Whether a field holds what nobody should read over a shoulder.
fn is_secret(name: &str, object: &Object) -> bool {
    let starts = ["data.", "stringData.", "data[", "stringData["];
    object.kind() == "Secret" && starts.iter().any(|start| name.starts_with(start))
}

/// The value itself, but nothing of a Secret.
fn masked(name: &str, node: &Node, object: &Object) -> Node {
    if is_secret(name, object) { Node::string("***") } else { node.clone() }
}

/// The value on one line, and nothing of a Secret.
fn value(name: &str, node: &Node, object: &Object) -> String {
    if is_secret(name, object) {
        return "***".to_owned();
    }
    let text = match &node.data {
        Data::Scalar(_) if node.is_null() => "null",
        Data::Scalar(scalar) if scalar.text.is_empty() => "\"\"",
        Data::Scalar(scalar) => scalar.text.as_str(),
        Data::Sequence(_) => "[]",
        Data::Mapping(_) => "{}",
    };
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}
