//! Manifests, and the tags that name them.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use serde::Deserialize;

use super::body::Body;
use super::exchange::{Answer, Request};
use super::{Repository, link};
use crate::manifest::{Descriptor, LARGEST_MANIFEST, Raw, media};
use crate::reference::Selector;
use crate::{Digest, Error};

/// What we can read.
const KNOWN: [&str; 4] =
    [media::OCI_MANIFEST, media::OCI_INDEX, media::DOCKER_MANIFEST, media::DOCKER_LIST];
/// The header that says what the registry takes the content's digest for.
const DIGEST: &str = "docker-content-digest";
/// As many pages of tags are read, with as many tags in all.
const MOST_PAGES: usize = 1000;
const MOST_TAGS: usize = 1_000_000;
/// The longest page that is read.
const LONGEST_PAGE: u64 = 16 << 20;

impl Repository {
    /// Finds what a tag or digest means now. Asking costs little: HEAD does not count against Docker Hub's limits.
    pub(crate) async fn resolve(&self, selector: &Selector) -> Result<Descriptor, Error> {
        let request = self.ask(Method::HEAD, selector)?;
        // Not every registry knows HEAD here.
        let answer = self.call(&request, &[200, 405]).await?;
        let media_type = media_type(&answer);
        let size = answer.header(CONTENT_LENGTH.as_str()).and_then(|size| size.parse::<u64>().ok());
        let digest = answer.header(DIGEST).and_then(|digest| digest.parse::<Digest>().ok());
        let digest = match selector {
            Selector::Digest(asked) => Some(self.same(selector, *asked, digest)?),
            Selector::Tag(_) => digest,
        };
        match (media_type, size, digest) {
            (Some(media_type), Some(size), Some(digest)) if answer.status() == 200 => {
                Ok(Descriptor { media_type, size, digest, ..Descriptor::of("", b"") })
            }
            _ => Ok(self.fetch(selector).await?.descriptor),
        }
    }

    /// Reads a manifest or index.
    pub(crate) async fn manifest(&self, digest: &Digest) -> Result<Raw, Error> {
        self.fetch(&Selector::Digest(*digest)).await
    }

    /// Reads a manifest or index by tag or digest, and describes what came.
    pub(crate) async fn fetch(&self, selector: &Selector) -> Result<Raw, Error> {
        let request = self.ask(Method::GET, selector)?;
        let (answer, content) = self.read(&request, &[200], LARGEST_MANIFEST).await?;
        let media_type = media_type(&answer).unwrap_or_else(|| guess(&content));
        let raw = Raw::new(&media_type, content);
        let expected = match selector {
            Selector::Digest(asked) => Some(*asked),
            Selector::Tag(_) => answer.header(DIGEST).and_then(|digest| digest.parse().ok()),
        };
        if let Some(expected) = expected {
            self.same(selector, expected, Some(raw.descriptor.digest))?;
        }
        Ok(raw)
    }

    /// Compares what was asked for with what the registry says it is.
    fn same(
        &self,
        what: &Selector,
        expected: Digest,
        actual: Option<Digest>,
    ) -> Result<Digest, Error> {
        match actual {
            Some(actual) if actual != expected => {
                Err(Error::Mismatch { what: what.to_string(), expected, actual })
            }
            _ => Ok(expected),
        }
    }

    fn ask(&self, method: Method, selector: &Selector) -> Result<Request<'static>, Error> {
        let name = match selector {
            Selector::Tag(tag) => tag.clone(),
            Selector::Digest(digest) => digest.to_string(),
        };
        let url = self.url(&["manifests", &name])?;
        let request = Request::new(method, url, self.pull(), format!("read {selector}"));
        Ok(request.header(ACCEPT, &KNOWN.join(", ")).missing(selector.to_string()))
    }

    /// Stores a manifest or index byte for byte, under its digest or a tag.
    pub(crate) async fn put_manifest(&self, raw: &Raw, tag: Option<&str>) -> Result<(), Error> {
        let answer = self.put_raw(raw, tag).await?;
        // Who names the subject keeps the list of its referrers; otherwise it is for us to do.
        if answer.header("oci-subject").is_none()
            && let Some(subject) = super::referrers::subject(raw)
        {
            self.list_referrer(&subject, raw).await?;
        }
        Ok(())
    }

    pub(super) async fn put_raw(&self, raw: &Raw, tag: Option<&str>) -> Result<Answer, Error> {
        let digest = raw.descriptor.digest;
        let selector = match tag {
            Some(tag) => Selector::Tag(tag.to_owned()),
            None => Selector::Digest(digest),
        };
        let name = tag.map_or_else(|| digest.to_string(), str::to_owned);
        let url = self.url(&["manifests", &name])?;
        let request = Request::new(Method::PUT, url, self.push(), format!("store {selector}"))
            .header(CONTENT_TYPE, &raw.descriptor.media_type)
            .body(Body::Bytes(raw.bytes.clone()));
        let answer = self.call(&request, &[201, 200, 202, 204]).await?;
        let stored = answer.header(DIGEST).and_then(|digest| digest.parse().ok());
        // A registry that stores something else would do so again: there is no second try.
        self.same(&selector, digest, stored)?;
        Ok(answer)
    }

    /// All tags, in order.
    pub(crate) async fn tags(&self) -> Result<Vec<String>, Error> {
        #[derive(Deserialize)]
        struct Page {
            tags: Option<Vec<String>>,
        }
        let mut url = self.url(&["tags", "list"])?;
        url.set_query(Some("n=1000"));
        let mut tags = Vec::new();
        for _ in 0..MOST_PAGES {
            let request = Request::new(Method::GET, url.clone(), self.pull(), "list the tags")
                .missing("any tag");
            let (answer, content) = self.read(&request, &[200], LONGEST_PAGE).await?;
            let page: Page = serde_json::from_slice(&content)
                .map_err(|_| self.wrong(&request.action, "the answer is not a list of tags"))?;
            tags.extend(page.tags.unwrap_or_default());
            let next = link::next(&url, answer.response.headers());
            match next.map_err(|reason| self.wrong(&request.action, reason))? {
                Some(next) if tags.len() < MOST_TAGS => url = next,
                Some(_) => break,
                None => {
                    tags.sort_unstable();
                    tags.dedup();
                    return Ok(tags);
                }
            }
        }
        Err(self.wrong("list the tags", "the list does not end"))
    }
}

/// What an answer says that its content is, unless it says nothing of worth.
fn media_type(answer: &Answer) -> Option<String> {
    let text = answer.header(CONTENT_TYPE.as_str())?.split(';').next()?.trim();
    let says_nothing = ["", "application/json", "text/plain", "application/octet-stream"];
    (!says_nothing.contains(&text)).then(|| text.to_owned())
}

/// What content is where nobody says: what it says itself, else what it looks like.
fn guess(content: &Bytes) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Shape {
        media_type: Option<String>,
        manifests: Option<serde::de::IgnoredAny>,
    }
    match serde_json::from_slice(content) {
        Ok(Shape { media_type: Some(media_type), .. }) => media_type,
        Ok(Shape { manifests: Some(_), .. }) => media::OCI_INDEX.to_owned(),
        _ => media::OCI_MANIFEST.to_owned(),
    }
}
