//! What a registry says when it does not do what it is asked.

use std::fmt;

use kelson_model::Secret;
use serde::Deserialize;

use crate::error::shown;

/// A registry's refusal, with nothing in it that proves who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was tried, as in "read tag `v1`".
    pub action: String,
    /// The repository.
    pub place: String,
    /// Who answered: the registry, or the server that gives tokens for it, or the one it sent us to.
    pub host: String,
    /// The status of the answer.
    pub status: u16,
    /// The registry's own code, such as `DENIED`.
    pub code: Option<String>,
    /// The registry's own words, cropped.
    pub message: Option<String>,
    /// What can be done about it.
    pub remedy: Option<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, place, host, status, .. } = self;
        write!(formatter, "cannot {action} in `{place}`: {host} answered {status}")?;
        let name = reqwest::StatusCode::from_u16(*status).ok().and_then(|it| it.canonical_reason());
        if let Some(name) = name {
            write!(formatter, " {name}")?;
        }
        let said: Vec<&str> =
            [&self.code, &self.message].into_iter().flatten().map(String::as_str).collect();
        if !said.is_empty() {
            write!(formatter, " ({})", said.join(": "))?;
        }
        match &self.remedy {
            Some(remedy) => write!(formatter, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// What a registry says in the content of a refusal.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
}

impl Said {
    /// Reads the content of a refusal: JSON as the protocol wants it, or as token servers write it, or a line of text.
    pub(super) fn read(content: &[u8], secrets: &[Secret]) -> Self {
        let clean = |text: &str| Some(hide(&shown(text), secrets)).filter(|text| !text.is_empty());
        match serde_json::from_slice(content) {
            Ok(Body { errors: Some(errors), .. }) => {
                let first = errors.into_iter().next().unwrap_or_default();
                let message = first.message.as_deref().and_then(clean);
                Self { code: first.code.as_deref().and_then(clean), message }
            }
            Ok(Body { details, message, error, .. }) => {
                let text = details.or(message).or(error);
                Self { code: None, message: text.as_deref().and_then(clean) }
            }
            Err(_) => Self { code: None, message: line(content).and_then(clean) },
        }
    }
}

#[derive(Deserialize)]
struct Body {
    errors: Option<Vec<OneError>>,
    details: Option<String>,
    message: Option<String>,
    error: Option<String>,
}

#[derive(Default, Deserialize)]
struct OneError {
    code: Option<String>,
    message: Option<String>,
}

/// The content if it is a line for people: pages of HTML and other data say nothing here.
fn line(content: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(content).ok()?.trim();
    (!text.starts_with(['<', '{', '[']) && text.len() <= 1000).then_some(text)
}

/// A server may repeat what it was told; that does not go into a message.
fn hide(text: &str, secrets: &[Secret]) -> String {
    let known = secrets.iter().map(Secret::expose).filter(|secret| secret.len() > 3);
    known.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expected: &str) {
        let said = Said::read(content.as_bytes(), &[Secret::new("hunter2")]);
        let parts: Vec<String> = [said.code, said.message].into_iter().flatten().collect();
        assert_eq!(parts.join(": "), expected, "{content}");
    }

    #[test]
    fn a_registry_is_quoted_in_one_clean_line() {
        check(
            r#"{"errors":[{"code":"DENIED","message":"no\u001b[31m way\nat all"}]}"#,
            "DENIED: no[31m way at all",
        );
        check(r#"{"errors":[]}"#, "");
        check(r#"{"details":"incorrect username or password"}"#, "incorrect username or password");
        check("404 page not found\n", "404 page not found");
        check("<html>nothing to see</html>", "");
        check(r#"{"errors":[{"message":"I know hunter2"}]}"#, "I know ***");
        check(&"x".repeat(2000), "");
    }
}
