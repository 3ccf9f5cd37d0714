//! What is said of an artifact: where it comes from and when it was made.

use std::collections::BTreeMap;

use crate::Error;
use crate::recognise::annotation;

/// What is said of an artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The URL that the content comes from. Credentials in it are left out.
    pub source: Option<String>,
    /// The revision of it, such as `main@sha1:0123…`.
    pub revision: Option<String>,
    /// When it was made, in seconds since 1970, the default: a clock would give every push another digest.
    pub created: Option<i64>,
    /// What else is to be said. It may replace what is derived from the fields above.
    pub annotations: BTreeMap<String, String>,
}

impl Metadata {
    /// The annotations that every artifact has.
    pub(super) fn annotations(&self) -> Result<BTreeMap<String, String>, Error> {
        let own = "kustomizer.dev/";
        if let Some(key) = self.annotations.keys().find(|key| key.starts_with(own)) {
            return Err(Error::Pack(format!("the annotation `{key}` is the format's own")));
        }
        let mut annotations = BTreeMap::new();
        let mut say = |key: &str, value| annotations.insert(key.to_owned(), value);
        say(annotation::OCI_CREATED, self.created()?);
        if let Some(source) = &self.source {
            say(annotation::OCI_SOURCE, without_credentials(source));
        }
        if let Some(revision) = &self.revision {
            say(annotation::OCI_REVISION, revision.clone());
        }
        annotations.extend(self.annotations.clone());
        Ok(annotations)
    }

    /// The time as RFC 3339 writes it, in UTC.
    pub(super) fn created(&self) -> Result<String, Error> {
        let seconds = self.created.unwrap_or(0);
        time(seconds).ok_or_else(|| Error::Pack(format!("{seconds} seconds is not a time")))
    }
}

/// A time as RFC 3339 writes it, in UTC, for the years that it can write.
fn time(seconds: i64) -> Option<String> {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    if !(-719_528..=2_932_896).contains(&days) {
        return None;
    }
    // Years are counted from March, so that the leap day is their last, in eras of 400 years that are all alike.
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// A URL without user, password, query and fragment: each of them may be a token. The user of SSH is part of the
/// address and stays, without its password.
pub(crate) fn without_credentials(url: &str) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, url),
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (mut user, mut rest) = ("", &rest[..end]);
    if let Some(at) = user_end(rest) {
        (user, rest) = (&rest[..at], &rest[at + 1..]);
    }
    let name = user.split(':').next().unwrap_or_default();
    let keeps = scheme.is_none_or(|scheme| scheme.contains("ssh")) && !name.is_empty();
    let user = if keeps { format!("{name}@") } else { String::new() };
    match scheme {
        Some(scheme) => format!("{scheme}://{user}{rest}"),
        None => format!("{user}{rest}"),
    }
}

/// Where the user ends. A password with a `/` in it, which should have been quoted, is still one.
fn user_end(rest: &str) -> Option<usize> {
    let authority = &rest[..rest.find('/').unwrap_or(rest.len())];
    if let Some(at) = authority.rfind('@') {
        return Some(at);
    }
    let (_, port) = authority.rsplit_once(':')?;
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port { None } else { rest.rfind('@') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, expected) in [
            (0, Some("1970-01-01T00:00:00Z")),
            (951_782_400, Some("2000-02-29T00:00:00Z")),
            (1_763_256_302, Some("2025-11-16T01:25:02Z")),
            (4_107_542_399, Some("2100-02-28T23:59:59Z")),
            (4_107_542_400, Some("2100-03-01T00:00:00Z")),
            (-1, Some("1969-12-31T23:59:59Z")),
            (253_402_300_799, Some("9999-12-31T23:59:59Z")),
            (253_402_300_800, None),
            (-62_167_219_200, Some("0000-01-01T00:00:00Z")),
            (-62_167_219_201, None),
            (i64::MIN, None),
        ] {
            assert_eq!(time(seconds).as_deref(), expected, "{seconds}");
        }
    }

    #[test]
    fn a_source_never_carries_credentials() {
        for (url, expected) in [
            ("https://git.example.com/shop.git", "https://git.example.com/shop.git"),
            ("https://user:secret@git.example.com/shop.git", "https://git.example.com/shop.git"),
            ("https://secret@git.example.com:8443/a", "https://git.example.com:8443/a"),
            ("https://user:p@secret@host/a", "https://host/a"),
            ("https://user:sec/ret@host/a", "https://host/a"),
            ("https://host/@scope/a?token=secret#secret", "https://host/@scope/a"),
            ("https://host:443/@scope/a", "https://host:443/@scope/a"),
            ("ssh://git@host/a.git", "ssh://git@host/a.git"),
            ("ssh://git:secret@host/a.git", "ssh://git@host/a.git"),
            ("git@github.com:acme/shop.git", "git@github.com:acme/shop.git"),
            ("user:secret@host/a", "user@host/a"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(url), expected, "{url}");
            assert!(!without_credentials(url).contains("secret"));
        }
    }
}
