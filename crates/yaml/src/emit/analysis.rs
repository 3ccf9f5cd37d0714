//! Which styles a text can be written in.

use crate::Dialect;

/// What the characters of a text allow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    /// Whether it has a line break.
    pub(super) multiline: bool,
    /// Whether it can stand without quotes inside of a flow collection, and outside of one.
    pub(super) flow_plain: bool,
    pub(super) block_plain: bool,
    /// Whether it can stand in single quotes.
    pub(super) single: bool,
    /// Whether it can be a block scalar.
    pub(super) block: bool,
    /// Whether a character may change on the way through JSON or through a second reading.
    pub(super) odd: bool,
    /// Whether it is ASCII throughout, so that bytes are columns.
    pub(super) ascii: bool,
}

/// A text that begins like this is never plain; inside of a flow collection neither `?` nor `:` begins one.
const INDICATORS: &[u8] = b"#,[]{}&*!|>'\"%@`";

/// Bytes that never matter, wherever they stand: no blank, no break, no indicator, nothing to escape.
const INERT: [bool; 256] = inert();

const fn inert() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0x21;
    while byte < 0x7F {
        table[byte] = !matches!(byte as u8, b',' | b'?' | b'[' | b']' | b'{' | b'}' | b':' | b'#');
        byte += 1;
    }
    table
}

impl Analysis {
    pub(super) fn of(text: &str, dialect: Dialect) -> Self {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return Self { flow_plain: false, block: false, ..Self::PLAIN };
        }
        Look::at_lines(bytes).unwrap_or_else(|| Look::at_bytes(bytes, dialect)).decide(bytes)
    }

    const PLAIN: Self = Self {
        multiline: false,
        flow_plain: true,
        block_plain: true,
        single: true,
        block: true,
        odd: false,
        ascii: true,
    };
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Previous {
    #[default]
    Nothing,
    Space,
    Tab,
    Break,
    Other,
}

/// What was seen so far.
#[derive(Default)]
struct Look {
    previous: Previous,
    flow_indicator: bool,
    block_indicator: bool,
    line_break: bool,
    special: bool,
    tab: bool,
    break_space: bool,
    space_break: bool,
    odd: bool,
    wide: bool,
}

/// Shorter texts are looked at byte by byte.
const WORTH_IT: usize = 64;

impl Look {
    /// Looks at a long text of several lines if it is printable ASCII throughout. Such a text is never plain, so
    /// that only the ends of its lines matter.
    fn at_lines(bytes: &[u8]) -> Option<Self> {
        let is_odd = |byte: &u8| !(0x20..0x7F).contains(byte) & (*byte != b'\n');
        let is_clean = |chunk: &[u8]| !chunk.iter().fold(false, |any, byte| any | is_odd(byte));
        if bytes.len() < WORTH_IT
            || memchr::memchr(b'\n', bytes).is_none()
            || !bytes.chunks(WORTH_IT).all(is_clean)
        {
            return None;
        }
        let mut look = Self { line_break: true, ..Self::default() };
        for at in memchr::memchr_iter(b'\n', bytes) {
            look.space_break |= at > 0 && bytes[at - 1] == b' ';
            look.break_space |= bytes.get(at + 1) == Some(&b' ');
        }
        look.previous = match bytes.last() {
            Some(b' ') => Previous::Space,
            Some(b'\n') => Previous::Break,
            _ => Previous::Other,
        };
        Some(look)
    }

    /// Looks at every byte that can matter.
    fn at_bytes(bytes: &[u8], dialect: Dialect) -> Self {
        let mut look = Self::default();
        look.first(bytes);
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let run = rest.iter().position(|byte| !INERT[*byte as usize]).unwrap_or(rest.len());
            if run > 0 {
                look.previous = Previous::Other;
                at += run;
            } else {
                at += look.character(bytes, at, dialect);
            }
        }
        look
    }

    fn first(&mut self, bytes: &[u8]) {
        let followed = matches!(bytes.get(1), None | Some(b' ' | b'\t'));
        let (flow, block) = match bytes[0] {
            b'?' | b':' => (true, followed),
            b'-' => (followed, followed),
            byte => {
                let indicator = INDICATORS.contains(&byte);
                (indicator, indicator)
            }
        };
        let marker = bytes.starts_with(b"---") || bytes.starts_with(b"...");
        self.flow_indicator = flow || marker;
        self.block_indicator = block || marker;
    }

    /// Looks at one character that is not inert; returns its width.
    fn character(&mut self, bytes: &[u8], at: usize, dialect: Dialect) -> usize {
        let byte = bytes[at];
        let mut previous = Previous::Other;
        let mut width = 1;
        match byte {
            b' ' => {
                self.break_space |= self.previous == Previous::Break;
                previous = Previous::Space;
            }
            b'\n' | b'\r' => {
                self.breaks();
                self.special |= byte == b'\r';
                previous = Previous::Break;
            }
            b'\t' => {
                self.tab = true;
                self.special |= dialect == Dialect::V2;
                previous = Previous::Tab;
            }
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => self.flow_indicator |= at > 0,
            b':' if at > 0 => {
                self.flow_indicator = true;
                let followed = matches!(bytes.get(at + 1), None | Some(b' ' | b'\t'));
                self.block_indicator |= followed;
            }
            b'#' if at > 0 && self.is_blank_before() => {
                self.flow_indicator = true;
                self.block_indicator = true;
            }
            b':' | b'#' => {}
            0x80.. => (width, previous) = self.wide(bytes, at),
            _ => {
                self.special = true;
                self.odd |= byte == 0x7F;
            }
        }
        self.previous = previous;
        width
    }

    fn is_blank_before(&self) -> bool {
        matches!(self.previous, Previous::Space | Previous::Tab | Previous::Break)
    }

    fn breaks(&mut self) {
        self.line_break = true;
        self.space_break |= self.previous == Previous::Space;
    }

    fn wide(&mut self, bytes: &[u8], at: usize) -> (usize, Previous) {
        self.wide = true;
        match bytes[at..] {
            [0xC2, 0x85, ..] => {
                self.breaks();
                self.special = true;
                self.odd = true;
                (2, Previous::Break)
            }
            [0xC2, 0x80..0xA0, ..] => {
                self.special = true;
                self.odd = true;
                (2, Previous::Other)
            }
            [0xE2, 0x80, 0xA8 | 0xA9, ..] => {
                self.breaks();
                self.odd = true;
                (3, Previous::Break)
            }
            [0xEF, 0xBB, 0xBF, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => {
                self.special = true;
                self.odd = true;
                (3, Previous::Other)
            }
            // libyaml's test for what is printable ends with three bytes.
            [0xF0..=0xFF, ..] => {
                self.special = true;
                (4, Previous::Other)
            }
            [0xE0..=0xEF, ..] => (3, Previous::Other),
            _ => (2, Previous::Other),
        }
    }

    fn decide(self, bytes: &[u8]) -> Analysis {
        let leading = bytes[0] == b' ' || self.line_break && self.starts_with_break(bytes);
        let trailing_space = self.previous == Previous::Space;
        let trailing = trailing_space || self.previous == Previous::Break;
        let quoted_only = self.break_space || self.space_break || self.tab || self.special;
        let plain = !leading && !trailing && !quoted_only && !self.line_break;
        Analysis {
            multiline: self.line_break,
            flow_plain: plain && !self.flow_indicator,
            block_plain: plain && !self.block_indicator,
            single: !quoted_only,
            block: !trailing_space && !self.space_break && !self.special,
            odd: self.odd,
            ascii: !self.wide,
        }
    }

    fn starts_with_break(&self, bytes: &[u8]) -> bool {
        matches!(bytes, [b'\n' | b'\r', ..] | [0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same text looked at by lines and byte by byte.
    #[test]
    fn lines_are_seen_as_their_bytes_are() {
        let filler = "key: [value] # and more ".repeat(4);
        let parts = ["\n", " ", "x", "\n\n", " \n", "\n ", ":", "#"];
        for first in parts {
            for middle in parts {
                for last in parts {
                    let text = [first, &filler, middle, &filler, last].concat();
                    let Some(quick) = Look::at_lines(text.as_bytes()) else {
                        assert!(!text.contains('\n'), "{text:?}");
                        continue;
                    };
                    let slow = Look::at_bytes(text.as_bytes(), Dialect::V3);
                    let shown = |look: Look| format!("{:?}", look.decide(text.as_bytes()));
                    assert_eq!(shown(quick), shown(slow), "{text:?}");
                }
            }
        }
    }
}
