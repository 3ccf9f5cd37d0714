//! What a scalar becomes when kyaml writes it as text and reads that text again.

use std::borrow::Cow;

use super::passage::Unclear;
use crate::resolve::{self, Value};
use crate::time::Time;
use crate::{Dialect, Node, Scalar, Style, Tag, base64};

/// A value as JSON knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Typed<'a> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Cow<'a, str>),
    /// What `!!binary` encodes, which need not be text.
    Bytes(Vec<u8>),
}

impl<'a> Typed<'a> {
    /// The value of a scalar of a tree, inside of a flow collection or outside.
    ///
    /// The type recorded in the tree counts only where it is spelled out or differs from what the text
    /// says by itself; a text in quotes whose type was found rather than written is text.
    pub(super) fn of(node: &Node, scalar: &'a Scalar, in_flow: bool) -> Result<Self, Unclear> {
        let text = scalar.text.as_str();
        if has_odd_zone(text) {
            return Err(Unclear);
        }
        let quoted = !matches!(scalar.style, Style::Plain | Style::Place);
        match scalar.tag {
            Tag::Str | Tag::Other => Ok(Self::text(text)),
            Tag::Unresolved if quoted => Ok(Self::text(text)),
            Tag::Unresolved => Ok(Self::plain(text, in_flow)),
            // Its bytes may be anything, so that nothing can be said about their way.
            Tag::Binary => Err(Unclear),
            Tag::Merge => Err(Unclear),
            tag => {
                let found = resolve::value(text, Dialect::V3);
                if node.is_tagged() || found.tag() != tag {
                    return Self::tagged(text, tag).map_err(|_| Unclear);
                }
                Ok(if quoted { Self::text(text) } else { Self::plain(text, in_flow) })
            }
        }
    }

    /// The value of a scalar that was just read by v3. The error is the type that was found instead.
    pub(super) fn read(scalar: &'a Scalar) -> Result<Self, Tag> {
        let text = scalar.text.as_str();
        match scalar.tag {
            Tag::Str | Tag::Other | Tag::Merge | Tag::Unresolved => Ok(Self::text(text)),
            Tag::Binary => base64::decode(text).map(Self::Bytes).ok_or(Tag::Binary),
            tag => Self::tagged(text, tag),
        }
    }

    /// The value of a scalar that was read from JSON by v2.
    pub(crate) fn of_json(scalar: &'a Scalar) -> Self {
        let text = scalar.text.as_str();
        match scalar.tag {
            Tag::Null => Self::Null,
            Tag::Bool => Self::Bool(text == "true"),
            Tag::Int => match text.parse() {
                Ok(int) if is_64_bit(int) => Self::Int(int),
                _ => Self::Float(text.parse().unwrap_or(0.0)),
            },
            Tag::Float => Self::Float(text.parse().unwrap_or(0.0)),
            _ => Self::text(text),
        }
    }

    fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// A text that is written without quotes, if it can be.
    fn plain(text: &'a str, in_flow: bool) -> Self {
        let typed = Self::value(resolve::value(text, Dialect::V3));
        // Inside of a flow collection nothing and `10:30` have to be quoted, and are text from then on.
        let quoted = in_flow && (text.is_empty() || text.contains(':'));
        if quoted { Self::text(text) } else { typed }
    }

    fn tagged(text: &'a str, tag: Tag) -> Result<Self, Tag> {
        let value = resolve::tagged(text, tag, Dialect::V3).map_err(|found| found.tag())?;
        Ok(Self::value(value))
    }

    fn value(value: Value<'a>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Int(int) => Self::Int(int),
            Value::Float(float) => Self::Float(float),
            Value::Str(text) => Self::text(text),
            Value::Time(time) => {
                let mut text = String::new();
                time.format(&mut text);
                Self::Text(Cow::Owned(text))
            }
        }
    }
}

/// Whether a text is a time so far from Greenwich that JSON refuses it.
pub(super) fn has_odd_zone(text: &str) -> bool {
    text.ends_with(":00")
        && text.contains("24:00")
        && Time::parse(text).is_some_and(|time| !time.has_plain_zone())
}

fn is_64_bit(int: i128) -> bool {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&int)
}
