//! Classes of characters: in brackets, by escape, by POSIX name, by Unicode name; and single characters.

use std::fmt::Write as _;

use super::escape;
use super::parse::Error;
use super::unicode;

/// Matches nothing.
const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// One character as an atom of its own.
pub(super) fn single(code: u32, fold: bool) -> String {
    let Some(letter) = char::from_u32(code) else { return NOTHING.to_owned() };
    match (fold, letter) {
        (true, _) => format!(r"(?i:\x{{{code:X}}})"),
        (false, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '/' | ':') => letter.to_string(),
        (false, _) => format!(r"\x{{{code:X}}}"),
    }
}

/// A class that an escape names (`\d`, `\pL`), if the text begins with one.
pub(super) fn escaped(text: &str, fold: bool) -> Result<Option<(String, &str)>, Error> {
    let Some((items, rest)) = named_by_escape(text)? else { return Ok(None) };
    Ok(Some((wrap(&items, false, fold), rest)))
}

/// A class in brackets.
pub(super) fn bracketed(whole: &str, fold: bool) -> Result<(String, &str), Error> {
    let mut rest = &whole[1..];
    let is_negated = rest.starts_with('^');
    if is_negated {
        rest = &rest[1..];
    }
    let mut items = String::new();
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        is_first = false;
        rest = item(whole, rest, &mut items)?;
    }
    Ok((wrap(&items, is_negated, fold), &rest[1..]))
}

/// Reads one item of a class in brackets.
fn item<'a>(whole: &str, rest: &'a str, items: &mut String) -> Result<&'a str, Error> {
    if let Some((named, after)) = posix(rest)? {
        items.push_str(&named);
        return Ok(after);
    }
    if let Some((named, after)) = named_by_escape(rest)? {
        items.push_str(&named);
        return Ok(after);
    }
    let (low, after) = letter(whole, rest)?;
    let (high, after) = match after.strip_prefix('-') {
        Some(more) if !more.is_empty() && !more.starts_with(']') => letter(whole, more)?,
        _ => (low, after),
    };
    if high < low {
        let text = &rest[..rest.len() - after.len()];
        return Err(Error::new("invalid character class range", text));
    }
    push_range(items, low, high);
    Ok(after)
}

fn letter<'a>(whole: &str, rest: &'a str) -> Result<(u32, &'a str), Error> {
    match rest.chars().next() {
        None => Err(Error::new("missing closing ]", whole)),
        Some('\\') => escape::code_point(rest),
        Some(letter) => Ok((letter as u32, &rest[letter.len_utf8()..])),
    }
}

/// Adds a range without the surrogates, which no text holds.
fn push_range(items: &mut String, low: u32, high: u32) {
    let low = if (0xD800..0xE000).contains(&low) { 0xE000 } else { low };
    let high = if (0xD800..0xE000).contains(&high) { 0xD7FF } else { high };
    if low <= high {
        let _ = write!(items, r"\x{{{low:X}}}-\x{{{high:X}}}");
    }
}

fn wrap(items: &str, is_negated: bool, fold: bool) -> String {
    let class = match (items, is_negated) {
        ("", false) => NOTHING.to_owned(),
        ("", true) => r"[\x{0}-\x{10FFFF}]".to_owned(),
        (items, false) => format!("[{items}]"),
        (items, true) => format!("[^{items}]"),
    };
    if fold { format!("(?i:{class})") } else { class }
}

/// `\d`, `\S`, `\p{Greek}` and the like, as items of a class.
fn named_by_escape(text: &str) -> Result<Option<(String, &str)>, Error> {
    let Some(after) = text.strip_prefix('\\') else { return Ok(None) };
    let Some(letter) = after.chars().next() else { return Ok(None) };
    let items = match letter {
        'd' => "0-9",
        'D' => "[^0-9]",
        's' => r"\t\n\f\r\x20",
        'S' => r"[^\t\n\f\r\x20]",
        'w' => "0-9A-Za-z_",
        'W' => "[^0-9A-Za-z_]",
        'p' | 'P' => return unicode_class(text, letter == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some((items.to_owned(), &after[1..])))
}

fn unicode_class(text: &str, mut is_negated: bool) -> Result<(String, &str), Error> {
    let refused = |sequence: &str| Err(Error::new("invalid character class range", sequence));
    let (sequence, mut name) = match text[2..].chars().next() {
        None => return refused(text),
        Some('{') => match text.find('}') {
            None => return refused(text),
            Some(end) => (&text[..=end], &text[3..end]),
        },
        Some(letter) => {
            let end = 2 + letter.len_utf8();
            (&text[..end], &text[2..end])
        }
    };
    if let Some(positive) = name.strip_prefix('^') {
        is_negated = !is_negated;
        name = positive;
    }
    let Some(items) = unicode::class(name) else { return refused(sequence) };
    let items = if is_negated { format!("[^{items}]") } else { format!("[{items}]") };
    Ok((items, &text[sequence.len()..]))
}

/// `[:alpha:]` and the like, as items of a class.
fn posix(rest: &str) -> Result<Option<(String, &str)>, Error> {
    if rest.len() < 3 || !rest.starts_with("[:") {
        return Ok(None);
    }
    let Some(end) = rest[2..].find(":]") else { return Ok(None) };
    let (name, after) = rest.split_at(end + 4);
    let word = &rest[2..2 + end];
    let (word, is_negated) = word.strip_prefix('^').map_or((word, false), |word| (word, true));
    let items = match word {
        "alnum" => "0-9A-Za-z",
        "alpha" => "A-Za-z",
        "ascii" => r"\x00-\x7F",
        "blank" => r"\t\x20",
        "cntrl" => r"\x00-\x1F\x7F",
        "digit" => "0-9",
        "graph" => r"\x21-\x7E",
        "lower" => "a-z",
        "print" => r"\x20-\x7E",
        "punct" => r"\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E",
        "space" => r"\t\n\x0B\f\r\x20",
        "upper" => "A-Z",
        "word" => "0-9A-Za-z_",
        "xdigit" => "0-9A-Fa-f",
        _ => return Err(Error::new("invalid character class range", name)),
    };
    let items = if is_negated { format!("[^{items}]") } else { items.to_owned() };
    Ok(Some((items, after)))
}
