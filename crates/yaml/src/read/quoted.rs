//! Scalars in single or double quotes.

use std::borrow::Cow;

use super::chars::{self, is_blank, is_blank_or_end, is_break};
use super::fail::Result;
use super::plain::Breaks;
use super::scanner::Scanner;
use super::token::{Kind, Mark, Token};
use crate::Style;

impl<'a> Scanner<'a> {
    pub(super) fn scan_quoted(&mut self, single: bool) -> Result<Token<'a>> {
        let mark = self.mark();
        self.at += 1;
        let text = match self.simple_quoted(single) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.full_quoted(mark, single)?),
        };
        self.at += 1;
        let style = if single { Style::SingleQuoted } else { Style::DoubleQuoted };
        Ok(Token { text, ..Token::new(Kind::Scalar(style), mark) })
    }

    /// The text where it has neither escapes nor line breaks. Stops at the closing quote.
    #[inline]
    fn simple_quoted(&mut self, single: bool) -> Option<&'a str> {
        let bytes = self.src.as_bytes();
        let (quote, stop) =
            if single { (b'\'', chars::STOP_SINGLE) } else { (b'"', chars::STOP_DOUBLE) };
        let mut end = self.at;
        loop {
            end = chars::run(bytes, end, stop);
            match bytes.get(end) {
                Some(0xC2 | 0xE2) if !is_break(bytes, end) => end += 1,
                Some(byte) if *byte == quote => break,
                _ => return None,
            }
        }
        if single && bytes.get(end + 1) == Some(&b'\'') {
            return None;
        }
        let text = &self.src[self.at..end];
        self.at = end;
        Some(text)
    }

    fn full_quoted(&mut self, mark: Mark, single: bool) -> Result<String> {
        let bytes = self.src.as_bytes();
        let quote = if single { b'\'' } else { b'"' };
        let mut text = String::new();
        let mut breaks = Breaks::default();
        loop {
            let at_margin = self.column() == 0;
            if at_margin && (self.is_indicator(*b"---") || self.is_indicator(*b"...")) {
                return Err(self.fail(mark, "found unexpected document indicator"));
            }
            if self.byte().is_none() {
                return Err(self.fail(mark, "found unexpected end of stream"));
            }
            let mut broken = self.quoted_run(mark, single, &mut text)?;
            if self.byte() == Some(quote) {
                return Ok(text);
            }
            let blanks = self.at;
            let mut blanks_end = self.at;
            loop {
                if is_blank(bytes, self.at) {
                    self.at += 1;
                    blanks_end = self.at;
                } else if self.is_break() {
                    let into = if broken { &mut breaks.more } else { &mut breaks.first };
                    self.read_break(into);
                    broken = true;
                } else {
                    break;
                }
            }
            if broken {
                breaks.join(&mut text);
            } else {
                text.push_str(&self.src[blanks..blanks_end]);
            }
        }
    }

    /// Reads characters up to a blank, a break or the closing quote; true if it ended at an escaped break.
    fn quoted_run(&mut self, mark: Mark, single: bool, text: &mut String) -> Result<bool> {
        let bytes = self.src.as_bytes();
        let stop = if single { chars::STOP_SINGLE } else { chars::STOP_DOUBLE };
        while !is_blank_or_end(bytes, self.at) {
            match bytes[self.at] {
                b'\'' if single => {
                    if bytes.get(self.at + 1) != Some(&b'\'') {
                        break;
                    }
                    text.push('\'');
                    self.at += 2;
                }
                b'"' if !single => break,
                b'\\' if !single && is_break(bytes, self.at + 1) => {
                    self.at += 1;
                    self.skip_break();
                    return Ok(true);
                }
                b'\\' if !single => self.escape(mark, text)?,
                _ => {
                    let start = self.at;
                    self.at += char_width(bytes[start]);
                    while self.at < bytes.len()
                        && chars::STOPS[bytes[self.at] as usize] & (stop | chars::STOP_PLAIN) == 0
                    {
                        self.at += 1;
                    }
                    text.push_str(&self.src[start..self.at]);
                }
            }
        }
        Ok(false)
    }

    fn escape(&mut self, mark: Mark, text: &mut String) -> Result<()> {
        let code = self.src.as_bytes().get(self.at + 1);
        let (character, width) = match code {
            Some(b'0') => ('\0', 0),
            Some(b'a') => ('\x07', 0),
            Some(b'b') => ('\x08', 0),
            Some(b't' | b'\t') => ('\t', 0),
            Some(b'n') => ('\n', 0),
            Some(b'v') => ('\x0B', 0),
            Some(b'f') => ('\x0C', 0),
            Some(b'r') => ('\r', 0),
            Some(b'e') => ('\x1B', 0),
            Some(byte @ (b' ' | b'"' | b'\'' | b'\\')) => (char::from(*byte), 0),
            Some(b'N') => ('\u{85}', 0),
            Some(b'_') => ('\u{A0}', 0),
            Some(b'L') => ('\u{2028}', 0),
            Some(b'P') => ('\u{2029}', 0),
            Some(b'x') => ('\0', 2),
            Some(b'u') => ('\0', 4),
            Some(b'U') => ('\0', 8),
            _ => return Err(self.fail(mark, "found unknown escape character")),
        };
        self.at += 2;
        let character = if width == 0 { character } else { self.code_point(mark, width)? };
        text.push(character);
        Ok(())
    }

    fn code_point(&mut self, mark: Mark, width: usize) -> Result<char> {
        let digits = self.src.as_bytes().get(self.at..self.at + width);
        let Some(digits) = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit)) else {
            return Err(self.fail(mark, "did not find expected hexdecimal number"));
        };
        let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or(0);
        let value = digits.iter().fold(0u32, |value, byte| value << 4 | digit(byte));
        let Some(character) = char::from_u32(value) else {
            return Err(self.fail(mark, "found invalid Unicode character escape code"));
        };
        self.at += width;
        Ok(character)
    }
}

fn char_width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
