//! Writes scalars in each style, knowing the column it stands at.

use super::analysis::Analysis;

/// Text in the making.
pub(super) struct Writer<'o> {
    pub(super) out: &'o mut String,
    /// How many characters the current line has.
    pub(super) column: usize,
    /// Beyond this column a text is folded at its next space.
    width: usize,
}

impl<'o> Writer<'o> {
    pub(super) fn new(out: &'o mut String, width: usize) -> Self {
        Self { out, column: 0, width }
    }

    #[inline]
    pub(super) fn ascii(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.len();
    }

    #[inline]
    pub(super) fn character(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    pub(super) fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// Begins a new line, unless one has just begun, and indents it.
    #[inline]
    pub(super) fn new_line(&mut self, indent: usize) {
        if self.column != 0 {
            self.line_break();
        }
        self.pad(indent);
    }

    /// Adds spaces up to a column.
    #[inline]
    pub(super) fn pad(&mut self, column: usize) {
        const SPACES: &str = "                                                                ";
        while self.column < column {
            let count = (column - self.column).min(SPACES.len());
            self.ascii(&SPACES[..count]);
        }
    }

    /// Writes a text as it is, folded where it grows too long.
    #[inline]
    pub(super) fn plain(&mut self, text: &str, analysis: &Analysis, fold: Option<usize>) {
        if analysis.ascii && self.fits(text) {
            self.ascii(text);
        } else {
            self.folded_run(text, fold, false);
        }
    }

    pub(super) fn single(&mut self, text: &str, fold: Option<usize>) {
        self.character('\'');
        self.folded_run(text, fold, true);
        self.character('\'');
    }

    fn fits(&self, text: &str) -> bool {
        self.column.saturating_add(text.len()) <= self.width
    }

    /// Writes plain or single-quoted text: a lone space far to the right becomes a line break, a line break
    /// in the text becomes two.
    fn folded_run(&mut self, text: &str, fold: Option<usize>, quoted: bool) {
        let indent = fold.unwrap_or(0);
        let (mut after_space, mut after_break) = (false, false);
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            match character {
                ' ' => {
                    let lone = !after_space && characters.peek().is_none_or(|next| next.1 != ' ');
                    let inner = !quoted || at > 0 && at + 1 < text.len();
                    if fold.is_some() && lone && inner && self.column > self.width {
                        self.new_line(indent);
                    } else {
                        self.character(' ');
                    }
                    after_space = true;
                }
                '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    if !after_break && character == '\n' {
                        self.line_break();
                    }
                    self.out.push(character);
                    self.column = 0;
                    after_break = true;
                }
                _ => {
                    if after_break {
                        self.pad(indent);
                    }
                    if quoted && character == '\'' {
                        self.character('\'');
                    }
                    self.character(character);
                    (after_space, after_break) = (false, false);
                }
            }
        }
    }

    pub(super) fn double(&mut self, text: &str, fold: Option<usize>) {
        self.character('"');
        // go-yaml looks for a byte order mark at the start of the text, whichever character it is at.
        let escape_all = text.starts_with('\u{FEFF}');
        let mut after_space = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if escape_all || needs_escape(character) {
                self.escape(character);
                after_space = false;
            } else if character == ' ' {
                let inner = at > 0 && at + 1 < text.len();
                match fold {
                    Some(indent) if inner && !after_space && self.column > self.width => {
                        self.new_line(indent);
                        if characters.peek().is_some_and(|next| next.1 == ' ') {
                            self.character('\\');
                        }
                    }
                    _ => self.character(' '),
                }
                after_space = true;
            } else {
                self.character(character);
                after_space = false;
            }
        }
        self.character('"');
    }

    fn escape(&mut self, character: char) {
        self.character('\\');
        let short = match character {
            '\0' => '0',
            '\x07' => 'a',
            '\x08' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\x0B' => 'v',
            '\x0C' => 'f',
            '\r' => 'r',
            '\x1B' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{A0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => return self.escape_code(u32::from(character)),
        };
        self.character(short);
    }

    fn escape_code(&mut self, code: u32) {
        let code = match code {
            0..=0xFF => format!("x{code:02X}"),
            0x100..=0xFFFF => format!("u{code:04X}"),
            _ => format!("U{code:08X}"),
        };
        self.ascii(&code);
    }

    /// The indentation and chomping indicators of a block scalar.
    pub(super) fn hints(&mut self, text: &str) {
        if text.starts_with([' ', '\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            self.character('2');
        }
        let mut tail = text.chars().rev();
        let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        match (tail.next().is_some_and(is_break), tail.next()) {
            (false, _) => self.character('-'),
            (true, None) => self.character('+'),
            (true, Some(before)) if is_break(before) => self.character('+'),
            _ => {}
        }
    }

    /// Writes a literal block scalar without its `|`.
    pub(super) fn literal(&mut self, text: &str, indent: usize) {
        self.hints(text);
        self.line_break();
        self.out.reserve(text.len());
        // Breaks other than LF are rare, and all but CR lie beyond ASCII.
        let is_usual =
            |text: &str| text.is_ascii() && memchr::memchr(b'\r', text.as_bytes()).is_none();
        let all_usual = is_usual(text);
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'\n', rest.as_bytes()) {
            let (line, tail) = rest.split_at(at + 1);
            rest = tail;
            match line {
                "\n" => self.out.push('\n'),
                _ if all_usual || is_usual(line) => {
                    self.pad(indent);
                    self.out.push_str(line);
                }
                _ => self.odd_lines(line, indent),
            }
            self.column = 0;
        }
        self.odd_lines(rest, indent);
    }

    /// Writes lines of a literal block scalar that may end in any break.
    fn odd_lines(&mut self, text: &str, indent: usize) {
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        for line in text.split_inclusive(breaks) {
            let content = line.trim_end_matches(breaks);
            if !content.is_empty() {
                self.pad(indent);
                self.out.push_str(content);
                self.column += content.len();
            }
            if content.len() < line.len() {
                self.out.push_str(&line[content.len()..]);
                self.column = 0;
            }
        }
    }

    /// Writes a folded block scalar without its `>`. It is never wrapped.
    pub(super) fn folded(&mut self, text: &str, indent: usize) {
        self.hints(text);
        self.line_break();
        // go-yaml means to ask whether the next line is indented, but asks the text's first characters.
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        let start = text.trim_start_matches(breaks);
        let plain_start = !start.is_empty() && !start.starts_with([' ', '\t']);
        let (mut after_break, mut begins_blank) = (true, true);
        for character in text.chars() {
            if breaks.contains(&character) {
                if !after_break && !begins_blank && character == '\n' && plain_start {
                    self.line_break();
                }
                self.out.push(character);
                self.column = 0;
                after_break = true;
            } else {
                if after_break {
                    self.pad(indent);
                    begins_blank = matches!(character, ' ' | '\t');
                }
                self.character(character);
                after_break = false;
            }
        }
    }
}

fn needs_escape(character: char) -> bool {
    match character {
        '"' | '\\' => true,
        ' '..='~' => false,
        '\u{A0}'..='\u{2027}' | '\u{202A}'..='\u{D7FF}' | '\u{E000}'..='\u{FEFE}' => false,
        '\u{FF00}'..='\u{FFFD}' => false,
        _ => true,
    }
}
