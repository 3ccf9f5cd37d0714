//! The values a field can hold: text, truth, numbers, lists, maps, and whatever is optional.

use std::ops::Deref;

use kelson_model::Sources;
use kelson_yaml::{Data, Node, Span, Text};

use super::configured::configured;
use super::{Decode, Json, Reader};

/// Text with the place it was written at.
#[derive(Clone, Debug)]
pub(crate) struct Str {
    pub(crate) text: Text,
    pub(crate) span: Span,
}

/// A mapping that is kept as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    pub(crate) node: Option<Node>,
}

impl Default for Str {
    fn default() -> Self {
        Self { text: Text::default(), span: Span::NONE }
    }
}

impl Str {
    /// Text that no file gave.
    pub(crate) fn new(text: impl Into<Text>) -> Self {
        Self { text: text.into(), span: Span::NONE }
    }

    /// The place of an offset in the text, where the file has the text as it is; else that of the whole.
    pub(crate) fn part(&self, offset: usize, sources: &Sources) -> Span {
        let start = self.span.start as usize;
        let source = sources.get(self.span.source).and_then(|source| source.text.get(start..));
        let Some((source, before)) = source.zip(self.text.get(..offset)) else { return self.span };
        let quoted = usize::from(source.starts_with(['"', '\'']));
        match source.get(quoted..).is_some_and(|source| source.starts_with(before)) {
            true => {
                let start = u32::try_from(start + quoted + offset).unwrap_or(u32::MAX);
                Span { start, ..self.span }
            }
            false => self.span,
        }
    }

    /// The text as a string node with its place.
    pub(crate) fn node(&self) -> Node {
        Node::string(self.text.clone()).at(self.span, kelson_yaml::Touch::NONE)
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Decode for Str {
    fn go_type() -> String {
        "string".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        read_text(self, node, reader, "string");
    }
}

/// Reads text; numbers and truth values too, where the reader converts.
pub(crate) fn read_text(to: &mut Str, node: &Node, reader: &mut Reader, go_type: &str) {
    let Some(scalar) = node.as_scalar() else {
        return reader.mismatch(node, reader.kind(node), go_type);
    };
    match reader.scalar(node) {
        Json::Null => {}
        Json::Text => *to = Str { text: configured(&scalar.text, reader), span: node.span },
        Json::Bool(truth) if reader.converts() => {
            *to = Str { text: if truth { "true" } else { "false" }.into(), span: node.span };
        }
        Json::Number(number) if reader.converts() => {
            *to = Str { text: number.into(), span: node.span };
        }
        _ => reader.mismatch(node, reader.kind(node), go_type),
    }
}

impl Decode for bool {
    fn go_type() -> String {
        "bool".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        match (&node.data, reader.scalar(node)) {
            (Data::Scalar(_), Json::Null) => {}
            (Data::Scalar(_), Json::Bool(truth)) => *self = truth,
            _ => reader.mismatch(node, reader.kind(node), "bool"),
        }
    }
}

impl Decode for i64 {
    fn go_type() -> String {
        "int64".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        match (&node.data, reader.scalar(node)) {
            (Data::Scalar(_), Json::Null) => {}
            (Data::Scalar(_), Json::Number(number)) => match number.parse() {
                Ok(value) => *self = value,
                Err(_) => reader.mismatch(node, &format!("number {number}"), "int64"),
            },
            _ => reader.mismatch(node, reader.kind(node), "int64"),
        }
    }
}

impl<T: Decode> Decode for Option<T> {
    fn go_type() -> String {
        format!("*{}", T::go_type())
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        if is_null(node, reader) {
            *self = None;
        } else {
            self.get_or_insert_default().decode(node, reader);
        }
    }
}

/// A value out of the way of the stack.
impl<T: Decode> Decode for Box<T> {
    fn go_type() -> String {
        T::go_type()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        (**self).decode(node, reader);
    }
}

/// A list; Go tells a list of nothing from no list at all, and `is_zero` with it through [`Option`].
impl<T: Decode> Decode for Vec<T> {
    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        match &node.data {
            Data::Sequence(sequence) => {
                self.clear();
                for item in &sequence.items {
                    let mut value = T::default();
                    value.decode(item, reader);
                    self.push(value);
                }
            }
            _ if is_null(node, reader) => self.clear(),
            _ => reader.mismatch(node, reader.kind(node), &Self::go_type()),
        }
    }
}

/// Keys with text, sorted by key; each key with its place.
pub(crate) type Pairs = Vec<(Str, Str)>;

impl Decode for (Str, Str) {
    fn go_type() -> String {
        "string".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        self.1.decode(node, reader);
    }
}

/// Keys with text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    pub(crate) pairs: Pairs,
    /// Whether it was written at all.
    pub(crate) present: bool,
}

impl Map {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Str> {
        self.pairs.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    /// Sets a key, in its place where it exists.
    fn insert(&mut self, key: Str, value: Str) {
        match self.pairs.binary_search_by(|(name, _)| name.text.cmp(&key.text)) {
            Ok(at) => self.pairs[at].1 = value,
            Err(at) => self.pairs.insert(at, (key, value)),
        }
    }

    /// Takes over the keys of another map that this one lacks.
    pub(crate) fn extend_from(&mut self, other: &Self) {
        for (key, value) in &other.pairs {
            if self.get(key).is_none() {
                self.insert(key.clone(), value.clone());
            }
        }
        self.present |= other.present;
    }
}

impl Decode for Map {
    fn go_type() -> String {
        "map[string]string".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        match &node.data {
            Data::Mapping(_) => {
                self.present = true;
                for (key, key_node, value_node) in super::record::sorted(node, reader) {
                    let mut value = Str { text: Text::default(), span: value_node.span };
                    value.decode(value_node, reader);
                    self.insert(Str { text: key, span: key_node.span }, value);
                }
            }
            _ if is_null(node, reader) => *self = Self::default(),
            _ => reader.mismatch(node, reader.kind(node), &Self::go_type()),
        }
    }
}

impl Decode for Raw {
    fn go_type() -> String {
        "map[string]interface {}".to_owned()
    }

    fn decode(&mut self, node: &Node, reader: &mut Reader) {
        match &node.data {
            Data::Mapping(_) => self.node = Some(node.clone()),
            _ if is_null(node, reader) => self.node = None,
            _ => reader.mismatch(node, reader.kind(node), &Self::go_type()),
        }
    }
}

/// Whether the node is nothing.
pub(crate) fn is_null(node: &Node, reader: &Reader) -> bool {
    node.as_scalar().is_some() && matches!(reader.scalar(node), Json::Null)
}
