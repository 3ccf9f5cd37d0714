//! Block scalars: `|` keeps its lines, `>` folds them.

use std::borrow::Cow;

use super::chars::{self, is_blank, is_break_or_end};
use super::fail::Result;
use super::scanner::Scanner;
use super::token::{Kind, Mark, Token};
use crate::Style;

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_block(&mut self, literal: bool) -> Result<Token<'a>> {
        let mark = self.mark();
        self.at += 1;
        let (chomp, increment) = self.block_header(mark)?;
        let bytes = self.src.as_bytes();
        let mut indent = match increment {
            0 => 0,
            _ => self.indent.max(0) + increment,
        };
        let mut text = String::new();
        let (mut first, mut more) = (String::new(), String::new());
        self.block_breaks(&mut indent, &mut more, mark)?;
        let mut after_blank = false;
        while self.column() as i64 == indent && self.at < bytes.len() {
            let begins_blank = is_blank(bytes, self.at);
            if !literal && first.starts_with('\n') && !after_blank && !begins_blank {
                if more.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(&first);
            }
            first.clear();
            text.push_str(&more);
            more.clear();
            after_blank = begins_blank;
            let start = self.at;
            self.skip_line();
            text.push_str(&self.src[start..self.at]);
            if literal {
                self.lines_alike(indent, &mut text);
            }
            self.read_break(&mut first);
            self.block_breaks(&mut indent, &mut more, mark)?;
        }
        if chomp != Chomp::Strip {
            text.push_str(&first);
        }
        if chomp == Chomp::Keep {
            text.push_str(&more);
        }
        // The text goes into the tree as it is, and stays there.
        text.shrink_to_fit();
        let style = if literal { Style::Literal } else { Style::Folded };
        Ok(Token { text: Cow::Owned(text), ..Token::new(Kind::Scalar(style), mark) })
    }

    /// Takes the lines that follow for as long as each is indented as the first, and neither empty nor the last.
    fn lines_alike(&mut self, indent: i64, text: &mut String) {
        let bytes = self.src.as_bytes();
        let Ok(indent) = usize::try_from(indent) else { return };
        while let Some([b'\n', blanks @ .., next]) = bytes.get(self.at..self.at + indent + 2)
            && blanks.iter().all(|byte| *byte == b' ')
            && !matches!(next, b'\n' | b'\r' | 0xC2 | 0xE2)
        {
            let start = self.at;
            self.skip_break();
            self.at += indent;
            self.skip_line();
            text.push('\n');
            text.push_str(&self.src[start + 1 + indent..self.at]);
        }
    }

    /// The indicators behind `|` or `>` and the rest of that line.
    fn block_header(&mut self, mark: Mark) -> Result<(Chomp, i64)> {
        let mut chomp = self.chomp_indicator();
        let increment = self.indent_indicator(mark)?;
        if increment != 0 && chomp == Chomp::Clip {
            chomp = self.chomp_indicator();
        }
        while is_blank(self.src.as_bytes(), self.at) {
            self.at += 1;
        }
        if self.byte() == Some(b'#') {
            self.skip_line();
        }
        if !is_break_or_end(self.src.as_bytes(), self.at) {
            return Err(self.fail(mark, "did not find expected comment or line break"));
        }
        self.skip_break();
        Ok((chomp, increment))
    }

    fn chomp_indicator(&mut self) -> Chomp {
        let chomp = match self.byte() {
            Some(b'+') => Chomp::Keep,
            Some(b'-') => Chomp::Strip,
            _ => return Chomp::Clip,
        };
        self.at += 1;
        chomp
    }

    fn indent_indicator(&mut self, mark: Mark) -> Result<i64> {
        match self.byte() {
            Some(b'0') => Err(self.fail(mark, "found an indentation indicator equal to 0")),
            Some(digit @ b'1'..=b'9') => {
                self.at += 1;
                Ok(i64::from(digit - b'0'))
            }
            _ => Ok(0),
        }
    }

    /// Passes over indentation and empty lines; finds the indentation where it is not known yet.
    fn block_breaks(&mut self, indent: &mut i64, breaks: &mut String, mark: Mark) -> Result<()> {
        let bytes = self.src.as_bytes();
        let mut deepest = 0;
        loop {
            let within = |column: usize| *indent == 0 || (column as i64) < *indent;
            while within(self.column()) && self.byte() == Some(b' ') {
                self.at += 1;
            }
            deepest = deepest.max(self.column() as i64);
            if within(self.column()) && self.byte() == Some(b'\t') {
                let message = "found a tab character where an indentation space is expected";
                return Err(self.fail(mark, message));
            }
            if chars::break_width(bytes, self.at).is_none() {
                break;
            }
            self.read_break(breaks);
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
