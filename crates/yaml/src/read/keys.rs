//! Implicit keys: what begins a `key: value` is known only when the colon is seen.

use super::fail::Result;
use super::scanner::Scanner;
use super::token::Mark;

/// An implicit key ends at most this many characters behind its start.
const KEY_LENGTH: usize = 1024;

/// A place where an implicit key may have begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PossibleKey {
    pub(super) possible: bool,
    /// Whether nothing but a key can stand there.
    required: bool,
    pub(super) number: usize,
    pub(super) mark: Mark,
}

impl Scanner<'_> {
    /// Whether the next token may still turn out to be an implicit key.
    ///
    /// go-yaml notes for each such token the level it was seen at, and forgets the note when the key is
    /// found or given up for another, but not when it grew too old. Then it asks for whatever key the
    /// level has by now, and so do we: it decides how far the text is scanned before the parser speaks.
    #[inline]
    pub(super) fn is_undecided(&mut self) -> Result<bool> {
        while let Some((number, level)) = self.awaited.front().copied() {
            if number > self.taken {
                break;
            }
            if number == self.taken {
                return if level < self.keys.len() { self.is_key_valid(level) } else { Ok(false) };
            }
            self.awaited.pop_front();
        }
        Ok(false)
    }

    /// Lets a token go, whatever it turns out to be.
    pub(super) fn forget(&mut self, number: usize) {
        if let Some(index) = self.awaited.iter().rposition(|(known, _)| *known == number) {
            self.awaited.remove(index);
        }
    }

    #[inline]
    pub(super) fn is_key_valid(&mut self, index: usize) -> Result<bool> {
        let key = self.keys[index];
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < self.line || self.is_too_long(key.mark) {
            if key.required {
                return Err(self.fail(key.mark, "could not find expected ':'"));
            }
            self.keys[index].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn is_too_long(&self, from: Mark) -> bool {
        let from = from.at as usize;
        self.at - from > KEY_LENGTH && self.src[from..self.at].chars().count() > KEY_LENGTH
    }

    /// Notes that what begins here may be an implicit key.
    pub(super) fn save_key(&mut self) -> Result<()> {
        if !self.key_allowed {
            return Ok(());
        }
        let mark = self.mark();
        let required = self.flow_level == 0 && self.indent == i64::from(mark.column);
        self.remove_key()?;
        let number = self.taken + self.tokens.len();
        *self.last_key() = PossibleKey { possible: true, required, number, mark };
        self.awaited.push_back((number, self.keys.len() - 1));
        Ok(())
    }

    pub(super) fn remove_key(&mut self) -> Result<()> {
        let key = *self.last_key();
        if key.possible {
            if key.required {
                return Err(self.fail(key.mark, "could not find expected ':'"));
            }
            self.last_key().possible = false;
            self.forget(key.number);
        }
        Ok(())
    }

    fn last_key(&mut self) -> &mut PossibleKey {
        self.keys.last_mut().expect("because the block context's key is never popped")
    }

    pub(super) fn enter_flow(&mut self) {
        let number = self.taken + self.tokens.len();
        self.keys.push(PossibleKey { number, mark: self.mark(), ..PossibleKey::default() });
        self.flow_level += 1;
    }

    pub(super) fn leave_flow(&mut self) {
        if self.flow_level == 0 {
            return;
        }
        self.flow_level -= 1;
        if let Some(inner) = self.keys.pop() {
            // A collection in which no key was seen carries the number of its own first token, and takes
            // that token's note with it.
            self.forget(inner.number);
        }
    }
}
