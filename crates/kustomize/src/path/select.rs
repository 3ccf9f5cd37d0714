//! Every place in a tree that a path leads to; values in `[field=value]` are patterns.

use std::borrow::Cow;

use kelson_yaml::{Data, Dialect, Entry, Node, Style, Tag, emit};

use super::lookup::new_item;
use super::{is_match, split_match, too_long};
use crate::fault::{Fault, Result};
use crate::goregex::GoRegex;
use crate::growth::DEPTH;
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

/// What is called for each place, with the positions of fields and items that lead there.
type Found<'a> = dyn FnMut(&mut Node, &[usize]) + 'a;

/// A position that nothing has: what follows it is no part of the tree.
const NOWHERE: usize = usize::MAX;

/// What is under way: whom to call, and where the walk stands.
struct Walk<'a, 'b> {
    found: &'a mut Found<'b>,
    trail: Vec<usize>,
}

impl Walk<'_, '_> {
    fn found(&mut self, node: &mut Node) {
        (self.found)(node, &self.trail);
    }

    /// Goes down by one position, and comes back.
    fn below<T>(&mut self, position: usize, step: impl FnOnce(&mut Self) -> T) -> T {
        self.trail.push(position);
        let result = step(self);
        self.trail.pop();
        result
    }
}

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
        if self.parts.len() > DEPTH {
            return Err(too_long());
        }
        self.walk(node, 0, &mut Walk { found, trail: Vec::new() })
    }

    fn walk(&self, node: &mut Node, at: usize, walk: &mut Walk<'_, '_>) -> Result<usize> {
        // A null has no fields and no items, and what is made below it is made in the air.
        let mut air = match self.parts.get(at) {
            Some(Part::Field(_)) if is_null(node) && self.make.is_none() => return Ok(0),
            Some(Part::Field(_)) => Node::mapping(Vec::new()),
            _ => Node::sequence(Vec::new()),
        };
        let is_in_air = is_null(node) && at < self.parts.len();
        if is_in_air {
            return walk.below(NOWHERE, |walk| self.part(&mut air, at, walk));
        }
        self.part(node, at, walk)
    }

    fn part(&self, node: &mut Node, at: usize, walk: &mut Walk<'_, '_>) -> Result<usize> {
        match self.parts.get(at) {
            None => {
                walk.found(node);
                Ok(1)
            }
            Some(Part::Index(index)) => self.index(node, at, *index, walk),
            Some(Part::Match(part)) => self.matching(node, at, part, walk),
            Some(Part::Every) => {
                let mut count = 0;
                for (position, item) in items(node)?.iter_mut().enumerate() {
                    count += walk.below(position, |walk| self.walk(item, at + 1, walk))?;
                }
                Ok(count)
            }
            Some(Part::Field(name)) => self.field(node, at, name, walk),
            Some(Part::Wrong(error)) => Err(Fault::new("bad-field-path", *error)),
        }
    }

    fn field(
        &self,
        node: &mut Node,
        at: usize,
        name: &str,
        walk: &mut Walk<'_, '_>,
    ) -> Result<usize> {
        let expected = if name.is_empty() { "ScalarNode" } else { "MappingNode" };
        if node.as_mapping().is_none() || name.is_empty() {
            return Err(wrong_kind(expected, node));
        }
        let Some(mapping) = node.as_mapping_mut() else { return Ok(0) };
        let named = |entry: &Entry| entry.key.text() == Some(name);
        let position = match (mapping.entries.iter().position(named), self.make) {
            (Some(position), _) => position,
            (None, None) => return Ok(0),
            (None, Some(make)) => {
                let key = Node::scalar(name, Tag::Unresolved, Style::Plain);
                mapping.push(key, self.kind_for(at + 1, make).empty());
                mapping.len() - 1
            }
        };
        let field = &mut mapping.entries[position].value;
        if at + 1 == self.parts.len() || field.as_scalar().is_none() {
            return walk.below(position, |walk| self.walk(field, at + 1, walk));
        }
        // What is found inside a text is found in a copy: it counts, but nothing comes of it.
        match inside(field)? {
            Some(mut copy) => walk.below(NOWHERE, |walk| self.walk(&mut copy, at + 1, walk)),
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
        walk: &mut Walk<'_, '_>,
    ) -> Result<usize> {
        let items = items(node)?;
        if items.len() == index
            && let Some(make) = self.make
        {
            items.push(self.kind_for(at + 1, make).empty());
        }
        let count = items.len();
        match items.get_mut(index) {
            Some(item) => walk.below(index, |walk| self.walk(item, at + 1, walk)),
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
        walk: &mut Walk<'_, '_>,
    ) -> Result<usize> {
        let count = self.each_matching(items(node)?, 0, (at, part), walk)?;
        if count > 0 || self.make.is_none() {
            return Ok(count);
        }
        let items = items(node)?;
        items.push(new_item(&part.field, &part.value));
        let last = items.len() - 1;
        match self.each_matching(items, last, (at, part), walk)? {
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
        first: usize,
        (at, part): (usize, &Match),
        walk: &mut Walk<'_, '_>,
    ) -> Result<usize> {
        let mut count = 0;
        for (position, item) in items.iter_mut().enumerate().skip(first) {
            if part.field.is_empty() {
                // The rest of the path is not looked at.
                if part.is_met_by(item)? {
                    walk.below(position, |walk| walk.found(item));
                    count += 1;
                }
                continue;
            }
            let is_met = match item.get(&part.field) {
                Some(value) => part.is_met_by(value)?,
                None => false,
            };
            if is_met {
                count += walk.below(position, |walk| self.walk(item, at + 1, walk))?;
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
