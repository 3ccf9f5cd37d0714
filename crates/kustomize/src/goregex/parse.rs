//! The grammar: groups, alternatives, repetitions.

use super::NEST_LIMIT;
use super::class;
use super::escape;

/// Why a pattern is refused: Go's words and the part they are about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Error {
    pub(super) code: &'static str,
    pub(super) text: String,
}

impl Error {
    pub(super) fn new(code: &'static str, text: &str) -> Self {
        Self { code, text: text.to_owned() }
    }
}

/// The flags that change what follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) fold: bool,
    multi_line: bool,
    dot_newline: bool,
}

/// A group that is not closed yet; the whole pattern is the outermost.
#[derive(Default)]
struct Group {
    out: String,
    /// Where the last thing that can be repeated begins in `out`, and the weight of its repetitions.
    last: Option<(usize, u32)>,
    /// The greatest weight in it.
    weight: u32,
    /// The flags outside.
    flags: Flags,
}

impl Group {
    fn push(&mut self, atom: &str, weight: u32) {
        self.last = Some((self.out.len(), weight));
        self.weight = self.weight.max(weight);
        self.out.push_str(atom);
    }
}

struct Parser<'a> {
    whole: &'a str,
    flags: Flags,
    groups: Vec<Group>,
    current: Group,
}

/// Writes a pattern of Go's in the grammar of the `regex` crate.
pub(super) fn translate(pattern: &str) -> Result<String, Error> {
    let mut parser = Parser {
        whole: pattern,
        flags: Flags::default(),
        groups: Vec::new(),
        current: Group::default(),
    };
    parser.run()?;
    if parser.groups.is_empty() {
        Ok(parser.current.out)
    } else {
        Err(Error::new("missing closing )", pattern))
    }
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<(), Error> {
        let mut rest = self.whole;
        let mut last_repeat = "";
        while let Some(letter) = rest.chars().next() {
            let mut repeat = "";
            match letter {
                '*' | '+' | '?' => {
                    let bounds = if letter == '+' { (1, None) } else { (0, None) };
                    repeat = rest;
                    rest = self.repeat(letter, bounds, rest, &rest[1..], last_repeat)?;
                }
                '{' => match bounds(rest) {
                    None => rest = self.literal('{', &rest[1..]),
                    Some((bounds, after)) => {
                        repeat = rest;
                        rest = self.counted(bounds, rest, after, last_repeat)?;
                    }
                },
                _ => rest = self.atom(letter, rest)?,
            }
            last_repeat = repeat;
        }
        Ok(())
    }

    /// Reads one thing that is not a repetition.
    fn atom(&mut self, letter: char, rest: &'a str) -> Result<&'a str, Error> {
        match letter {
            '(' => self.open(rest),
            ')' => self.close(&rest[1..]),
            '|' => {
                self.current.out.push('|');
                self.current.last = None;
                Ok(&rest[1..])
            }
            '^' => Ok(self.put(if self.flags.multi_line { "(?m:^)" } else { r"\A" }, &rest[1..])),
            '$' => Ok(self.put(if self.flags.multi_line { "(?m:$)" } else { r"\z" }, &rest[1..])),
            '.' => {
                Ok(self.put(if self.flags.dot_newline { "(?s:.)" } else { r"[^\n]" }, &rest[1..]))
            }
            '[' => {
                let (class, rest) = class::bracketed(rest, self.flags.fold)?;
                Ok(self.put(&class, rest))
            }
            '\\' => self.escaped(rest),
            letter => Ok(self.literal(letter, &rest[letter.len_utf8()..])),
        }
    }

    fn escaped(&mut self, rest: &'a str) -> Result<&'a str, Error> {
        match rest.as_bytes().get(1) {
            Some(b'A') => return Ok(self.put(r"\A", &rest[2..])),
            Some(b'z') => return Ok(self.put(r"\z", &rest[2..])),
            Some(b'b') => return Ok(self.put(r"(?-u:\b)", &rest[2..])),
            Some(b'B') => return Ok(self.put(r"(?-u:\B)", &rest[2..])),
            Some(b'C') => return Err(Error::new("invalid escape sequence", &rest[..2])),
            Some(b'Q') => return Ok(self.quoted(&rest[2..])),
            _ => {}
        }
        if let Some((class, rest)) = class::escaped(rest, self.flags.fold)? {
            return Ok(self.put(&class, rest));
        }
        let (code, rest) = escape::code_point(rest)?;
        let atom = class::single(code, self.flags.fold);
        Ok(self.put(&atom, rest))
    }

    fn quoted(&mut self, rest: &'a str) -> &'a str {
        let (text, rest) = rest.split_once(r"\E").unwrap_or((rest, ""));
        for letter in text.chars() {
            self.literal(letter, "");
        }
        rest
    }

    fn literal(&mut self, letter: char, rest: &'a str) -> &'a str {
        let atom = class::single(letter as u32, self.flags.fold);
        self.put(&atom, rest)
    }

    fn put(&mut self, atom: &str, rest: &'a str) -> &'a str {
        self.current.push(atom, 1);
        rest
    }

    fn counted(
        &mut self,
        bounds: Bounds,
        rest: &'a str,
        after: &'a str,
        last_repeat: &str,
    ) -> Result<&'a str, Error> {
        let (least, most) = bounds;
        let most_or_least = most.unwrap_or(least);
        if least > 1000 || most_or_least > 1000 || least > most_or_least {
            let text = &rest[..rest.len() - after.len()];
            return Err(Error::new("invalid repeat count", text));
        }
        self.repeat('{', bounds, rest, after, last_repeat)
    }

    /// Repeats the last thing. `before` begins with the operator and `after` follows it.
    fn repeat(
        &mut self,
        operator: char,
        (least, most): Bounds,
        before: &'a str,
        after: &'a str,
        last_repeat: &str,
    ) -> Result<&'a str, Error> {
        // Whether it takes as much or as little as it can changes where a match ends, not whether there is one.
        let after = after.strip_prefix('?').unwrap_or(after);
        let text = &before[..before.len() - after.len()];
        if !last_repeat.is_empty() {
            let text = &last_repeat[..last_repeat.len() - after.len()];
            return Err(Error::new("invalid nested repetition operator", text));
        }
        let Some((start, weight)) = self.current.last else {
            return Err(Error::new("missing argument to repetition operator", text));
        };
        let times = match most {
            Some(0) => 0,
            Some(most) => most,
            None => least.max(1),
        };
        let weight = if operator == '{' { weight.saturating_mul(times) } else { weight };
        if operator == '{' && (least >= 2 || most.is_some_and(|most| most >= 2)) && weight > 1000 {
            return Err(Error::new("invalid repeat count", text));
        }
        let atom = self.current.out.split_off(start);
        let count = match (operator, most) {
            ('{', Some(most)) => format!("{{{least},{most}}}"),
            ('{', None) => format!("{{{least},}}"),
            (operator, _) => operator.to_string(),
        };
        self.current.push(&format!("(?:{atom}){count}"), weight);
        Ok(after)
    }

    /// Opens a group, or changes the flags of the one that is open.
    fn open(&mut self, rest: &'a str) -> Result<&'a str, Error> {
        if !rest.starts_with("(?") {
            return self.enter(self.flags, &rest[1..]);
        }
        if (rest.len() > 4 && rest.starts_with("(?P<"))
            || (rest.len() > 3 && rest.starts_with("(?<"))
        {
            return self.open_named(rest);
        }
        let (flags, is_group, after) = read_flags(self.flags, rest)?;
        if is_group {
            return self.enter(flags, after);
        }
        self.flags = flags;
        Ok(after)
    }

    fn open_named(&mut self, rest: &'a str) -> Result<&'a str, Error> {
        let Some(end) = rest.find('>') else {
            return Err(Error::new("invalid named capture", rest));
        };
        let start = if rest.starts_with("(?P") { 4 } else { 3 };
        let name = rest.get(start..end).unwrap_or_default();
        let is_valid =
            !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        if !is_valid {
            return Err(Error::new("invalid named capture", &rest[..=end]));
        }
        self.enter(self.flags, &rest[end + 1..])
    }

    fn enter(&mut self, flags: Flags, rest: &'a str) -> Result<&'a str, Error> {
        if self.groups.len() >= NEST_LIMIT {
            return Err(Error::new("expression nests too deeply", self.whole));
        }
        let inner = Group { flags: self.flags, ..Group::default() };
        self.groups.push(std::mem::replace(&mut self.current, inner));
        self.flags = flags;
        Ok(rest)
    }

    fn close(&mut self, rest: &'a str) -> Result<&'a str, Error> {
        let Some(outer) = self.groups.pop() else {
            return Err(Error::new("unexpected )", self.whole));
        };
        let inner = std::mem::replace(&mut self.current, outer);
        self.flags = inner.flags;
        self.current.push(&format!("(?:{})", inner.out), inner.weight.max(1));
        Ok(rest)
    }
}

/// At least so often, and at most.
type Bounds = (u32, Option<u32>);

/// Reads `{2}`, `{2,}` or `{2,5}`. Anything else is no repetition, and the brace stands for itself.
fn bounds(rest: &str) -> Option<(Bounds, &str)> {
    let (least, rest) = number(rest.strip_prefix('{')?)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Some(((least, Some(least)), rest.strip_prefix('}')?));
    };
    if let Some(rest) = rest.strip_prefix('}') {
        return Some(((least, None), rest));
    }
    let (most, rest) = number(rest)?;
    Some(((least, Some(most)), rest.strip_prefix('}')?))
}

fn number(rest: &str) -> Option<(u32, &str)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (text, rest) = rest.split_at(digits);
    if text.is_empty() || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    Some((text.parse().unwrap_or(u32::MAX), rest))
}

/// Reads what follows `(?`: flags, and whether a group begins.
fn read_flags(flags: Flags, rest: &str) -> Result<(Flags, bool, &str), Error> {
    let mut new = flags;
    let mut is_on = true;
    let mut saw_flag = false;
    for (at, letter) in rest.char_indices().skip(2) {
        let after = &rest[at + letter.len_utf8()..];
        let refused =
            Err(Error::new("invalid or unsupported Perl syntax", &rest[..at + letter.len_utf8()]));
        match letter {
            'i' => new.fold = is_on,
            'm' => new.multi_line = is_on,
            's' => new.dot_newline = is_on,
            'U' => {}
            '-' if is_on => {
                is_on = false;
                saw_flag = false;
                continue;
            }
            ':' | ')' if is_on || saw_flag => return Ok((new, letter == ':', after)),
            _ => return refused,
        }
        saw_flag = true;
    }
    Err(Error::new("invalid or unsupported Perl syntax", rest))
}
