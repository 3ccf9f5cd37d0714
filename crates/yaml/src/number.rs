//! Numbers as Go's `strconv` and `encoding/json` read and print them.

use std::fmt::Write;

/// Reads a whole number in Go's base-0 syntax (`12`, `-0x1F`, `0o17`, `017`, `0b11`), as far as it fits
/// 64 bits with or without a sign.
///
/// ```
/// assert_eq!(kelson_yaml::number::parse_int("0x1F"), Some(31));
/// assert_eq!(kelson_yaml::number::parse_int("08"), None);
/// ```
pub fn parse_int(text: &str) -> Option<i128> {
    let (negative, digits) = sign(text);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    ranged(negative, signed(text), magnitude(digits, radix)?)
}

/// Reads a whole number of a given base with an optional sign, as far as it fits 64 bits.
pub(crate) fn parse_radix(text: &str, radix: u32) -> Option<i128> {
    let (negative, digits) = sign(text);
    ranged(negative, signed(text), magnitude(digits, radix)?)
}

fn signed(text: &str) -> bool {
    text.starts_with(['+', '-'])
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn magnitude(digits: &str, radix: u32) -> Option<u64> {
    // `from_str_radix` would take a sign of its own.
    if digits.is_empty() || signed(digits) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

fn ranged(negative: bool, signed: bool, magnitude: u64) -> Option<i128> {
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    // A number with a sign must fit a signed 64-bit integer, one without may use all 64 bits.
    let fits = if signed { i64::try_from(value).is_ok() } else { true };
    fits.then_some(value)
}

/// Reads a decimal number with a fraction or an exponent; one that is too large is none.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    is_float(text).then(|| text.parse::<f64>().ok())?.filter(|value| value.is_finite())
}

/// Whether a text is `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(text: &str) -> bool {
    let bytes = sign(text).1.as_bytes();
    let whole = digits(bytes);
    let mut rest = &bytes[whole..];
    if let [b'.', fraction @ ..] = rest {
        let count = digits(fraction);
        if whole == 0 && count == 0 {
            return false;
        }
        rest = &fraction[count..];
    } else if whole == 0 {
        return false;
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'-' | b'+', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Prints a float as Go's `strconv.FormatFloat(value, 'g', -1, 64)`.
pub fn format_g(value: f64, out: &mut String) {
    general(Decimal::of_f64(value), out);
}

/// Prints a float as Go's `strconv.FormatFloat(value, 'g', -1, 32)`.
pub fn format_g32(value: f64, out: &mut String) {
    general(Decimal::of_f32(value), out);
}

/// Prints a float as Go's `strconv.FormatFloat(value, 'f', -1, 64)`.
pub fn format_f(value: f64, out: &mut String) {
    match Decimal::of_f64(value) {
        Ok(decimal) => decimal.fixed(out),
        Err(word) => out.push_str(word),
    }
}

/// Prints a finite float as Go's `encoding/json`.
pub fn format_json(value: f64, out: &mut String) {
    let magnitude = value.abs();
    match Decimal::of_f64(value) {
        Ok(decimal) if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) => {
            decimal.scientific(1, out);
        }
        Ok(decimal) => decimal.fixed(out),
        Err(word) => out.push_str(word),
    }
}

fn general(decimal: Result<Decimal, &'static str>, out: &mut String) {
    match decimal {
        // The shortest form decides as if it had a precision of six.
        Ok(decimal) if decimal.exponent < -4 || decimal.exponent >= 6 => decimal.scientific(2, out),
        Ok(decimal) => decimal.fixed(out),
        Err(word) => out.push_str(word),
    }
}

/// The shortest digits that name a float, and the exponent of the first.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

impl Decimal {
    fn of_f64(value: f64) -> Result<Self, &'static str> {
        match special(value) {
            Some(word) => Err(word),
            None => Ok(Self::split(&format!("{value:e}"))),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "printing with 32 bits is what is asked for"
    )]
    fn of_f32(value: f64) -> Result<Self, &'static str> {
        let value = value as f32;
        match special(f64::from(value)) {
            Some(word) => Err(word),
            None => Ok(Self::split(&format!("{value:e}"))),
        }
    }

    fn split(text: &str) -> Self {
        let (negative, text) = sign(text);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(char::from).collect();
        Self { negative, digits, exponent: exponent.parse().unwrap_or(0) }
    }

    fn scientific(&self, exponent_digits: usize, out: &mut String) {
        self.sign(out);
        let (first, rest) = self.digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let sign = if self.exponent < 0 { '-' } else { '+' };
        let magnitude = self.exponent.unsigned_abs();
        let _ = write!(out, "e{sign}{magnitude:0exponent_digits$}");
    }

    fn fixed(&self, out: &mut String) {
        self.sign(out);
        let point = self.exponent + 1;
        match usize::try_from(point) {
            Ok(point) if point > 0 => {
                let whole = point.min(self.digits.len());
                out.push_str(&self.digits[..whole]);
                out.extend(std::iter::repeat_n('0', point - whole));
                if whole < self.digits.len() {
                    out.push('.');
                    out.push_str(&self.digits[whole..]);
                }
            }
            _ => {
                out.push('0');
                if self.digits != "0" {
                    out.push('.');
                    out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
                    out.push_str(&self.digits);
                }
            }
        }
    }

    fn sign(&self, out: &mut String) {
        if self.negative {
            out.push('-');
        }
    }
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}
