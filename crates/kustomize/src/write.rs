//! How a transformer writes into an object: text, type and style of the node, and its provenance.
//!
//! A value can stand at several places at once (see [`Bond`]). Whoever writes one of them notes it here,
//! and [`Writer::settle`] repeats the write at the others.

use kelson_yaml::{Bond, Data, Dialect, Node, Scalar, Span, Style, Tag, Text, Touch, emit};

use crate::decode::Str;
use crate::fault::{Fault, Result};

/// Writes on behalf of one transformer instance.
#[derive(Debug)]
pub(crate) struct Writer {
    touch: Touch,
    writes: usize,
    echoes: Vec<Node>,
}

impl Writer {
    /// A writer for the transformer instance that `touch` stands for.
    pub(crate) fn new(touch: Touch) -> Self {
        Self { touch, writes: 0, echoes: Vec::new() }
    }

    /// What this writer leaves on the nodes it writes.
    pub(crate) fn touch(&self) -> Touch {
        self.touch
    }

    /// Goes on for another instance.
    pub(crate) fn set_touch(&mut self, touch: Touch) {
        self.touch = touch;
    }

    /// How many values were written so far.
    pub(crate) fn writes(&self) -> usize {
        self.writes
    }

    /// Gives a scalar another text and type. The style stays; `span` is given when the configuration gave
    /// the whole text.
    pub(crate) fn scalar(
        &mut self,
        node: &mut Node,
        text: &str,
        tag: Tag,
        span: Option<Span>,
    ) -> Result<()> {
        match &mut node.data {
            Data::Scalar(scalar) => {
                scalar.text = text.into();
                scalar.tag = tag;
                self.wrote(node, span);
                Ok(())
            }
            _ => Err(wrong_kind("ScalarNode", node)),
        }
    }

    /// Sets a key of a mapping to a text. New entries get `bond`; a null is left alone.
    pub(crate) fn entry(
        &mut self,
        node: &mut Node,
        key: &str,
        value: &Str,
        bond: Bond,
    ) -> Result<()> {
        if is_null(node) {
            return Ok(());
        }
        let Data::Mapping(mapping) = &mut node.data else {
            return Err(wrong_kind("MappingNode", node));
        };
        if let Some(place) = mapping.get_mut(key) {
            let style = place.as_scalar().map_or(Style::Plain, |scalar| scalar.style);
            place.data = Data::Scalar(Scalar { text: value.text.clone(), tag: Tag::Str, style });
            self.wrote(place, Some(value.span));
        } else {
            let style = style_of_new(&value.text);
            let mut fresh = Node::scalar(value.text.clone(), Tag::Str, style);
            fresh.bond = bond;
            fresh = fresh.at(value.span, self.touch);
            let key = Node::scalar(key, Tag::Unresolved, Style::Plain).at(value.span, self.touch);
            mapping.push(key, fresh);
            self.writes += 1;
        }
        Ok(())
    }

    /// Notes that `node` was changed in place.
    pub(crate) fn wrote(&mut self, node: &mut Node, span: Option<Span>) {
        node.touch = self.touch;
        if let Some(span) = span {
            node.span = span;
        }
        self.writes += 1;
        if node.bond != Bond::NONE {
            self.echoes.push(node.clone());
        }
    }

    /// Repeats the writes to bonded values at their other places.
    pub(crate) fn settle(&mut self, object: &mut Node) {
        if self.echoes.is_empty() {
            return;
        }
        let echoes = std::mem::take(&mut self.echoes);
        for_each(object, &mut |node| {
            if node.bond != Bond::NONE
                && let Some(echo) = echoes.iter().rev().find(|echo| echo.bond == node.bond)
            {
                node.clone_from(echo);
            }
        });
    }
}

/// Where the values stand that are one value at several places, so that a merge can be repeated at all of them.
pub(crate) struct Bonds {
    list: Vec<(Vec<Text>, Node)>,
}

impl Bonds {
    /// Finds the bonded values that are reached through mappings alone.
    pub(crate) fn of(object: &Node) -> Self {
        let mut bonds = Self { list: Vec::new() };
        bonds.find(object, &mut Vec::new());
        bonds
    }

    fn find(&mut self, node: &Node, path: &mut Vec<Text>) {
        if node.bond != Bond::NONE {
            self.list.push((path.clone(), node.clone()));
        }
        for entry in node.as_mapping().into_iter().flatten() {
            path.push(entry.key.text().unwrap_or_default().into());
            self.find(&entry.value, path);
            path.pop();
        }
    }

    /// Repeats what became of a bonded value at its other places.
    pub(crate) fn restore(self, object: &mut Node) {
        let mut echoes = Vec::new();
        for (path, before) in self.list {
            let place = path.iter().try_fold(&mut *object, |node, key| node.get_mut(key));
            if let Some(now) = place {
                now.bond = before.bond;
                if now.text() != before.text() {
                    echoes.push(now.clone());
                }
            }
        }
        if !echoes.is_empty() {
            Writer { touch: Touch::NONE, writes: 0, echoes }.settle(object);
        }
    }
}

/// Makes every value of an object stand for itself alone, as a passage through text does.
pub(crate) fn sever(object: &mut Node) {
    for_each(object, &mut |node| node.bond = Bond::NONE);
}

/// The bond of values that the instance `touch` gives to a key.
pub(crate) fn bond_of(touch: Touch, key: &str) -> Bond {
    // FNV-1a. Bonds need only differ inside one object, and must be the same in every run.
    let bytes = touch.0.to_le_bytes();
    let hash = bytes
        .iter()
        .chain(key.as_bytes())
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    Bond(hash.max(1))
}

/// Whether a node was read as null. A value without a type is none, even where its text would be.
pub(crate) fn is_null(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.tag == Tag::Null)
}

/// The code of [`wrong_kind`].
pub(crate) const WRONG_KIND: &str = "wrong-node-kind";

/// The error of a node that has another shape than it must have.
pub(crate) fn wrong_kind(expected: &str, node: &Node) -> Box<Fault> {
    let mut text = format!("wrong node kind: expected {expected} but got {}", kind(node));
    let mut contents = String::new();
    if emit::styled(node, &mut contents).is_ok() {
        text.push_str(": node contents:\n");
        text.push_str(&contents);
    }
    Fault::new(WRONG_KIND, text).at(node.span, format!("expected a {}", plain_words(expected)))
}

/// The style of a new value: quoted where a reader of YAML 1.1 would not see text.
pub(crate) fn style_of_new(text: &str) -> Style {
    let is_text = text.is_empty()
        || text.contains('\n')
        || kelson_yaml::resolve(text.trim(), Dialect::V2) == Tag::Str;
    if is_text { Style::Plain } else { Style::DoubleQuoted }
}

fn kind(node: &Node) -> &'static str {
    match node.data {
        Data::Scalar(_) => "ScalarNode",
        Data::Sequence(_) => "SequenceNode",
        Data::Mapping(_) => "MappingNode",
    }
}

fn plain_words(kind: &str) -> &'static str {
    match kind {
        "ScalarNode" => "single value",
        "SequenceNode" => "list",
        _ => "mapping",
    }
}

/// Gives a place to every node below that has none.
pub(crate) fn give_place(object: &mut Node, span: Span, touch: Touch) {
    for_each(object, &mut |node| {
        if node.span == Span::NONE {
            node.span = span;
            node.touch = touch;
        }
    });
}

pub(crate) fn for_each(node: &mut Node, act: &mut dyn FnMut(&mut Node)) {
    act(node);
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => {
            sequence.items.iter_mut().for_each(|item| for_each(item, act));
        }
        Data::Mapping(mapping) => {
            mapping.entries.iter_mut().for_each(|entry| for_each(&mut entry.value, act));
        }
    }
}
