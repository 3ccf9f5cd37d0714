//! Turns text into tokens: finds the indents, the implicit keys and the scalars.

use std::collections::VecDeque;

use super::chars::{is_blank_or_end, is_break};
use super::fail::{Fail, Result};
use super::keys::PossibleKey;
use super::token::{Kind, Mark, Token};
use crate::{Dialect, Reading, place};

pub(super) struct Scanner<'a> {
    pub(super) src: &'a str,
    pub(super) at: usize,
    pub(super) line: u32,
    /// Where the current line begins.
    pub(super) line_start: usize,
    pub(super) dialect: Dialect,
    /// Whether places for a template are known.
    pub(super) places: bool,
    /// The column of the current block collection, -1 outside of any.
    pub(super) indent: i64,
    indents: Vec<i64>,
    pub(super) flow_level: usize,
    /// Whether a key may begin here.
    pub(super) key_allowed: bool,
    /// What may turn out to be an implicit key: one for the block context and one for each open flow collection.
    pub(super) keys: Vec<PossibleKey>,
    /// The tokens that may be keys, by number, with the level of the key each was noted for.
    pub(super) awaited: VecDeque<(usize, usize)>,
    pub(super) tokens: VecDeque<Token<'a>>,
    /// How many tokens the parser has taken.
    pub(super) taken: usize,
    started: bool,
    /// Whether the next token is certain.
    ready: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(src: &'a str, reading: Reading) -> Self {
        Self {
            src,
            at: 0,
            line: 0,
            line_start: 0,
            dialect: reading.dialect,
            places: reading.places,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            key_allowed: true,
            keys: vec![PossibleKey::default()],
            awaited: VecDeque::with_capacity(16),
            tokens: VecDeque::with_capacity(16),
            taken: 0,
            started: false,
            ready: false,
        }
    }

    /// The next token, which stays in the queue.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<&Token<'a>> {
        self.fill()?;
        Ok(self.tokens.front().expect("because `fill` leaves a token in the queue"))
    }

    /// The kind of the next token.
    #[inline]
    pub(super) fn kind(&mut self) -> Result<Kind> {
        self.peek().map(|token| token.kind)
    }

    /// Takes the next token out of the queue.
    #[inline]
    pub(super) fn take(&mut self) -> Result<Token<'a>> {
        self.fill()?;
        self.ready = false;
        self.taken += 1;
        Ok(self.tokens.pop_front().expect("because `fill` leaves a token in the queue"))
    }

    /// Fetches tokens until the next one is certain.
    ///
    /// go-yaml v3 reads two tokens further than it needs, for the sake of comments; an error there comes
    /// before one that the parser would find earlier in the text, so we read as far.
    #[inline]
    fn fill(&mut self) -> Result<()> {
        if self.ready {
            return Ok(());
        }
        self.fetch_ahead()
    }

    fn fetch_ahead(&mut self) -> Result<()> {
        let ahead = if self.dialect == Dialect::V3 { 2 } else { 0 };
        while self.tokens.len() <= ahead || self.is_undecided()? {
            self.fetch()?;
        }
        self.ready = true;
        Ok(())
    }

    /// Opens a block collection where the column lies deeper than the current one.
    fn roll(&mut self, mark: Mark, index: Option<usize>, kind: Kind) {
        if self.flow_level > 0 || self.indent >= i64::from(mark.column) {
            return;
        }
        self.indents.push(self.indent);
        self.indent = i64::from(mark.column);
        let token = Token::new(kind, mark);
        match index {
            Some(index) => self.tokens.insert(index, token),
            None => self.tokens.push_back(token),
        }
    }

    /// Closes block collections down to a column.
    #[inline]
    fn unroll(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Kind::BlockEnd, self.mark());
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn push(&mut self, kind: Kind, mark: Mark) {
        self.tokens.push_back(Token::new(kind, mark));
    }

    /// Fetches one more token, together with the collection starts and ends that it implies.
    fn fetch(&mut self) -> Result<()> {
        if !self.started {
            self.started = true;
            self.push(Kind::StreamStart, self.mark());
            return Ok(());
        }
        self.skip_to_token();
        let column = self.column();
        self.unroll(column as i64);
        let bytes = self.src.as_bytes();
        let Some(&byte) = bytes.get(self.at) else { return self.stream_end() };
        if column == 0 {
            match byte {
                b'%' => return self.directive(),
                b'-' if self.is_indicator(*b"---") => return self.document(Kind::DocumentStart),
                b'.' if self.is_indicator(*b"...") => return self.document(Kind::DocumentEnd),
                _ => {}
            }
        }
        let in_flow = self.flow_level > 0;
        match byte {
            b'[' => self.flow_start(Kind::FlowSequenceStart),
            b'{' if self.places && place::end(bytes, self.at).is_some() => self.place(),
            b'{' => self.flow_start(Kind::FlowMappingStart),
            b']' => self.flow_end(Kind::FlowSequenceEnd),
            b'}' => self.flow_end(Kind::FlowMappingEnd),
            b',' => self.flow_entry(),
            b'-' if is_blank_or_end(bytes, self.at + 1) => self.block_entry(),
            b'?' if in_flow || is_blank_or_end(bytes, self.at + 1) => self.key(),
            b':' if in_flow || is_blank_or_end(bytes, self.at + 1) => self.value(),
            b'*' => self.named(Kind::Alias),
            b'&' => self.named(Kind::Anchor),
            b'!' => self.tag(),
            b'|' if !in_flow => self.block_scalar(true),
            b'>' if !in_flow => self.block_scalar(false),
            b'\'' => self.quoted(true),
            b'"' => self.quoted(false),
            b'\t' | b'#' | b'%' | b'@' | b'`' | b'|' | b'>' => Err(self.unexpected()),
            _ => self.plain(),
        }
    }

    fn unexpected(&self) -> Fail {
        self.fail(self.mark(), "found character that cannot start any token")
    }

    /// Whether a document indicator stands here.
    #[inline]
    pub(super) fn is_indicator(&self, indicator: [u8; 3]) -> bool {
        let bytes = self.src.as_bytes();
        bytes[self.at..].starts_with(&indicator) && is_blank_or_end(bytes, self.at + 3)
    }

    fn stream_end(&mut self) -> Result<()> {
        let mut mark = self.mark();
        if mark.column != 0 {
            // The end of the text ends its last line.
            self.line += 1;
            self.line_start = self.at;
            mark = self.mark();
        }
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.push(Kind::StreamEnd, mark);
        Ok(())
    }

    fn directive(&mut self) -> Result<()> {
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn document(&mut self, kind: Kind) -> Result<()> {
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let mark = self.mark();
        self.at += 3;
        self.push(kind, mark);
        Ok(())
    }

    fn flow_start(&mut self, kind: Kind) -> Result<()> {
        self.save_key()?;
        self.enter_flow();
        self.key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn flow_end(&mut self, kind: Kind) -> Result<()> {
        self.remove_key()?;
        self.leave_flow();
        self.key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn flow_entry(&mut self) -> Result<()> {
        self.remove_key()?;
        self.key_allowed = true;
        self.indicator(Kind::FlowEntry);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.key_allowed {
                let message = "block sequence entries are not allowed in this context";
                return Err(self.fail(mark, message));
            }
            self.roll(mark, None, Kind::BlockSequenceStart);
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.indicator(Kind::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.key_allowed {
                return Err(self.fail(mark, "mapping keys are not allowed in this context"));
            }
            self.roll(mark, None, Kind::BlockMappingStart);
        }
        self.remove_key()?;
        self.key_allowed = self.flow_level == 0;
        self.indicator(Kind::Key);
        self.line_comment();
        Ok(())
    }

    fn value(&mut self) -> Result<()> {
        let last = self.keys.len() - 1;
        if self.is_key_valid(last)? {
            let key = self.keys[last];
            // v2 may have handed the key's token out already, see `leave_flow`; then it is too late.
            let index = key.number.checked_sub(self.taken);
            let token = Token::new(Kind::Key, key.mark);
            self.tokens.insert(index.unwrap_or(self.tokens.len()), token);
            self.roll(key.mark, index, Kind::BlockMappingStart);
            self.keys[last].possible = false;
            self.forget(key.number);
            self.key_allowed = false;
            self.indicator(Kind::Value);
            return Ok(());
        }
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.key_allowed {
                return Err(self.fail(mark, "mapping values are not allowed in this context"));
            }
            self.roll(mark, None, Kind::BlockMappingStart);
        }
        self.key_allowed = self.flow_level == 0;
        self.indicator(Kind::Value);
        self.line_comment();
        Ok(())
    }

    fn indicator(&mut self, kind: Kind) {
        let mark = self.mark();
        self.at += 1;
        self.push(kind, mark);
    }

    fn named(&mut self, kind: Kind) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.scan_name(kind)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn tag(&mut self) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.scan_tag()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn block_scalar(&mut self, literal: bool) -> Result<()> {
        self.remove_key()?;
        self.key_allowed = true;
        let token = self.scan_block(literal)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn quoted(&mut self, single: bool) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.scan_quoted(single)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn plain(&mut self) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.scan_plain()?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// A text that begins with a place for a template.
    fn place(&mut self) -> Result<()> {
        let mark = self.mark();
        if let Some(word) = place::control(&self.src[self.at..]) {
            let message = format!("found `{{{{ {word} }}}}`: only values can be filled in later");
            return Err(self.fail(mark, &message));
        }
        self.plain()
    }

    pub(super) fn is_break(&self) -> bool {
        is_break(self.src.as_bytes(), self.at)
    }

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.src.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn column(&self) -> usize {
        self.at - self.line_start
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        // The text is shorter than 4 GiB, see `read`.
        Mark { at: self.at as u32, line: self.line, column: self.column() as u32 }
    }

    pub(super) fn fail(&self, context: Mark, message: &str) -> Fail {
        Fail::scanner(self.dialect, context, self.mark(), message)
    }
}
