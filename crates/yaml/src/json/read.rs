//! Reads JSON as strictly as Go's `encoding/json`, with its words for what is wrong.

use std::collections::HashMap;

use crate::{Data, Entry, Node, ParseError, Span, Style, Tag, Text, Touch};

/// How deep collections may be nested.
const DEPTH: usize = 1000;

/// An object with fewer keys than this is looked through for one that repeats.
const FEW: usize = 16;

/// Reads one JSON value. Numbers keep their text; where a key repeats, the last value counts.
///
/// # Errors
///
/// Go's text, such as `invalid character 'x' looking for beginning of value`.
pub fn read(text: &str, at: Span) -> Result<Node, ParseError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::bare("the text is larger than 4 GiB", at));
    }
    let mut reader = Reader { bytes: text.as_bytes(), text, position: 0, origin: at };
    let node = reader.value("looking for beginning of value", 0)?;
    reader.blanks();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.unexpected("after top-level value")),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    position: usize,
    origin: Span,
}

impl Reader<'_> {
    fn value(&mut self, context: &str, depth: usize) -> Result<Node, ParseError> {
        self.blanks();
        let span = self.span();
        let data = match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH => return Err(self.error("exceeded max depth")),
            Some(b'{') => self.object(depth + 1)?,
            Some(b'[') => self.array(depth + 1)?,
            Some(b'"') => return self.string(),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal("true", Tag::Bool)?,
            Some(b'f') => self.literal("false", Tag::Bool)?,
            Some(b'n') => self.literal("null", Tag::Null)?,
            _ => return Err(self.unexpected(context)),
        };
        Ok(Node::new(data).at(span, Touch::NONE))
    }

    fn object(&mut self, depth: usize) -> Result<Data, ParseError> {
        self.position += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut known = HashMap::new();
        self.blanks();
        if self.eat(b'}') {
            return Ok(Node::mapping(entries).data);
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            self.blanks();
            if !self.eat(b':') {
                return Err(self.unexpected("after object key"));
            }
            let value = self.value("looking for beginning of value", depth)?;
            match place(&entries, &mut known, key.text().unwrap_or("")) {
                Some(index) => entries[index] = Entry { key, value },
                None => entries.push(Entry { key, value }),
            }
            self.blanks();
            if self.eat(b'}') {
                // Thousands of objects may be held at once, and nobody adds to what a server said.
                entries.shrink_to_fit();
                return Ok(Node::mapping(entries).data);
            }
            if !self.eat(b',') {
                return Err(self.unexpected("after object key:value pair"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Data, ParseError> {
        self.position += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.eat(b']') {
            return Ok(Node::sequence(items).data);
        }
        loop {
            items.push(self.value("looking for beginning of value", depth)?);
            self.blanks();
            if self.eat(b']') {
                items.shrink_to_fit();
                return Ok(Node::sequence(items).data);
            }
            if !self.eat(b',') {
                return Err(self.unexpected("after array element"));
            }
        }
    }

    fn literal(&mut self, word: &str, tag: Tag) -> Result<Data, ParseError> {
        for (index, expected) in word.bytes().enumerate() {
            if self.peek() != Some(expected) {
                let expected = char::from(expected);
                let context = format!("in literal {word} (expecting '{expected}')");
                debug_assert!(index > 0, "because the first letter chose the word");
                return Err(self.unexpected(&context));
            }
            self.position += 1;
        }
        Ok(Node::scalar(word, tag, Style::Plain).data)
    }

    fn number(&mut self) -> Result<Data, ParseError> {
        let start = self.position;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.unexpected("in numeric literal"));
        }
        let mut tag = Tag::Int;
        if self.eat(b'.') {
            tag = Tag::Float;
            if self.digits() == 0 {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
        }
        if self.eat(b'e') || self.eat(b'E') {
            tag = Tag::Float;
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            if self.digits() == 0 {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
        }
        Ok(Node::scalar(&self.text[start..self.position], tag, Style::Plain).data)
    }

    fn digits(&mut self) -> usize {
        let start = self.position;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        self.position - start
    }

    fn string(&mut self) -> Result<Node, ParseError> {
        let span = self.span();
        self.position += 1;
        let mut text = String::new();
        loop {
            let start = self.position;
            while matches!(self.peek(), Some(byte) if byte >= 0x20 && byte != b'"' && byte != b'\\')
            {
                self.position += 1;
            }
            text.push_str(&self.text[start..self.position]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut text)?,
                _ => return Err(self.unexpected("in string literal")),
            }
        }
        self.position += 1;
        Ok(Node::scalar(text, Tag::Str, Style::DoubleQuoted).at(span, Touch::NONE))
    }

    fn escape(&mut self, text: &mut String) -> Result<(), ParseError> {
        self.position += 1;
        let character = match self.peek() {
            Some(b'b') => '\x08',
            Some(b'f') => '\x0C',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'\\' | b'/' | b'"')) => char::from(byte),
            Some(b'u') => {
                let unit = self.unit()?;
                text.push(self.surrogate(unit)?);
                return Ok(());
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.position += 1;
        text.push(character);
        Ok(())
    }

    /// The four digits behind a `u`.
    fn unit(&mut self) -> Result<u32, ParseError> {
        self.position += 1;
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            value = value * 16 + digit;
            self.position += 1;
        }
        Ok(value)
    }

    /// A character from one unit, or from two that form a pair; half a pair becomes U+FFFD.
    fn surrogate(&mut self, unit: u32) -> Result<char, ParseError> {
        if !(0xD800..0xE000).contains(&unit) {
            return Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let back = self.position;
        if unit < 0xDC00 && self.bytes[back..].starts_with(b"\\u") {
            self.position += 1;
            let low = self.unit()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.position = back;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn unexpected(&self, context: &str) -> ParseError {
        // At the end of the text Go tries a space, which breaks off a word, a number or an escape.
        let within = context != "in string literal"
            && (context.starts_with("in ") || context.starts_with("after decimal"));
        match self.peek().or(Some(b' ').filter(|_| within)) {
            None => self.error("unexpected end of JSON input"),
            Some(byte) => self.error(&format!("invalid character {} {context}", quote(byte))),
        }
    }

    fn error(&self, message: &str) -> ParseError {
        ParseError::bare(message, self.span())
    }

    fn span(&self) -> Span {
        // The text is shorter than 4 GiB, see `read`.
        let start = self.origin.start.saturating_add(self.position as u32);
        Span { source: self.origin.source, start }
    }
}

/// A byte as Go shows it in these errors: as the character with that number.
fn quote(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".into(),
        b'"' => "'\"'".into(),
        b'\\' => r"'\\'".into(),
        0x07 => r"'\a'".into(),
        0x08 => r"'\b'".into(),
        0x0C => r"'\f'".into(),
        b'\n' => r"'\n'".into(),
        b'\r' => r"'\r'".into(),
        b'\t' => r"'\t'".into(),
        0x0B => r"'\v'".into(),
        0..0x20 | 0x7F => format!(r"'\x{byte:02x}'"),
        0x80..0xA1 | 0xAD => format!(r"'\u{byte:04x}'"),
        _ => format!("'{}'", char::from(byte)),
    }
}
/// Where a key stands already. Few keys are looked through, many are looked up.
fn place(entries: &[Entry], known: &mut HashMap<Text, usize>, key: &str) -> Option<usize> {
    if entries.len() < FEW {
        return entries.iter().position(|entry| entry.key.text() == Some(key));
    }
    for (index, entry) in entries.iter().enumerate().skip(known.len()) {
        known.insert(Text::from(entry.key.text().unwrap_or("")), index);
    }
    known.get(key).copied()
}
