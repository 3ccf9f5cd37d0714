//! How people name repositories: by address, by path, or as `owner/name` on GitHub.

use gix::bstr::ByteSlice;
use gix::url::Scheme;
use kelson_model::Secret;

use super::{Error, Options};

/// Where a repository is, and what its address said about who asks.
#[derive(Clone, Debug)]
pub struct Address {
    url: gix::Url,
    credentials: Option<(String, Secret)>,
}

impl Address {
    /// Reads `owner/name` (on GitHub), `host.tld/owner/name`, an `https`, `http`, `ssh` or `file` address, `user@host:path`,
    /// or a path that begins with `/` or `.`; each may have `git::` before it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let given = text.strip_prefix("git::").unwrap_or(text);
        let refuse = |reason: &str| Error::Address {
            text: without_credentials(given),
            reason: reason.to_owned(),
        };
        if given.is_empty() || given.starts_with('-') || given.chars().any(char::is_control) {
            return Err(refuse("an address or `owner/name` is expected"));
        }
        let mut url = gix::url::parse(expanded(given).as_bytes().as_bstr())
            .map_err(|_| refuse("it is neither an address nor a path"))?;
        let web = match &url.scheme {
            Scheme::Https | Scheme::Http => true,
            Scheme::Ssh | Scheme::File => false,
            _ => return Err(refuse("https, http, ssh and file are understood")),
        };
        if web && url.host().is_none_or(str::is_empty) {
            return Err(refuse("it has no host"));
        }
        let mut credentials = None;
        if web {
            let (user, password) = (url.set_user(None), url.set_password(None));
            credentials = (user.is_some() || password.is_some())
                .then(|| (user.unwrap_or_default(), Secret::new(password.unwrap_or_default())));
        }
        Ok(Self { url, credentials })
    }

    /// The address without credentials.
    pub fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_password(None);
        url.to_bstring().to_string()
    }

    /// The machine it is on.
    pub fn host(&self) -> Option<&str> {
        self.url.host()
    }

    pub(super) fn url(&self) -> gix::Url {
        self.url.clone()
    }

    /// Who asks: what the caller said, else what stands in the address.
    pub(super) fn credentials(&self, options: &Options) -> Option<(String, Secret)> {
        options.credentials.clone().or_else(|| self.credentials.clone())
    }

    /// Refuses plain HTTP to other machines.
    pub(super) fn check(&self, options: &Options) -> Result<(), Error> {
        match self.url.scheme == Scheme::Http && !options.insecure && !self.is_loopback() {
            true => Err(Error::Insecure { url: self.shown() }),
            false => Ok(()),
        }
    }

    pub(super) fn is_web(&self) -> bool {
        matches!(self.url.scheme, Scheme::Http | Scheme::Https)
    }

    pub(super) fn is_plain_http(&self) -> bool {
        self.url.scheme == Scheme::Http
    }

    fn is_loopback(&self) -> bool {
        let host = self.url.host().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    pub(super) fn same_host(&self, other: &Self) -> bool {
        self.url.scheme == other.url.scheme
            && self.url.host() == other.url.host()
            && self.url.port_or_default() == other.url.port_or_default()
    }

    /// The address of a submodule, which may be relative to this one.
    pub(super) fn join(&self, text: &str) -> Result<Self, Error> {
        if !text.starts_with("./") && !text.starts_with("../") {
            return Self::parse(text);
        }
        let mut base = self.shown();
        let mut rest = text;
        loop {
            if let Some(further) = rest.strip_prefix("./") {
                rest = further;
            } else if let Some(further) = rest.strip_prefix("../") {
                rest = further;
                let end = base.trim_end_matches('/').rfind('/').unwrap_or(0);
                base.truncate(end);
            } else {
                return Self::parse(&format!("{}/{rest}", base.trim_end_matches('/')));
            }
        }
    }
}

/// The address that a short form stands for.
fn expanded(text: &str) -> String {
    let word = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let parts: Vec<&str> = text.trim_end_matches('/').split('/').collect();
    match parts.as_slice() {
        [owner, name] if word(owner) && word(name) => format!("https://github.com/{owner}/{name}"),
        [host, _, _, ..] if host.contains('.') && parts.iter().all(|part| word(part)) => {
            format!("https://{text}")
        }
        _ => text.to_owned(),
    }
}

/// A text for messages: what stands between `://` and `@` is left out.
fn without_credentials(text: &str) -> String {
    let cropped: String = text.chars().take(200).collect();
    match cropped.split_once("://") {
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((_, host)) => format!("{scheme}://{host}"),
            None => cropped,
        },
        None => cropped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match Address::parse(text) {
            Ok(address) => address.shown(),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_repository_has_many_names() {
        check("acme/shop", "https://github.com/acme/shop");
        check("github.com/acme/shop", "https://github.com/acme/shop");
        check("git::https://git.example.org/a/b.git", "https://git.example.org/a/b.git");
        check("https://user:hunter2@git.example.org/a", "https://git.example.org/a");
        check("git@github.com:acme/shop.git", "git@github.com:acme/shop.git");
        check("ssh://git@github.com/acme/shop", "ssh://git@github.com/acme/shop");
    }

    #[test]
    fn what_names_none_is_refused_without_its_password() {
        check("", "`` does not name a repository: an address or `owner/name` is expected");
        check(
            "-uploadpack",
            "`-uploadpack` does not name a repository: an address or `owner/name` is expected",
        );
        check(
            "ftp://user:hunter2@host/a",
            "`ftp://host/a` does not name a repository: https, http, ssh and file are understood",
        );
    }

    #[test]
    fn a_submodule_may_stand_beside_its_parent() {
        let parent = Address::parse("https://host.example/group/a.git").unwrap();
        let join = |text| parent.join(text).unwrap().shown();
        assert_eq!(join("../b.git"), "https://host.example/group/b.git");
        assert_eq!(join("../../other/b"), "https://host.example/other/b");
        assert_eq!(join("https://else.example/b"), "https://else.example/b");
    }
}
