//! Places in one text.

use std::fmt;

use super::values::{Found, Values};

/// A text whose places are filled.
pub(super) struct Filled {
    pub(super) text: String,
    /// How many there were.
    pub(super) places: usize,
    /// Whether a value has a place itself.
    pub(super) nested: bool,
}

/// Why a place cannot be filled.
#[derive(Debug)]
pub(super) enum Why {
    /// It closes nowhere.
    Open,
    /// It is more than the way to a value.
    NoPath(String),
    /// Nothing is known there.
    Missing { place: String, path: String },
    /// There is more than one value.
    NoScalar { place: String, sort: &'static str },
    /// All places together come to too much.
    TooLarge,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => formatter.write_str("a place is opened by `{{` and never closed"),
            Self::NoPath(place) => write!(
                formatter,
                "the place {place} is more than the way to a value, such as {{{{.nuon.install.id}}}}; only that can be filled"
            ),
            Self::Missing { place, path } => write!(
                formatter,
                "nobody has filled the place {place}: give it with --var {path}=VALUE, or in the state"
            ),
            Self::NoScalar { place, sort } => {
                write!(
                    formatter,
                    "the place {place} stands for {sort}, and a single value is expected"
                )
            }
            Self::TooLarge => {
                formatter.write_str("the values of all places come to more than 64 MiB")
            }
        }
    }
}

/// Fills the places of a text; nothing where it has none that is ours. Where the text could not be without them
/// (`is_place`), all are ours; elsewhere those that begin with a name that is known: the rules of alerts have others.
pub(super) fn fill(
    text: &str,
    is_place: bool,
    values: &Values,
    budget: &mut usize,
) -> Result<Option<Filled>, Why> {
    let mut filled = Filled { text: String::new(), places: 0, nested: false };
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else {
            if is_place || is_ours(&rest[start + 2..], values) {
                return Err(Why::Open);
            }
            break;
        };
        let (place, inner) = (&rest[start..start + length + 2], &rest[start + 2..start + length]);
        filled.text.push_str(&rest[..start]);
        rest = &rest[start + length + 2..];
        if !is_place && !is_ours(inner, values) {
            filled.text.push_str(place);
            continue;
        }
        let (before, path, after) = trimmed(inner);
        let value = value(place, path, values)?;
        *budget = budget.checked_sub(value.len()).ok_or(Why::TooLarge)?;
        if before {
            filled.text.truncate(filled.text.trim_end().len());
        }
        filled.nested |= value.contains("{{");
        filled.text.push_str(&value);
        if after {
            rest = rest.trim_start();
        }
        filled.places += 1;
    }
    filled.text.push_str(rest);
    Ok((filled.places > 0).then_some(filled))
}

/// Whether what stands in a place speaks of something that we know.
fn is_ours(inner: &str, values: &Values) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || "._-$".contains(letter);
    let mut words = inner.split(|letter| !is_word(letter));
    words.any(|word| {
        let root = word.strip_prefix("$").unwrap_or(word).strip_prefix('.');
        root.and_then(|path| path.split('.').next()).is_some_and(|root| values.knows(root))
    })
}

/// What stands in a place, and whether the blanks before and after the place go.
fn trimmed(inner: &str) -> (bool, &str, bool) {
    let (before, inner) = match inner.strip_prefix("- ") {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    match inner.strip_suffix(" -") {
        Some(inner) => (before, inner.trim(), true),
        None => (before, inner.trim(), false),
    }
}

fn value(place: &str, path: &str, values: &Values) -> Result<String, Why> {
    let place = || place.chars().take(100).collect::<String>();
    let names: Option<Vec<&str>> = path.strip_prefix('.').map(|path| path.split('.').collect());
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "_-".contains(it))
    };
    let Some(names) = names.filter(|names| names.iter().all(is_name)) else {
        return Err(Why::NoPath(place()));
    };
    match values.at(&names) {
        Found::Text(text) => Ok(text),
        Found::Nothing => Err(Why::Missing { place: place(), path: names.join(".") }),
        Found::Several(sort) => Err(Why::NoScalar { place: place(), sort }),
    }
}
