//! Why a key, a policy or a signature is refused.

use std::fmt;

use crate::Digest;

/// Why something could not be signed or verified. No variant carries a password or a private key.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// A key cannot be used.
    #[error("cannot use the {kind} key: {reason}")]
    Key {
        /// `private` or `public`.
        kind: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is not a trust root.
    #[error("cannot read the trust root: {reason}")]
    TrustRoot {
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern for identities or issuers is not a regular expression.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A policy cannot accept anything.
    #[error("the policy can accept no signature: {reason}")]
    Policy {
        /// What it lacks.
        reason: &'static str,
    },
    /// There is nothing to verify.
    #[error("no signatures found for {digest} in `{place}`")]
    Unsigned {
        /// What should be signed.
        digest: Digest,
        /// Where it is.
        place: String,
    },
    /// There are signatures, and none is accepted.
    #[error("no signature of {digest} in `{place}` is accepted: {}", listed(.rejections))]
    Refused {
        /// What is signed.
        digest: Digest,
        /// Where it is.
        place: String,
        /// Why, signature by signature.
        rejections: Vec<Rejection>,
    },
    /// What is under the tag for signatures is something else.
    #[error("cannot add a signature to `{tag}`: {reason}")]
    NotSignatures {
        /// The tag.
        tag: String,
        /// What is there instead.
        reason: String,
    },
}

/// Why one signature is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Which signature.
    pub signature: String,
    /// Why not.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.signature, self.reason)
    }
}

/// The first rejections, and how many more there are.
fn listed(rejections: &[Rejection]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = rejections.iter().take(SHOWN).map(Rejection::to_string).collect();
    match rejections.len().saturating_sub(SHOWN) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}
