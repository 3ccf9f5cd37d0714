//! An error as go-yaml words it, with the line it would name.

use super::token::Mark;
use crate::Dialect;

/// Why reading stopped.
#[derive(Debug)]
pub(super) struct Fail {
    pub(super) message: String,
    /// Where it was noticed.
    pub(super) at: u32,
    /// Whether it is not go-yaml that says so.
    pub(super) bare: bool,
}

pub(super) type Result<T> = std::result::Result<T, Fail>;

impl Fail {
    /// An error that names no line.
    pub(super) fn plain(message: impl Into<String>, at: u32) -> Self {
        Self { message: message.into(), at, bare: false }
    }

    /// An error of the layers above go-yaml, whose text has no prefix.
    pub(super) fn bare(message: impl Into<String>, at: u32) -> Self {
        Self { message: message.into(), at, bare: true }
    }

    /// An error of the scanner: `context` is where the construct began, `problem` where it broke.
    pub(super) fn scanner(dialect: Dialect, context: Mark, problem: Mark, message: &str) -> Self {
        let line = match dialect {
            Dialect::V3 => Some(context.line).filter(|line| *line != 0).unwrap_or(problem.line),
            Dialect::V2 => problem.line,
        };
        let line = if line != 0 { line + 1 } else { 0 };
        // v2 falls back to the context, and forgets to count from one there.
        let line = if line == 0 && dialect == Dialect::V2 { context.line } else { line };
        Self::on_line(line, message, problem.at)
    }

    /// An error of the parser, whose lines go-yaml counts from zero.
    pub(super) fn parser(dialect: Dialect, context: Mark, problem: Mark, message: &str) -> Self {
        let (first, second) = match dialect {
            Dialect::V3 => (context, problem),
            Dialect::V2 => (problem, context),
        };
        let line = if first.line != 0 { first.line } else { second.line };
        Self::on_line(line, message, problem.at)
    }

    fn on_line(line: u32, message: &str, at: u32) -> Self {
        let message =
            if line == 0 { message.to_owned() } else { format!("line {line}: {message}") };
        Self { message, at, bare: false }
    }
}
