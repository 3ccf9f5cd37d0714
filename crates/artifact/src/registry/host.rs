//! How a registry is reached: by which scheme, and whether it is one of our own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// The root of a registry's interface.
pub(super) fn base(host: &str, plain_http: bool, loopback_http: bool) -> Result<Url, String> {
    let refuse = || format!("`{}` is not the name of a registry", crate::error::shown(host));
    let mut url = Url::parse(&format!("https://{host}/v2/")).map_err(|_| refuse())?;
    let is_host_alone = url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/v2/"
        && url.query().is_none()
        && url.fragment().is_none();
    if !is_host_alone {
        return Err(refuse());
    }
    if plain_http || (loopback_http && is_loopback(&url)) {
        // Once more from the text: a port that is usual for one scheme is not for the other.
        url = Url::parse(&format!("http://{host}/v2/")).map_err(|_| refuse())?;
    }
    Ok(url)
}

/// Whether a URL means this machine, by its address or the name `localhost`, and not merely resembles it.
pub(super) fn is_loopback(url: &Url) -> bool {
    match address(url) {
        Some(address) => address.to_canonical().is_loopback(),
        None => url.host_str() == Some("localhost"),
    }
}

/// The address that a URL names, where it does not name a host.
pub(super) fn address(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// The host and, where it is not the usual one, the port.
pub(super) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Whether an address is of this machine or of a network that not everybody can reach.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        // This network, and what providers share among their customers.
        || first == 0
        || (first == 100 && (64..128).contains(&second))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        // Unique local, link-local, and the old site-local ones.
        || first & 0xfe00 == 0xfc00
        || first & 0xffc0 == 0xfe80
        || first & 0xffc0 == 0xfec0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: &str, expected: &str) {
        let actual = base(host, false, true).map_or_else(|error| error, |url| url.to_string());
        assert_eq!(actual, expected, "{host}");
    }

    #[test]
    fn http_is_for_this_machine_alone() {
        check("ghcr.io", "https://ghcr.io/v2/");
        check("localhost:5000", "http://localhost:5000/v2/");
        check("localhost:443", "http://localhost:443/v2/");
        check("127.0.0.1:5000", "http://127.0.0.1:5000/v2/");
        check("[::1]:5000", "http://[::1]:5000/v2/");
        for name in ["127.0.0.1.example.org", "localhost.example.org", "10.0.0.1", "a.localhost.x"]
        {
            check(name, &format!("https://{name}/v2/"));
        }
        assert_eq!(base("r:80", true, true).unwrap().as_str(), "http://r/v2/");
        assert_eq!(base("[::1]:5000", false, false).unwrap().as_str(), "https://[::1]:5000/v2/");
    }

    #[test]
    fn a_host_is_a_host_and_nothing_more() {
        for wrong in
            ["", "a b", "user@host", "u:p@host", "host/x", "host?x", "host#x", "host:99999"]
        {
            let error = base(wrong, false, true).unwrap_err();
            assert!(error.ends_with("is not the name of a registry"), "{error}");
        }
    }

    #[test]
    fn private_addresses_are_known() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "224.0.0.1",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }
}
