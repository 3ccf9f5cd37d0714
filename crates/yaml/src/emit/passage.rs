//! What comes through upstream's stages unchanged: v3 writes a text and reads it, JSON carries it, v2 reads it.

use super::analysis::Analysis;
use crate::resolve::value;
use crate::{Dialect, Node, Style, Tag};

/// A key takes at most this many characters of JSON, with its quotes.
const JSON_KEY: usize = 1024;

/// The fate of a node is one that only upstream's own way can tell: an error, or a text that does not
/// survive being written and read.
#[derive(Debug)]
pub(super) struct Unclear;

/// The text of a key that is a string and comes through unchanged.
pub(super) fn key(key: &Node) -> Result<&str, Unclear> {
    let scalar = key.as_scalar().ok_or(Unclear)?;
    let text = scalar.text.as_str();
    let is_string = match scalar.tag {
        // Written without quotes it would be read as a merge key.
        _ if text == "<<" && scalar.style == Style::Plain => false,
        Tag::Str => true,
        Tag::Unresolved => scalar.style != Style::Plain || is_string(text, Dialect::V3),
        _ => false,
    };
    let ordinary = text.len() <= JSON_KEY / 8 || json_length(text) + 2 <= JSON_KEY;
    let clear = is_string && ordinary && !text.contains('\n');
    if clear { Ok(text) } else { Err(Unclear) }
}

pub(super) fn is_string(text: &str, dialect: Dialect) -> bool {
    value(text, dialect).tag() == Tag::Str
}

/// Whether a text is still the same after v3 has written and read it, and JSON carried it.
pub(super) fn survives(text: &str, analysis: &Analysis, style: Style, in_flow: bool) -> bool {
    if analysis.odd {
        return false;
    }
    if !analysis.multiline || in_flow && style != Style::SingleQuoted {
        return true;
    }
    let ordinary = !text.starts_with([' ', '\t', '\n']) && !text.ends_with("\n\n");
    match style {
        // Its breaks are escaped.
        Style::DoubleQuoted => true,
        Style::Plain | Style::Literal | Style::Place => ordinary,
        Style::SingleQuoted => false,
        Style::Folded => ordinary && memchr::memchr(b'\n', text.as_bytes()) == Some(text.len() - 1),
    }
}

/// How many characters a text has in JSON.
fn json_length(text: &str) -> usize {
    let length = |character: char| match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\x08' | '\x0C' => 2,
        '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => 6,
        _ => 1,
    };
    text.chars().map(length).sum()
}
