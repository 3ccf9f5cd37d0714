//! Lengths of time as people write them: `90s`, `1m30s`, `0`.

use std::time::Duration;

/// The longest that anybody waits.
const LONGEST: f64 = 366.0 * 24.0 * 3600.0;

/// Reads a length of time as Go's programs do, or a plain number of seconds.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no length of time such as `90s` or `1m30s`");
    let seconds = match text.parse::<f64>() {
        Ok(seconds) => seconds,
        Err(_) => parts(text).ok_or_else(wrong)?,
    };
    match (0.0..=LONGEST).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(wrong()),
    }
}

/// Writes a length of time as [`parse`] reads it, without what is below a second where it is longer than one.
pub(crate) fn text(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds == 0 && time.subsec_millis() > 0 {
        return format!("{}ms", time.subsec_millis());
    }
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if parts.is_empty() { "0s".to_owned() } else { parts.concat() }
}

/// Adds up numbers, each with its unit.
fn parts(mut text: &str) -> Option<f64> {
    if text.is_empty() {
        return None;
    }
    let mut seconds = 0.0;
    while !text.is_empty() {
        let end = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let number: f64 = text[..end].parse().ok()?;
        let rest = &text[end..];
        let unit = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        seconds += number
            * match &rest[..unit] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        text = &rest[unit..];
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_as_go_reads_them() {
        for (text, milliseconds) in [
            ("0", 0),
            ("90", 90_000),
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("250ms", 250),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for shown in ["0s", "250ms", "1s", "5m", "1m30s", "2h", "2h5s"] {
            assert_eq!(text(parse(shown).unwrap()), shown);
        }
        for text in ["", "s", "-1s", "1d", "1s1", "nan", "inf", "9999999h", "1 s"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
