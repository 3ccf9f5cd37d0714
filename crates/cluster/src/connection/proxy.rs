//! What stands between us and a server: the proxy of the environment, where it is meant for that server.

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;

use super::surroundings::Surroundings;

/// The proxy to go through. As with Go's programs, a server on this machine is never behind one.
pub(super) fn for_server(server: &Uri, surroundings: &Surroundings) -> Option<Uri> {
    if is_here(server.host()?) {
        return None;
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let matcher = Matcher::builder()
        .https(text(&surroundings.https_proxy))
        .http(text(&surroundings.http_proxy))
        .no(text(&surroundings.no_proxy))
        .build();
    // The matcher only decides: of the address that it gives, the credentials are gone.
    matcher.intercept(server)?;
    let proxy = match server.scheme_str() {
        Some("http") => text(&surroundings.http_proxy),
        _ => text(&surroundings.https_proxy),
    };
    let whole = if proxy.contains("://") { proxy } else { format!("http://{proxy}") };
    whole.parse().ok()
}

fn is_here(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || bare.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(server: &str, proxy: &str, no_proxy: &str, expected: Option<&str>) {
        let surroundings = Surroundings {
            https_proxy: Some(proxy.to_owned()),
            no_proxy: Some(no_proxy.to_owned()),
            ..Surroundings::default()
        };
        let actual = for_server(&server.parse().unwrap(), &surroundings);
        let expected: Option<Uri> = expected.map(|expected| expected.parse().unwrap());
        assert_eq!(actual, expected, "{server} {proxy} {no_proxy}");
    }

    #[test]
    fn the_proxy_of_the_environment_is_for_servers_elsewhere() {
        let proxy = "http://proxy.example:3128";
        check("https://a.example:6443", proxy, "", Some(proxy));
        check("https://a.example:6443", "proxy.example:3128", "", Some(proxy));
        let with_credentials = "http://me:it@proxy.example:3128";
        check("https://a.example:6443", with_credentials, "", Some(with_credentials));
        check("https://a.example:6443", proxy, "b.example,.a.example", None);
        check("https://10.1.2.3:6443", proxy, "10.0.0.0/8", None);
        check("https://a.example:6443", proxy, "*", None);
        check("https://127.0.0.1:6443", proxy, "", None);
        check("https://localhost:6443", proxy, "", None);
        check("https://[::1]:6443", proxy, "", None);
    }
}
