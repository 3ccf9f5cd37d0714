//! What went wrong, and whether it may go better.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::Error;

/// An error, and whether the same request may succeed later.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) again: Again,
}

/// Whether and when to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It would only fail again.
    Never,
    /// After a while.
    Later,
    /// After the time that the registry names.
    After(Duration),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, again: Again::Never }
    }
}

/// Nothing happened on a connection for too long.
#[derive(Debug, thiserror::Error)]
#[error("nothing was heard for {} s", .0.as_secs_f32())]
pub(super) struct Stalled(pub(super) Duration);

/// The content of an answer ended before its end.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
pub(super) struct BrokeOff;

/// What is known of a connection that did not hold.
pub(super) struct Trouble {
    pub(super) source: Box<dyn StdError + Send + Sync>,
    pub(super) again: Again,
    pub(super) remedy: &'static str,
}

impl Trouble {
    /// Trouble that will not pass.
    pub(super) fn of(error: Error) -> Self {
        Self { source: Box::new(error), again: Again::Never, remedy: "" }
    }
}

impl From<Stalled> for Trouble {
    fn from(stalled: Stalled) -> Self {
        Self { source: Box::new(stalled), again: Again::Later, remedy: "" }
    }
}

impl From<reqwest::Error> for Trouble {
    fn from(error: reqwest::Error) -> Self {
        // A URL may carry a signature that is as good as a password.
        let error = error.without_url();
        let (passes, remedy) = judge(&error);
        let again = if passes { Again::Later } else { Again::Never };
        Self { source: Box::new(error), again, remedy }
    }
}

const UNTRUSTED: &str =
    "; if the certificate is right, give the authority that signed it with `--ca-file`";
const NOT_TLS: &str = "; if it speaks plain HTTP, allow that with `--plain-http`";
const NO_SUCH_HOST: &str = "; is its name spelled right?";

/// Whether a failure may pass, and what can be done about it.
fn judge(error: &reqwest::Error) -> (bool, &'static str) {
    if error.is_builder() {
        return (false, "");
    }
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(this) = cause {
        match tls(this) {
            Some(rustls::Error::InvalidCertificate(_)) => return (false, UNTRUSTED),
            Some(rustls::Error::InvalidMessage(_)) => return (false, NOT_TLS),
            Some(rustls::Error::AlertReceived(_)) => return (false, ""),
            _ => {}
        }
        if let Some(error) = this.downcast_ref::<io::Error>()
            && is_for_good(error.kind())
        {
            return (false, "");
        }
        cause = this.source();
    }
    if error.is_dns() {
        return (false, NO_SUCH_HOST);
    }
    // What remains is time, a reset, or an answer that ended early.
    (true, "")
}

/// What TLS says, in whatever it is wrapped.
fn tls<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    match error.downcast_ref::<io::Error>() {
        Some(wrapper) => tls(wrapper.get_ref()?),
        None => error.downcast_ref(),
    }
}

fn is_for_good(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::AddrNotAvailable
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidInput
    )
}
