//! The next page of a list: the header `Link`.

use reqwest::Url;
use reqwest::header::{HeaderMap, LINK};

/// Where the next page is, which must be where this one was: a list does not lead elsewhere.
pub(super) fn next(page: &Url, headers: &HeaderMap) -> Result<Option<Url>, String> {
    let texts = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    let Some(target) = texts.flat_map(|text| text.split(',')).find_map(target) else {
        return Ok(None);
    };
    match page.join(target) {
        Ok(url) if url.origin() == page.origin() => Ok(Some(url)),
        _ => Err("the list goes on at another server, which is not followed".to_owned()),
    }
}

/// The target of `<target>; rel="next"`.
fn target(link: &str) -> Option<&str> {
    let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
    let is_next = parameters.split(';').any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        name.trim().eq_ignore_ascii_case("rel") && value.trim().trim_matches('"') == "next"
    });
    is_next.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(link: &str, expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(LINK, link.parse().unwrap());
        let page = Url::parse("https://r.example/v2/a/tags/list?n=2").unwrap();
        let actual = match next(&page, &headers) {
            Ok(Some(url)) => url.to_string(),
            Ok(None) => "none".to_owned(),
            Err(error) => error,
        };
        assert_eq!(actual, expected, "{link}");
    }

    #[test]
    fn the_next_page_is_on_the_same_server() {
        check(
            "</v2/a/tags/list?last=b&n=2>; rel=\"next\"",
            "https://r.example/v2/a/tags/list?last=b&n=2",
        );
        check("</x>; rel=prev, <?n=3>; rel=next", "https://r.example/v2/a/tags/list?n=3");
        check("<https://r.example:443/x>; rel=next", "https://r.example/x");
        let elsewhere = "the list goes on at another server, which is not followed";
        check("<https://evil.example/x>; rel=next", elsewhere);
        check("<//evil.example/x>; rel=next", elsewhere);
        check("<http://r.example/x>; rel=next", elsewhere);
        check("nonsense", "none");
    }
}
