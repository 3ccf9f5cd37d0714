//! JSON as Go's `encoding/json` prints it: compact, keys sorted by their bytes, HTML characters escaped.

use std::fmt::Write;

use crate::emit::{self, Typed};
use crate::{EmitError, Node, number};

/// Writes the JSON of the values that go-yaml v3 decodes from a tree.
///
/// # Errors
///
/// Upstream's text for a tree that cannot be decoded or that JSON cannot express.
pub fn write(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let start = out.len();
    let result = match node.as_scalar() {
        Some(_) => scalar(node, out),
        None => emit::json(node, out),
    };
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Writes a scalar. Upstream's way knows only whole objects and lists; a list of one value is as good.
fn scalar(node: &Node, out: &mut String) -> Result<(), EmitError> {
    let mut list = String::new();
    emit::json(&Node::sequence(vec![node.clone()]), &mut list)?;
    out.push_str(list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(&list));
    Ok(())
}

/// JSON in the making.
pub(crate) struct Sink<'o> {
    out: &'o mut String,
}

impl<'o> Sink<'o> {
    pub(crate) fn new(out: &'o mut String) -> Self {
        Self { out }
    }

    /// Writes a scalar; the error is Go's text.
    pub(crate) fn typed(&mut self, typed: &Typed<'_>) -> Result<(), &'static str> {
        match typed {
            Typed::Null => self.out.push_str("null"),
            Typed::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Typed::Int(int) => {
                let _ = write!(self.out, "{int}");
            }
            Typed::Float(float) if !float.is_finite() => {
                return Err(super::unsupported(*float).unwrap_or_default());
            }
            Typed::Float(float) => number::format_json(*float, self.out),
            Typed::Text(text) => self.string(text),
            Typed::Bytes(bytes) => self.bytes(bytes),
        }
        Ok(())
    }

    pub(crate) fn sequence<T, E>(
        &mut self,
        items: &[T],
        mut write: impl FnMut(&T, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(item, self)?;
        }
        self.out.push(']');
        Ok(())
    }

    pub(crate) fn mapping<T, E>(
        &mut self,
        mut pairs: Vec<(&str, T)>,
        mut write: impl FnMut(T, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        pairs.sort_by(|a, b| a.0.cmp(b.0));
        self.out.push('{');
        for (index, (key, value)) in pairs.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.string(key);
            self.out.push(':');
            write(value, self)?;
        }
        self.out.push('}');
        Ok(())
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.out.push('"');
        self.escaped(text);
        self.out.push('"');
    }

    /// Writes bytes as a string; those that are not UTF-8 are escaped as U+FFFD.
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.push('"');
        for chunk in bytes.utf8_chunks() {
            self.escaped(chunk.valid());
            chunk.invalid().iter().for_each(|_| self.out.push_str("\\ufffd"));
        }
        self.out.push('"');
    }

    fn escaped(&mut self, text: &str) {
        let mut written = 0;
        let mut at = 0;
        let bytes = text.as_bytes();
        while let Some(found) = bytes[at..].iter().position(|byte| MAY_ESCAPE[*byte as usize]) {
            at += found;
            let character = text[at..].chars().next().unwrap_or_default();
            let next = at + character.len_utf8();
            if needs_escape(character) {
                self.out.push_str(&text[written..at]);
                self.escape(character);
                written = next;
            }
            at = next;
        }
        self.out.push_str(&text[written..]);
    }

    fn escape(&mut self, character: char) {
        match character {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            '\x08' => self.out.push_str("\\b"),
            '\x0C' => self.out.push_str("\\f"),
            _ => {
                let _ = write!(self.out, "\\u{:04x}", u32::from(character));
            }
        }
    }
}

/// Bytes that may begin a character to be escaped; all others are copied in runs.
const MAY_ESCAPE: [bool; 256] = may_escape();

const fn may_escape() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    let others = b"\"\\<>&\xE2";
    let mut index = 0;
    while index < others.len() {
        table[others[index] as usize] = true;
        index += 1;
    }
    table
}

fn needs_escape(character: char) -> bool {
    matches!(character, '\0'..' ' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}
