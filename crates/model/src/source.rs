//! The texts that were read, so that a span can be turned into a file, a line and the line itself.

use std::sync::Arc;

use kelson_yaml::{SourceId, Span};

/// All texts that one run has read. A [`SourceId`] is an index into it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

/// One text with its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path, as a person would write it.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

/// A span, resolved: both numbers count from one, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The name of the source.
    pub name: &'a str,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The text of that line.
    pub text: &'a str,
}

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceId {
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(Source { name: name.into(), text: text.into() });
        SourceId(id)
    }

    /// The text of a number.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.list.get(id.0 as usize)
    }

    /// Turns a span into a file, a line and a column.
    pub fn place(&self, span: Span) -> Option<Place<'_>> {
        let source = self.get(span.source)?;
        let text: &str = &source.text;
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Some(Place {
            name: &source.name,
            line: text[..line_start].bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            text: text[line_start..line_end].trim_end_matches('\r'),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_becomes_line_column_and_text() {
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", "one\nzwö: x\r\n");
        let place = sources.place(Span { source: id, start: 10 }).unwrap();
        assert_eq!((place.line, place.column, place.text), (2, 6, "zwö: x"));
    }
}
