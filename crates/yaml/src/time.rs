//! Dates and times: the four shapes that go-yaml takes for one, and the one in which JSON prints them.

/// A point in time as it was written, in its own zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: u32,
    /// Minutes east of Greenwich.
    offset: i32,
}

impl Time {
    /// Reads a date, a date with a time and a zone after `T` or `t`, or a date with a time after blanks.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits != 4 || bytes.get(4) != Some(&b'-') {
            return None;
        }
        let year = bytes[..4].iter().fold(0, |year, byte| year * 10 + u32::from(byte - b'0'));
        let mut rest = Rest(&bytes[5..]);
        let month = rest.number()?;
        rest.literal(b'-')?;
        let day = rest.number()?;
        let mut time =
            Self { year, month, day, hour: 0, minute: 0, second: 0, nanosecond: 0, offset: 0 };
        match rest.0 {
            [] => {}
            [b'T' | b't', clock @ ..] => {
                rest = Rest(clock);
                time.clock(&mut rest)?;
                time.offset = rest.zone()?;
            }
            [b' ', ..] => {
                rest.blanks();
                time.clock(&mut rest)?;
            }
            _ => return None,
        }
        (rest.0.is_empty() && time.is_valid()).then_some(time)
    }

    fn clock(&mut self, rest: &mut Rest<'_>) -> Option<()> {
        self.hour = rest.number()?;
        rest.literal(b':')?;
        self.minute = rest.number()?;
        rest.literal(b':')?;
        self.second = rest.number()?;
        self.nanosecond = rest.fraction();
        Some(())
    }

    fn is_valid(&self) -> bool {
        (1..=12).contains(&self.month)
            && (1..=days_in(self.year, self.month)).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
    }

    /// Whether its zone is nearer to Greenwich than a day, which is all that JSON can say.
    pub(crate) fn has_plain_zone(&self) -> bool {
        self.offset.abs() < 24 * 60
    }

    /// Prints it as RFC 3339 with as many digits of a second as there are.
    pub(crate) fn format(&self, out: &mut String) {
        use std::fmt::Write;
        let Self { year, month, day, hour, minute, second, nanosecond, offset } = *self;
        let _ = write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if nanosecond > 0 {
            let fraction = format!("{nanosecond:09}");
            let _ = write!(out, ".{}", fraction.trim_end_matches('0'));
        }
        if offset == 0 {
            out.push('Z');
        } else {
            let sign = if offset < 0 { '-' } else { '+' };
            let minutes = offset.abs();
            let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// One or two digits.
    fn number(&mut self) -> Option<u32> {
        let digit = |byte: u8| u32::from(byte - b'0');
        let (value, width) = match *self.0 {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] => (digit(tens) * 10 + digit(ones), 2),
            [ones @ b'0'..=b'9', ..] => (digit(ones), 1),
            _ => return None,
        };
        self.0 = &self.0[width..];
        Some(value)
    }

    fn literal(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == byte).then_some(())
    }

    fn blanks(&mut self) {
        while let [b' ', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// A point or a comma and digits; what is finer than a nanosecond is dropped.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', digits @ ..] = self.0 else { return 0 };
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return 0;
        }
        self.0 = &digits[count..];
        let padded = digits[..count].iter().copied().chain(std::iter::repeat(b'0')).take(9);
        padded.fold(0, |value, byte| value * 10 + u32::from(byte - b'0'))
    }

    /// `Z`, or a sign, two digits of hours, a colon and two of minutes.
    fn zone(&mut self) -> Option<i32> {
        if let [b'Z', rest @ ..] = self.0 {
            self.0 = rest;
            return Some(0);
        }
        let [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2, rest @ ..] = self.0 else { return None };
        let two = |tens: u8, ones: u8| {
            let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
            digits.then(|| i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
        };
        let (hours, minutes) = (two(*h1, *h2)?, two(*m1, *m2)?);
        if hours > 24 || minutes > 60 {
            return None;
        }
        self.0 = rest;
        let offset = hours * 60 + minutes;
        Some(if *sign == b'-' { -offset } else { offset })
    }
}
