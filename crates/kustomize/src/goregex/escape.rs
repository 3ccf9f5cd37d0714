//! What a backslash begins: a single character.

use super::parse::Error;

/// Reads an escape and returns the code point it stands for, with the rest.
pub(super) fn code_point(text: &str) -> Result<(u32, &str), Error> {
    let Some(letter) = text.chars().nth(1) else {
        return Err(Error::new("trailing backslash at end of expression", ""));
    };
    let rest = &text[1 + letter.len_utf8()..];
    let simple = |code: u32| Ok((code, rest));
    match letter {
        'a' => simple(7),
        'f' => simple(12),
        'n' => simple(10),
        'r' => simple(13),
        't' => simple(9),
        'v' => simple(11),
        'x' => hexadecimal(text, rest),
        '0'..='7' if letter == '0' || rest.starts_with(is_octal) => Ok(octal(letter, rest)),
        _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => simple(letter as u32),
        _ => Err(invalid(text, rest)),
    }
}

fn is_octal(letter: char) -> bool {
    matches!(letter, '0'..='7')
}

fn octal(first: char, rest: &str) -> (u32, &str) {
    let digits = rest.bytes().take(2).take_while(|byte| is_octal(char::from(*byte))).count();
    let value = |letter: char| letter as u32 - '0' as u32;
    let code = rest[..digits].chars().fold(value(first), |code, letter| code * 8 + value(letter));
    (code, &rest[digits..])
}

fn hexadecimal<'a>(text: &'a str, rest: &'a str) -> Result<(u32, &'a str), Error> {
    let mut letters = rest.chars();
    let Some(first) = letters.next() else { return Err(invalid(text, rest)) };
    if first == '{' {
        return in_braces(text, letters.as_str());
    }
    let Some(second) = letters.next() else { return Err(invalid(text, "")) };
    match (first.to_digit(16), second.to_digit(16)) {
        (Some(high), Some(low)) => Ok((high * 16 + low, letters.as_str())),
        _ => Err(invalid(text, letters.as_str())),
    }
}

fn in_braces<'a>(text: &'a str, rest: &'a str) -> Result<(u32, &'a str), Error> {
    let mut code = 0;
    for (at, letter) in rest.char_indices() {
        let after = &rest[at + letter.len_utf8()..];
        match letter.to_digit(16) {
            Some(digit) => code = code * 16 + digit,
            None if letter == '}' && at > 0 => return Ok((code, after)),
            None => return Err(invalid(text, after)),
        }
        if code > char::MAX as u32 {
            return Err(invalid(text, after));
        }
    }
    Err(invalid(text, ""))
}

fn invalid(text: &str, rest: &str) -> Error {
    Error::new("invalid escape sequence", &text[..text.len() - rest.len()])
}
