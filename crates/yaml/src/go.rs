//! Values as Go's `%#v` shows them, for the error texts that hold some.

use crate::emit::Typed;
use crate::{Data, Mapping, Node, Scalar};

/// What a scalar is, according to the reader at hand.
pub(crate) type Read = for<'a> fn(&'a Scalar) -> Typed<'a>;

/// A value inside of a collection.
pub(crate) fn syntax(node: &Node, read: Read, string_maps: bool) -> String {
    match &node.data {
        Data::Scalar(scalar) => match read(scalar) {
            Typed::Null => "interface {}(nil)".into(),
            Typed::Bool(value) => value.to_string(),
            Typed::Int(int) if int > i128::from(i64::MAX) => format!("{int:#x}"),
            Typed::Int(int) => int.to_string(),
            Typed::Float(float) => {
                let mut text = String::new();
                crate::number::format_g(float, &mut text);
                text
            }
            Typed::Text(text) => quote(&text),
            Typed::Bytes(bytes) => quote(&crate::base64::to_text(bytes)),
        },
        Data::Sequence(sequence) => {
            let items = sequence.items.iter().map(|item| syntax(item, read, string_maps));
            format!("[]interface {{}}{{{}}}", items.collect::<Vec<_>>().join(", "))
        }
        Data::Mapping(mapping) => map_syntax(mapping, read, string_maps),
    }
}

fn map_syntax(mapping: &Mapping, read: Read, string_maps: bool) -> String {
    let is_text = |node: &Node| node.as_str().is_some();
    let kind = match string_maps && mapping.iter().all(|entry| is_text(&entry.key)) {
        true => "map[string]interface {}",
        false => "map[interface {}]interface {}",
    };
    let pair = |node: &Node| syntax(node, read, string_maps);
    let pairs = mapping.iter().map(|entry| format!("{}:{}", pair(&entry.key), pair(&entry.value)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    format!("{kind}{{{}}}", pairs.join(", "))
}

/// A text in quotes as `strconv.Quote` makes it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0B' => out.push_str("\\v"),
            _ if is_printable(character) => out.push(character),
            '\0'..='\x7F' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            '\u{80}'..='\u{FFFF}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(character))),
        }
    }
    out.push('"');
    out
}

fn is_printable(character: char) -> bool {
    match character {
        ' '..='~' => true,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' => false,
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' => false,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'.. => false,
        _ => !character.is_control() && !character.is_whitespace(),
    }
}
