//! How a registry asks who we are: the header `WWW-Authenticate`.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// What a registry wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    /// A user and a password.
    Basic,
    /// A token.
    Bearer(Bearer),
}

/// Where a token is to be had, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bearer {
    pub(super) realm: String,
    pub(super) service: Option<String>,
    pub(super) scope: Option<String>,
}

impl Challenge {
    /// The best of what the registry would take: tokens before passwords.
    pub(super) fn choose(headers: &HeaderMap) -> Option<Self> {
        let texts =
            headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let all: Vec<Self> =
            texts.flat_map(|text| parse(text.chars().take(8192).collect())).collect();
        let is_bearer = |challenge: &&Self| matches!(challenge, Self::Bearer(_));
        all.iter().find(is_bearer).or_else(|| all.first()).cloned()
    }
}

/// Reads one or more challenges: a scheme, then parameters separated by commas, some of them in quotes.
fn parse(text: String) -> Vec<Challenge> {
    let mut found: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    let mut rest = text.as_str();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            break;
        }
        match after.trim_start().strip_prefix('=') {
            Some(after) => {
                let (value, after) = value(after.trim_start());
                if let Some((_, parameters)) = found.last_mut() {
                    parameters.entry(word.to_ascii_lowercase()).or_insert(value);
                }
                rest = after;
            }
            None => {
                found.push((word.to_ascii_lowercase(), BTreeMap::new()));
                rest = after;
            }
        }
    }
    found.into_iter().filter_map(|(scheme, parameters)| challenge(&scheme, parameters)).collect()
}

fn challenge(scheme: &str, mut parameters: BTreeMap<String, String>) -> Option<Challenge> {
    match scheme {
        "basic" => Some(Challenge::Basic),
        "bearer" => Some(Challenge::Bearer(Bearer {
            realm: parameters.remove("realm")?,
            service: parameters.remove("service").filter(|text| !text.is_empty()),
            scope: parameters.remove("scope").filter(|text| !text.is_empty()),
        })),
        _ => None,
    }
}

/// A value, in quotes or not, and what follows it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
            _ => value.push(letter),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(WWW_AUTHENTICATE, text.parse().unwrap());
        let actual = match Challenge::choose(&headers) {
            Some(Challenge::Basic) => "basic".to_owned(),
            Some(Challenge::Bearer(Bearer { realm, service, scope })) => {
                [Some(realm), service, scope].into_iter().flatten().collect::<Vec<_>>().join(" | ")
            }
            None => "none".to_owned(),
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn challenges_are_read_as_registries_write_them() {
        check("Basic realm=\"r\"", "basic");
        check("basic", "basic");
        check(
            r#"Bearer realm="https://a/t",service="s",scope="repository:a/b:pull,push""#,
            "https://a/t | s | repository:a/b:pull,push",
        );
        check(
            r#"Basic realm="x", Bearer realm=https://a/t , service="a \"b\"""#,
            "https://a/t | a \"b\"",
        );
        check(r#"Bearer service="s""#, "none");
        check("Negotiate", "none");
        check("Bearer realm=\"never ends", "never ends");
        check("=,=,==", "none");
    }
}
