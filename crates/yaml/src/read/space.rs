//! What stands between tokens: blanks, line breaks and comments.

use super::chars::{self, is_blank, is_break_or_end};
use super::scanner::Scanner;
use crate::Dialect;

/// So far go-yaml v3 looks for another comment.
const COMMENT_REACH: usize = 512;

impl Scanner<'_> {
    /// Passes over blanks, comments and line breaks.
    pub(super) fn skip_to_token(&mut self) {
        let bytes = self.src.as_bytes();
        loop {
            let tabs = self.flow_level > 0 || !self.key_allowed;
            while match bytes.get(self.at) {
                Some(b' ') => true,
                Some(b'\t') => tabs,
                _ => false,
            } {
                self.at += 1;
            }
            if bytes.get(self.at) == Some(&b'#') {
                self.comment();
            }
            if !self.skip_break() {
                return;
            }
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Passes over a comment up to the end of its line. v3 goes on to the comments that follow, with any
    /// blanks before them, even tabs that would be an error elsewhere.
    fn comment(&mut self) {
        let bytes = self.src.as_bytes();
        self.skip_line();
        while self.dialect == Dialect::V3 {
            let reach = (self.at + COMMENT_REACH).min(bytes.len());
            let mut next = self.at + 1;
            while next < reach && matches!(bytes[next], b' ' | b'\t' | b'\n' | b'\r') {
                next += 1;
            }
            if next >= reach || bytes[next] != b'#' {
                return;
            }
            while self.at < next {
                if !self.skip_break() {
                    self.at += 1;
                }
            }
            self.skip_line();
        }
    }

    /// Passes over the comment behind an explicit `?` or `:`, which v3 looks for at once; it thereby
    /// allows a tab before it.
    pub(super) fn line_comment(&mut self) {
        if self.dialect == Dialect::V2 || !self.key_allowed {
            return;
        }
        let bytes = self.src.as_bytes();
        let blanks =
            (0..COMMENT_REACH).take_while(|index| is_blank(bytes, self.at + index)).count();
        if blanks < COMMENT_REACH && bytes.get(self.at + blanks) == Some(&b'#') {
            self.at += blanks;
            self.skip_line();
        }
    }

    pub(super) fn skip_line(&mut self) {
        let bytes = self.src.as_bytes();
        let end = memchr::memchr2(b'\n', b'\r', &bytes[self.at..]);
        let end = end.map_or(bytes.len(), |length| self.at + length);
        if bytes[self.at..end].is_ascii() {
            self.at = end;
            return;
        }
        loop {
            self.at = chars::run(bytes, self.at, chars::STOP_LINE);
            if is_break_or_end(bytes, self.at) {
                return;
            }
            self.at += 1;
        }
    }

    /// Passes over one line break; false where there is none.
    #[inline]
    pub(super) fn skip_break(&mut self) -> bool {
        let Some(width) = chars::break_width(self.src.as_bytes(), self.at) else { return false };
        self.at += width;
        self.line += 1;
        self.line_start = self.at;
        true
    }

    /// Passes over one line break and adds it to a text: all are LF but U+2028 and U+2029.
    pub(super) fn read_break(&mut self, text: &mut String) -> bool {
        let start = self.at;
        if !self.skip_break() {
            return false;
        }
        match self.src.as_bytes()[start] {
            0xE2 => text.push_str(&self.src[start..self.at]),
            _ => text.push('\n'),
        }
        true
    }
}
