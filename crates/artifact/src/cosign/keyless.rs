//! Certificates and logs, judged by a trust root.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sigstore_verify::trust_root::TrustedRoot;
use sigstore_verify::types::{Artifact, Bundle, Sha256Hash, SignatureContent};
use sigstore_verify::{
    Policy, PublicKeyVerificationPolicy, VerificationPolicy, VerificationResult, Verifier,
};

use super::{PublicKey, SignatureError};
use crate::Digest;
use crate::error::shown;

/// Whom to believe: certificate authorities, logs and time stampers, as in a `trusted_root.json`. Nothing is fetched.
#[derive(Clone)]
pub struct TrustRoot(Arc<Verifier>);

/// Who a certificate says has signed, once certificate, log and signature have been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Certified {
    pub(crate) identity: String,
    pub(crate) issuer: String,
    pub(crate) time: Option<SystemTime>,
}

/// The largest trust root that is read.
const LARGEST: usize = 4 << 20;

impl TrustRoot {
    /// Reads a `trusted_root.json`.
    pub fn read(json: &[u8]) -> Result<Self, SignatureError> {
        let read = || {
            if json.len() > LARGEST {
                return Err(format!("it has more than {LARGEST} bytes"));
            }
            let text = std::str::from_utf8(json).map_err(|error| error.to_string())?;
            let root = TrustedRoot::from_json(text).map_err(|error| error.to_string())?;
            Verifier::new(&root).map_err(|error| error.to_string())
        };
        let verifier =
            read().map_err(|reason| SignatureError::TrustRoot { reason: shown(&reason) })?;
        Ok(Self(Arc::new(verifier)))
    }

    /// Checks a bundle with a certificate: the chain at the time that log or time stamper vouches for, the log's entry,
    /// the signature, and that all of them speak of the same. Whether its holder may sign is for the caller to say.
    pub(crate) fn certified(
        &self,
        bundle: &Bundle,
        signed: &Signed<'_>,
        now: SystemTime,
    ) -> Result<Certified, String> {
        let result = self.verify(bundle, signed, &VerificationPolicy::any_identity(), now)?;
        let identity = result.identity().ok_or("its certificate names nobody")?.as_str().to_owned();
        let issuer = result.issuer().ok_or("its certificate names no issuer")?.to_owned();
        Ok(Certified { identity, issuer, time: time(&result) })
    }

    /// Checks that a log has taken in a signature by a key, and returns when.
    pub(crate) fn logged(
        &self,
        bundle: &Bundle,
        signed: &Signed<'_>,
        key: &PublicKey,
        now: SystemTime,
    ) -> Result<Option<SystemTime>, String> {
        let policy = PublicKeyVerificationPolicy::new(key.to_der());
        self.verify(bundle, signed, &policy, now).map(|result| time(&result))
    }

    fn verify(
        &self,
        bundle: &Bundle,
        signed: &Signed<'_>,
        policy: &impl Policy,
        now: SystemTime,
    ) -> Result<VerificationResult, String> {
        if bundle.verification_material.tlog_entries.is_empty() {
            return Err("no transparency log has taken it in".to_owned());
        }
        let artifact = match bundle.content {
            SignatureContent::DsseEnvelope(_) => Artifact::from_digest(
                Sha256Hash::from_hex(&signed.digest.hex()).expect("because a digest is one"),
            ),
            _ => Artifact::from_blob(signed.message),
        };
        let result = self.0.verify(artifact, bundle, policy);
        let result = result.map_err(|error| shown(&error.to_string()))?;
        match result.verified_timestamps().iter().any(|time| seconds(time.as_second()) > now) {
            true => Err("it is said to be signed in the future".to_owned()),
            false => Ok(result),
        }
    }
}

/// What was signed, and the digest that it is about.
pub(crate) struct Signed<'a> {
    pub(crate) message: &'a [u8],
    pub(crate) digest: &'a Digest,
}

/// The first time at which the signature is known to have existed.
fn time(result: &VerificationResult) -> Option<SystemTime> {
    result.verified_timestamps().iter().min().map(|time| seconds(time.as_second()))
}

fn seconds(since_1970: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(since_1970.try_into().unwrap_or(0))
}

impl fmt::Debug for TrustRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TrustRoot")
    }
}
