//! What can go wrong, in the words that users of go-yaml and encoding/json know.

use std::error::Error;
use std::fmt;

use crate::Span;

/// Why a text is not YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Upstream's text, without the prefix `yaml: `: for example `line 4: did not find expected key`.
    pub message: String,
    /// Where it was noticed.
    pub span: Span,
    /// Whether upstream prints the message without `yaml: ` before it.
    pub(crate) bare: bool,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, bare: false }
    }

    pub(crate) fn bare(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, bare: true }
    }

    /// The whole of upstream's text: with `yaml: ` where go-yaml speaks, without it where kyaml or
    /// `encoding/json` does.
    pub fn upstream(&self) -> String {
        let prefix = if self.bare { "" } else { "yaml: " };
        format!("{prefix}{}", self.message)
    }
}

/// Why a tree cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// Upstream's text, whole.
    pub message: String,
    /// The node that cannot be written, as far as one can be named.
    pub span: Span,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ParseError {}

impl Error for EmitError {}
