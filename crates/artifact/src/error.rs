//! Why an artifact could not be read or written.

use std::path::{Path, PathBuf};

use crate::Digest;
use crate::registry::Refusal;

/// Why an artifact could not be read or written. No variant carries a credential.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text does not name an artifact.
    #[error("`{text}` does not name an artifact: {reason}")]
    Reference {
        /// The text, cropped.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What was asked for is not there.
    #[error("{what} is not in `{place}`")]
    NotFound {
        /// What was asked for.
        what: String,
        /// The repository or layout.
        place: String,
    },
    /// Content is not what its name says.
    #[error("{what} has the digest {actual}, not {expected}")]
    Mismatch {
        /// What was read.
        what: String,
        /// The digest it was named by.
        expected: Digest,
        /// The digest it has.
        actual: Digest,
    },
    /// Content is longer or shorter than its descriptor says.
    #[error("{what} has {actual} bytes, not {expected}")]
    Size {
        /// What was read.
        what: String,
        /// As many as were announced.
        expected: u64,
        /// As many as came, or one more than announced where reading stopped.
        actual: u64,
    },
    /// A manifest or index cannot be used.
    #[error("manifest {digest} cannot be read: {reason}")]
    Manifest {
        /// Its digest.
        digest: Digest,
        /// What is wrong with it.
        reason: String,
    },
    /// Content broke off on its way.
    #[error("cannot read {what}")]
    Read {
        /// What was read.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
    /// An entry of an archive breaks a rule.
    #[error("archive entry `{entry}` is refused: {rule}")]
    Entry {
        /// Its name, as far as it is known.
        entry: String,
        /// What is wrong with it.
        rule: String,
    },
    /// An archive breaks a rule as a whole.
    #[error("archive is refused: {rule}")]
    Archive {
        /// What is wrong with it.
        rule: String,
    },
    /// What something is, and why nothing can be done with it here.
    #[error("this is {what}: {needed}")]
    Refused {
        /// What it is.
        what: String,
        /// What would be needed.
        needed: String,
    },
    /// Content is not what was packed.
    #[error("the content has the checksum {actual}, but `{key}` says {expected}")]
    Checksum {
        /// The annotation that says so.
        key: &'static str,
        /// What it says, cropped.
        expected: String,
        /// What the content has.
        actual: String,
    },
    /// Encrypting or decrypting failed. Never a key or plaintext.
    #[error("{0}")]
    Seal(String),
    /// Something cannot be packed.
    #[error("cannot pack: {0}")]
    Pack(String),
    /// An image layout cannot be used.
    #[error("image layout `{}` cannot be used: {reason}", path.display())]
    Layout {
        /// The directory or tar file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A registry refused, or the server that gives tokens for it.
    #[error(transparent)]
    Denied(Box<Refusal>),
    /// A registry could not be spoken to.
    #[error("cannot {action} in `{place}`: no connection to {host} that holds{remedy}")]
    Unreachable {
        /// What was tried.
        action: String,
        /// The repository.
        place: String,
        /// The server, which may be another than the registry.
        host: String,
        /// What can be done, with the punctuation before it; empty where there is nothing to be said.
        remedy: &'static str,
        /// What happened.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A registry answered, but not as registries do.
    #[error("cannot {action} in `{place}`: {reason}")]
    Answer {
        /// What was tried.
        action: String,
        /// The repository.
        place: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// A file or helper with credentials cannot be used.
    #[error("cannot use the credentials of {place}: {reason}")]
    Credentials {
        /// The file.
        place: String,
        /// What is wrong with it, without what is in it.
        reason: String,
    },
    /// The options for registries contradict each other or cannot be used.
    #[error("cannot use {what}: {reason}")]
    Options {
        /// Which option.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A key, a policy or a signature was refused.
    #[error(transparent)]
    Signature(#[from] crate::SignatureError),
}

/// A text that somebody else wrote, fit for a message: not too long, and without what a terminal acts on.
pub(crate) fn crop(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(200) {
        match letter.is_control() {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}

impl Error {
    /// Names the path and the act that an I/O error is about.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// Somebody else's words as they may be shown: on one line, without control characters, cropped.
pub(crate) fn shown(text: &str) -> String {
    let visible = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Marks that turn the direction of writing could make a message read as something else.
    let is_shown = |letter: &char| {
        !letter.is_control()
            && !matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut letters = visible.chars().filter(is_shown);
    let mut cropped: String = letters.by_ref().take(300).collect();
    if letters.next().is_some() {
        cropped.push('…');
    }
    cropped
}
