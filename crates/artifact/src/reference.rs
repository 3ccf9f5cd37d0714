//! How people name artifacts: `oci://host/repository:tag@digest`, `oci-layout:DIR:tag@digest`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::{Digest, Error};

/// Names an artifact, or a place for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where it is.
    pub place: Place,
    /// The tag, where one is given.
    pub tag: Option<String>,
    /// The digest, where one is given; it decides, and the tag is only for people.
    pub digest: Option<Digest>,
}

/// A repository of a registry, or an image layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// `oci://host/repository`.
    Repository {
        /// The registry, with its port.
        host: String,
        /// The repository in it.
        name: String,
    },
    /// `oci-layout:DIR`.
    Directory(PathBuf),
    /// `oci-layout:FILE.tar`.
    Tar(PathBuf),
}

impl Reference {
    /// The tag that is meant where neither tag nor digest is given.
    pub const LATEST: &str = "latest";

    /// Whether a text is meant to name an artifact rather than a file.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("oci://") || text.starts_with("oci-layout:")
    }

    /// Reads the name of an image as a container's `image` field has it: without a registry it is one of Docker Hub.
    pub fn image(text: &str) -> Result<Self, Error> {
        let has_host = text
            .split_once('/')
            .is_some_and(|(first, _)| first.contains(['.', ':']) || first == "localhost");
        match has_host {
            true => format!("oci://{text}").parse(),
            false => format!("oci://docker.io/{text}").parse(),
        }
    }

    /// What to ask the place for: the digest, else the tag, else `latest`.
    pub fn selector(&self) -> Selector {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => Selector::Digest(*digest),
            (None, Some(tag)) => Selector::Tag(tag.clone()),
            (None, None) => Selector::Tag(Self::LATEST.to_owned()),
        }
    }
}

/// What a place is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Whatever the tag names now.
    Tag(String),
    /// That and nothing else.
    Digest(Digest),
}

impl FromStr for Reference {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |reason: String| Error::Reference { text: shown(text), reason };
        if let Some(rest) = text.strip_prefix("oci://") {
            let (rest, tag, digest) = split(rest).map_err(refuse)?;
            let place = repository(rest).map_err(refuse)?;
            return Ok(Self { place, tag, digest });
        }
        let Some(rest) = text.strip_prefix("oci-layout:") else {
            return Err(refuse("it begins with neither `oci://` nor `oci-layout:`".to_owned()));
        };
        let (path, tag, digest) = split(rest).map_err(refuse)?;
        if path.is_empty() {
            return Err(refuse("the path of the layout is missing".to_owned()));
        }
        let place = match path.ends_with(".tar") {
            true => Place::Tar(PathBuf::from(path)),
            false => Place::Directory(PathBuf::from(path)),
        };
        Ok(Self { place, tag, digest })
    }
}

const NOT_A_DIGEST: &str = "what follows `@` is not a digest, `sha256:` and 64 lower-case hexadecimal digits; \
     credentials do not belong into a name, but into a login";
const NO_CREDENTIALS: &str = "credentials do not belong into a name, but into a login";

/// The text as it may be shown: cropped, and without whatever could be a password.
fn shown(text: &str) -> String {
    let is_name = |before: &str, after: &str| !before.contains('@') && after.starts_with("sha256:");
    match text.rsplit_once('@') {
        Some((before, after)) if !text.starts_with("oci-layout:") && !is_name(before, after) => {
            let scheme = if text.starts_with("oci://") { "oci://" } else { "" };
            format!("{scheme}***")
        }
        _ => text.chars().take(200).collect(),
    }
}

/// Takes digest and tag off the end.
fn split(text: &str) -> Result<(&str, Option<String>, Option<Digest>), String> {
    let (text, digest) = match text.rsplit_once('@') {
        // A digest has no `/`, and the folders above a layout may have an `@`.
        Some((text, digest)) if !digest.contains('/') => {
            (text, Some(digest.parse::<Digest>().map_err(|_| NOT_A_DIGEST.to_owned())?))
        }
        _ => (text, None),
    };
    let last = text.rfind('/').map_or(0, |slash| slash + 1);
    match text[last..].find(':') {
        Some(colon) => {
            let tag = &text[last + colon + 1..];
            if !is_tag(tag) {
                return Err(format!("`{tag}` is not a tag"));
            }
            Ok((&text[..last + colon], Some(tag.to_owned()), digest))
        }
        _ => Ok((text, None, digest)),
    }
}

/// Whether a text can be a tag: at most 128 letters, digits, `_`, `.` and `-`, the last two not first.
pub fn is_tag(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=128).contains(&text.len())
        && text.bytes().next().is_some_and(word)
        && text.bytes().all(|byte| word(byte) || byte == b'.' || byte == b'-')
}

/// Reads `host/repository`, with Docker Hub's names as everybody writes them.
fn repository(text: &str) -> Result<Place, String> {
    if text.contains('@') {
        return Err(NO_CREDENTIALS.to_owned());
    }
    let (host, name) = text
        .split_once('/')
        .ok_or("a registry and a repository are expected, as in `oci://ghcr.io/acme/shop`")?;
    if host.is_empty()
        || host.contains(['?', '#', '\\', '%', ' '])
        || host.chars().any(char::is_control)
    {
        return Err(format!("`{host}` is not the name of a registry"));
    }
    let (host, name) = match host {
        "docker.io" | "index.docker.io" if !name.contains('/') => {
            ("index.docker.io", format!("library/{name}"))
        }
        "docker.io" => ("index.docker.io", name.to_owned()),
        host => (host, name.to_owned()),
    };
    if name.len() > 255 || !name.split('/').all(is_component) {
        return Err(format!("`{name}` is not the name of a repository"));
    }
    Ok(Place::Repository { host: host.to_owned(), name })
}

/// Lower-case letters and digits, with `.`, `_`, `__` or any number of `-` between them.
fn is_component(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = bytes.first().copied().is_some_and(word) && bytes.last().copied().is_some_and(word);
    let separators =
        text.split(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    ends && separators.filter(|between| !between.is_empty()).all(|between| {
        matches!(between, "." | "_" | "__") || between.bytes().all(|byte| byte == b'-')
    })
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository { host, name } => write!(formatter, "oci://{host}/{name}"),
            Self::Directory(path) | Self::Tar(path) => {
                write!(formatter, "oci-layout:{}", path.display())
            }
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(formatter)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(formatter, "@{digest}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(formatter, "tag `{tag}`"),
            Self::Digest(digest) => write!(formatter, "manifest {digest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match text.parse::<Reference>() {
            Ok(reference) => format!("{reference} | {}", reference.selector()),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_repository_is_named_by_host_path_tag_and_digest() {
        check("oci://ghcr.io/acme/shop", "oci://ghcr.io/acme/shop | tag `latest`");
        check("oci://localhost:5000/a:v1", "oci://localhost:5000/a:v1 | tag `v1`");
        check("oci://docker.io/shop:v1", "oci://index.docker.io/library/shop:v1 | tag `v1`");
        let digest = Digest::of(b"");
        check(
            &format!("oci://r.example/a/b:v1@{digest}"),
            &format!("oci://r.example/a/b:v1@{digest} | manifest {digest}"),
        );
    }

    #[test]
    fn an_image_without_a_registry_is_of_docker_hub() {
        let image = |text: &str| Reference::image(text).unwrap().to_string();
        assert_eq!(image("nginx"), "oci://index.docker.io/library/nginx");
        assert_eq!(image("acme/shop:v1"), "oci://index.docker.io/acme/shop:v1");
        assert_eq!(image("localhost/shop:v1"), "oci://localhost/shop:v1");
        assert_eq!(image("r.example:5000/a/b:v1"), "oci://r.example:5000/a/b:v1");
    }

    #[test]
    fn a_layout_is_named_by_its_path() {
        check("oci-layout:out", "oci-layout:out | tag `latest`");
        check("oci-layout:./a.b/out:v1", "oci-layout:./a.b/out:v1 | tag `v1`");
        check("oci-layout:out:1", "oci-layout:out:1 | tag `1`");
        check("oci-layout:x/shop.tar:v1", "oci-layout:x/shop.tar:v1 | tag `v1`");
    }

    #[test]
    fn what_is_wrong_with_a_name_is_said() {
        let text = |rest: &str| format!("`oci://{rest}` does not name an artifact: ");
        check("oci://r/A", &(text("r/A") + "`A` is not the name of a repository"));
        check("oci://r/a:b!", &(text("r/a:b!") + "`b!` is not a tag"));
        check("oci://r/..", &(text("r/..") + "`..` is not the name of a repository"));
        check("oci-layout:a@b/c:v1", "oci-layout:a@b/c:v1 | tag `v1`");
        check(
            "oci://r",
            &(text("r")
                + "a registry and a repository are expected, as in `oci://ghcr.io/acme/shop`"),
        );
    }
    #[test]
    fn a_password_in_a_name_is_refused_and_not_repeated() {
        let digest = Digest::of(b"");
        for text in [
            "oci://acme:hunter2@r.example/a",
            "oci://acme:hunter2@r.example:5000/a/b:v1",
            "oci://acme:hunter2@r.example",
            "oci://acme:hun/ter2@r.example/a",
            "oci://acme:hun@ter2",
            "https://acme:hunter2@r.example/a",
            &format!("oci://acme:hunter2@r.example/a@{digest}"),
        ] {
            let error = text.parse::<Reference>().expect_err(text).to_string();
            assert!(!error.contains("hun") && !error.contains("ter2"), "{error}");
            assert!(error.contains("login") || error.contains("begins with"), "{error}");
        }
    }
}
