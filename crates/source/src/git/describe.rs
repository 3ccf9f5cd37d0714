//! Which commit a directory on disk is at.

use std::path::{Path, PathBuf};

use super::{Address, revision};

/// What git says of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Where it was cloned from, without credentials; empty where nobody knows.
    pub url: String,
    /// The branch, else a tag on the commit, else nothing.
    pub reference: String,
    /// The hash of the commit.
    pub commit: String,
    /// When it was committed, in seconds since 1970.
    pub committed_at: i64,
    /// The directory of the whole checkout.
    pub root: Option<PathBuf>,
}

impl Described {
    /// The commit as Flux writes it: `main@sha1:…`.
    pub fn revision(&self) -> String {
        revision(&self.reference, &self.commit)
    }
}

/// Asks git about a directory; nothing where it is in no repository, or in one without a commit.
pub fn describe(directory: &Path) -> Option<Described> {
    let options = gix::open::Options::isolated;
    let options = gix::sec::trust::Mapping { full: options(), reduced: options() };
    let repository =
        gix::ThreadSafeRepository::discover_opts(directory, Default::default(), options)
            .ok()?
            .to_thread_local();
    let commit = repository.head_commit().ok()?;
    let branch = repository.head_name().ok().flatten().map(|name| name.shorten().to_string());
    Some(Described {
        url: origin(&repository).unwrap_or_default(),
        reference: branch.or_else(|| tag_on(&repository, &commit)).unwrap_or_default(),
        commit: commit.id().to_string(),
        committed_at: commit.time().ok()?.seconds,
        root: repository.workdir().map(Path::to_owned),
    })
}

/// Where the repository was cloned from.
fn origin(repository: &gix::Repository) -> Option<String> {
    let config = repository.config_snapshot();
    let url = config.string("remote.origin.url")?.to_string();
    Address::parse(&url).ok().map(|address| address.shown())
}

/// The first tag on a commit, in the order of names.
fn tag_on(repository: &gix::Repository, commit: &gix::Commit<'_>) -> Option<String> {
    let platform = repository.references().ok()?;
    let mut names: Vec<String> = platform
        .tags()
        .ok()?
        .flatten()
        .filter_map(|mut tag| {
            let id = tag.peel_to_id().ok()?;
            (id == commit.id()).then(|| tag.name().shorten().to_string())
        })
        .collect();
    names.sort_unstable();
    names.into_iter().next()
}
