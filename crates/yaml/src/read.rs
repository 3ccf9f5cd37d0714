//! Reads YAML: text becomes tokens, tokens events, events a tree, and the tree loses its aliases.

mod block; // scalars after `|` and `>`
mod chars; // the characters that YAML tells apart
mod compose; // events become a tree
mod expand; // aliases and merge keys as kyaml resolves them
mod fail; // errors and the lines they name
mod keys; // where implicit keys begin
mod legacy; // a document as go-yaml v2 and JSON see it
mod names; // anchors, tags, directives
mod parser; // tokens become events
mod plain; // scalars without quotes
mod quoted; // scalars in quotes
mod scanner; // text becomes tokens
mod space; // blanks, breaks and comments
mod token; // the tokens

use std::borrow::Cow;

use compose::{Composer, Raw};
use fail::Fail;
use parser::Parser;
use scanner::Scanner;

use crate::{Dialect, Node, ParseError, Reading, SourceId, Span};

/// How many bytes go-yaml takes in at a time.
const PIECE: usize = 512;

/// Reads every document of a text.
///
/// Spans count from `at`, which names the source and what to add to every offset.
pub fn documents(
    text: &str,
    at: Span,
    reading: impl Into<Reading>,
) -> Result<Vec<Node>, ParseError> {
    let mut reader = Reader::new(text, at, reading.into())?;
    let mut documents = Vec::new();
    while let Some(document) = reader.document()? {
        documents.push(document);
    }
    Ok(documents)
}

/// Reads the first document of a text; there is none where a text is empty or holds only comments.
///
/// What follows the document is looked at no further than go-yaml does, so errors there may pass.
pub fn first_document(
    text: &str,
    at: Span,
    reading: impl Into<Reading>,
) -> Result<Option<Node>, ParseError> {
    Reader::new(text, at, reading.into())?.document()
}

/// Reads the first document of bytes that may break off in the middle of a character, or be no text at all.
///
/// That is an error only where go-yaml comes that far to find the end of the document.
pub fn first_document_of(
    bytes: &[u8],
    at: Span,
    reading: impl Into<Reading>,
) -> Result<Option<Node>, ParseError> {
    let (text, error) = match decode(bytes) {
        Ok(text) => (text, None),
        Err(error) => (decode(&bytes[..error.span.start as usize])?, Some(error)),
    };
    let mut reader = Reader::new(&text, at, reading.into())?;
    reader.broken = error.map(|error| Broken::new(&text, error));
    reader.document()
}

/// Reads the first document as go-yaml v3 does, without what kyaml adds. Aliases stay in it.
pub(crate) fn first_as_written(text: &str) -> Result<Option<Node>, ParseError> {
    let mut reader = Reader::new(text, Span::NONE, Dialect::V3.into())?;
    Ok(reader.raw()?.map(|raw| raw.root))
}

/// Turns bytes into text: UTF-8, or UTF-16 where a byte order mark says so.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let fail = |message: &str, at: usize| {
        let start = u32::try_from(at).unwrap_or(u32::MAX);
        ParseError::new(message, Span { source: SourceId::NONE, start })
    };
    let units = |read: fn([u8; 2]) -> u16| decode_utf16(bytes, read).map_err(|(m, at)| fail(m, at));
    match bytes {
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes).map(Cow::Owned),
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes).map(Cow::Owned),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => {
                let at = error.valid_up_to();
                Err(fail(utf8_problem(&bytes[at..]), at))
            }
        },
    }
}

fn decode_utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Result<String, (&'static str, usize)> {
    let mut text = String::with_capacity(bytes.len() / 2);
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|pair| read(*pair));
    let mut at = 2;
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(character) => {
                text.push(character);
                at += character.len_utf16() * 2;
            }
            Err(error) if error.unpaired_surrogate() >= 0xDC00 => {
                return Err(("unexpected low surrogate area", at));
            }
            Err(_) if at + 4 > bytes.len() => return Err(("incomplete UTF-16 surrogate pair", at)),
            Err(_) => return Err(("expected low surrogate area", at + 2)),
        }
    }
    match odd {
        [] => Ok(text),
        _ => Err(("incomplete UTF-16 character", at)),
    }
}

/// What go-yaml says about bytes that are not UTF-8.
fn utf8_problem(bytes: &[u8]) -> &'static str {
    let width = match bytes[0] {
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF8 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(character) = bytes.get(..width) else { return "incomplete UTF-8 octet sequence" };
    if character[1..].iter().any(|byte| byte & 0xC0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match character {
        [0xC0 | 0xC1, ..] | [0xE0, 0x80..0xA0, ..] | [0xF0, 0x80..0x90, ..] => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    }
}

struct Reader<'a> {
    composer: Composer<'a>,
    length: usize,
    at: Span,
    /// The first character that YAML does not allow.
    forbidden: Option<Broken>,
    /// What follows the text and is none.
    broken: Option<Broken>,
}

/// A place at which a text is none.
struct Broken {
    message: Cow<'static, str>,
    at: usize,
    /// From where on go-yaml would have met it.
    met: usize,
}

impl Broken {
    /// What is wrong with the bytes after a text. Of a character without its end go-yaml waits for the rest.
    fn new(text: &str, error: ParseError) -> Self {
        let at = text.len();
        let is_cut = error.message.starts_with("incomplete");
        let met = if is_cut { at } else { piece_start(&format!("{text}?"), at) };
        Self { message: error.message.into(), at, met }
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: Span, reading: Reading) -> Result<Self, ParseError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ParseError::new("the text is larger than 4 GiB", at));
        }
        let mut scanner = Scanner::new(text, reading);
        for _ in 0..2 {
            // One byte order mark belongs to the encoding, another may stand before the first token.
            if text[scanner.at..].starts_with('\u{FEFF}') {
                scanner.at += '\u{FEFF}'.len_utf8();
                scanner.line_start = scanner.at;
            }
        }
        let forbidden = chars::first_forbidden(text.as_bytes());
        let forbidden = forbidden.map(|bad| Broken {
            message: "control characters are not allowed".into(),
            at: bad,
            met: piece_start(text, bad),
        });
        let composer = Composer::new(Parser::new(scanner), at);
        Ok(Self { composer, length: text.len(), at, forbidden, broken: None })
    }

    fn document(&mut self) -> Result<Option<Node>, ParseError> {
        let raw = self.raw()?;
        raw.map(|raw| self.finish(raw)).transpose()
    }

    fn raw(&mut self) -> Result<Option<Raw>, ParseError> {
        let composed = self.composer.document();
        let read = self.composer.parser.scanner.at + 4;
        let broken = self.forbidden.iter().chain(&self.broken).find(|broken| read > broken.met);
        if let Some(broken) = broken {
            let fail = Fail::plain(&*broken.message, broken.at as u32);
            return Err(self.error(fail, true));
        }
        composed.map_err(|fail| self.error(fail, true))
    }

    fn finish(&self, raw: Raw) -> Result<Node, ParseError> {
        let finished = match self.composer.parser.dialect() {
            Dialect::V2 => legacy::convert(raw, self.length),
            Dialect::V3 if raw.aliases || raw.odd_keys => expand::expand(raw, self.length),
            Dialect::V3 => Ok(raw.root),
        };
        finished.map_err(|fail| self.error(fail, false))
    }

    /// Makes an error whose place counts from the text (`relative`), or already from `at`.
    fn error(&self, fail: Fail, relative: bool) -> ParseError {
        let start = if relative { self.at.start.saturating_add(fail.at) } else { fail.at };
        let span = Span { source: self.at.source, start };
        ParseError { message: fail.message, span, bare: fail.bare }
    }
}

/// Where the piece of text begins in which go-yaml meets the character at `bad`.
fn piece_start(text: &str, bad: usize) -> usize {
    let mut start = 0;
    loop {
        let mut end = (start + PIECE).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if bad < end || end == start {
            return start;
        }
        start = end;
    }
}
