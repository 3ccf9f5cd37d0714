//! Why a component could not be had.

use std::io;
use std::path::{Path, PathBuf};

/// Why a component could not be built, started or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or program refused.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A process ended that was to stay.
    #[error("{process} ended ({status}); the last lines of its log:\n{log}")]
    Died {
        /// Which one.
        process: &'static str,
        /// How.
        status: String,
        /// What it said last.
        log: String,
    },
    /// A process runs but does not answer.
    #[error(
        "{process} is not ready after {seconds} s: {reason}; the last lines of its log:\n{log}"
    )]
    NotReady {
        /// Which one.
        process: &'static str,
        /// How long it was given.
        seconds: u64,
        /// What it answered last.
        reason: String,
        /// What it said last.
        log: String,
    },
    /// A build broke.
    #[error("cannot build {what}: {reason}")]
    Build {
        /// What was being built.
        what: String,
        /// The last lines of the compiler's output.
        reason: String,
    },
    /// Something is missing that only a person can supply.
    #[error("{0}")]
    Missing(String),
    /// A certificate could not be made.
    #[error("cannot make a certificate for {0}")]
    Certificate(String, #[source] rcgen::Error),
    /// A command ended with an error.
    #[error("`{command}` failed: {output}")]
    Command {
        /// What was run.
        command: String,
        /// What it printed.
        output: String,
    },
    /// The API server refused.
    #[cfg(feature = "client")]
    #[error("the API server refused {what}")]
    Api {
        /// What was asked.
        what: String,
        /// Its answer.
        #[source]
        source: Box<kube::Error>,
    },
}

impl Error {
    /// Says which path an I/O error is about.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
