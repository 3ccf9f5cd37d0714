//! What went wrong in a user's file: a value that stages make and front ends draw.

use kelson_yaml::Span;

/// How much of a text is kept at its start and at its end; both ends have words that scripts look for.
const KEPT: (usize, usize) = (3 << 10, 1 << 10);

/// One problem, or one thing worth saying.
///
/// Its texts are cropped as they are set: a message may quote a value, and a value may be of any size.
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
            message: cropped(message.into()),
            upstream: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Says what is wrong in other words.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = cropped(message.into());
        self
    }

    /// Adds what the upstream tool says.
    #[must_use]
    pub fn upstream(mut self, text: impl Into<String>) -> Self {
        self.upstream = Some(cropped(text.into()));
        self
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: cropped(text.into()) });
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(cropped(text.into()));
        self
    }
}

/// The text without its middle, where it is too long to be read.
fn cropped(text: String) -> String {
    let (first, last) = KEPT;
    if text.len() <= first + last {
        return text;
    }
    let head = text.floor_char_boundary(first);
    let tail = text.ceil_char_boundary(text.len() - last);
    format!("{} … {} bytes more … {}", &text[..head], tail - head, &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_value_in_a_message_loses_its_middle() {
        let text = format!("bad name `{}`: no such thing", "ö".repeat(100_000));
        let problem = Diagnostic::error("bad-name", &*text).upstream(&*text).help(&*text);
        for shown in [Some(problem.message), problem.upstream, problem.help].into_iter().flatten() {
            assert!(shown.len() < 5000, "{} bytes", shown.len());
            assert!(shown.starts_with("bad name `ö") && shown.ends_with("`: no such thing"));
            assert!(shown.contains("bytes more"));
        }
        assert_eq!(Diagnostic::error("short", "short").message, "short");
    }
}
