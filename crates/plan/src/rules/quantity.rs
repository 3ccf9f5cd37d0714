//! Amounts of resources, as Kubernetes writes them: a decimal number with a suffix.

/// Fields that have amounts in them, at whatever depth.
pub(super) const FIELDS: [&str; 12] = [
    "limits",
    "requests",
    "capacity",
    "hard",
    "default",
    "defaultRequest",
    "max",
    "min",
    "overhead",
    "sizeLimit",
    "averageValue",
    "divisor",
];

/// Whether two texts are the same amount.
pub(super) fn same(one: &str, other: &str) -> bool {
    parse(one).is_some_and(|one| Some(one) == parse(other))
}

/// An amount as a whole number of billionths, the smallest that a server keeps. Nothing for what is none, or so large
/// that nobody means it.
fn parse(text: &str) -> Option<i128> {
    const SCALE: u32 = 9;
    let (negative, digits) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let end = digits
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') || number.len() > 30 {
        return None;
    }
    let (numerator, exponent) = multiplier(suffix)?;
    let mantissa: i128 = format!("0{whole}{fraction}").parse().ok()?;
    let places = i32::try_from(SCALE).ok()? + exponent - i32::try_from(fraction.len()).ok()?;
    let power = 10_i128.checked_pow(places.unsigned_abs())?;
    let scaled = mantissa.checked_mul(numerator)?;
    let value = match places >= 0 {
        true => scaled.checked_mul(power)?,
        false if scaled % power == 0 => scaled / power,
        false => return None,
    };
    Some(if negative { -value } else { value })
}

/// What a suffix multiplies by: a whole number, and a power of ten.
fn multiplier(suffix: &str) -> Option<(i128, i32)> {
    let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some(at) = decimal.iter().position(|known| *known == suffix) {
        return Some((1, i32::try_from(at).ok()? * 3 - 9));
    }
    if let Some(at) = binary.iter().position(|known| *known == suffix) {
        return Some((1024_i128.pow(u32::try_from(at).ok()? + 1), 0));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    exponent
        .parse::<i32>()
        .ok()
        .filter(|exponent| exponent.abs() <= 30)
        .map(|exponent| (1, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_the_same_however_they_are_written() {
        for (one, other) in [
            ("1000m", "1"),
            ("1Gi", "1024Mi"),
            ("0.5", "500m"),
            ("1e3", "1k"),
            ("1.5Gi", "1536Mi"),
            ("-1", "-1000m"),
            (".5", "0.50"),
            ("100n", "0.1u"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("1", "2"),
            ("1Gi", "1G"),
            ("", ""),
            ("a", "a"),
            ("1.2.3", "1.2.3"),
            ("1e99999999999", "1e99999999999"),
            ("1Ki9", "1Ki9"),
            ("99999999999999999999999999999999E", "1"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
