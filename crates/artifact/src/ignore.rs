//! Which files stay out of an artifact, in the syntax of `.gitignore`.

/// Patterns in the order in which they were given; the last that matches decides.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    patterns: Vec<Pattern>,
    /// What somebody says who is not to be contradicted by files; it comes after all the others.
    last: Vec<Pattern>,
}

#[derive(Clone, Debug)]
struct Pattern {
    /// The directory that it is about, as parts.
    domain: Vec<String>,
    /// What the parts below that must match.
    parts: Vec<String>,
    /// Whether it takes files back in.
    keeps: bool,
    /// Whether it is about directories alone.
    directories: bool,
    /// Whether it begins at its domain rather than at any depth.
    anchored: bool,
}

impl Ignore {
    /// The file in which a tree says what is to be left out of its artifact.
    pub const FILE: &str = ".sourceignore";

    /// What Flux leaves out unless told otherwise: what git keeps for itself, images, videos and archives.
    pub fn usual() -> Self {
        let mut ignore = Self::default();
        let patterns = ".git/ .gitignore .gitmodules .gitattributes *.jpg *.jpeg *.gif *.png *.wmv *.flv *.tar.gz *.zip";
        ignore.add("", &patterns.replace(' ', "\n"));
        ignore
    }

    /// Adds the lines of a file of patterns that lies in a directory of the tree, `""` for its root.
    pub fn add(&mut self, directory: &str, text: &str) {
        let domain: Vec<String> = parts(directory).map(str::to_owned).collect();
        self.patterns.extend(text.lines().filter_map(|line| Pattern::parse(line, &domain)));
    }

    /// Adds a pattern that no file of patterns takes back, whichever is read later.
    pub fn insist(&mut self, pattern: &str) {
        self.last.extend(Pattern::parse(pattern, &[]));
    }

    /// Whether a path is left out, by itself or with a directory above it.
    pub fn is_ignored(&self, path: &str, directory: bool) -> bool {
        let parts: Vec<&str> = parts(path).collect();
        // What is below a directory that is left out cannot be taken back in, as in git.
        (1..=parts.len()).any(|end| self.decides(&parts[..end], directory || end < parts.len()))
    }

    fn decides(&self, path: &[&str], directory: bool) -> bool {
        let mut latest = self.last.iter().rev().chain(self.patterns.iter().rev());
        let last = latest.find(|pattern| pattern.matches(path, directory));
        last.is_some_and(|pattern| !pattern.keeps)
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

impl Pattern {
    fn parse(line: &str, domain: &[String]) -> Option<Self> {
        let line = trim(line);
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (line, keeps) = match line.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        let (body, directories) = match line.strip_suffix('/') {
            Some(body) => (body, true),
            None => (line, false),
        };
        let parts: Vec<String> = parts(body).map(str::to_owned).collect();
        let anchored = body.contains('/');
        let domain = domain.to_vec();
        (!parts.is_empty()).then_some(Self { domain, parts, keeps, directories, anchored })
    }

    fn matches(&self, path: &[&str], directory: bool) -> bool {
        if self.directories && !directory {
            return false;
        }
        let within = path.len() > self.domain.len()
            && self.domain.iter().zip(path).all(|(domain, part)| domain == part);
        let Some(path) = path.get(self.domain.len()..).filter(|_| within) else { return false };
        match (self.anchored, path.last()) {
            (true, _) => spans(&self.parts, path),
            (false, Some(name)) => fits(self.parts[0].as_bytes(), name.as_bytes()),
            (false, None) => false,
        }
    }
}

/// Takes the spaces off the end, unless the last one is quoted.
fn trim(line: &str) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let trimmed = line.trim_end_matches(' ');
    match trimmed.ends_with('\\') && trimmed.len() < line.len() {
        true => &line[..trimmed.len() + 1],
        false => trimmed,
    }
}

/// Whether parts of a pattern, where `**` stands for any number of them, match parts of a path.
///
/// One row per part of the pattern says which beginnings of the path are matched so far, so the work is bounded by the
/// product of their lengths whatever the pattern.
fn spans(pattern: &[String], path: &[&str]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for (number, part) in pattern.iter().enumerate() {
        let mut next = vec![false; path.len() + 1];
        for (at, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            match part.as_str() {
                // At the end it stands for what is inside, not for the directory itself.
                "**" if number + 1 == pattern.len() => next[at + 1..].fill(true),
                "**" => next[at..].fill(true),
                part if at < path.len() => {
                    next[at + 1] |= fits(part.as_bytes(), path[at].as_bytes())
                }
                _ => {}
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Whether one part matches: `*`, `?`, `[…]`, and `\` before what is meant literally.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            back = Some((at, seen));
            continue;
        }
        let matched = text.get(seen).and_then(|byte| one(&pattern[at.min(pattern.len())..], *byte));
        match (matched, back) {
            (Some(length), _) => {
                at += length;
                seen += 1;
            }
            (None, _) if seen == text.len() && at == pattern.len() => return true,
            // The last star takes one more byte, and what follows it is tried again.
            (None, Some((star, taken))) if taken < text.len() => {
                back = Some((star, taken + 1));
                (at, seen) = (star, taken + 1);
            }
            (None, _) => return false,
        }
    }
}

/// How long the beginning of a pattern is that matches this byte.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'?', ..] => Some(1),
        [b'[', class @ ..] => match class_matches(class, byte) {
            Some((matched, length)) => matched.then_some(length + 1),
            None => (byte == b'[').then_some(1),
        },
        [b'\\', literal, ..] => (*literal == byte).then_some(2),
        [literal, ..] => (*literal == byte).then_some(1),
        [] => None,
    }
}

/// Whether a byte is in the class that begins here, and how long the class is with its `]`.
fn class_matches(class: &[u8], byte: u8) -> Option<(bool, usize)> {
    let negated = matches!(class.first(), Some(b'!' | b'^'));
    let start = usize::from(negated);
    let (mut at, mut found) = (start, false);
    loop {
        match *class.get(at)? {
            b']' if at > start => return Some((found != negated, at + 1)),
            low => {
                let low = if low == b'\\' {
                    at += 1;
                    *class.get(at)?
                } else {
                    low
                };
                let range = class.get(at + 1) == Some(&b'-') && class.get(at + 2) != Some(&b']');
                let high = if range { *class.get(at + 2)? } else { low };
                at += if range { 3 } else { 1 };
                found |= (low..=high).contains(&byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patterns: &str, ignored: &[&str], kept: &[&str]) {
        let mut ignore = Ignore::default();
        ignore.add("", patterns);
        let is_ignored = |path: &&&str| ignore.is_ignored(path, path.ends_with('/'));
        let wrong: Vec<_> = ignored.iter().filter(|path| !is_ignored(path)).collect();
        assert!(wrong.is_empty(), "kept: {wrong:?}");
        let wrong: Vec<_> = kept.iter().filter(is_ignored).collect();
        assert!(wrong.is_empty(), "ignored: {wrong:?}");
    }

    #[test]
    fn names_match_at_any_depth_and_paths_from_the_root() {
        check("*.png", &["a.png", "x/y/b.png"], &["a.png.txt", "png"]);
        check("docs", &["docs/", "docs/a", "x/docs"], &["docs2", "mydocs"]);
        check("/docs", &["docs/a"], &["x/docs"]);
        check("a/b", &["a/b", "a/b/c"], &["x/a/b", "a/bc"]);
        check("docs/", &["docs/", "x/docs/a"], &["docs", "x/docs"]);
    }

    #[test]
    fn two_stars_stand_for_directories() {
        check("**/x", &["x", "a/x", "a/b/x"], &["xx"]);
        check("a/**", &["a/b", "a/b/c"], &["a", "a/", "b/a"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/x", "b"]);
    }

    #[test]
    fn classes_escapes_and_comments_are_those_of_git() {
        check("[ab].txt\n[!x-z]z\n[]]q", &["a.txt", "bz", "]q"], &["c.txt", "yz"]);
        check("\\#a\n\\!b\nc\\ ", &["#a", "!b", "c "], &["a", "b", "c"]);
        check("# a\n\nb  ", &["b"], &["# a", "a"]);
        check("a?c\n[x", &["abc", "[x"], &["ac", "x"]);
    }

    #[test]
    fn the_last_match_decides_but_not_below_what_is_left_out() {
        check("*.yaml\n!keep.yaml", &["a.yaml"], &["keep.yaml", "x/keep.yaml"]);
        check("dir/\n!dir/keep.yaml", &["dir/keep.yaml"], &[]);
        check("/*\n!/deploy/", &["README.md", "x/a"], &["deploy/", "deploy/a.yaml"]);
    }

    #[test]
    fn a_file_of_patterns_is_about_its_own_directory() {
        let mut ignore = Ignore::usual();
        ignore.add("apps", "/tmp\n*.bak\n");
        for path in ["apps/tmp", "apps/x/a.bak", ".git/config", "a.zip", "x/.gitignore"] {
            assert!(ignore.is_ignored(path, false), "{path}");
        }
        for path in ["tmp", "a.bak", "apps/x/tmp", ".github/a.yaml", ".sourceignore"] {
            assert!(!ignore.is_ignored(path, false), "{path}");
        }
    }

    #[test]
    fn a_long_pattern_of_stars_ends() {
        check(&"*a".repeat(2000), &[], &[&"a".repeat(1999)]);
        check(&"**/a/".repeat(200), &[], &[&"a/".repeat(100)]);
    }
}
