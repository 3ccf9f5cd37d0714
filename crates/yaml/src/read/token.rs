//! What the scanner hands to the parser.

use std::borrow::Cow;

use crate::Style;

/// A place in the text: an offset in bytes, a line and a column, all counted from zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pub(super) at: u32,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Mark {
    /// The place behind an indicator of one character.
    pub(super) fn after(self) -> Self {
        Self { at: self.at + 1, line: self.line, column: self.column + 1 }
    }
}

/// One token with the place it begins at.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) mark: Mark,
    /// The text of a scalar, the name of an anchor, the handle of a tag.
    pub(super) text: Cow<'a, str>,
    /// The suffix of a tag, the prefix of a `%TAG` directive; boxed because few tokens have one.
    pub(super) suffix: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    StreamStart,
    StreamEnd,
    /// `%YAML` with the two numbers.
    Version(u8, u8),
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar(Style),
}

impl Token<'_> {
    pub(super) fn new(kind: Kind, mark: Mark) -> Self {
        Token { kind, mark, text: Cow::Borrowed(""), suffix: None }
    }
}
