//! What went wrong in a user's file: a value that stages make and front ends draw.

use kelson_yaml::Span;

/// One problem, or one thing worth saying.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Whether it stops the run.
    pub severity: Severity,
    /// A short stable name, such as `patch-matches-nothing`.
    pub code: &'static str,
    /// What is wrong, in one sentence of ours.
    pub message: String,
    /// The whole text that the upstream tool prints in this case, for scripts that look for it.
    pub upstream: Option<String>,
    /// Places in files that show it; the first is where it went wrong.
    pub labels: Vec<Label>,
    /// What to do, or what was probably meant.
    pub help: Option<String>,
}

/// A place with a remark.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there; may be empty.
    pub text: String,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The run goes on.
    Warning,
    /// The run fails.
    Error,
}

impl Diagnostic {
    /// Makes an error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            upstream: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds what the upstream tool says.
    #[must_use]
    pub fn upstream(mut self, text: impl Into<String>) -> Self {
        self.upstream = Some(text.into());
        self
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
