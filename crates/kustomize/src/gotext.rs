//! Text as Go's `fmt` package writes it.

use std::fmt::Write as _;

/// Text in double quotes with escapes, as `%q` gives it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            letter if is_printable(letter) => out.push(letter),
            letter if (letter as u32) < 0x80 => {
                let _ = write!(out, "\\x{:02x}", letter as u32);
            }
            letter if (letter as u32) < 0x10000 => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            letter => {
                let _ = write!(out, "\\U{:08x}", letter as u32);
            }
        }
    }
    out.push('"');
    out
}

/// A list as `%v` gives it: `[a b c]`.
pub(crate) fn list<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(item.as_ref());
    }
    out.push(']');
    out
}

/// Whether Go prints the letter as it is, but for a few rarities of its tables.
fn is_printable(letter: char) -> bool {
    letter == ' ' || !(letter.is_control() || letter.is_whitespace() || is_unassigned(letter))
}

/// Letters that stand for nothing to be seen.
fn is_unassigned(letter: char) -> bool {
    matches!(letter as u32,
        0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb
        | 0xe000..=0xf8ff | 0xfffe..=0xffff | 0xf0000..)
}
