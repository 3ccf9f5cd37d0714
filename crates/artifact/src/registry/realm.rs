//! Who may give tokens: whom a registry names, within limits.
//!
//! A registry can name any server, and we send it a password. So the connection must be as safe as the one to the
//! registry, and a registry out in the world cannot make us speak to servers that only we can reach.

use reqwest::Url;

use super::transport::Door;
use super::{Repository, host};
use crate::Error;
use crate::error::shown;

impl Repository {
    /// Checks the realm that the registry names, and says how it may be reached.
    pub(super) async fn check_realm(&self, realm: &str) -> Result<(Url, Door), Error> {
        let registry = self.base()?;
        let url =
            acceptable(&registry, realm).map_err(|reason| self.refuse_realm(realm, reason))?;
        if self.is_private(&registry).await {
            return Ok((url, Door::Open));
        }
        let named = host::address(&url);
        if host::is_loopback(&url) || named.is_some_and(host::is_private) {
            return Err(
                self.refuse_realm(realm, "it is in a private network, and the registry is not")
            );
        }
        Ok((url, Door::Guarded))
    }

    /// Whether the registry itself is in a private network.
    async fn is_private(&self, registry: &Url) -> bool {
        if host::is_loopback(registry) {
            return true;
        }
        if let Some(address) = host::address(registry) {
            return host::is_private(address);
        }
        // Whoever forwards knows other names than we do, and a name that means nothing to us is not private.
        if self.client.transport.is_forwarded(registry) {
            return false;
        }
        let name = (registry.host_str().unwrap_or_default(), 0);
        match tokio::net::lookup_host(name).await {
            Ok(mut found) => found.any(|address| host::is_private(address.ip())),
            Err(_) => false,
        }
    }

    fn refuse_realm(&self, realm: &str, reason: &str) -> Error {
        Error::Answer {
            action: "obtain a token".to_owned(),
            place: self.place().to_string(),
            reason: format!("the registry names `{}` to ask for it, but {reason}", shown(realm)),
        }
    }
}

/// Whether a realm may be spoken to at all.
fn acceptable(registry: &Url, realm: &str) -> Result<Url, &'static str> {
    let url = Url::parse(realm).map_err(|_| "that is not a URL")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("that has credentials in it");
    }
    match (url.scheme(), registry.scheme()) {
        ("https", _) | ("http", "http") => Ok(url),
        ("http", _) => Err("that is not encrypted, while the registry is"),
        _ => Err("that is neither https nor http"),
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::{Client, Options};

    async fn check(registry: &str, plain_http: bool, realm: &str, expected: &str) {
        let client = Client::new(Options { plain_http, ..Options::default() }).unwrap();
        let actual = match client.repository(registry, "a").check_realm(realm).await {
            Ok((_, door)) => format!("{door:?}"),
            Err(error) => error.to_string().rsplit(", but ").next().unwrap_or_default().to_owned(),
        };
        assert_eq!(actual, expected, "{registry} {realm}");
    }

    #[tokio::test]
    async fn a_realm_is_as_safe_and_as_public_as_its_registry() {
        let private = "it is in a private network, and the registry is not";
        // Addresses, since a test should ask no name server.
        check("1.1.1.1", false, "https://1.1.1.2/token", "Guarded").await;
        check("1.1.1.1", false, "https://auth.example/token", "Guarded").await;
        check(
            "1.1.1.1",
            false,
            "http://auth.example/",
            "that is not encrypted, while the registry is",
        )
        .await;
        check("1.1.1.1", true, "http://auth.example/", "Guarded").await;
        check("1.1.1.1", false, "https://169.254.169.254/latest", private).await;
        check("1.1.1.1", false, "https://[::1]/", private).await;
        check("1.1.1.1", false, "https://localhost/", private).await;
        check("1.1.1.1", false, "https://0x7f.1/", private).await;
        check("10.0.0.1", false, "https://10.0.0.2/", "Open").await;
        check("localhost:5000", false, "http://127.0.0.1:5001/", "Open").await;
        check("1.1.1.1", false, "https://u:p@auth.example/", "that has credentials in it").await;
        check("1.1.1.1", false, "file:///etc/passwd", "that is neither https nor http").await;
        check("1.1.1.1", false, "token", "that is not a URL").await;
    }
}
