//! Judges the signatures of a digest by a policy.
//!
//! Only digests are verified. Who has a tag resolves it once, with [`verify_before`], and goes on with the digest.

use std::time::SystemTime;

use regex::{Regex, RegexBuilder};

use crate::cosign::find::{Claim, find};
use crate::cosign::keyless::{Certified, Signed};
use crate::error::shown;
use crate::{
    Annotations, Descriptor, Digest, Error, PublicKey, Reference, Rejection, SignatureError,
    SignatureForm, Store, TrustRoot,
};

/// Whose signatures count. One that a key or an identity stands for is enough.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Keys that may sign.
    pub keys: Vec<PublicKey>,
    /// Who may sign with a certificate. A log must have taken such a signature in.
    pub keyless: Vec<SignerIdentity>,
    /// Whom to believe about certificates and logs.
    pub trust_root: Option<TrustRoot>,
    /// Whether a log must have taken in signatures by keys, too.
    pub transparency_log: bool,
    /// What must be said beside the signature, under the signature's protection.
    pub annotations: Annotations,
}

/// Somebody who signs with a certificate: whom it names, and who says so. Both have to match.
#[derive(Clone, Debug)]
pub struct SignerIdentity {
    /// Who vouches for the identity, as in `https://token.actions.githubusercontent.com`.
    pub issuer: Pattern,
    /// A mail address or a URI.
    pub identity: Pattern,
}

/// A text, or a regular expression that has to match all of one.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Exactly this.
    Exact(String),
    /// Whatever the expression matches from beginning to end; [`Pattern::regex`] makes it so.
    Regex(Regex),
}

impl Pattern {
    /// Reads a regular expression, and has it match whole texts only.
    pub fn regex(text: &str) -> Result<Self, SignatureError> {
        let refuse = |error: regex::Error| SignatureError::Pattern {
            pattern: shown(text),
            reason: error.to_string(),
        };
        // The expression is compiled alone first, so that none is taken apart by the group around it.
        Regex::new(text).map_err(refuse)?;
        let whole = format!(r"\A(?:{text})\z");
        RegexBuilder::new(&whole).size_limit(1 << 20).build().map(Self::Regex).map_err(refuse)
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == text,
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// A signature that the policy accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How it is kept.
    pub form: SignatureForm,
    /// The manifest that holds it.
    pub manifest: Digest,
    /// Who signed.
    pub signer: Signer,
    /// When a log or a time stamper saw it, where one was asked.
    pub time: Option<SystemTime>,
    /// What is said beside it.
    pub annotations: Annotations,
}

/// Who signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The holder of a key of the policy.
    Key {
        /// The key's name, see [`PublicKey::id`].
        id: String,
    },
    /// Somebody with a certificate.
    Identity {
        /// Whom the certificate names.
        identity: String,
        /// Who vouches for that.
        issuer: String,
    },
}

/// Verifies a digest: returns the signatures that the policy accepts, or says of each why it does not. That there is none
/// at all is an error of its own.
pub async fn verify(
    store: &Store,
    digest: &Digest,
    policy: &Policy,
    now: SystemTime,
) -> Result<Vec<Verified>, Error> {
    policy.check()?;
    let found = find(store, digest).await?;
    let place = store.place().to_string();
    if found.is_empty() {
        return Err(SignatureError::Unsigned { digest: *digest, place }.into());
    }
    let (mut verified, mut rejections) = (Vec::new(), found.rejections);
    for claim in found.claims {
        match policy.judge(&claim, digest, now) {
            Ok((signer, time)) => verified.push(Verified {
                form: claim.form,
                manifest: claim.manifest,
                signer,
                time,
                annotations: claim.annotations,
            }),
            Err(reason) => rejections.push(Rejection { signature: claim.name, reason }),
        }
    }
    match verified.is_empty() {
        true => Err(SignatureError::Refused { digest: *digest, place, rejections }.into()),
        false => Ok(verified),
    }
}

/// Finds what a reference means now, verifies that and returns it. What is read afterwards has to be read by this digest:
/// the tag may mean something else by then.
pub async fn verify_before(
    store: &Store,
    reference: &Reference,
    policy: &Policy,
    now: SystemTime,
) -> Result<Descriptor, Error> {
    let descriptor = store.find(reference).await?;
    verify(store, &descriptor.digest, policy, now).await?;
    Ok(descriptor)
}

type Judgement = Result<(Signer, Option<SystemTime>), String>;

impl Policy {
    /// Whether the policy can accept anything.
    fn check(&self) -> Result<(), SignatureError> {
        let reason = if self.keys.is_empty() && self.keyless.is_empty() {
            "it names neither a key nor an identity"
        } else if self.trust_root.is_none() && !self.keyless.is_empty() {
            "an identity needs a trust root, from a file `trusted_root.json`"
        } else if self.trust_root.is_none() && self.transparency_log {
            "a transparency log needs a trust root, from a file `trusted_root.json`"
        } else {
            return Ok(());
        };
        Err(SignatureError::Policy { reason })
    }

    fn judge(&self, claim: &Claim, digest: &Digest, now: SystemTime) -> Judgement {
        let missing = self
            .annotations
            .iter()
            .find(|(name, value)| claim.annotations.get(*name) != Some(value));
        if let Some((name, value)) = missing {
            return Err(format!("it does not say `{name}={value}`"));
        }
        match self.keys.iter().find(|key| key.verifies(&claim.message, &claim.signature)) {
            Some(key) => self.by_key(claim, digest, key, now),
            None if self.keyless.is_empty() => Err("none of the given keys made it".to_owned()),
            None => self.by_identity(claim, digest, now),
        }
    }

    /// A signature that one of the keys made.
    fn by_key(
        &self,
        claim: &Claim,
        digest: &Digest,
        key: &PublicKey,
        now: SystemTime,
    ) -> Judgement {
        let signer = Signer::Key { id: key.id() };
        match (&self.trust_root, self.transparency_log) {
            (Some(root), true) => {
                let signed = Signed { message: &claim.message, digest };
                let time = root.logged(claim.bundle.as_ref()?, &signed, key, now)?;
                Ok((signer, time))
            }
            _ => Ok((signer, None)),
        }
    }

    /// A signature that none of the keys made.
    fn by_identity(&self, claim: &Claim, digest: &Digest, now: SystemTime) -> Judgement {
        let bundle = claim.bundle.as_ref()?;
        if bundle.signing_certificate().is_none() {
            return Err("it has no certificate, and none of the given keys made it".to_owned());
        }
        let root = self.trust_root.as_ref().ok_or("there is no trust root")?;
        let signed = Signed { message: &claim.message, digest };
        let Certified { identity, issuer, time } = root.certified(bundle, &signed, now)?;
        let accepted = |wanted: &SignerIdentity| {
            wanted.issuer.matches(&issuer) && wanted.identity.matches(&identity)
        };
        match self.keyless.iter().any(accepted) {
            true => Ok((Signer::Identity { identity, issuer }, time)),
            false => {
                let (identity, issuer) = (shown(&identity), shown(&issuer));
                Err(format!(
                    "it is signed by `{identity}`, vouched for by `{issuer}`, who may not sign"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let pattern = Pattern::regex(pattern).unwrap();
        yes.iter().for_each(|text| assert!(pattern.matches(text), "{pattern:?} {text}"));
        no.iter().for_each(|text| assert!(!pattern.matches(text), "{pattern:?} {text}"));
    }

    #[test]
    fn a_pattern_matches_the_whole_text() {
        check("a", &["a"], &["ab", "ba", "a\n", "\na", ""]);
        check("a|b", &["a", "b"], &["ab", "ax", "xb"]);
        check("^https://example.com/.*$", &["https://example.com/x"], &["xhttps://example.com/x"]);
        check("(?m)^a$", &["a"], &["b\na", "a\nb"]);
        check("a # x", &["a # x"], &["a"]);
        check("(?x) a # x\n", &["a"], &["ax"]);
    }

    #[test]
    fn a_pattern_cannot_leave_its_group() {
        for wrong in ["a)|(b", "(", "[", "a{1000000}"] {
            assert!(Pattern::regex(wrong).is_err(), "{wrong}");
        }
    }
}
