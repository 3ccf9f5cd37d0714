//! What can go wrong with a job.

use std::path::PathBuf;

use super::Status;
use crate::PackageError;
use crate::component::fill;
use crate::deliver::DeliverError;

/// Why a component was not built or deployed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The plan cannot be done.
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
    /// Places could not be filled.
    #[error(transparent)]
    Fill(#[from] fill::Unfilled),
    /// The cluster cannot be worked with, or the ground has moved.
    #[error(transparent)]
    Deliver(#[from] DeliverError),
    /// Objects cannot be delivered; each is named.
    #[error("{}", objects(.0))]
    Objects(Vec<String>),
    /// All was applied, and is not ready.
    #[error("it was applied, but is not ready: {0}")]
    NotReady(String),
    /// Whoever was asked said no.
    #[error("nothing was done: the plan was not approved")]
    Declined,
    /// It took too long.
    #[error("it took more than {limit:?}")]
    TimedOut {
        /// How long it was given.
        limit: std::time::Duration,
    },
    /// A defect of ours.
    #[error("the job broke down; this is a defect of kelson")]
    Panicked,
}

impl Error {
    /// How a job that failed so is said to have ended.
    pub fn status(&self) -> Status {
        match self {
            Self::TimedOut { .. } => Status::TimedOut,
            Self::Declined
            | Self::Deliver(DeliverError::Cluster(kelson_cluster::Error::Interrupted)) => {
                Status::Cancelled
            }
            _ => Status::Failed,
        }
    }
}

impl From<kelson_cluster::Error> for Error {
    fn from(error: kelson_cluster::Error) -> Self {
        Self::Deliver(error.into())
    }
}

/// An error and what it comes from, in a line.
pub(in crate::component) fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Refuses a plan.
pub(in crate::component) fn refuse<T>(reason: &str) -> Result<T, Error> {
    Err(Error::Plan(reason.to_owned()))
}

/// How many objects are named in one message.
const NAMED: usize = 10;

fn objects(list: &[String]) -> String {
    let more = match list.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let named: Vec<&str> = list.iter().take(NAMED).map(String::as_str).collect();
    format!("{}{more}", named.join("; "))
}
