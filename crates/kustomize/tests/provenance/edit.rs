//! Another value for the token at a place: one with a sign more behind its first, one with a sign more at its end.

use kelson_model::Tree;

use crate::case::Case;
use crate::leaf::Place;

/// The whole file, once for each other value; nothing where no single value stands at the place.
pub(crate) fn edits(case: &Case, place: &Place) -> Vec<String> {
    let Ok(bytes) = case.tree.read(&place.file) else { return Vec::new() };
    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return Vec::new() };
    let rest = &text[place.offset.min(text.len())..];
    let line = text[..text.len() - rest.len()].rsplit('\n').next().unwrap_or_default();
    let is_yaml = [".yaml", ".yml", ".json", "ustomization"];
    let changed = match is_yaml.iter().any(|end| place.file.ends_with(end)) {
        true => changed(rest, line),
        false => plain(rest, rest.lines().next().unwrap_or_default()),
    };
    let before = &text[..text.len() - rest.len()];
    let mut files: Vec<String> =
        changed.into_iter().map(|rest| format!("{before}{rest}")).collect();
    // The first that builds counts; which is tried first differs from place to place.
    let turn = place.line % files.len().max(1);
    files.rotate_left(turn);
    files
}

/// What follows the place, with its first token changed. `line` is what stands before it on its line.
fn changed(rest: &str, line: &str) -> Vec<String> {
    match rest.chars().next() {
        None | Some('\n' | '{' | '[' | '~' | '*' | '&' | '!' | '#') => Vec::new(),
        Some(quote @ ('"' | '\'')) => quoted(rest, quote),
        Some('|' | '>') => block(rest),
        Some(_) => {
            let token = token(rest, line);
            match token {
                "null" => Vec::new(),
                "true" => vec![rest.replacen("true", "false", 1)],
                "false" => vec![rest.replacen("false", "true", 1)],
                token => plain(rest, token),
            }
        }
    }
}

/// The plain scalar at the start of a text.
fn token<'a>(rest: &'a str, line: &str) -> &'a str {
    let mut end = rest.find('\n').unwrap_or(rest.len());
    let marks: &[&str] =
        if line.contains(['{', '[']) { &[" #", ": ", ",", "]", "}"] } else { &[" #", ": "] };
    for mark in marks {
        end = rest[..end].find(mark).unwrap_or(end);
    }
    rest[..end].trim_end().trim_end_matches(':')
}

fn plain(rest: &str, token: &str) -> Vec<String> {
    let Some(first) = token.chars().next() else { return Vec::new() };
    let after = &rest[token.len()..];
    let is_number = token.parse::<f64>().is_ok();
    let sign = if first.is_ascii_digit() || is_number { '1' } else { 'x' };
    let inner = match first {
        '0' => format!("1{token}"),
        first => format!("{first}{sign}{}", &token[first.len_utf8()..]),
    };
    let outer = format!("{token}{}", if is_number { '1' } else { 'x' });
    vec![format!("{inner}{after}"), format!("{outer}{after}")]
}

fn quoted(rest: &str, quote: char) -> Vec<String> {
    let inner = &rest[1..];
    let mut end = None;
    let mut signs = inner.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' if quote == '"' => {
                signs.next();
            }
            '\'' if quote == '\'' && signs.peek().is_some_and(|(_, next)| *next == '\'') => {
                signs.next();
            }
            sign if sign == quote => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let Some(end) = end else { return Vec::new() };
    let text = &inner[..end];
    // What runs over lines is no value of its own: a quote inside of one, or a whole document.
    if text.contains('\n') || (text.contains('\\') && text.contains(": ")) {
        return Vec::new();
    }
    let sign = if text.starts_with(|first: char| first.is_ascii_digit()) { '1' } else { 'x' };
    vec![format!("{quote}{sign}{inner}"), format!("{quote}{text}{sign}{}", &inner[end..])]
}

/// A block scalar gets a sign more at the end of its first line.
fn block(rest: &str) -> Vec<String> {
    let Some((head, body)) = rest.split_once('\n') else { return Vec::new() };
    match body.find('\n') {
        Some(end) if !body[..end].trim().is_empty() => {
            vec![format!("{head}\n{}x{}", &body[..end], &body[end..])]
        }
        _ => Vec::new(),
    }
}
