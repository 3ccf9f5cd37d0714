//! The configuration file of Docker, which Podman's resembles.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use kelson_model::Secret;
use serde::Deserialize;

use super::Login;
use crate::Error;

/// The largest file that is read.
const LARGEST: u64 = 4 << 20;

/// A file that says who we are.
pub(super) struct File {
    pub(super) path: PathBuf,
    entries: BTreeMap<String, Entry>,
    helpers: BTreeMap<String, String>,
    store: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    #[serde(default)]
    auths: Option<BTreeMap<String, Option<Entry>>>,
    #[serde(default)]
    cred_helpers: Option<BTreeMap<String, String>>,
    #[serde(default)]
    creds_store: Option<String>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Entry {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
    registrytoken: Option<String>,
}

impl File {
    /// Reads the files that exist. They are small, and read once.
    pub(super) async fn read_all(places: &[PathBuf]) -> Result<Vec<Self>, Error> {
        places.iter().filter_map(|path| Self::read(path).transpose()).collect()
    }

    fn read(path: &Path) -> Result<Option<Self>, Error> {
        let mut text = Vec::new();
        match std::fs::File::open(path) {
            Ok(file) => file.take(LARGEST + 1).read_to_end(&mut text),
            // A folder above that is a file, or that we may not enter, has nothing for us either.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => Err(error),
        }
        .map_err(Error::io("read", path))?;
        if text.len() as u64 > LARGEST {
            return Err(broken(path, "it is larger than 4 MiB"));
        }
        // Podman makes an empty file where nobody has logged in yet.
        if text.trim_ascii().is_empty() {
            return Ok(None);
        }
        // What the parser says may quote the file, so that only the place is told.
        let config: Config = serde_json::from_slice(&text).map_err(|error| {
            broken(path, format!("line {}, column {} is wrong", error.line(), error.column()))
        })?;
        Ok(Some(Self::new(path, config)))
    }

    fn new(path: &Path, config: Config) -> Self {
        let mut entries = BTreeMap::new();
        let auths = config.auths.unwrap_or_default();
        // Names as we look for them come last and thus decide.
        let (exact, others): (Vec<_>, Vec<_>) =
            auths.into_iter().partition(|(key, _)| normal(key) == *key);
        for (key, entry) in others.into_iter().chain(exact) {
            entries.insert(normal(&key), entry.unwrap_or_default());
        }
        let helpers = config.cred_helpers.unwrap_or_default();
        Self {
            path: path.to_owned(),
            entries,
            helpers: helpers.into_iter().map(|(key, helper)| (normal(&key), helper)).collect(),
            store: config.creds_store.filter(|store| !store.is_empty()),
        }
    }

    /// The helper to be asked for the first of the names.
    pub(super) fn helper(&self, names: &[String]) -> Option<&str> {
        let named = names.iter().find_map(|name| self.helpers.get(name));
        named.or(self.store.as_ref()).map(String::as_str).filter(|helper| !helper.is_empty())
    }

    /// What the file itself says of the first of the names that it knows.
    pub(super) fn login(&self, names: &[String]) -> Result<Option<Login>, Error> {
        for name in names {
            if let Some(entry) = self.entries.get(name)
                && let Some(login) = entry
                    .login()
                    .map_err(|wrong| broken(&self.path, format!("`auth` of `{name}` {wrong}")))?
            {
                return Ok(Some(login));
            }
        }
        Ok(None)
    }
}

impl Entry {
    fn login(&self) -> Result<Option<Login>, &'static str> {
        let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
        if let Some(token) = given(&self.registrytoken) {
            return Ok(Some(Login::Registry(token.into())));
        }
        if let Some(token) = given(&self.identitytoken) {
            return Ok(Some(Login::Identity(token.into())));
        }
        if let Some(auth) = given(&self.auth) {
            return decode(&auth).map(Some);
        }
        let password = |user| Login::Password {
            user,
            password: Secret::new(self.password.clone().unwrap_or_default()),
        };
        Ok(given(&self.username).map(password))
    }
}

/// Reads `auth`: user, colon and password in base64.
fn decode(auth: &str) -> Result<Login, &'static str> {
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes =
        GeneralPurpose::new(&STANDARD, lenient).decode(auth.trim()).map_err(|_| "is not base64")?;
    let text = String::from_utf8(bytes).map_err(|_| "is not text")?;
    let (user, password) = text.split_once(':').ok_or("has no colon")?;
    // Docker once padded passwords with zeroes.
    let password = Secret::new(password.trim_end_matches('\0'));
    Ok(Login::Password { user: user.to_owned(), password })
}

/// The name that a key stands for: with a scheme it means the whole registry, without one it may mean a part of it.
fn normal(key: &str) -> String {
    let rest = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://"));
    let name = match rest {
        Some(rest) => rest.split('/').next().unwrap_or_default(),
        None => key.trim_end_matches('/'),
    };
    let name = name.strip_suffix("/v1").or_else(|| name.strip_suffix("/v2")).unwrap_or(name);
    name.to_owned()
}

fn broken(path: &Path, reason: impl fmt::Display) -> Error {
    Error::Credentials { place: format!("`{}`", path.display()), reason: reason.to_string() }
}
