//! What can go wrong with a build.

use std::path::PathBuf;

use super::Status;
use crate::PackageError;

/// Why a component was not built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The plan cannot be built.
    #[error("{0}")]
    Plan(String),
    /// The manifests could not be rendered or packed.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The repository could not be fetched.
    #[error(transparent)]
    Git(#[from] kelson_source::git::Error),
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] kelson_artifact::Error),
    /// Somebody else's artifact was not accepted.
    #[error("the artifact `{reference}` is not accepted")]
    Unverified {
        /// What it is.
        reference: String,
        /// Why not.
        source: Box<kelson_artifact::Error>,
    },
    /// A local file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It took too long.
    #[error("the build took more than {seconds} s")]
    TimedOut {
        /// How long it was given.
        seconds: u64,
    },
    /// A defect of ours.
    #[error("the build broke down; this is a defect of kelson")]
    Panicked,
}

impl Error {
    /// How a build that failed so is said to have ended.
    pub fn status(&self) -> Status {
        match self {
            Self::TimedOut { .. } => Status::TimedOut,
            _ => Status::Failed,
        }
    }
}
