//! The exit codes, in one place.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Done, or nothing to do.
    Done = 0,
    /// Failed.
    Failed = 1,
    /// Something differs, or is still to be done.
    Differs = 2,
    /// Applied, but not ready in time.
    NotReady = 3,
    /// Refused, since the ground has moved.
    Moved = 4,
    /// Wrong usage.
    Usage = 64,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}
