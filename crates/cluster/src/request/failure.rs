//! No answer came: why, in words that hold no credential.

use std::error::Error;

use kube::client::AuthError;

use super::retry::Again;

/// What went wrong, without what libraries put around it.
pub(crate) fn words(error: &(dyn Error + 'static)) -> String {
    match auth(error) {
        Some(error) => credentials(error),
        None => chain(error).last().map(ToString::to_string).unwrap_or_default(),
    }
}

/// Whether another try may fare better: not where certificates or credentials are the reason.
pub(super) fn again(error: &(dyn Error + 'static)) -> Again {
    let text = words(error);
    let is_lasting = auth(error).is_some()
        || text.starts_with("invalid peer certificate")
        || text.starts_with("received fatal alert");
    if is_lasting { Again::Never } else { Again::Soon }
}

fn auth<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a AuthError> {
    chain(error).find_map(|error| {
        let direct = error.downcast_ref::<AuthError>();
        direct.or_else(|| match error.downcast_ref::<kube::Error>() {
            Some(kube::Error::Auth(error)) => Some(error),
            _ => None,
        })
    })
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// What the program that hands out credentials prints, and how it is called, may itself be a credential.
fn credentials(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { out, .. } => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.lines().map(str::trim).find(|line| !line.is_empty());
            let said = said.map(|line| format!(": {line}")).unwrap_or_default();
            format!("the program that hands out credentials failed ({}){said}", out.status)
        }
        AuthError::AuthExecStart(error) => {
            format!("the program that hands out credentials cannot be run: {error}")
        }
        AuthError::AuthExecParse(_) | AuthError::ExecPluginFailed => {
            "the program that hands out credentials printed none".to_owned()
        }
        AuthError::ParseTokenKey(_) => "the token cannot be read".to_owned(),
        other => other.to_string(),
    }
}
