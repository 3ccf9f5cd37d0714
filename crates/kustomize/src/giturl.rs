//! Which texts name a git repository, and how they split into repository, directory and reference.

use kelson_model::Repository;

/// How long a git command may take unless the address says otherwise, in milliseconds.
const TIMEOUT: u64 = 27_000;

/// A text that names a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitUrl {
    /// The text as written; addresses are compared by it to find cycles.
    pub(crate) raw: String,
    /// What it says.
    pub(crate) repository: Repository,
    /// Whether it began with `git::`, which is dropped with a warning.
    pub(crate) forced: bool,
}

/// Whether the text is an address that is fetched by HTTP.
pub(crate) fn is_http(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        && !text.bytes().any(|byte| byte < 0x20 || byte == 0x7f)
}

/// Reads a text as the address of a repository; `None` for anything else, such as a local path.
pub(crate) fn parse(raw: &str) -> Option<GitUrl> {
    if raw.starts_with('/') {
        return None;
    }
    let (address, query) = raw.split_once('?').unwrap_or((raw, ""));
    let (reference, timeout, submodules) = read_query(query);
    let (forced, address) = match strip_ignoring_case(address, "git::") {
        Some(rest) => (true, rest),
        None => (false, address),
    };
    let (host, path) = split_host(address)?;
    let (repository, directory) = split_path(path, host.starts_with("file://"))?;
    let clone = format!("{host}{repository}");
    let path = directory.strip_prefix('/').unwrap_or(directory).to_owned();
    Some(GitUrl {
        raw: raw.to_owned(),
        repository: Repository { clone, path, reference, submodules, timeout },
        forced,
    })
}

/// Splits scheme, user and host from the rest, and writes GitHub's in one of two ways.
fn split_host(address: &str) -> Option<(String, &str)> {
    let schemes = ["ssh://", "https://", "http://", "file://"];
    let (scheme, rest) = schemes
        .iter()
        .find_map(|scheme| Some((*scheme, strip_ignoring_case(address, scheme)?)))
        .unwrap_or(("", address));
    let (user, after_user) = split_user(rest);
    let lower = after_user.to_ascii_lowercase();
    let github = lower.starts_with("github.com/") || lower.starts_with("github.com:");
    let scp = scheme.is_empty() && (!user.is_empty() || github);
    if scheme.is_empty() && !scp {
        return None;
    }
    if scheme == "file://" {
        return Some((scheme.to_owned(), rest));
    }
    let (host, path) = match separator(after_user, scp) {
        Some(at) => after_user.split_at(at + 1),
        None => (after_user, ""),
    };
    if github {
        let host = if scheme == "ssh://" || !user.is_empty() {
            format!("{user}github.com:")
        } else {
            "https://github.com/".to_owned()
        };
        return Some((host, path));
    }
    (!host.is_empty()).then(|| (format!("{scheme}{user}{host}"), path))
}

/// `user@` at the front, if it is there.
fn split_user(text: &str) -> (&str, &str) {
    let Some(at) = text.find('@') else { return ("", text) };
    let name = &text[..at];
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if letters && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        text.split_at(at + 1)
    } else {
        ("", text)
    }
}

/// Where the host ends: at the first slash, or in the `user@host:path` form at a colon before it.
fn separator(text: &str, scp: bool) -> Option<usize> {
    let slash = text.find('/');
    if !scp {
        return slash;
    }
    match (slash, text.find(':')) {
        (None, colon) => colon,
        (Some(slash), Some(colon)) if colon > 0 && colon < slash => Some(colon),
        (slash, _) => slash,
    }
}

/// Splits the path of the repository from the directory in it.
fn split_path(path: &str, whole: bool) -> Option<(&str, &str)> {
    let (repository, directory) = if let Some(at) = path.find("_git/") {
        let name = at + "_git/".len();
        match path[name..].find('/') {
            Some(end) => (&path[..name + end], &path[name + end + 1..]),
            None => (path, ""),
        }
    } else if let Some(at) = path.find("//") {
        (&path[..at], &path[at + 2..])
    } else if let Some(at) = path.find(".git") {
        path.split_at(at + ".git".len())
    } else if whole {
        (path, "")
    } else {
        let first = path.find('/')?;
        match path[first + 1..].find('/') {
            Some(second) => (&path[..first + 1 + second], &path[first + 2 + second..]),
            None => (path, ""),
        }
    };
    (!repository.is_empty() && !leaves(directory)).then_some((repository, directory))
}

/// Whether a directory, cleaned, begins with `..`.
fn leaves(directory: &str) -> bool {
    let mut depth = 0_i64;
    for part in directory.split('/') {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Reads `ref` (or `version`), `timeout` and `submodules`; what cannot be read is as if it were not there.
fn read_query(query: &str) -> (String, u64, bool) {
    let (mut reference, mut version) = (String::new(), String::new());
    let (mut timeout, mut submodules) = (TIMEOUT, true);
    let mut seen: [bool; 4] = [false; 4];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(key), Some(value)) = (unescape(key), unescape(value)) else {
            return (String::new(), TIMEOUT, true);
        };
        if pair.contains(';') {
            return (String::new(), TIMEOUT, true);
        }
        let mut first = |index: usize| !std::mem::replace(&mut seen[index], true);
        match key.as_str() {
            "ref" if first(0) => reference = value,
            "version" if first(1) => version = value,
            "timeout" if first(2) => timeout = read_timeout(&value).unwrap_or(TIMEOUT),
            "submodules" if first(3) => submodules = read_bool(&value).unwrap_or(true),
            _ => {}
        }
    }
    (if reference.is_empty() { version } else { reference }, timeout, submodules)
}

/// Undoes `%41` and `+`.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A number of seconds, or a duration such as `1m30s`, in milliseconds; only what is above zero counts.
fn read_timeout(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return u64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?.checked_mul(1000);
    }
    let mut total = 0.0_f64;
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let units = [("ms", 1.0), ("h", 3_600_000.0), ("m", 60_000.0), ("s", 1000.0)];
        let small = [("ns", 1e-6), ("us", 1e-3), ("µs", 1e-3), ("μs", 1e-3)];
        let (unit, factor) =
            small.iter().chain(&units).find(|(unit, _)| rest[end..].starts_with(unit))?;
        total += number * factor;
        rest = &rest[end + unit.len()..];
    }
    (total > 0.0 && total < 9e15).then(|| (total as u64).max(1))
}

/// A truth value as Go's `strconv.ParseBool` reads it.
fn read_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// What follows a prefix, whatever the case of its letters.
fn strip_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = parse(text).map_or_else(
            || "no repository".to_owned(),
            |url| {
                let it = url.repository;
                format!("{} | {} | {}", it.clone, it.path, it.reference)
            },
        );
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn every_form_of_address_is_split_as_upstream_does() {
        check("https://github.com/org/repo/path?ref=v1", "https://github.com/org/repo | path | v1");
        check("github.com/org/repo.git/path", "https://github.com/org/repo.git | path | ");
        check("git@github.com:org/repo//a/b?version=x", "git@github.com:org/repo | a/b | x");
        check("ssh://git@GitHub.com/org/repo", "git@github.com:org/repo |  | ");
        check("git::https://gitlab.com/g/s/r.git//p", "https://gitlab.com/g/s/r.git | p | ");
        check("user@host.xz:path/to/repo.git/dir", "user@host.xz:path/to/repo.git | dir | ");
        check("https://u@dev.azure.com/o/p/_git/r/k", "https://u@dev.azure.com/o/p/_git/r | k | ");
        check("file:///srv/repo", "file:///srv/repo |  | ");
        check("file:///srv/repo//base", "file:///srv/repo | base | ");
        check("https://github.com/org/repo//../x", "no repository");
        check("../base", "no repository");
        check("base/github.com/x/y", "no repository");
        check("/abs/path", "no repository");
        check("https://example.com/one", "no repository");
    }

    #[test]
    fn the_query_gives_timeout_and_submodules() {
        let read = |text: &str| parse(text).map(|url| url.repository).unwrap();
        assert_eq!(read("github.com/a/b?timeout=61").timeout, 61_000);
        assert_eq!(read("github.com/a/b?timeout=1m30s").timeout, 90_000);
        assert_eq!(read("github.com/a/b?timeout=-1").timeout, TIMEOUT);
        assert!(!read("github.com/a/b?submodules=0").submodules);
        assert!(read("github.com/a/b?submodules=no").submodules);
    }
}
