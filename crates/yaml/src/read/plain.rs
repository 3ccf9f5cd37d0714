//! Scalars without quotes.

use std::borrow::Cow;

use super::chars::{self, is_blank, is_blank_or_end};
use super::fail::Result;
use super::scanner::Scanner;
use super::token::{Kind, Token};
use crate::{Style, place};

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain(&mut self) -> Result<Token<'a>> {
        let src = self.src;
        let bytes = src.as_bytes();
        let mark = self.mark();
        let indent = self.indent + 1;
        // Text that spans lines is joined in `joined`; what was read since is `start..end` of the source.
        let mut joined: Option<String> = None;
        let (mut start, mut end) = (self.at, self.at);
        let mut breaks = Breaks::default();
        let mut broken = false;
        loop {
            let at_margin = self.column() == 0;
            if at_margin && (self.is_indicator(*b"---") || self.is_indicator(*b"...")) {
                break;
            }
            if self.byte() == Some(b'#') {
                break;
            }
            let from = self.at;
            self.at = self.plain_run();
            if self.at > from {
                if broken {
                    let text = joined.get_or_insert_default();
                    text.push_str(&src[start..end]);
                    breaks.join(text);
                    start = from;
                    broken = false;
                }
                end = self.at;
            }
            if !is_blank_or_end(bytes, self.at) || self.at >= bytes.len() {
                break;
            }
            // Blanks and breaks; what they become is known only when more text follows.
            loop {
                if is_blank(bytes, self.at) {
                    if broken && bytes[self.at] == b'\t' && (self.column() as i64) < indent {
                        let message = "found a tab character that violates indentation";
                        return Err(self.fail(mark, message));
                    }
                    self.at += 1;
                } else if self.is_break() {
                    if broken {
                        self.read_break(&mut breaks.more);
                    } else {
                        breaks.first.clear();
                        breaks.more.clear();
                        self.read_break(&mut breaks.first);
                        broken = true;
                    }
                } else {
                    break;
                }
            }
            if self.flow_level == 0 && (self.column() as i64) < indent {
                break;
            }
        }
        if broken {
            self.key_allowed = true;
        }
        let last = &src[start..end];
        let text = match joined {
            None => Cow::Borrowed(last),
            Some(mut text) => {
                text.push_str(last);
                Cow::Owned(text)
            }
        };
        let style = match self.places && text.starts_with("{{") {
            true => Style::Place,
            false => Style::Plain,
        };
        Ok(Token { text, ..Token::new(Kind::Scalar(style), mark) })
    }

    /// The end of the run of plain characters that begins here.
    #[inline]
    fn plain_run(&self) -> usize {
        if self.places {
            return self.run_with_places();
        }
        let bytes = self.src.as_bytes();
        let stop = if self.flow_level > 0 { chars::STOP_FLOW } else { chars::STOP_PLAIN };
        let mut at = self.at;
        loop {
            at = chars::run(bytes, at, stop);
            match bytes.get(at) {
                Some(b':') if !is_blank_or_end(bytes, at + 1) => at += 1,
                Some(0xC2 | 0xE2) if !is_blank_or_end(bytes, at) => at += 1,
                _ => return at,
            }
        }
    }

    /// The same where a place is passed over as a whole, whatever it holds.
    fn run_with_places(&self) -> usize {
        let bytes = self.src.as_bytes();
        let mut at = self.at;
        loop {
            at = chars::run(bytes, at, chars::STOP_FLOW);
            if let Some(end) = place::end(bytes, at) {
                at = end;
                continue;
            }
            match bytes.get(at) {
                Some(b':' | 0xC2 | 0xE2) if is_blank_or_end(bytes, at) => return at,
                Some(b':') if is_blank_or_end(bytes, at + 1) => return at,
                Some(b':' | 0xC2 | 0xE2) => at += 1,
                Some(b',' | b'?' | b'[' | b']' | b'{' | b'}') if self.flow_level == 0 => at += 1,
                _ => return at,
            }
        }
    }
}

/// Line breaks between two runs of text.
#[derive(Default)]
pub(super) struct Breaks {
    pub(super) first: String,
    pub(super) more: String,
}

impl Breaks {
    /// Adds what the breaks fold to: one LF becomes a space, further ones stay.
    pub(super) fn join(&mut self, text: &mut String) {
        if self.first.starts_with('\n') {
            text.push_str(if self.more.is_empty() { " " } else { &self.more });
        } else {
            text.push_str(&self.first);
            text.push_str(&self.more);
        }
        self.first.clear();
        self.more.clear();
    }
}
