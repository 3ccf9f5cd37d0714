//! What says something about a manifest: signatures, attestations, bills of materials.
//!
//! Newer registries keep the list themselves. For the others the protocol has a tag, made of the digest, under which
//! clients keep an index; two clients that write at once may lose an entry, which nobody can help.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::ACCEPT;

use super::exchange::Request;
use super::{Repository, link};
use crate::manifest::{Descriptor, Index, LARGEST_MANIFEST, Manifest, Parsed, Raw, media};
use crate::reference::Selector;
use crate::{Digest, Error};

/// As many pages are read.
const MOST_PAGES: usize = 1000;
/// How often we look whether somebody else overwrote what we wrote.
const MOST_WRITES: usize = 3;

impl Repository {
    /// The manifests that say something about this one.
    pub(crate) async fn referrers(&self, digest: &Digest) -> Result<Vec<Descriptor>, Error> {
        let mut url = self.url(&["referrers", &digest.to_string()])?;
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let action = format!("list what refers to {digest}");
            let request = Request::new(Method::GET, url.clone(), self.pull(), action)
                .header(ACCEPT, media::OCI_INDEX);
            let fine = [200, 404, 405, 501];
            let (answer, content) = self.read(&request, &fine, LARGEST_MANIFEST).await?;
            if answer.status() != 200 {
                return Ok(self
                    .listed(digest)
                    .await?
                    .map(|index| index.manifests)
                    .unwrap_or_default());
            }
            found.extend(self.index(&request.action, content)?.manifests);
            let next = link::next(&url, answer.response.headers());
            match next.map_err(|reason| self.wrong(&request.action, reason))? {
                Some(next) => url = next,
                None => return Ok(found),
            }
        }
        Err(self.wrong("list what refers to a manifest", "the list does not end"))
    }

    fn index(&self, action: &str, content: Bytes) -> Result<Index, Error> {
        match Raw::new(media::OCI_INDEX, content).parse() {
            Ok(Parsed::Index(index)) => Ok(index),
            Ok(Parsed::Manifest(_)) => Err(self.wrong(action, "the answer is not an index")),
            Err(error) => Err(error),
        }
    }

    /// The list that clients keep, where there is one.
    async fn listed(&self, digest: &Digest) -> Result<Option<Index>, Error> {
        match self.fetch(&Selector::Tag(tag(digest))).await {
            Ok(raw) => match raw.parse()? {
                Parsed::Index(index) => Ok(Some(index)),
                Parsed::Manifest(_) => Ok(None),
            },
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds a manifest to the list that clients keep.
    pub(super) async fn list_referrer(&self, subject: &Digest, raw: &Raw) -> Result<(), Error> {
        let entry = describe(raw);
        let _alone = self.client.listing.lock().await;
        for _ in 0..MOST_WRITES {
            let mut index = self.listed(subject).await?.unwrap_or_else(empty);
            if index.manifests.iter().any(|known| known.digest == entry.digest) {
                return Ok(());
            }
            index.manifests.push(entry.clone());
            self.put_raw(&Raw::write_index(&index), Some(&tag(subject))).await?;
        }
        match self.listed(subject).await? {
            Some(index) if index.manifests.iter().any(|known| known.digest == entry.digest) => {
                Ok(())
            }
            _ => Err(self.wrong(
                &format!("list {} as referring to {subject}", entry.digest),
                "somebody else changes the list at the same time",
            )),
        }
    }
}

/// The tag under which clients keep the list.
fn tag(digest: &Digest) -> String {
    format!("sha256-{}", digest.hex())
}

fn empty() -> Index {
    Index {
        schema_version: 2,
        media_type: Some(media::OCI_INDEX.to_owned()),
        artifact_type: None,
        manifests: Vec::new(),
        subject: None,
        annotations: Default::default(),
    }
}

/// What a manifest says something about.
pub(super) fn subject(raw: &Raw) -> Option<Digest> {
    let subject = match raw.parse().ok()? {
        Parsed::Manifest(manifest) => manifest.subject,
        Parsed::Index(index) => index.subject,
    };
    subject.map(|subject| subject.digest)
}

/// A manifest as lists of referrers have it: with its kind and its annotations.
fn describe(raw: &Raw) -> Descriptor {
    let mut descriptor = raw.descriptor.clone();
    match raw.parse() {
        Ok(Parsed::Manifest(Manifest { artifact_type, config, annotations, .. })) => {
            descriptor.artifact_type = artifact_type.or(Some(config.media_type));
            descriptor.annotations = annotations;
        }
        Ok(Parsed::Index(index)) => {
            descriptor.artifact_type = index.artifact_type;
            descriptor.annotations = index.annotations;
        }
        Err(_) => {}
    }
    descriptor
}
