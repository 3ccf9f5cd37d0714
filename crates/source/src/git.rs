//! Trees of files from git repositories, one commit at a time.
//!
//! [`fetch`] asks for a single commit without its history and reads its files straight from the pack: nothing is
//! checked out, no filter or hook runs, and nothing of the user's own git configuration is looked at. [`describe`] says
//! which commit a directory on disk is at.

mod address; // how people name repositories
mod describe; // the commit of a directory
mod error; // what can go wrong
mod files; // a commit's files
mod scratch; // a directory for the time of a transfer
mod transfer; // the conversation with the other side
mod web; // how web servers are asked

use std::path::PathBuf;
use std::time::Duration;

use kelson_model::{MemoryTree, Secret};

pub use address::Address;
pub use describe::{Described, describe};
pub use error::Error;

/// Which commit is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ref {
    /// Whatever the repository's `HEAD` is.
    Default,
    /// The tip of a branch.
    Branch(String),
    /// What a tag is on.
    Tag(String),
    /// A commit by its whole hash.
    Commit(String),
    /// A commit by its whole hash, else a branch, else a tag; `refs/heads/…` and `refs/tags/…` leave no choice.
    Any(String),
}

/// What a caller can choose about a transfer.
#[derive(Clone, Debug)]
pub struct Options {
    /// User and password, for servers that ask.
    pub credentials: Option<(String, Secret)>,
    /// How long it may take, all in all.
    pub timeout: Duration,
    /// Whether plain HTTP is allowed to other machines than this one.
    pub insecure: bool,
    /// Certificates of authorities to believe besides the system's, as PEM.
    pub authorities: Vec<Vec<u8>>,
    /// Whether submodules are fetched as well.
    pub submodules: bool,
    /// How much is taken in.
    pub limits: Limits,
    /// Where the pack is kept for the time of the transfer; by default the directory for temporary files.
    pub workspace: Option<PathBuf>,
}

/// How much is taken in before giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files of a commit.
    pub files: usize,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Bytes of the pack that the server sends.
    pub pack: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            credentials: None,
            timeout: Duration::from_secs(300),
            insecure: false,
            authorities: Vec::new(),
            submodules: false,
            limits: Limits::default(),
            workspace: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 200_000, bytes: 1 << 30, pack: 1 << 30 }
    }
}

/// The files of a commit.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The files; links in it do not lead out of it.
    pub tree: MemoryTree,
    /// The hash of the commit.
    pub commit: String,
    /// When it was committed, in seconds since 1970.
    pub committed_at: i64,
    /// The branch or tag it was found by; empty where it was asked for by its hash.
    pub reference: String,
}

impl Fetched {
    /// The commit as Flux writes it: `main@sha1:…`.
    pub fn revision(&self) -> String {
        revision(&self.reference, &self.commit)
    }
}

fn revision(reference: &str, commit: &str) -> String {
    let at = if reference.is_empty() { "" } else { "@" };
    format!("{reference}{at}sha1:{commit}")
}

/// What the full names of branches and tags begin with.
const HEADS: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";

/// How deep submodules may nest.
const NESTING: usize = 5;

/// Fetches the files of one commit.
///
/// The future can be dropped: the transfer is then told to stop, and its directory is removed.
///
/// # Errors
///
/// Fails where the repository or the commit cannot be had, and for what goes beyond the limits. No message carries
/// a credential.
pub async fn fetch(url: &str, reference: &Ref, options: &Options) -> Result<Fetched, Error> {
    let address = Address::parse(url)?;
    address.check(options)?;
    let work = at_depth(&address, reference, options, NESTING);
    match tokio::time::timeout(options.timeout, work).await {
        Ok(fetched) => fetched,
        Err(_) => Err(Error::Timeout { url: address.shown(), seconds: options.timeout.as_secs() }),
    }
}

async fn at_depth(
    address: &Address,
    reference: &Ref,
    options: &Options,
    depth: usize,
) -> Result<Fetched, Error> {
    let transferred = match reference {
        Ref::Any(name) if is_hash(name) => transfer::run(address, name, "", options).await?,
        Ref::Any(name) if name.starts_with(HEADS) => {
            branch(address, &name[HEADS.len()..], options).await?
        }
        Ref::Any(name) if name.starts_with(TAGS) => {
            tag(address, &name[TAGS.len()..], options).await?
        }
        Ref::Any(name) => match branch(address, name, options).await {
            Err(Error::NoSuchRef { .. }) => {
                tag(address, name, options).await.map_err(|error| match error {
                    Error::NoSuchRef { url, .. } => Error::NoSuchRef { url, name: name.clone() },
                    error => error,
                })?
            }
            other => other?,
        },
        Ref::Default => transfer::run(address, "HEAD", "", options).await?,
        Ref::Branch(name) => branch(address, name, options).await?,
        Ref::Tag(name) => tag(address, name, options).await?,
        Ref::Commit(hash) if is_hash(hash) => transfer::run(address, hash, "", options).await?,
        Ref::Commit(hash) => return Err(Error::NotAHash(hash.chars().take(100).collect())),
    };
    let transfer::Transferred { mut fetched, modules } = transferred;
    if !options.submodules {
        for module in &modules {
            fetched
                .tree
                .insert_absent(&module.path, "is a submodule, and submodules are not fetched");
        }
        return Ok(fetched);
    }
    for module in modules {
        add_module(&mut fetched.tree, &module, address, options, depth).await?;
    }
    Ok(fetched)
}

async fn branch(
    address: &Address,
    name: &str,
    options: &Options,
) -> Result<transfer::Transferred, Error> {
    transfer::run(address, &format!("{HEADS}{name}"), name, options).await
}

async fn tag(
    address: &Address,
    name: &str,
    options: &Options,
) -> Result<transfer::Transferred, Error> {
    transfer::run(address, &format!("{TAGS}{name}"), name, options).await
}

/// Fetches a submodule and puts its files where it belongs.
async fn add_module(
    tree: &mut MemoryTree,
    module: &files::Module,
    parent: &Address,
    options: &Options,
    depth: usize,
) -> Result<(), Error> {
    let refuse = |reason: &str| Error::Submodule {
        url: parent.shown(),
        path: module.path.clone(),
        reason: reason.to_owned(),
    };
    if depth == 0 {
        return Err(refuse("submodules are nested too deep"));
    }
    let url =
        module.url.as_deref().ok_or_else(|| refuse(".gitmodules does not say where it is"))?;
    let address = parent.join(url)?;
    address.check(options)?;
    // Credentials are for the host they were given for.
    let credentials = options.credentials.clone().filter(|_| address.same_host(parent));
    let options = Options { credentials, ..options.clone() };
    let commit = Ref::Commit(module.commit.clone());
    let inner = Box::pin(at_depth(&address, &commit, &options, depth - 1)).await?;
    for (path, content) in inner.tree.files() {
        tree.insert_shared(&format!("{}/{path}", module.path), content.clone());
    }
    Ok(())
}

/// Whether a text is the whole hash of a commit.
fn is_hash(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
