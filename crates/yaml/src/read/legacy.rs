//! What go-yaml v2 and `sigs.k8s.io/yaml` make of a document: the values that JSON would have.
//!
//! Words of YAML 1.1 become booleans, numbers their decimal form, keys strings; where a key repeats, the
//! last value counts. Aliases are expanded and merge keys applied in the order they are written.

use std::collections::HashMap;

use compact_str::ToCompactString;

use super::compose::{Raw, core_tag};
use super::expand::Aliases;
use super::fail::{Fail, Result};
use crate::emit::Typed;
use crate::node::CORE_TAGS;
use crate::resolve::{Value, tagged, value};
use crate::{
    Data, Dialect, Entry, Mapping, Node, Scalar, Sequence, Style, Tag, Text, base64, go, json,
    number,
};

pub(super) fn convert(raw: Raw, length: usize) -> Result<Node> {
    let aliases = Aliases::of(&raw, length);
    let mut converter = Converter { aliases, bad_key: None, bad_number: false };
    let node = converter.node(&raw.root, 0)?;
    let bad_number = if converter.bad_number { find_bad_number(&node) } else { None };
    match converter.bad_key.or(bad_number) {
        None => Ok(node),
        Some(fail) => Err(fail),
    }
}

/// The first number that JSON cannot express, unless a later value took its place.
fn find_bad_number(node: &Node) -> Option<Fail> {
    match &node.data {
        Data::Scalar(scalar) => {
            let float = scalar.text.parse().ok().filter(|_| scalar.tag == Tag::Float)?;
            json::unsupported(float).map(|message| Fail::bare(message, node.span.start))
        }
        Data::Sequence(sequence) => sequence.items.iter().find_map(find_bad_number),
        Data::Mapping(mapping) => {
            let mut values: Vec<_> = mapping.iter().collect();
            values.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
            values.into_iter().find_map(|entry| find_bad_number(&entry.value))
        }
    }
}

struct Converter<'a> {
    aliases: Aliases<'a>,
    /// The first key that JSON has no string for; go-yaml looks at keys once all values are read.
    bad_key: Option<Fail>,
    /// Whether there is a number that JSON cannot express, which is noticed last.
    bad_number: bool,
}

/// A mapping in the making: later values replace earlier ones.
#[derive(Default)]
struct Fields {
    entries: Vec<Entry>,
    known: HashMap<Text, usize>,
}

impl Converter<'_> {
    // Plain loops, each in a function of its own: a thousand levels have to fit a small stack.
    fn node(&mut self, node: &Node, depth: usize) -> Result<Node> {
        self.aliases.pay(node, depth)?;
        if let Some(anchor) = node.alias() {
            return self.alias(node, anchor, depth);
        }
        let data = match &node.data {
            Data::Scalar(scalar) => self.scalar(node, scalar).map(Data::Scalar),
            Data::Sequence(sequence) => self.sequence(sequence, depth).map(Data::Sequence),
            Data::Mapping(mapping) => self.mapping(mapping, depth).map(Data::Mapping),
        };
        Ok(Node::new(data?).at(node.span, node.touch))
    }

    fn alias(&mut self, node: &Node, anchor: u32, depth: usize) -> Result<Node> {
        let target = self.aliases.enter(node, anchor)?;
        let copy = self.node(target, depth);
        self.aliases.leave(anchor);
        copy
    }

    fn sequence(&mut self, sequence: &Sequence, depth: usize) -> Result<Sequence> {
        let mut items = Vec::with_capacity(sequence.items.len());
        for item in &sequence.items {
            items.push(self.node(item, depth + 1)?);
        }
        Ok(Sequence { items, flow: sequence.flow })
    }

    fn mapping(&mut self, mapping: &Mapping, depth: usize) -> Result<Mapping> {
        let mut fields = Fields::default();
        self.fields(mapping, &mut fields, depth)?;
        Ok(Mapping { entries: fields.entries, flow: mapping.flow })
    }

    /// A scalar with its type decided and its text as JSON has it.
    fn scalar(&mut self, node: &Node, scalar: &Scalar) -> Result<Scalar> {
        let start = node.span.start;
        if node.custom_tag().and_then(|tag| tag.strip_prefix(CORE_TAGS)) == Some("binary") {
            let message = "!!binary value contains invalid base64 data";
            let bytes = base64::decode(&scalar.text).ok_or_else(|| Fail::plain(message, start))?;
            let text = base64::to_text(bytes).into();
            return Ok(Scalar { text, tag: Tag::Str, style: scalar.style });
        }
        let (tag, text) = match typed(node, scalar)? {
            Value::Null => (Tag::Null, scalar.text.clone()),
            Value::Bool(true) => (Tag::Bool, Text::const_new("true")),
            Value::Bool(false) => (Tag::Bool, Text::const_new("false")),
            Value::Int(int) => (Tag::Int, int.to_compact_string()),
            Value::Float(float) => {
                self.bad_number |= !float.is_finite();
                json_float(float)
            }
            // v2 knows dates, but hands them on as they were written.
            Value::Time(_) | Value::Str(_) => (Tag::Str, scalar.text.clone()),
        };
        Ok(Scalar { text, tag, style: scalar.style })
    }

    fn fields(&mut self, mapping: &Mapping, fields: &mut Fields, depth: usize) -> Result<()> {
        for entry in mapping {
            if is_merge(&entry.key) {
                self.merge(&entry.value, fields, true, depth)?;
            } else {
                let key = self.key(&entry.key, depth + 1)?;
                let value = self.node(&entry.value, depth + 1)?;
                self.set(fields, key, value);
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &Node, depth: usize) -> Result<Node> {
        let key = self.node(key, depth)?;
        if key.as_scalar().is_none() {
            let message = format!("invalid map key: {}", show(&key));
            return Err(Fail::plain(message, key.span.start));
        }
        Ok(key)
    }

    fn set(&mut self, fields: &mut Fields, key: Node, value: Node) {
        match string_key(key, &value) {
            Ok(key) => fields.set(key, value),
            Err(fail) => self.bad_key = self.bad_key.take().or(Some(fail)),
        }
    }

    fn merge(&mut self, node: &Node, fields: &mut Fields, list: bool, depth: usize) -> Result<()> {
        let message = "map merge requires map or sequence of maps as the value";
        let fail = || Err(Fail::plain(message, node.span.start));
        self.aliases.pay(node, depth)?;
        if let Some(anchor) = node.alias() {
            let target = self.aliases.enter(node, anchor)?;
            let Data::Mapping(mapping) = &target.data else { return fail() };
            self.fields(mapping, fields, depth)?;
            self.aliases.leave(anchor);
            return Ok(());
        }
        match &node.data {
            Data::Mapping(mapping) => self.fields(mapping, fields, depth),
            // Backwards, so that the first of the list wins.
            Data::Sequence(sequence) if list => {
                for item in sequence.items.iter().rev() {
                    self.merge(item, fields, false, depth)?;
                }
                Ok(())
            }
            _ => fail(),
        }
    }
}

impl Fields {
    fn set(&mut self, key: Node, value: Node) {
        let next = self.entries.len();
        let text = Text::from(key.text().unwrap_or(""));
        let place = *self.known.entry(text).or_insert(next);
        if place == next {
            self.entries.push(Entry { key, value });
        } else {
            self.entries[place] = Entry { key, value };
        }
    }
}

fn is_merge(key: &Node) -> bool {
    let plain = |scalar: &Scalar| match key.custom_tag() {
        None => scalar.style == Style::Plain,
        Some(tag) => tag == "!" || tag.strip_prefix(CORE_TAGS) == Some("merge"),
    };
    key.alias().is_none()
        && key.as_scalar().is_some_and(|scalar| scalar.text == "<<" && plain(scalar))
}

/// The type and value of a scalar.
fn typed<'t>(node: &Node, scalar: &'t Scalar) -> Result<Value<'t>> {
    let text = scalar.text.as_str();
    match node.custom_tag().map(|tag| tag.strip_prefix(CORE_TAGS).and_then(core_tag)) {
        None if scalar.style != Style::Plain => Ok(Value::Str(text)),
        None => Ok(value(text, Dialect::V2)),
        Some(Some(Tag::Str | Tag::Merge | Tag::Binary) | None) => Ok(Value::Str(text)),
        Some(Some(tag)) => tagged(text, tag, Dialect::V2).map_err(|found| {
            let (found, wanted) = (found.tag().name(), tag.name());
            let message = format!("cannot decode {found} `{text}` as a {wanted}");
            Fail::plain(message, node.span.start)
        }),
    }
}

fn json_float(float: f64) -> (Tag, Text) {
    let mut text = String::new();
    number::format_json(float, &mut text);
    let whole = number::parse_int(&text).is_some();
    (if whole { Tag::Int } else { Tag::Float }, text.into())
}

/// A key as the string that JSON needs, or why there is none.
fn string_key(mut key: Node, value: &Node) -> Result<Node> {
    let start = key.span.start;
    let Some(scalar) = key.as_scalar_mut() else { return Ok(key) };
    let unsupported = |kind: &str, key: &str| {
        let value = if value.is_null() { "<nil>".into() } else { show(value) };
        let message = format!("unsupported map key of type: {kind}, key: {key}, value: {value}");
        Err(Fail::bare(message, start))
    };
    match scalar.tag {
        Tag::Null => return unsupported("%!s(<nil>)", "<nil>"),
        Tag::Int if scalar.text.parse::<u64>().is_ok_and(|int| i64::try_from(int).is_err()) => {
            let hex = format!("{:#x}", scalar.text.parse::<u64>().unwrap_or(0));
            return unsupported("uint64", &hex);
        }
        Tag::Float => {
            let mut text = String::new();
            number::format_g32(scalar.text.parse().unwrap_or(0.0), &mut text);
            scalar.text = match text.as_str() {
                "NaN" => Text::const_new(".nan"),
                "+Inf" => Text::const_new(".inf"),
                "-Inf" => Text::const_new("-.inf"),
                _ => text.into(),
            };
        }
        _ => {}
    }
    scalar.tag = Tag::Str;
    Ok(key)
}

fn show(node: &Node) -> String {
    go::syntax(node, |scalar| Typed::of_json(scalar), false)
}
