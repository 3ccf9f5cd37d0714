//! Which of the earlier applies is meant.

use anyhow::bail;
use kelson_plan::inventory::Applied;

/// How many digits of a digest or a commit are enough to name it.
const FEWEST: usize = 6;
/// How many digits of a digest are shown.
const SHORT: usize = 12;
const ALGORITHM: &str = "sha256:";

/// The apply that a text names: by its number, by a digest or its beginning, or by a revision.
pub(crate) fn find<'h>(history: &'h [Applied], text: &str) -> anyhow::Result<&'h Applied> {
    let mut meant = history.iter().rev().filter(|applied| is_meant(applied, text));
    let Some(newest) = meant.next() else {
        bail!("`{}` is none of what was applied; there is {}", plain(text), list(history));
    };
    let others: Vec<&Applied> = meant.filter(|applied| applied.digest != newest.digest).collect();
    if others.is_empty() {
        return Ok(newest);
    }
    let several: Vec<Applied> = others.into_iter().rev().chain([newest]).cloned().collect();
    bail!("`{}` could mean {}; say more of the digest", plain(text), list(&several));
}

/// The newest apply before the last one that went well and was of something else.
pub(crate) fn previous(history: &[Applied]) -> anyhow::Result<&Applied> {
    let Some((last, before)) = history.split_last() else {
        bail!("nothing was applied yet that one could go back to");
    };
    let is_meant = |applied: &&Applied| {
        applied.is_good() && !applied.digest.is_empty() && applied.digest != last.digest
    };
    match before.iter().rev().find(is_meant) {
        Some(found) => Ok(found),
        None => bail!(
            "no other version that went well was applied before the last one; there is {}; say which one is meant with --to",
            list(history)
        ),
    }
}

fn is_meant(applied: &Applied, text: &str) -> bool {
    let is_number = text.parse::<u64>().is_ok_and(|number| number == applied.number);
    is_number || is_digest(&applied.digest, text) || is_revision(&applied.revision, text)
}

fn is_digest(digest: &str, text: &str) -> bool {
    let digits = text.strip_prefix(ALGORITHM).unwrap_or(text);
    let known = digest.strip_prefix(ALGORITHM);
    digits.len() >= FEWEST && known.is_some_and(|known| known.starts_with(digits))
}

/// A revision is meant by the whole of it, or by its branch or tag, or by the beginning of its commit or digest. There may
/// be several, of as many sources.
fn is_revision(revision: &str, text: &str) -> bool {
    let is_long = text.rsplit(':').next().is_some_and(|digits| digits.len() >= FEWEST);
    let is_one = |one: &str| {
        let (name, commit) = match one.split_once('@') {
            Some(parts) => parts,
            None if one.contains(':') => ("", one),
            None => (one, ""),
        };
        let digits = commit.split_once(':').map_or(commit, |(_, digits)| digits);
        name == text || is_long && (commit.starts_with(text) || digits.starts_with(text))
    };
    !text.is_empty() && (revision == text || revision.split(", ").any(is_one))
}

/// The beginning of a digest.
pub(crate) fn short(digest: &str) -> String {
    let digits = digest.strip_prefix(ALGORITHM).filter(|digits| digits.is_ascii());
    match digits {
        Some(digits) => plain(&format!("{ALGORITHM}{}", &digits[..digits.len().min(SHORT)])),
        None if digest.is_empty() => "-".to_owned(),
        None => plain(&digest.chars().take(SHORT).collect::<String>()),
    }
}

/// A text of the record without what a terminal would obey.
pub(crate) fn plain(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// What there is, the newest first.
fn list(history: &[Applied]) -> String {
    let one = |applied: &Applied| match applied.revision.as_str() {
        "" => format!("{} ({})", applied.number, short(&applied.digest)),
        revision => {
            format!("{} ({}, {})", applied.number, short(&applied.digest), plain(revision))
        }
    };
    match history.is_empty() {
        true => "nothing".to_owned(),
        false => history.iter().rev().map(one).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies from lines of `digest result revision`; each is repeated to the length of a digest.
    fn history(lines: &str) -> Vec<Applied> {
        let applied = |(line, number): (&str, u64)| {
            let words: Vec<&str> = line.split(' ').collect();
            let digest = match words[0] {
                "-" => String::new(),
                "broken" => "\u{1b}[31mno digest".to_owned(),
                digits => format!("sha256:{}", digits.repeat(64 / digits.len())),
            };
            let (result, revision) = (words[1].to_owned(), words[2..].join(" "));
            Applied { number, digest, result, revision, ..Applied::default() }
        };
        lines.split('\n').zip(1..).map(applied).collect()
    }

    fn shown(found: anyhow::Result<&Applied>) -> String {
        found.map_or_else(|error| error.to_string(), |applied| applied.number.to_string())
    }

    #[track_caller]
    fn check(lines: &str, text: &str, expected: &str) {
        assert_eq!(shown(find(&history(lines), text)), expected, "{text}");
    }

    #[test]
    fn an_apply_is_named_by_number_digest_or_revision() {
        let lines = "aaaa1111 applied main@sha1:0123456789\naaaabbbb failed v2, dev@sha1:fedcba98\ncccc2222 applied v3";
        for (text, number) in [
            ("1", "1"),
            ("3", "3"),
            ("sha256:aaaa11", "1"),
            ("aaaabb", "2"),
            ("main", "1"),
            ("main@sha1:0123456789", "1"),
            ("012345", "1"),
            ("v2", "2"),
            ("v2, dev@sha1:fedcba98", "2"),
            ("fedcba", "2"),
            ("v3", "3"),
            ("sha1:012345", "1"),
        ] {
            check(lines, text, number);
        }
        let all = "3 (sha256:cccc2222cccc, v3), 2 (sha256:aaaabbbbaaaa, v2, dev@sha1:fedcba98), 1 (sha256:aaaa1111aaaa, main@sha1:0123456789)";
        for text in ["4", "0", "-1", "aaaa", "sha256:", "01234", "sha1:", "", "v", "mai"] {
            check(lines, text, &format!("`{text}` is none of what was applied; there is {all}"));
        }
    }

    #[test]
    fn what_could_mean_two_is_refused_with_both() {
        let lines = "aaaaaaaa applied 2\naaaaaaab applied x\naaaaaaab applied x";
        check(
            lines,
            "aaaaaa",
            "`aaaaaa` could mean 3 (sha256:aaaaaaabaaaa, x), 1 (sha256:aaaaaaaaaaaa, 2); say more of the digest",
        );
        check(
            lines,
            "2",
            "`2` could mean 2 (sha256:aaaaaaabaaaa, x), 1 (sha256:aaaaaaaaaaaa, 2); say more of the digest",
        );
        // The same artifact twice is one: the newest entry of it.
        check(lines, "x", "3");
        // A tag is no beginning of another; the artifact that a component was filled from is a revision of its own.
        let lines =
            "a applied release-1\nb applied v1@sha256:ddddddddddd\nc applied sha256:eeeeeeeeeee";
        check(lines, "sha256:dddddd", "2");
        check(lines, "eeeeee", "3");
        assert!(shown(find(&history(lines), "release")).contains("is none of what was applied"));
    }

    #[test]
    fn hostile_texts_are_shown_without_what_a_terminal_obeys() {
        check(
            "broken applied \u{7}",
            "\u{1b}[2J",
            "`\u{fffd}[2J` is none of what was applied; there is 1 (\u{fffd}[31mno dige, \u{fffd})",
        );
    }

    #[track_caller]
    fn check_previous(lines: &str, expected: &str) {
        let history = if lines.is_empty() { Vec::new() } else { history(lines) };
        let actual = shown(previous(&history));
        assert!(actual.starts_with(expected), "{actual}");
    }

    #[test]
    fn one_goes_back_to_what_went_well_and_is_something_else() {
        check_previous("a applied\nb applied", "1");
        check_previous("a ready\nb failed", "1");
        check_previous("a applied\nb not-ready\nc applied", "1");
        check_previous("a applied\nb ready\na applied", "2");
        check_previous("a applied\nb applied\n- failed", "2");
        check_previous("a applied\na failed", "no other version that went well");
        check_previous("a failed\nb applied", "no other version that went well");
        check_previous("a applied", "no other version that went well");
        check_previous("", "nothing was applied yet");
    }
}
