//! Diagnostics, with the lines they are about and a mark under the place.

use std::io::IsTerminal;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kelson_model::{Diagnostic, Label, Severity, Sources};

use crate::path;

/// Prints diagnostics to standard error.
pub(crate) fn diagnostics(list: &[Diagnostic], sources: &Sources) {
    for diagnostic in list {
        anstream::eprintln!("{}", text(diagnostic, sources));
    }
}

/// Prints one line to standard error.
pub(crate) fn line(text: &str) {
    eprintln!("{text}");
}

/// Prints one line to standard error, in the place of one that changes where there is such.
pub(crate) fn remark(text: &str) {
    let back = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    eprintln!("{back}{text}");
}

/// A text that came from elsewhere, for a terminal: what would move the cursor or colour the rest is not let through.
pub(crate) fn plain(text: &str) -> String {
    let letter = |letter: char| match letter {
        '\n' | '\r' | '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(letter).collect()
}

/// Prints an error that is about no file of the user's, with its causes.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    error.chain().skip(1).for_each(|cause| eprintln!("caused by: {cause}"));
}

fn text(diagnostic: &Diagnostic, sources: &Sources) -> String {
    // A warning that the tool we stand in for gives too is given in its words, for who filters them.
    if let (Severity::Warning, Some(upstream)) = (diagnostic.severity, &diagnostic.upstream) {
        return upstream.clone();
    }
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.message);
    let title = if diagnostic.code.is_empty() { title } else { title.id(diagnostic.code) };
    let shown: Vec<Shown> =
        diagnostic.labels.iter().filter_map(|label| Shown::new(label, sources)).collect();
    let mut group = Group::with_title(title);
    for (index, shown) in shown.iter().enumerate() {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mark = kind.span(shown.mark.clone());
        let mark = if shown.remark.is_empty() { mark } else { mark.label(shown.remark) };
        let snippet =
            Snippet::source(shown.line.as_str()).line_start(shown.number).path(&shown.name);
        group = group.element(snippet.annotation(mark));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let mut text = Renderer::styled().render(&[group]);
    // Scripts look for the words of the tool that we stand in for.
    if let Some(upstream) = &diagnostic.upstream
        && *upstream != diagnostic.message
    {
        text.push_str("\nError: ");
        text.push_str(upstream);
    }
    text
}

/// How much is marked of a value, and shown of what follows it on its line.
const LONGEST: usize = 80;

/// A label, with the line that it is about.
struct Shown<'a> {
    name: String,
    number: usize,
    line: String,
    mark: Range<usize>,
    remark: &'a str,
}

impl<'a> Shown<'a> {
    fn new(label: &'a Label, sources: &Sources) -> Option<Self> {
        let place = sources.place(label.span)?;
        let source = sources.get(label.span.source);
        let secret = source.is_some_and(|source| is_secret(&source.text, place.text));
        let mut line = if secret { masked(place.text) } else { place.text.to_owned() };
        let start = line.char_indices().nth(place.column - 1).map_or(line.len(), |(at, _)| at);
        let token = line[start..].find([' ', ',', ']', '}']).unwrap_or(line.len() - start);
        let name = path::shown(place.name);
        let mark = start..line.ceil_char_boundary(start + token.min(LONGEST)).max(start + 1);
        line.truncate(line.ceil_char_boundary(mark.end + LONGEST));
        Some(Self { name, number: place.line, line, mark, remark: &label.text })
    }
}

/// Whether a line may show a value of a Secret, or of what one is generated from.
fn is_secret(text: &str, line: &str) -> bool {
    let is_literal = line.contains('=') || line.contains("literals");
    text.lines().any(|line| {
        let line = line.trim_start_matches([' ', '-']);
        let kind = line.strip_prefix("kind:").unwrap_or_default();
        kind.trim().trim_matches(['"', '\'']) == "Secret"
            || is_literal && line.starts_with("secretGenerator:")
    })
}

/// The line without what follows its key. A line without a key may be part of a longer value.
fn masked(line: &str) -> String {
    match line.split_once(": ") {
        Some((key, _)) => format!("{key}: ***"),
        None if line.trim_end().ends_with(':') => line.to_owned(),
        None => {
            let indent = line.len() - line.trim_start().len();
            format!("{}***", &line[..indent])
        }
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::Span;

    use super::*;

    #[track_caller]
    fn check(file: &str, at: &str, expected: &str) {
        let mut sources = Sources::default();
        let source = sources.add("a.yaml", file);
        let start = u32::try_from(file.find(at).unwrap()).unwrap();
        let diagnostic = Diagnostic::error("some-code", "this is wrong")
            .at(Span { source, start }, "here")
            .help("do that");
        let drawn = anstream::adapter::strip_str(&text(&diagnostic, &sources)).to_string();
        assert_eq!(drawn, expected, "{drawn}");
    }

    #[test]
    fn a_diagnostic_shows_its_line() {
        check(
            "a: 1\nb: nonsense\n",
            "nonsense",
            "error[some-code]: this is wrong\n\
             \x20--> a.yaml:2:4\n\
             \x20 |\n\
             2 | b: nonsense\n\
             \x20 |    ^^^^^^^^ here\n\
             \x20 |\n\
             \x20 = help: do that",
        );
    }

    #[test]
    fn of_a_long_line_only_the_start_of_the_value_is_shown() {
        let (start, mark) = ("x".repeat(133), "^".repeat(80));
        check(
            &"x".repeat(100_000),
            "x",
            &format!(
                "error[some-code]: this is wrong\n\
                 \x20--> a.yaml:1:1\n\
                 \x20 |\n\
                 1 | {start}...\n\
                 \x20 | {mark} here\n\
                 \x20 |\n\
                 \x20 = help: do that"
            ),
        );
    }

    #[test]
    fn what_secrets_are_generated_from_is_not_shown() {
        check(
            "secretGenerator:\n- name: a\n  literals: [a=hunter2, b]\n",
            "b]",
            "error[some-code]: this is wrong\n\
             \x20--> a.yaml:3:16\n\
             \x20 |\n\
             3 |   literals: ***\n\
             \x20 |                ^ here\n\
             \x20 |\n\
             \x20 = help: do that",
        );
    }

    #[test]
    fn the_values_of_a_secret_are_not_shown() {
        check(
            "kind: Secret\nstringData:\n  password: hunter2 x\n",
            "hunter2",
            "error[some-code]: this is wrong\n\
             \x20--> a.yaml:3:13\n\
             \x20 |\n\
             3 |   password: ***\n\
             \x20 |             ^^^ here\n\
             \x20 |\n\
             \x20 = help: do that",
        );
    }
}
