//! What an untagged plain text means: a number, a word for true, a date, or just text.

use crate::number::{parse_float, parse_int, parse_radix};
use crate::time::Time;
use crate::{Scalar, Style, Tag};

/// Which go-yaml reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// go-yaml v3, as kyaml uses it for resources and for strategic merge patches.
    V3,
    /// go-yaml v2 with YAML 1.1 words, as `sigs.k8s.io/yaml` uses it for kustomization files.
    V2,
}

/// How a text is read: as which go-yaml does, and whether places that a template fills later are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// Whose decisions are taken.
    pub dialect: Dialect,
    /// Whether `{{…}}` without quotes is a text of [`Style::Place`] rather than a mapping in a mapping.
    pub places: bool,
}

impl From<Dialect> for Reading {
    fn from(dialect: Dialect) -> Self {
        Self { dialect, places: false }
    }
}

/// A scalar with its type decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Time(Time),
    Str(&'a str),
}

impl Value<'_> {
    pub(crate) fn tag(&self) -> Tag {
        match self {
            Value::Null => Tag::Null,
            Value::Bool(_) => Tag::Bool,
            Value::Int(_) => Tag::Int,
            Value::Float(_) => Tag::Float,
            Value::Time(_) => Tag::Timestamp,
            Value::Str(_) => Tag::Str,
        }
    }
}

/// Finds the type of an untagged plain text.
///
/// ```
/// use kelson_yaml::{Dialect, Tag, resolve};
/// assert_eq!(resolve("yes", Dialect::V3), Tag::Str);
/// assert_eq!(resolve("yes", Dialect::V2), Tag::Bool);
/// ```
pub fn resolve(text: &str, dialect: Dialect) -> Tag {
    if dialect == Dialect::V3 && text == "<<" { Tag::Merge } else { value(text, dialect).tag() }
}

impl Scalar {
    /// The type it has on output: its own, or else what its text says where it is plain.
    pub fn resolved(&self) -> Tag {
        match self.tag {
            Tag::Unresolved if self.style != Style::Plain => Tag::Str,
            Tag::Unresolved => value(&self.text, Dialect::V3).tag(),
            tag => tag,
        }
    }
}

/// Decides the type of an untagged plain text and its value.
pub(crate) fn value(text: &str, dialect: Dialect) -> Value<'_> {
    guess(text, dialect, true).unwrap_or(Value::Str(text))
}

/// The value of a text under a tag of YAML's own other than `!!str`, or the value it has instead.
pub(crate) fn tagged(text: &str, tag: Tag, dialect: Dialect) -> Result<Value<'_>, Value<'_>> {
    let value = guess(text, dialect, tag == Tag::Timestamp).unwrap_or(Value::Str(text));
    match value {
        Value::Int(int) if tag == Tag::Float && i64::try_from(int).is_ok() =>
        {
            #[expect(clippy::cast_precision_loss, reason = "Go converts in the same way")]
            Ok(Value::Float(int as f64))
        }
        _ if value.tag() == tag => Ok(value),
        _ => Err(value),
    }
}

fn guess(text: &str, dialect: Dialect, dates: bool) -> Option<Value<'_>> {
    match text.as_bytes().first() {
        None => Some(Value::Null),
        Some(b'0'..=b'9' | b'+' | b'-') => number(text, dialect, dates),
        Some(b'.') => word(text, dialect).or_else(|| point(text)),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text, dialect)
        }
        Some(_) => None,
    }
}

fn word(text: &str, dialect: Dialect) -> Option<Value<'_>> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        ".nan" | ".NaN" | ".NAN" => Some(Value::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(Value::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Value::Float(f64::NEG_INFINITY)),
        _ if dialect == Dialect::V3 => None,
        _ => old_bool(text).map(Value::Bool),
    }
}

/// The words that are true or false in YAML 1.1 only.
pub(crate) fn old_bool(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// A float that begins with its point; underscores may stand between digits.
fn point(text: &str) -> Option<Value<'_>> {
    if !text.contains('_') {
        return parse_float(text).map(Value::Float);
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let between =
        |(at, byte): (usize, &u8)| *byte != b'_' || at > 0 && digit(at - 1) && digit(at + 1);
    let separated = bytes.iter().enumerate().all(between);
    separated.then(|| parse_float(&text.replace('_', "")).map(Value::Float))?
}

fn number(text: &str, dialect: Dialect, dates: bool) -> Option<Value<'_>> {
    if let [b'+' | b'-', b'.', ..] = text.as_bytes()
        && let Some(value) = word(text, dialect)
    {
        return Some(value);
    }
    if dates && let Some(time) = Time::parse(text) {
        return Some(Value::Time(time));
    }
    if text.contains('_') {
        return plain_number(&text.replace('_', ""), dialect);
    }
    plain_number(text, dialect)
}

fn plain_number<'a>(text: &str, dialect: Dialect) -> Option<Value<'a>> {
    parse_int(text)
        .map(Value::Int)
        .or_else(|| parse_float(text).map(Value::Float))
        .or_else(|| odd_number(text, dialect).map(Value::Int))
}

/// A sign after the prefix of the base, such as `0b-101`, which Go takes for a number by accident.
fn odd_number(text: &str, dialect: Dialect) -> Option<i128> {
    let after = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix)?;
        parse_radix(digits, radix)
    };
    after("0b", 2).or_else(|| if dialect == Dialect::V3 { after("0o", 8) } else { None })
}

/// Whether YAML 1.1 reads the text as a number to the base of 60, such as `12:30:45`.
pub(crate) fn is_base_60(text: &str) -> bool {
    let Some((first, rest)) = text.split_once(':') else { return false };
    let first = first.strip_prefix(['+', '-']).unwrap_or(first);
    let whole = first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (rest, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let sixtieth =
        |part: &str| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    whole
        && rest.split(':').all(sixtieth)
        && fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}
