//! Where in a file an expression goes wrong.

use kelson_yaml::{Node, Span, Style};

/// The place in `text` of a line and a column of the expression that is the value of a node; both count from one.
///
/// Where the expression is not written as it is read (folded, or with escapes) its beginning must do.
pub(super) fn within(text: &str, value: &Node, (line, column): (usize, usize)) -> Span {
    let rest = text.get(value.span.start as usize..).unwrap_or_default();
    let (expression, style) = match value.as_scalar() {
        Some(scalar) => (scalar.text.as_str(), scalar.style),
        None => ("", Style::Plain),
    };
    let own = expression.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let line_start = match style {
        Style::Literal => block_line(rest, own, line),
        _ => (line == 1).then(|| verbatim(rest, own)).flatten(),
    };
    let before = own.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    let offset = line_start.map_or(0, |start| start + before);
    let offset = u32::try_from(offset).unwrap_or(0);
    Span { start: value.span.start.saturating_add(offset), ..value.span }
}

/// Where a line of a block begins, without what indents the whole block. The line of the `|` comes before all of them.
fn block_line(rest: &str, own: &str, line: usize) -> Option<usize> {
    let before: usize = rest.split_inclusive('\n').take(line).map(str::len).sum();
    let written = rest.get(before..)?.lines().next()?;
    Some(before + written.trim_end_matches('\r').len().checked_sub(own.len())?)
}

/// Where an expression begins that stands there as it is, perhaps in quotes.
fn verbatim(rest: &str, expression: &str) -> Option<usize> {
    let quote = usize::from(rest.starts_with(['\'', '"']));
    rest.get(quote..)?.starts_with(expression).then_some(quote)
}
