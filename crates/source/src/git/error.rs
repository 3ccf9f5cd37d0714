//! What can go wrong with a repository.

/// Why a repository could not be read. Addresses in messages are free of credentials.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text does not name a repository.
    #[error("`{text}` does not name a repository: {reason}")]
    Address {
        /// The text, without credentials.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Plain HTTP was not allowed.
    #[error(
        "`{url}` is reached by plain HTTP, which is allowed to this machine alone unless asked for (`--insecure-git`)"
    )]
    Insecure {
        /// Where.
        url: String,
    },
    /// The certificates of an authority cannot be read.
    #[error("the certificates of an authority to believe are not PEM")]
    Authority,
    /// A branch, tag or commit does not exist.
    #[error("`{name}` is not in the repository `{url}`")]
    NoSuchRef {
        /// Where it was looked for.
        url: String,
        /// What was asked for.
        name: String,
    },
    /// A commit is named by its whole hash.
    #[error("`{0}` is not a commit: 40 hexadecimal digits are expected")]
    NotAHash(String),
    /// The server wants to know who asks.
    #[error("the repository `{url}` asks for credentials, and {given}")]
    Denied {
        /// Where.
        url: String,
        /// Whether any were there.
        given: &'static str,
    },
    /// The transfer failed.
    #[error("cannot fetch `{name}` from `{url}`: {reason}")]
    Transfer {
        /// Where from.
        url: String,
        /// What was asked for.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// It took too long.
    #[error("fetching from `{url}` took more than {seconds} s")]
    Timeout {
        /// Where from.
        url: String,
        /// How long it was given.
        seconds: u64,
    },
    /// There is more than is taken in.
    #[error("the repository `{url}` has more than {limit}")]
    TooLarge {
        /// Where.
        url: String,
        /// The limit.
        limit: String,
    },
    /// A submodule cannot be had.
    #[error("cannot fetch the submodule `{path}` of `{url}`: {reason}")]
    Submodule {
        /// The repository it is in.
        url: String,
        /// Where in it.
        path: String,
        /// Why not.
        reason: String,
    },
    /// No directory for the transfer.
    #[error("cannot make a directory for the transfer")]
    Scratch(#[source] std::io::Error),
}
