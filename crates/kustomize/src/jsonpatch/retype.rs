//! What the way through JSON does to values.

use kelson_yaml::{
    Data, Dialect, Entry, Node, Scalar, Span, Style, Tag, Text, Touch, emit, json, number, resolve,
};

use super::Odd;
use crate::fault::{Fault, Result};

/// Types the scalars of an object as JSON has them: numbers are written as Go writes them, dates are text.
pub(super) fn into_json(node: &mut Node, touch: Touch) -> Result<()> {
    let mut text = String::new();
    json::write(node, &mut text)
        .map_err(|error| Fault::new("json-patch", error.message).at(error.span, ""))?;
    let typed = json::read(&text, node.span)
        .map_err(|error| Fault::new("json-patch", error.message).at(node.span, ""))?;
    adopt(node, typed, touch);
    Ok(())
}

/// Gives a node the types and texts of its own JSON; it keeps its place.
fn adopt(node: &mut Node, typed: Node, touch: Touch) {
    match (&mut node.data, typed.data) {
        (Data::Sequence(sequence), Data::Sequence(typed)) => {
            let pairs = sequence.items.iter_mut().zip(typed.items);
            pairs.for_each(|(item, typed)| adopt(item, typed, touch));
        }
        (Data::Mapping(mapping), Data::Mapping(mut typed)) => {
            for Entry { key, value } in &mut mapping.entries {
                // The keys of JSON that Go writes are sorted.
                let place =
                    typed.entries.binary_search_by(|entry| entry.key.text().cmp(&key.text()));
                if let Ok(place) = place {
                    let typed = std::mem::replace(&mut typed.entries[place].value, Node::null());
                    adopt(value, typed, touch);
                }
            }
        }
        (data, typed) => {
            let was_text = matches!(data, Data::Scalar(scalar) if scalar.resolved() == Tag::Str);
            let is_text = matches!(&typed, Data::Scalar(scalar) if scalar.tag == Tag::Str);
            let touch = if is_text && !was_text { touch } else { node.touch };
            let is_place = matches!(data, Data::Scalar(scalar) if scalar.style == Style::Place);
            *node = Node::new(typed).at(node.span, touch);
            if is_place {
                set_style(node, Style::Place);
            }
        }
    }
}

/// Writes a scalar as JSON. Only collections stand alone, so it is written as the element of one.
fn scalar_as_json<'b>(node: &Node, buffer: &'b mut String) -> Option<&'b str> {
    buffer.clear();
    json::write(&Node::sequence(vec![node.clone()]), buffer).ok()?;
    buffer.strip_prefix('[')?.strip_suffix(']')
}

/// Types the scalars of a JSON document as an object has them: all numbers are floats.
pub(super) fn out_of_json(node: &mut Node, touch: Touch) -> Result<()> {
    match &mut node.data {
        Data::Sequence(sequence) => {
            sequence.items.iter_mut().try_for_each(|item| out_of_json(item, touch))
        }
        Data::Mapping(mapping) => mapping.entries.iter_mut().try_for_each(|entry| {
            restyle(&mut entry.key);
            out_of_json(&mut entry.value, touch)
        }),
        Data::Scalar(scalar) => {
            match scalar.tag {
                Tag::Int | Tag::Float => {
                    let changed = through_float(scalar).map_err(|text| {
                        Fault::new("json-patch", text).at(node.span, "this number")
                    })?;
                    if changed {
                        node.touch = touch;
                    }
                }
                Tag::Null => scalar.text = Text::const_new("null"),
                Tag::Bool => {}
                _ => {
                    restyle(node);
                    return Ok(());
                }
            }
            set_style(node, Style::Plain);
            Ok(())
        }
    }
}

/// Makes a number what is left of it as a 64-bit float; tells whether that is another number.
fn through_float(scalar: &mut Scalar) -> std::result::Result<bool, String> {
    let value: f64 = scalar.text.parse().unwrap_or(f64::INFINITY);
    if !value.is_finite() {
        let number = &scalar.text;
        return Err(format!(
            "json: cannot unmarshal number {number} into Go value of type float64"
        ));
    }
    let mut text = String::new();
    number::format_g(value, &mut text);
    // Floats are exact up to 128 bits when printed so.
    let changed =
        scalar.text.parse::<i128>().is_ok_and(|int| format!("{value:.0}") != int.to_string());
    scalar.tag = resolve(&text, Dialect::V3);
    scalar.text = text.into();
    Ok(changed)
}

/// Gives text the style in which go-yaml v3 writes it.
fn restyle(node: &mut Node) {
    let Some(scalar) = node.as_scalar_mut() else { return };
    let style = match scalar.style {
        Style::Place => Style::Place,
        _ => style_of(&scalar.text),
    };
    let text = std::mem::take(&mut scalar.text);
    *node = Node::scalar(text, Tag::Str, style).at(node.span, node.touch);
}

fn set_style(node: &mut Node, style: Style) {
    if let Some(scalar) = node.as_scalar_mut() {
        scalar.style = style;
    }
}

fn style_of(text: &str) -> Style {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte);
    let first = text.bytes().next();
    if first.is_some_and(|byte| byte.is_ascii_alphabetic()) && text.bytes().all(is_word) {
        return if resolve(text, Dialect::V2) == Tag::Str {
            Style::Plain
        } else {
            Style::DoubleQuoted
        };
    }
    // The emitter knows what else needs quotes, and shows it in the first character.
    let style = if text.contains('\n') { Style::Literal } else { Style::Plain };
    let style =
        if style == Style::Plain && needs_quotes(text) { Style::DoubleQuoted } else { style };
    let mut written = String::new();
    let _ = emit::styled(&Node::scalar(text, Tag::Str, style), &mut written);
    match written.as_bytes().first() {
        Some(b'"') => Style::DoubleQuoted,
        Some(b'\'') => Style::SingleQuoted,
        Some(b'|') => Style::Literal,
        _ => Style::Plain,
    }
}

/// Whether a text without quotes would be read as something else, now or by YAML 1.1.
fn needs_quotes(text: &str) -> bool {
    let other = |dialect| !matches!(resolve(text, dialect), Tag::Str);
    other(Dialect::V3) || other(Dialect::V2) || is_sexagesimal(text)
}

/// Whether YAML 1.1 reads a text as a number to the base of 60.
fn is_sexagesimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let mut parts = whole.split(':');
    let first = parts
        .next()
        .is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()) && digits(part));
    let sixtieth =
        |part: &str| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    first && whole.contains(':') && parts.all(sixtieth) && digits(fraction)
}

/// Marks a value as written by the patch.
pub(super) fn stamp(node: &mut Node, touch: Touch) {
    node.touch = touch;
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => sequence.items.iter_mut().for_each(|item| stamp(item, touch)),
        Data::Mapping(mapping) => {
            for Entry { key, value } in &mut mapping.entries {
                stamp(key, touch);
                stamp(value, touch);
            }
        }
    }
}

/// Where a key repeats in a value, the last one counts.
pub(super) fn without_repeats(mut node: Node) -> Node {
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => {
            for item in &mut sequence.items {
                let taken = std::mem::replace(item, Node::null());
                *item = without_repeats(taken);
            }
        }
        Data::Mapping(mapping) => {
            let mut seen = hashbrown::HashMap::<Text, usize, foldhash::fast::FixedState>::default();
            let mut entries: Vec<Entry> = Vec::with_capacity(mapping.len());
            for Entry { key, value } in mapping.entries.drain(..) {
                let value = without_repeats(value);
                let next = entries.len();
                let place = *seen.entry(key.text().unwrap_or_default().into()).or_insert(next);
                match entries.get_mut(place) {
                    Some(entry) => entry.value = value,
                    None => entries.push(Entry { key, value }),
                }
            }
            mapping.entries = entries;
        }
    }
    node
}

/// Finds the strings of a JSON text that Go would have written otherwise, with other escapes: a test compares
/// what is written.
pub(super) fn odd_strings(node: &Node, text: &str, at: Span, odd: &mut Odd) {
    match &node.data {
        Data::Sequence(sequence) => {
            sequence.items.iter().for_each(|item| odd_strings(item, text, at, odd))
        }
        Data::Mapping(mapping) => {
            mapping.iter().for_each(|entry| odd_strings(&entry.value, text, at, odd));
        }
        Data::Scalar(_) => {
            let offset = node.span.start.wrapping_sub(at.start) as usize;
            let Some(raw) = text.get(offset..).and_then(string_token) else { return };
            let mut written = String::new();
            if scalar_as_json(node, &mut written) != Some(raw) {
                odd.insert(node.span, raw.into());
            }
        }
    }
}

/// The JSON string at the beginning of a text, with its quotes.
fn string_token(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    text.get(..end + 2)
}
