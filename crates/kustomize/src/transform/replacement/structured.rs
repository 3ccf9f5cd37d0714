//! Values inside a text that is YAML or JSON itself.

use kelson_yaml::{Data, Node, emit, json};

use super::comments;
use super::retyped::{Before, Retyped};
use crate::decode::Str;
use crate::path::{Kind, Select, inside, lookup, lookup_mut};
use crate::write::Writer;

/// What is needed to edit inside a text.
pub(super) struct Tools {
    /// What is made where something is missing.
    pub(super) make: Option<Kind>,
    /// Whether values in `[field=value]` must match whole.
    pub(super) whole_values: bool,
}

impl Tools {
    /// Puts the value at a path that goes on below a text. Whatever does not work out is nothing done: then
    /// the path is tried as an ordinary one, and that has the error. Else the fields of another type come back.
    pub(super) fn put(
        &self,
        object: &mut Node,
        (path, name): (&[String], &Str),
        value: &Node,
        writer: &mut Writer,
    ) -> Option<Vec<Retyped>> {
        let above = text_on_the_way(object, path)?;
        let field = lookup_mut(object, &path[..above])?;
        let original = field.text()?.to_owned();
        let mut document = inside(field).ok()??;
        let before = styled(&document)?;
        let select = Select::new(&path[above..], self.make, self.whole_values);
        let mut retyped = Vec::new();
        let mut found = |node: &mut Node, _: &[usize]| {
            let before = Before::new(node, value);
            put(node, value);
            retyped.extend(before.compare(node, value, name));
        };
        let count = select.each(&mut document, &mut found).ok()?;
        if count == 0 {
            return None;
        }
        let text = written(&document, &original, &before)?;
        field.as_scalar_mut()?.text = text.into();
        // Inside a text no place is known but that of the text.
        let place = field.span;
        retyped.iter_mut().for_each(|it| it.place = it.place.map(|_| place));
        writer.wrote(field, Some(value.span));
        Some(retyped)
    }
}

/// How many elements of the path lead to a text that can be read, if any do and more follow.
fn text_on_the_way(object: &Node, path: &[String]) -> Option<usize> {
    (1..path.len()).find(|above| {
        let found = lookup(object, &path[..*above]).ok().flatten();
        found.is_some_and(|node| node.as_scalar().is_some() && inside(node).is_ok())
    })
}

fn put(node: &mut Node, value: &Node) {
    match &mut node.data {
        Data::Scalar(scalar) => scalar.text = value.text().unwrap_or_default().into(),
        _ => node.clone_from(value),
    }
}

fn styled(document: &Node) -> Option<String> {
    let mut text = String::new();
    emit::styled(document, &mut text).ok()?;
    Some(text)
}

/// Writes the document in the form the text had. `before` is what would have been written before the change.
fn written(document: &Node, original: &str, before: &str) -> Option<String> {
    if !original.trim_start().starts_with(['{', '[']) {
        let text = styled(document)?;
        let text = comments::keep(original, before, &text).unwrap_or(text);
        return Some(text.trim().to_owned());
    }
    let mut text = String::new();
    json::write(document, &mut text).ok()?;
    let is_indented = original.contains('\n') && original.contains("  ");
    Some(if is_indented { indented(&text) } else { text })
}

/// Breaks compact JSON into lines, as Go does with two spaces.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut is_text = false;
    let mut is_escaped = false;
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_text {
            is_text = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            out.push(letter);
            continue;
        }
        match letter {
            '{' | '[' if letters.peek().is_some_and(|next| matches!(next, '}' | ']')) => {
                out.push(letter);
                out.extend(letters.next());
            }
            '{' | '[' => {
                depth += 1;
                out.push(letter);
                new_line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            letter => {
                is_text = letter == '"';
                out.push(letter);
            }
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}
