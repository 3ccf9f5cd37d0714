//! Versions, and ranges of them as Helm and Flux users write them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version such as `v1.2.3-rc.1+build`; a missing second or third number counts as zero.
#[derive(Clone, Debug)]
pub struct Version {
    numbers: [u64; 3],
    pre: String,
    text: String,
}

/// Which versions are meant, such as `>=1.2 <2 || ^3.1`.
#[derive(Clone, Debug)]
pub struct Range {
    /// One of them must hold.
    groups: Vec<Group>,
}

/// Comparisons that must all hold.
#[derive(Clone, Debug)]
struct Group {
    comparisons: Vec<Comparison>,
    /// Whether pre-releases are looked at: where the range names one itself.
    pre_releases: bool,
}

#[derive(Clone, Debug)]
struct Comparison {
    operator: Operator,
    version: Version,
    /// How many of the numbers were given; the others are free.
    given: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

/// Why a text is no version or range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a {1}")]
pub struct NotAVersion(String, &'static str);

/// No text of a person's is longer.
const LONGEST: usize = 512;

/// Longest first, so that a prefix does not win.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        match Pattern::read(text) {
            Some((Pattern { version, given, free: false }, "")) if given > 0 => Ok(version),
            _ => Err(NotAVersion(text.chars().take(100).collect(), "version")),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Version {
    /// Whether it comes before the release that it names.
    pub fn is_pre_release(&self) -> bool {
        !self.pre.is_empty()
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&*self.pre, &*other.pre) {
            ("", "") => Ordering::Equal,
            ("", _) => Ordering::Greater,
            (_, "") => Ordering::Less,
            (one, another) => compare_pre_releases(one, another),
        })
    }
}

/// Part by part: numbers by value and before words, fewer parts before more.
fn compare_pre_releases(one: &str, other: &str) -> Ordering {
    let (mut ones, mut others) = (one.split('.'), other.split('.'));
    loop {
        let order = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl FromStr for Range {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let refuse = || NotAVersion(text.chars().take(100).collect(), "range of versions");
        if text.len() > LONGEST {
            return Err(refuse());
        }
        let groups = text.split("||").map(|text| Group::read(text).ok_or_else(refuse));
        Ok(Self { groups: groups.collect::<Result<_, _>>()? })
    }
}

impl Range {
    /// Whether a version is meant.
    pub fn contains(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| group.contains(version))
    }
}

impl Group {
    fn read(text: &str) -> Option<Self> {
        let mut comparisons = Vec::new();
        let mut rest = text.trim_start();
        loop {
            rest = Comparison::read(rest, &mut comparisons)?;
            let trimmed = rest.trim_start();
            if trimmed.is_empty() {
                let pre_releases =
                    comparisons.iter().any(|comparison| comparison.version.is_pre_release());
                return Some(Self { comparisons, pre_releases });
            }
            rest = match trimmed.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if trimmed.len() < rest.len() => trimmed,
                None => return None,
            };
        }
    }

    fn contains(&self, version: &Version) -> bool {
        (self.pre_releases || !version.is_pre_release())
            && self.comparisons.iter().all(|comparison| comparison.holds(version))
    }
}

impl Comparison {
    /// Takes one comparison off a text, or the two that `1.2 - 2` stands for.
    fn read<'a>(text: &'a str, comparisons: &mut Vec<Self>) -> Option<&'a str> {
        let written = OPERATORS.iter().find(|(written, _)| text.starts_with(written));
        let after = text[written.map_or(0, |(written, _)| written.len())..].trim_start();
        let (pattern, rest) = Pattern::read(after)?;
        let operator = written.map_or(Operator::Equal, |(_, operator)| *operator);
        let until = rest.trim_start().strip_prefix('-').filter(|until| {
            written.is_none()
                && rest.starts_with(char::is_whitespace)
                && until.starts_with(char::is_whitespace)
        });
        match until {
            Some(until) => {
                let (last, rest) = Pattern::read(until.trim_start())?;
                comparisons.push(pattern.comparison(Operator::GreaterOrEqual));
                comparisons.push(last.comparison(Operator::LessOrEqual));
                Some(rest)
            }
            None => {
                comparisons.push(pattern.comparison(operator));
                Some(rest)
            }
        }
    }

    fn holds(&self, version: &Version) -> bool {
        let (own, given) = (&self.version, self.given);
        let [major, minor, patch] = own.numbers;
        // The numbers that both have and that are given.
        let common = |count: usize| version.numbers[..count] == own.numbers[..count];
        match self.operator {
            Operator::Equal if given == 3 => version == own,
            Operator::Equal | Operator::Tilde => {
                let anything = own.numbers == [0; 3] && matches!(given, 0 | 3);
                version >= own && (anything || common(given.clamp(1, 2)))
            }
            Operator::NotEqual => match given {
                1 => !common(1),
                2 => !common(2) || version.pre != own.pre,
                _ => version != own,
            },
            Operator::Greater => match given {
                1 | 2 => version.numbers[..given] > own.numbers[..given],
                _ => version > own,
            },
            Operator::Less => version < own,
            Operator::GreaterOrEqual => version >= own,
            Operator::LessOrEqual => match given {
                3 => version <= own,
                1 => version.numbers[0] <= major,
                _ => version.numbers[..2] <= own.numbers[..2],
            },
            Operator::Caret => {
                let fixed = match (major, minor) {
                    _ if major > 0 || given == 1 => 1,
                    _ if minor > 0 || given == 2 => 2,
                    _ => 3,
                };
                version >= own && version.numbers[..fixed] == [major, minor, patch][..fixed]
            }
        }
    }
}

/// A version in a range, in which numbers may be left out or free.
struct Pattern {
    version: Version,
    given: usize,
    free: bool,
}

impl Pattern {
    /// Takes a version off a text.
    fn read(text: &str) -> Option<(Self, &str)> {
        let mut rest = text.strip_prefix('v').unwrap_or(text);
        let (mut numbers, mut given, mut free) = ([0; 3], 0, false);
        for (place, own) in numbers.iter_mut().enumerate() {
            let after = match place {
                0 => rest,
                _ => match rest.strip_prefix('.') {
                    Some(after) => after,
                    None => break,
                },
            };
            let length = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
            if length > 0 {
                let number = after[..length].parse().ok()?;
                // What follows a free number is free as well.
                if !free {
                    (*own, given) = (number, given + 1);
                }
                rest = &after[length..];
            } else {
                rest = after.strip_prefix(['x', 'X', '*'])?;
                free = true;
            }
        }
        let (pre, rest) = identifiers(rest, '-')?;
        let (_, rest) = identifiers(rest, '+')?;
        let text = text[..text.len() - rest.len()].to_owned();
        let version = Version { numbers, pre: pre.to_owned(), text };
        (version.text.len() <= LONGEST).then_some((Self { version, given, free }, rest))
    }

    fn comparison(self, operator: Operator) -> Comparison {
        Comparison { operator, version: self.version, given: self.given }
    }
}

/// Takes words with dots between them off a text, where the mark before them is there.
fn identifiers(text: &str, mark: char) -> Option<(&str, &str)> {
    let Some(after) = text.strip_prefix(mark) else { return Some(("", text)) };
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
    let length = after.find(|letter: char| !is_part(letter)).unwrap_or(after.len());
    let (words, rest) = after.split_at(length);
    words.split('.').all(|word| !word.is_empty()).then_some((words, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Masterminds/semver v3.5.0 says of `VERSIONS` for each range: a letter for each that is meant, or an error.
    const RECORDED: &str = include_str!("version/recorded.txt");

    const VERSIONS: &str = "0.0.0 0.0.1 0.1.0 0.2.3 v1.0.0-alpha 1.0.0-rc.1 1.0.0 1.2.2 1.2.3-beta.2 1.2.3-beta.11 \
                            1.2.3 1.2.4 1.3 2 2.0.0 2.5.1 v3.1.4+build 10.0.0 11.1.1";

    #[test]
    fn ranges_mean_what_they_mean_to_helm_and_flux() {
        let versions: Vec<Version> =
            VERSIONS.split_whitespace().map(|text| text.parse().unwrap()).collect();
        for line in RECORDED.lines() {
            let (text, expected) = line.split_once('|').unwrap();
            let text = text.replace("OR", "||");
            let actual = match text.parse::<Range>() {
                Err(_) => "error".to_owned(),
                Ok(range) => {
                    let letter = |version| if range.contains(version) { '1' } else { '0' };
                    versions.iter().map(letter).collect()
                }
            };
            assert_eq!(actual, expected, "{text}");
        }
    }

    #[test]
    fn versions_are_ordered_as_semantic_versioning_says() {
        let order = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1";
        let versions: Vec<Version> =
            order.split_whitespace().map(|text| text.parse().unwrap()).collect();
        assert!(versions.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in
            ["", "v", "1.", "a", "1.2.3.4", "1.x", "1.2.3-", "1.2.3-a..b", "99999999999999999999"]
        {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }
}
