//! One place in a tree, or none.

use kelson_yaml::{Data, Entry, Node, Style, Tag};

use super::{is_match, split_match, too_long};
use crate::fault::{Fault, Result};
use crate::growth::DEPTH;
use crate::write::{is_null, wrong_kind};

/// What an element of a path asks for.
enum Part<'a> {
    Field(&'a str),
    Index(usize),
    Last,
    Match(&'a str, &'a str),
}

fn part(text: &str) -> Result<Part<'_>> {
    let refuse = |text: String| Err(Fault::new("bad-field-path", text));
    match text.parse::<i64>() {
        Ok(index) => match usize::try_from(index) {
            Ok(index) => return Ok(Part::Index(index)),
            Err(_) => return refuse(format!("array index {index} cannot be negative")),
        },
        Err(_) if text == "-" => return Ok(Part::Last),
        Err(_) if text == "*" => {
            return refuse("wildcard is not supported in PathGetter".to_owned());
        }
        Err(_) => {}
    }
    if !is_match(text) {
        return Ok(Part::Field(text));
    }
    match split_match(text) {
        Ok((field, value)) => Ok(Part::Match(field, value)),
        Err(error) => refuse(error.to_owned()),
    }
}

/// The elements of a path without those that are blank.
fn cleaned(path: &[String]) -> impl Iterator<Item = &str> {
    path.iter().map(|part| part.trim()).filter(|part| !part.is_empty())
}

/// Follows a path. Nothing is there where a field or an item is missing or null on the way.
pub(crate) fn lookup<'a>(node: &'a Node, path: &[String]) -> Result<Option<&'a Node>> {
    let mut node = node;
    for text in cleaned(path) {
        match step(node, &part(text)?)? {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn step<'a>(node: &'a Node, part: &Part<'_>) -> Result<Option<&'a Node>> {
    if is_null(node) {
        return Ok(None);
    }
    if let Part::Field(name) = part {
        return match &node.data {
            Data::Mapping(mapping) => Ok(mapping.get(name)),
            _ => Err(wrong_kind("MappingNode", node)),
        };
    }
    match &node.data {
        Data::Sequence(sequence) => Ok(index(&sequence.items, part).map(|at| &sequence.items[at])),
        _ => Err(wrong_kind("SequenceNode", node)),
    }
}

/// The positions of fields and items that a path leads through, if it leads somewhere.
pub(crate) fn trail(node: &Node, path: &[String]) -> Option<Vec<usize>> {
    let mut node = node;
    let mut trail = Vec::new();
    for text in cleaned(path) {
        let position = match (part(text).ok()?, &node.data) {
            (Part::Field(name), Data::Mapping(mapping)) => {
                mapping.iter().position(|entry| entry.key.text() == Some(name))?
            }
            (part, Data::Sequence(sequence)) => index(&sequence.items, &part)?,
            _ => return None,
        };
        trail.push(position);
        node = child(node, position)?;
    }
    Some(trail)
}

fn child(node: &Node, position: usize) -> Option<&Node> {
    match &node.data {
        Data::Mapping(mapping) => mapping.entries.get(position).map(|entry| &entry.value),
        Data::Sequence(sequence) => sequence.items.get(position),
        Data::Scalar(_) => None,
    }
}

/// What stands where the positions lead.
pub(crate) fn follow<'a>(node: &'a Node, trail: &[usize]) -> Option<&'a Node> {
    trail.iter().try_fold(node, |node, position| child(node, *position))
}

/// What stands where the positions lead, to be changed.
pub(crate) fn follow_mut<'a>(node: &'a mut Node, trail: &[usize]) -> Option<&'a mut Node> {
    trail.iter().try_fold(node, |node, position| match &mut node.data {
        Data::Mapping(mapping) => mapping.entries.get_mut(*position).map(|entry| &mut entry.value),
        Data::Sequence(sequence) => sequence.items.get_mut(*position),
        Data::Scalar(_) => None,
    })
}

/// Follows a path that leads somewhere, to change what is there.
pub(crate) fn lookup_mut<'a>(node: &'a mut Node, path: &[String]) -> Option<&'a mut Node> {
    cleaned(path).try_fold(node, |node, text| match (part(text).ok()?, &mut node.data) {
        (Part::Field(name), Data::Mapping(mapping)) => mapping.get_mut(name),
        (part, Data::Sequence(sequence)) => {
            let at = index(&sequence.items, &part)?;
            sequence.items.get_mut(at)
        }
        _ => None,
    })
}

fn index(items: &[Node], part: &Part<'_>) -> Option<usize> {
    match part {
        Part::Index(index) => (*index < items.len()).then_some(*index),
        Part::Last | Part::Field(_) => items.len().checked_sub(1),
        Part::Match("", value) => {
            items.iter().position(|item| item.text().unwrap_or_default() == *value)
        }
        Part::Match(field, value) => {
            let is_meant = |found: &Node| found.text().unwrap_or_default() == *value;
            items.iter().position(|item| item.get(field).is_some_and(is_meant))
        }
    }
}

/// Follows a path to a single value and makes what is missing. Items are made only where `[field=value]` says
/// what they are; nothing is made below a null.
pub(crate) fn lookup_or_make<'a>(
    node: &'a mut Node,
    path: &[String],
) -> Result<Option<&'a mut Node>> {
    let parts: Vec<&str> = cleaned(path).collect();
    if parts.len() > DEPTH {
        return Err(too_long());
    }
    let mut node = node;
    for (at, text) in parts.iter().enumerate() {
        if is_null(node) {
            return Ok(None);
        }
        let part = part(text)?;
        let next = match &part {
            Part::Field(name) => Some(field_or_make(node, name, parts.get(at + 1).copied())?),
            _ => item_or_make(node, &part)?,
        };
        match next {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn field_or_make<'a>(node: &'a mut Node, name: &str, next: Option<&str>) -> Result<&'a mut Node> {
    if node.as_mapping().is_none() {
        return Err(wrong_kind("MappingNode", node));
    }
    let Data::Mapping(mapping) = &mut node.data else {
        return Err(Fault::new("bad-field-path", "a mapping is no mapping"));
    };
    let index = mapping.entries.iter().position(|entry| entry.key.text() == Some(name));
    let index = index.unwrap_or_else(|| {
        let key = Node::scalar(name, Tag::Unresolved, Style::Plain);
        mapping.push(key, empty_for(next));
        mapping.entries.len() - 1
    });
    Ok(&mut mapping.entries[index].value)
}

/// What a new field must be so that the next element can be found in it.
fn empty_for(next: Option<&str>) -> Node {
    match next {
        None => Node::scalar("", Tag::Unresolved, Style::Plain),
        Some(next) if is_match(next) || next.parse::<u64>().is_ok() => Node::sequence(Vec::new()),
        Some(_) => Node::mapping(Vec::new()),
    }
}

fn item_or_make<'a>(node: &'a mut Node, part: &Part<'_>) -> Result<Option<&'a mut Node>> {
    if node.as_sequence().is_none() {
        return Err(wrong_kind("SequenceNode", node));
    }
    let Some(items) = node.as_sequence_mut() else { return Ok(None) };
    let at = match (index(items, part), part) {
        (Some(at), _) => at,
        (None, Part::Match(field, value)) => {
            items.push(new_item(field, value));
            items.len() - 1
        }
        (None, _) => return Ok(None),
    };
    Ok(items.get_mut(at))
}

/// The item that `[field=value]` describes.
pub(super) fn new_item(field: &str, value: &str) -> Node {
    let value = Node::scalar(value, Tag::Unresolved, Style::Plain);
    if field.is_empty() {
        return value;
    }
    let key = Node::scalar(field, Tag::Unresolved, Style::Plain);
    Node::mapping(vec![Entry { key, value }])
}
