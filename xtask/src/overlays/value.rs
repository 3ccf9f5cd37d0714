//! A document, and the many ways to write it down as YAML.

use super::dice::Dice;
use std::fmt::Write as _;

/// A node of a document to be written.
#[derive(Clone)]
pub(super) enum Value {
    /// A string, in whatever style fits.
    Text(String),
    /// A scalar exactly as given; one line that is valid in block and flow.
    Raw(String),
    /// The lines of a folded block.
    Folded(Vec<String>),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
    /// A node that [`Value::Alias`] may repeat further down.
    Anchor(&'static str, Box<Self>),
    Alias(&'static str),
}

pub(super) fn text(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

pub(super) fn raw(value: impl ToString) -> Value {
    Value::Raw(value.to_string())
}

pub(super) fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

pub(super) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::List(items.into_iter().collect())
}

impl Value {
    /// Sets `key` of a mapping, unless it is there already; of anything else nothing changes.
    pub(super) fn with(mut self, key: &str, value: Self) -> Self {
        self.set(key, value);
        self
    }

    /// As [`Value::with`], in place.
    pub(super) fn set(&mut self, key: &str, value: Self) {
        if let Self::Map(entries) = self
            && !entries.iter().any(|(present, _)| present == key)
        {
            entries.push((key.to_owned(), value));
        }
    }

    /// Writes the document in one line of flow style, as an inline patch may be.
    pub(super) fn inline(&self, dice: &mut Dice) -> String {
        let mut out = String::new();
        Writer { dice, list_indent: 0, flow: 0, comments: 0, quoted_keys: 5 }.flow(self, &mut out);
        out
    }

    /// Writes the document as JSON; tokens that JSON does not have become strings.
    pub(super) fn json(&self) -> String {
        match self {
            Self::Text(text) => json_string(text),
            Self::Raw(token) if is_json_token(token) => token.clone(),
            Self::Raw(token) => json_string(token),
            Self::Folded(lines) => json_string(&lines.join(" ")),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::json).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(entries) => {
                let entry = |(key, value): &(String, Self)| {
                    format!("{}: {}", json_string(key), value.json())
                };
                let entries: Vec<String> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Self::Anchor(_, inner) => inner.json(),
            Self::Alias(_) => "null".to_owned(),
        }
    }

    /// Writes the document in a style chosen by `dice`; ends with a newline.
    pub(super) fn document(&self, dice: &mut Dice) -> String {
        let list_indent = if dice.chance(40) { 2 } else { 0 };
        let comments = if dice.chance(20) { 12 } else { 0 };
        let quoted_keys = if dice.chance(10) { 30 } else { 0 };
        let flow = dice.pick(&[&0, &4, &12]);
        let mut out = String::new();
        Writer { dice, list_indent, flow: *flow, comments, quoted_keys }.block(self, 0, &mut out);
        out
    }
}

struct Writer<'a> {
    dice: &'a mut Dice,
    /// How far items stand to the right of the key of their list.
    list_indent: usize,
    /// Chances, in percent, of flow style, of a comment and of a quoted key.
    flow: usize,
    comments: usize,
    quoted_keys: usize,
}

impl Writer<'_> {
    /// Writes a node that begins on a line of its own at `indent`.
    fn block(&mut self, value: &Value, indent: usize, out: &mut String) {
        match value {
            Value::Map(entries) if !entries.is_empty() => {
                for (position, (key, value)) in entries.iter().enumerate() {
                    self.comment(indent, out);
                    // The first key of a list item follows its dash.
                    if position > 0 || out.ends_with('\n') || out.is_empty() {
                        pad(indent, out);
                    }
                    self.key(key, out);
                    out.push(':');
                    self.after_key(value, indent, out);
                }
            }
            Value::List(items) if !items.is_empty() => self.items(items, indent, out),
            _ => {
                self.flow(value, out);
                out.push('\n');
            }
        }
    }

    fn items(&mut self, items: &[Value], indent: usize, out: &mut String) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 || out.ends_with('\n') || out.is_empty() {
                pad(indent, out);
            }
            out.push('-');
            match item {
                Value::Map(entries) if !entries.is_empty() && !self.dice.chance(self.flow) => {
                    out.push(' ');
                    self.block(item, indent + 2, out);
                }
                Value::List(inner) if !inner.is_empty() && !self.dice.chance(self.flow) => {
                    out.push(' ');
                    self.items(inner, indent + 2, out);
                }
                _ => self.scalar_or_flow(item, indent, out),
            }
        }
    }

    /// Writes what follows `key:`, the newline included.
    fn after_key(&mut self, value: &Value, indent: usize, out: &mut String) {
        match value {
            Value::Anchor(name, inner) => {
                let _ = write!(out, " &{name}");
                self.after_key(inner, indent, out);
            }
            Value::Map(entries) if !entries.is_empty() && !self.dice.chance(self.flow) => {
                out.push('\n');
                self.block(value, indent + 2, out);
            }
            Value::List(items) if !items.is_empty() && !self.dice.chance(self.flow) => {
                out.push('\n');
                self.items(items, indent + self.list_indent, out);
            }
            _ => self.scalar_or_flow(value, indent, out),
        }
    }

    fn scalar_or_flow(&mut self, value: &Value, indent: usize, out: &mut String) {
        match value {
            Value::Text(text) if fits_literal(text) && self.dice.chance(80) => {
                literal(text, indent, out);
            }
            Value::Folded(lines) => {
                out.push_str(self.dice.pick(&[" >\n", " >-\n", " >+\n"]));
                for line in lines {
                    if !line.is_empty() {
                        pad(indent + 2, out);
                        out.push_str(line);
                    }
                    out.push('\n');
                }
            }
            Value::Raw(token) if token.is_empty() => out.push('\n'),
            _ => {
                out.push(' ');
                self.flow(value, out);
                if self.dice.chance(self.comments) {
                    out.push_str(" # a remark: {not} [yaml]");
                }
                out.push('\n');
            }
        }
    }

    fn flow(&mut self, value: &Value, out: &mut String) {
        match value {
            Value::Text(text) => self.quote(text, out),
            Value::Raw(token) if token.is_empty() => out.push_str("null"),
            Value::Raw(token) => out.push_str(token),
            Value::Folded(lines) => double_quoted(&lines.join(" "), false, out),
            Value::Anchor(name, inner) => {
                let _ = write!(out, "&{name} ");
                self.flow(inner, out);
            }
            Value::Alias(name) => {
                let _ = write!(out, "*{name} ");
            }
            Value::List(items) => {
                out.push('[');
                self.separated(items, out, |writer, item, out| writer.flow(item, out));
                out.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                self.separated(entries, out, |writer, (key, value), out| {
                    writer.key(key, out);
                    out.push_str(": ");
                    writer.flow(value, out);
                });
                out.push('}');
            }
        }
    }

    fn separated<T>(
        &mut self,
        items: &[T],
        out: &mut String,
        write: impl Fn(&mut Self, &T, &mut String),
    ) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            write(self, item, out);
        }
    }

    fn key(&mut self, key: &str, out: &mut String) {
        // A merge key is one only as a plain scalar.
        if key == "<<" || (is_plain(key) && !self.dice.chance(self.quoted_keys)) {
            out.push_str(key);
        } else {
            self.quote(key, out);
        }
    }

    fn quote(&mut self, text: &str, out: &mut String) {
        if is_plain(text) && self.dice.chance(80) {
            out.push_str(text);
        } else if is_single_quotable(text) && self.dice.chance(50) {
            let _ = write!(out, "'{}'", text.replace('\'', "''"));
        } else {
            let escape_all = self.dice.chance(15);
            double_quoted(text, escape_all, out);
        }
    }

    fn comment(&mut self, indent: usize, out: &mut String) {
        if (out.ends_with('\n') || out.is_empty()) && self.dice.chance(self.comments) {
            pad(indent, out);
            out.push_str("# comment\n");
        }
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Words that YAML 1.1 takes for something other than text.
const WORDS: &[&str] =
    &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "nan", "inf", "none"];

/// Says whether a text is itself as a plain scalar, in both versions of YAML and in both contexts.
fn is_plain(text: &str) -> bool {
    let follows = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(follows)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn is_single_quotable(text: &str) -> bool {
    text.chars().all(|character| matches!(character, ' '..='~' | '\u{a1}'..='\u{1fff}'))
}

/// Says whether a literal block gives back exactly this text.
fn fits_literal(text: &str) -> bool {
    let printable =
        |c: char| matches!(c, '\n' | '\t' | ' '..='~' | '\u{a1}'..='\u{1fff}' | '\u{10000}'..);
    text.contains('\n')
        && text.chars().all(printable)
        && !text.starts_with([' ', '\n', '\t'])
        && !text.trim_end_matches('\n').ends_with('\n')
}

fn literal(text: &str, indent: usize, out: &mut String) {
    let body = text.trim_end_matches('\n');
    out.push_str(match text.len() - body.len() {
        0 => " |-\n",
        1 => " |\n",
        _ => " |+\n",
    });
    for line in body.split('\n') {
        if !line.is_empty() {
            pad(indent + 2, out);
            out.push_str(line);
        }
        out.push('\n');
    }
    for _ in 1..text.len() - body.len() {
        out.push('\n');
    }
}

fn is_json_token(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let number = digits == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
    matches!(token, "true" | "false" | "null")
        || number && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out + "\""
}

fn double_quoted(text: &str, escape_all: bool, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            ' '..='~' => out.push(character),
            '\u{a1}'..='\u{1fff}' | '\u{3040}'..='\u{9fff}' | '\u{1f300}'..='\u{1faff}'
                if !escape_all =>
            {
                out.push(character);
            }
            '\0'..='\u{ff}' => {
                let _ = write!(out, "\\x{:02X}", u32::from(character));
            }
            '\u{100}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            _ => {
                let _ = write!(out, "\\U{:08X}", u32::from(character));
            }
        }
    }
    out.push('"');
}
