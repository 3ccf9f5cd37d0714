//! The comments of a text that is written anew.
//!
//! The tree of a document has no comments. But what is written from it has the lines of the old text, save for
//! comments, blank lines and indentation, so that the comments can be put back where they stood.

/// Puts the comments of `original` into `after`. `before` is what would have been written from the same text
/// before it was changed. Nothing comes back where the lines cannot be told apart.
pub(super) fn keep(original: &str, before: &str, after: &str) -> Option<String> {
    if !original.contains('#') {
        return Some(after.to_owned());
    }
    let lines = read(original, before)?;
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let mut out = Vec::new();
    let mut written = 0;
    for (index, line) in lines.iter().enumerate() {
        let at = place(&before, &after, index);
        let Some(at) = at.filter(|at| *at >= written) else { continue };
        out.extend(after[written..at].iter().map(|text| (*text).to_owned()));
        written = at;
        push_comments(&mut out, &lines, index, &after, at);
        if let Some(text) = after.get(at) {
            // A value that became another kind of thing loses the comment beside it.
            let is_kept = before.len() == after.len() || before.get(index) == Some(text);
            out.push(match line.beside.filter(|_| is_kept) {
                Some(comment) => format!("{text} {comment}"),
                None => (*text).to_owned(),
            });
            written = at + 1;
        }
    }
    out.extend(after[written.min(after.len())..].iter().map(|text| (*text).to_owned()));
    Some(out.join("\n"))
}

/// A line of content with the comments that belong to it.
#[derive(Debug, Default)]
struct Line<'a> {
    /// Comments above it.
    above: Vec<Group<'a>>,
    /// The comment beside it.
    beside: Option<&'a str>,
    indent: usize,
    is_item: bool,
}

/// Comments on lines that follow each other.
#[derive(Debug)]
struct Group<'a> {
    texts: Vec<&'a str>,
    indent: usize,
    is_after_blank: bool,
    is_before_blank: bool,
}

/// Finds the lines of `written` in the original text, and the comments between them. The last line has no
/// content: it holds what stands at the end.
fn read<'a>(original: &'a str, written: &str) -> Option<Vec<Line<'a>>> {
    let mut wanted = written.lines().peekable();
    let mut lines = Vec::new();
    let mut line = Line::default();
    let mut is_after_blank = false;
    for text in original.lines() {
        let trimmed = text.trim();
        let indent = indent(text);
        let beside = wanted.peek().and_then(|wanted| comment_beside(trimmed, wanted.trim()));
        if wanted.peek().is_some_and(|wanted| wanted.trim() == trimmed) || beside.is_some() {
            wanted.next();
            let is_item = trimmed.starts_with("- ");
            // No comment belongs to a blank line.
            let indent = if trimmed.is_empty() { usize::MAX } else { indent };
            lines.push(Line { beside, indent, is_item, ..std::mem::take(&mut line) });
        } else if trimmed.is_empty() {
            if let Some(group) = line.above.last_mut() {
                group.is_before_blank = true;
            }
            is_after_blank = true;
            continue;
        } else if trimmed.starts_with('#') {
            match line.above.last_mut() {
                Some(group) if !is_after_blank => group.texts.push(trimmed),
                _ => line.above.push(Group {
                    texts: vec![trimmed],
                    indent,
                    is_after_blank,
                    is_before_blank: false,
                }),
            }
        } else if !(lines.is_empty() && trimmed == "---") {
            return None;
        }
        is_after_blank = false;
    }
    lines.push(line);
    wanted.next().is_none().then_some(lines)
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The comment that follows the content of a line.
fn comment_beside<'a>(line: &'a str, content: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(content)?;
    let comment = rest.trim_start();
    (rest.len() > comment.len() && comment.starts_with('#')).then_some(comment)
}

/// Where a line of the old text is in the new one, if it still is.
fn place(before: &[&str], after: &[&str], index: usize) -> Option<usize> {
    let same = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    if before.len() == after.len() || index <= same {
        return Some(index);
    }
    let from_end = before.len() - index;
    let same_end = before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| old == new);
    (from_end <= same_end.count()).then(|| after.len().checked_sub(from_end)).flatten()
}

/// Writes the comments above the line `index`, which is `at` in the new text.
fn push_comments(
    out: &mut Vec<String>,
    lines: &[Line<'_>],
    index: usize,
    after: &[&str],
    at: usize,
) {
    let is_end = index + 1 == lines.len();
    let groups = &lines[index].above;
    for (number, group) in groups.iter().enumerate() {
        let is_foot = is_foot(group, lines, index);
        let owner = if is_foot { owner(group, lines, index, at) } else { Some(at) };
        let width = owner.and_then(|at| after.get(at)).map_or(0, |text| indent(text));
        if is_end && !is_foot && index > 0 && out.last().is_some_and(|line| !line.is_empty()) {
            out.push(String::new());
        }
        out.extend(group.texts.iter().map(|text| format!("{:width$}{text}", "")));
        let is_followed = number + 1 < groups.len();
        if group.is_before_blank && (is_foot || index == 0 || is_followed) {
            out.push(String::new());
        }
    }
}

/// Whether comments belong to what stands before them: they follow it at once, and are set deeper than what
/// comes next or cut off from it by a blank line.
fn is_foot(group: &Group<'_>, lines: &[Line<'_>], index: usize) -> bool {
    let Some(previous) = index.checked_sub(1).map(|index| &lines[index]) else { return false };
    let next = &lines[index];
    if group.is_after_blank {
        return false;
    }
    if index + 1 == lines.len() {
        let is_alone = index == 1 && previous.above.is_empty() && !previous.is_item;
        return !(is_alone && previous.beside.is_some());
    }
    let opens = next.indent > previous.indent
        || (next.is_item && !previous.is_item && next.indent == previous.indent);
    !opens && (group.is_before_blank || group.indent > next.indent)
}

/// Where the line is that comments at the foot of something belong to.
fn owner(group: &Group<'_>, lines: &[Line<'_>], index: usize, at: usize) -> Option<usize> {
    let up = lines[..index].iter().rev().position(|line| line.indent <= group.indent)?;
    at.checked_sub(up + 1)
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, emit};

    use super::keep;

    #[track_caller]
    fn check(original: &str, change: (&str, &str), expected: &str) {
        let document = kelson_yaml::first_document(original, Span::NONE, Dialect::V3);
        let mut before = String::new();
        emit::styled(&document.unwrap().unwrap(), &mut before).unwrap();
        let after = before.replace(change.0, change.1);
        assert_eq!(
            keep(original, &before, &after).as_deref().map(str::trim),
            Some(expected.trim())
        );
    }

    #[test]
    fn comments_stay_where_they_were() {
        check(
            "# top\n\nserver:\n    port: 80\n\n    # head\n    host: old   # why\nlist:\n  - a # x\n  # y\n  - b\n# end\n",
            ("old", "new"),
            "# top\n\nserver:\n  port: 80\n  # head\n  host: new # why\nlist:\n- a # x\n# y\n- b\n# end",
        );
        check("a: 1\n# foot of a\n\nb: 2\n", ("2", "3"), "a: 1\n# foot of a\n\nb: 3");
        check("a: 1\n\n# para\n\nb: 2\n", ("2", "3"), "a: 1\n# para\nb: 3");
        check("a:\n  b: 1\n  # foot\nc: 2\n", ("2", "3"), "a:\n  b: 1\n  # foot\nc: 3");
    }

    #[test]
    fn what_looks_like_a_comment_in_a_block_is_text() {
        let text = "a: |\n  # no comment\n\n  text\nb: 1 # c\n";
        check(text, ("b: 1", "b: 2"), "a: |\n  # no comment\n\n  text\nb: 2 # c");
    }

    #[test]
    fn comments_outlast_lines_that_are_added() {
        check(
            "# top\na: 1 # x\nb: 2 # z\n",
            ("a: 1\n", "a:\n  c: 1\n  d: 2\n"),
            "# top\na:\n  c: 1\n  d: 2\nb: 2 # z",
        );
    }
}
