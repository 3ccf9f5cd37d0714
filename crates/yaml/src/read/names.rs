//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::chars::{is_alpha, is_blank, is_blank_or_end, is_break_or_end, is_uri};
use super::fail::{Fail, Result};
use super::scanner::Scanner;
use super::token::{Kind, Mark, Token};

impl<'a> Scanner<'a> {
    /// `&name` or `*name`.
    pub(super) fn scan_name(&mut self, kind: Kind) -> Result<Token<'a>> {
        let mark = self.mark();
        self.at += 1;
        let name = self.alphas();
        let ends = is_blank_or_end(self.src.as_bytes(), self.at)
            || self.byte().is_some_and(|byte| b"?:,]}%@`".contains(&byte));
        if name.is_empty() || !ends {
            return Err(self.fail(mark, "did not find expected alphabetic or numeric character"));
        }
        Ok(Token { text: Cow::Borrowed(name), ..Token::new(kind, mark) })
    }

    /// `!<uri>`, `!suffix`, `!handle!suffix` or a lone `!`.
    pub(super) fn scan_tag(&mut self) -> Result<Token<'a>> {
        let mark = self.mark();
        let (handle, suffix);
        if self.src.as_bytes().get(self.at + 1) == Some(&b'<') {
            self.at += 2;
            handle = "";
            suffix = self.uri("", mark)?;
            if self.byte() != Some(b'>') {
                return Err(self.fail(mark, "did not find the expected '>'"));
            }
            self.at += 1;
        } else {
            let head = self.tag_handle(false, mark)?;
            if head.len() > 1 && head.ends_with('!') {
                handle = head;
                suffix = self.uri("", mark)?;
            } else {
                let rest = self.uri(head, mark)?;
                (handle, suffix) = if rest.is_empty() { ("", "!".into()) } else { ("!", rest) };
            }
        }
        if !is_blank_or_end(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "did not find expected whitespace or line break"));
        }
        let suffix = Some(suffix.into_boxed_str());
        Ok(Token { text: Cow::Borrowed(handle), suffix, ..Token::new(Kind::Tag, mark) })
    }

    /// `%YAML 1.1` or `%TAG !handle! prefix`, with the whole line.
    pub(super) fn scan_directive(&mut self) -> Result<Token<'a>> {
        let mark = self.mark();
        self.at += 1;
        let name = self.alphas();
        if name.is_empty() {
            return Err(self.fail(mark, "could not find expected directive name"));
        }
        if !is_blank_or_end(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "found unexpected non-alphabetical character"));
        }
        let token = match name {
            "YAML" => self.version(mark)?,
            "TAG" => self.tag_directive(mark)?,
            _ => return Err(self.fail(mark, "found unknown directive name")),
        };
        self.blanks();
        if self.byte() == Some(b'#') {
            self.skip_line();
        }
        if !is_break_or_end(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "did not find expected comment or line break"));
        }
        self.skip_break();
        Ok(token)
    }

    fn version(&mut self, mark: Mark) -> Result<Token<'a>> {
        self.blanks();
        let major = self.version_number(mark)?;
        if self.byte() != Some(b'.') {
            return Err(self.fail(mark, "did not find expected digit or '.' character"));
        }
        self.at += 1;
        let minor = self.version_number(mark)?;
        Ok(Token::new(Kind::Version(major, minor), mark))
    }

    fn version_number(&mut self, mark: Mark) -> Result<u8> {
        let start = self.at;
        let mut value = 0;
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            if self.at - start == 2 {
                return Err(self.fail(mark, "found extremely long version number"));
            }
            value = value * 10 + (digit - b'0');
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fail(mark, "did not find expected version number"));
        }
        Ok(value)
    }

    fn tag_directive(&mut self, mark: Mark) -> Result<Token<'a>> {
        self.blanks();
        let handle = self.tag_handle(true, mark)?;
        if !is_blank(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "did not find expected whitespace"));
        }
        self.blanks();
        let prefix = self.uri("", mark)?;
        if !is_blank_or_end(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "did not find expected whitespace or line break"));
        }
        let suffix = Some(prefix.into_boxed_str());
        Ok(Token { text: Cow::Borrowed(handle), suffix, ..Token::new(Kind::TagDirective, mark) })
    }

    fn tag_handle(&mut self, directive: bool, mark: Mark) -> Result<&'a str> {
        let start = self.at;
        if self.byte() != Some(b'!') {
            return Err(self.fail(mark, "did not find expected '!'"));
        }
        self.at += 1;
        self.alphas();
        if self.byte() == Some(b'!') {
            self.at += 1;
        } else if directive && self.at > start + 1 {
            return Err(self.fail(mark, "did not find expected '!'"));
        }
        Ok(&self.src[start..self.at])
    }

    /// A tag's suffix after what was read of it as a handle.
    fn uri(&mut self, head: &str, mark: Mark) -> Result<String> {
        let mut bytes = head.get(1..).unwrap_or("").as_bytes().to_vec();
        let start = self.at;
        while let Some(byte) = self.byte().filter(|byte| is_uri(*byte)) {
            if byte == b'%' {
                self.uri_escape(&mut bytes, mark)?;
            } else {
                bytes.push(byte);
                self.at += 1;
            }
        }
        if head.is_empty() && self.at == start {
            return Err(self.fail(mark, "did not find expected tag URI"));
        }
        let broken = |_| Fail::plain("invalid Unicode character", mark.at);
        String::from_utf8(bytes).map_err(broken)
    }

    /// One character of UTF-8, each byte written as `%` and two hex digits.
    fn uri_escape(&mut self, bytes: &mut Vec<u8>, mark: Mark) -> Result<()> {
        let mut left = None;
        while left != Some(0) {
            let octet = self.uri_octet(mark)?;
            left = match left {
                None if octet & 0x80 == 0x00 => Some(0),
                None if octet & 0xE0 == 0xC0 => Some(1),
                None if octet & 0xF0 == 0xE0 => Some(2),
                None if octet & 0xF8 == 0xF0 => Some(3),
                None => return Err(self.fail(mark, "found an incorrect leading UTF-8 octet")),
                Some(_) if octet & 0xC0 != 0x80 => {
                    return Err(self.fail(mark, "found an incorrect trailing UTF-8 octet"));
                }
                Some(left) => Some(left - 1),
            };
            bytes.push(octet);
            self.at += 3;
        }
        Ok(())
    }

    fn uri_octet(&self, mark: Mark) -> Result<u8> {
        let digits = match self.src.as_bytes().get(self.at..self.at + 3) {
            Some([b'%', digits @ ..]) if digits.iter().all(u8::is_ascii_hexdigit) => digits,
            _ => return Err(self.fail(mark, "did not find URI escaped octet")),
        };
        let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
        Ok(digit(digits[0]) << 4 | digit(digits[1]))
    }

    fn alphas(&mut self) -> &'a str {
        let start = self.at;
        while self.byte().is_some_and(is_alpha) {
            self.at += 1;
        }
        &self.src[start..self.at]
    }

    fn blanks(&mut self) {
        while is_blank(self.src.as_bytes(), self.at) {
            self.at += 1;
        }
    }
}
