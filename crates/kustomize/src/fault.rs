//! How a stage of the build fails: a diagnostic that gathers upstream's wording on its way up.

use kelson_model::Diagnostic;
use kelson_yaml::Span;

/// The result of a stage inside the engine.
pub(crate) type Result<T> = std::result::Result<T, Box<Fault>>;

/// A problem on its way up. `text` is what kustomize would print at this level; each level wraps it as upstream does.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Upstream's words, wrapped so far.
    pub(crate) text: String,
    /// Ours.
    pub(crate) diagnostic: Diagnostic,
}

impl Fault {
    /// A problem whose words are upstream's.
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Box<Self> {
        let text = text.into();
        Box::new(Self { diagnostic: Diagnostic::error(code, text.clone()), text })
    }

    /// Replaces the sentence shown to people, where we can say it better than upstream.
    pub(crate) fn saying(mut self: Box<Self>, message: impl Into<String>) -> Box<Self> {
        self.diagnostic = self.diagnostic.saying(message);
        self
    }

    /// Adds a place in a file.
    pub(crate) fn at(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Box<Self> {
        self.diagnostic = self.diagnostic.at(span, text);
        self
    }

    /// Adds what to do, unless something nearer to the cause has said so.
    pub(crate) fn help(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.diagnostic.help.get_or_insert(text.into());
        self
    }

    /// Wraps upstream's words: `wrap("accumulating resources")` gives `accumulating resources: …`.
    pub(crate) fn wrap(mut self: Box<Self>, outer: impl std::fmt::Display) -> Box<Self> {
        self.text = format!("{outer}: {}", self.text);
        self
    }

    /// The diagnostic, with upstream's whole text.
    #[expect(clippy::boxed_local, reason = "a fault travels in its box")]
    pub(crate) fn into_diagnostic(self: Box<Self>) -> Diagnostic {
        self.diagnostic.upstream(self.text)
    }
}
