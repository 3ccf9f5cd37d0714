//! Every place in a tree that a path leads to; values in `[field=value]` are patterns.

use std::borrow::Cow;

use kelson_yaml::{Data, Dialect, Entry, Node, Style, Tag, emit};

use super::lookup::new_item;
use super::{is_match, split_match};
use crate::fault::{Fault, Result};
use crate::goregex::GoRegex;
use crate::write::{is_null, wrong_kind};

/// The shape of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Sequence,
    Mapping,
}

impl Kind {
    /// The shape of a node.
    pub(crate) fn of(node: &Node) -> Self {
        match node.data {
            Data::Scalar(_) => Self::Scalar,
            Data::Sequence(_) => Self::Sequence,
            Data::Mapping(_) => Self::Mapping,
        }
    }

    fn empty(self) -> Node {
        match self {
            Self::Scalar => Node::scalar("", Tag::Unresolved, Style::Plain),
            Self::Sequence => Node::sequence(Vec::new()),
            Self::Mapping => Node::mapping(Vec::new()),
        }
    }
}

/// What is called for each place.
type Found<'a> = dyn FnMut(&mut Node) + 'a;

/// A path, compiled.
#[derive(Debug)]
pub(crate) struct Select {
    parts: Vec<Part>,
    /// What is made at the end where something is missing.
    make: Option<Kind>,
}

#[derive(Debug)]
enum Part {
    Index(usize),
    Every,
    Field(String),
    Match(Match),
    /// In brackets, but not `[field=value]`.
    Wrong(&'static str),
}

#[derive(Debug)]
struct Match {
    field: String,
    value: String,
    /// Compiled when the path is; an error counts only where an item is tested.
    pattern: Result<GoRegex>,
    text: String,
}

impl Match {
    fn new(text: &str, field: &str, value: &str, is_whole: bool) -> Self {
        // A scalar is tested as it is written, so that a whole match must allow for quotes.
        let pattern =
            if is_whole { format!("^['\"]?(?:{value})['\"]?$") } else { value.to_owned() };
        Self {
            field: field.to_owned(),
            value: value.to_owned(),
            pattern: GoRegex::new(&pattern),
            text: text.to_owned(),
        }
    }

    fn is_met_by(&self, node: &Node) -> Result<bool> {
        let pattern = self.pattern.as_ref().map_err(Box::clone)?;
        Ok(pattern.is_match(written(node)?.trim()))
    }
}

impl Select {
    /// Compiles a path. With `whole_values` a value must match whole and not anywhere in the text.
    pub(crate) fn new(path: &[String], make: Option<Kind>, whole_values: bool) -> Self {
        let matching = |text: &str| match split_match(text) {
            Ok((field, value)) => Part::Match(Match::new(text, field, value, whole_values)),
            Err(error) => Part::Wrong(error),
        };
        let part = |text: &String| match text.parse::<i64>().ok().map(usize::try_from) {
            Some(Ok(index)) => Part::Index(index),
            _ if is_match(text) => matching(text),
            _ if text == "*" => Part::Every,
            _ => Part::Field(text.clone()),
        };
        Self { parts: path.iter().map(part).collect(), make }
    }

    /// Calls `found` for every place the path leads to, and returns how many there are.
    pub(crate) fn each(&self, node: &mut Node, found: &mut Found<'_>) -> Result<usize> {
        self.walk(node, 0, found)
    }

    fn walk(&self, node: &mut Node, at: usize, found: &mut Found<'_>) -> Result<usize> {
        // A null has no fields and no items, and what is made below it is made in the air.
        let mut air = match self.parts.get(at) {
            Some(Part::Field(_)) if is_null(node) && self.make.is_none() => return Ok(0),
            Some(Part::Field(_)) => Node::mapping(Vec::new()),
            _ => Node::sequence(Vec::new()),
        };
        let is_in_air = is_null(node) && at < self.parts.len();
        let node = if is_in_air { &mut air } else { node };
        match self.parts.get(at) {
            None => {
                found(node);
                Ok(1)
            }
            Some(Part::Index(index)) => self.index(node, at, *index, found),
            Some(Part::Match(part)) => self.matching(node, at, part, found),
            Some(Part::Every) => {
                let mut count = 0;
                for item in items(node)? {
                    count += self.walk(item, at + 1, found)?;
                }
                Ok(count)
            }
            Some(Part::Field(name)) => self.field(node, at, name, found),
            Some(Part::Wrong(error)) => Err(Fault::new("bad-field-path", *error)),
        }
    }

    fn field(
        &self,
        node: &mut Node,
        at: usize,
        name: &str,
        found: &mut Found<'_>,
    ) -> Result<usize> {
        let expected = if name.is_empty() { "ScalarNode" } else { "MappingNode" };
        if node.as_mapping().is_none() || name.is_empty() {
            return Err(wrong_kind(expected, node));
        }
        if node.get(name).is_none()
            && let (Some(make), Some(mapping)) = (self.make, node.as_mapping_mut())
        {
            let key = Node::scalar(name, Tag::Unresolved, Style::Plain);
            mapping.entries.push(Entry { key, value: self.kind_for(at + 1, make).empty() });
        }
        let Some(field) = node.get_mut(name) else { return Ok(0) };
        if at + 1 == self.parts.len() || field.as_scalar().is_none() {
            return self.walk(field, at + 1, found);
        }
        // What is found inside a text is found in a copy: it counts, but nothing comes of it.
        match inside(field)? {
            Some(mut copy) => self.walk(&mut copy, at + 1, found),
            None => Err(Fault::new(
                "bad-field-path",
                "wrong node kind: expected MappingNode but got : node contents:\nnull\n",
            )),
        }
    }

    fn index(
        &self,
        node: &mut Node,
        at: usize,
        index: usize,
        found: &mut Found<'_>,
    ) -> Result<usize> {
        let items = items(node)?;
        if items.len() == index
            && let Some(make) = self.make
        {
            items.push(self.kind_for(at + 1, make).empty());
        }
        let count = items.len();
        match items.get_mut(index) {
            Some(item) => self.walk(item, at + 1, found),
            None => Err(Fault::new(
                "bad-field-path",
                format!("index {index} specified but only {count} elements found"),
            )),
        }
    }

    fn matching(
        &self,
        node: &mut Node,
        at: usize,
        part: &Match,
        found: &mut Found<'_>,
    ) -> Result<usize> {
        let count = self.each_matching(items(node)?, at, part, found)?;
        if count > 0 || self.make.is_none() {
            return Ok(count);
        }
        let items = items(node)?;
        items.push(new_item(&part.field, &part.value));
        let last = items.len() - 1;
        match self.each_matching(&mut items[last..], at, part, found)? {
            // Upstream makes items for ever if the pattern does not match its own text.
            0 => Err(Fault::new(
                "bad-field-path",
                format!("cannot create an element for {}: it does not match itself", part.text),
            )),
            count => Ok(count),
        }
    }

    fn each_matching(
        &self,
        items: &mut [Node],
        at: usize,
        part: &Match,
        found: &mut Found<'_>,
    ) -> Result<usize> {
        let mut count = 0;
        for item in items {
            if part.field.is_empty() {
                // The rest of the path is not looked at.
                if part.is_met_by(item)? {
                    found(item);
                    count += 1;
                }
                continue;
            }
            let is_met = match item.get(&part.field) {
                Some(value) => part.is_met_by(value)?,
                None => false,
            };
            if is_met {
                count += self.walk(item, at + 1, found)?;
            }
        }
        Ok(count)
    }

    /// What a new node must be for the element `at` to be found in it.
    fn kind_for(&self, at: usize, make: Kind) -> Kind {
        match self.parts.get(at) {
            None => make,
            Some(Part::Match(_) | Part::Index(_) | Part::Wrong(_)) => Kind::Sequence,
            Some(Part::Field(name)) if name.is_empty() => make,
            Some(_) => Kind::Mapping,
        }
    }
}

/// The items of a list.
fn items(node: &mut Node) -> Result<&mut Vec<Node>> {
    if node.as_sequence().is_none() {
        return Err(wrong_kind("SequenceNode", node));
    }
    node.as_sequence_mut().ok_or_else(|| Fault::new("bad-field-path", "a list is no list"))
}

/// What the text of a scalar says, read as YAML or JSON.
pub(crate) fn inside(scalar: &Node) -> Result<Option<Node>> {
    let text = scalar.text().unwrap_or_default();
    kelson_yaml::first_document(text, scalar.span, Dialect::V3).map_err(|error| {
        Fault::new("bad-yaml", format!("yaml: {}", error.message)).at(scalar.span, error.message)
    })
}

/// A node as it would be written; nearly always its text.
fn written(node: &Node) -> Result<Cow<'_, str>> {
    if let Some(scalar) = node.as_scalar()
        && scalar.style == Style::Plain
        && scalar.text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scalar.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        && scalar.resolved() == kelson_yaml::resolve(&scalar.text, Dialect::V3)
    {
        return Ok(Cow::Borrowed(&scalar.text));
    }
    let mut out = String::new();
    emit::styled(node, &mut out).map_err(|error| Fault::new("cannot-write", error.message))?;
    Ok(Cow::Owned(out))
}
