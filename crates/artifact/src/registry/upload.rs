//! Storing blobs.

use reqwest::header::{CONTENT_RANGE, CONTENT_TYPE, LOCATION};
use reqwest::{Method, Url};
use tokio::io::AsyncReadExt;

use super::Repository;
use super::body::Body;
use super::exchange::{Answer, Request};
use super::failure::Failure;
use crate::blob::BlobSource;
use crate::manifest::Descriptor;
use crate::{Digest, Error};

/// The size of the parts for registries that do not take a blob as a whole, unless they want larger ones.
const PART: usize = 4 << 20;
/// The largest part that is held in memory, whatever a registry wants.
const LARGEST_PART: usize = 64 << 20;
const BYTES: &str = "application/octet-stream";

/// How a registry took what it was sent.
enum Taken {
    Stored,
    /// It does not take so much at once.
    TooLarge,
}

impl Repository {
    /// Stores a blob unless it is there, and says whether it was not. `from` is another repository that has it, from which a registry may take it
    /// without our sending it.
    pub(crate) async fn put_blob(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
        from: Option<&Self>,
    ) -> Result<bool, Error> {
        if self.has(&descriptor.digest, self.push()).await? {
            return Ok(false);
        }
        let from = from.filter(|from| from.host == self.host && from.name != self.name);
        let mut tries = self.client.tries();
        let mut in_parts = false;
        loop {
            match self.put(descriptor, source, from, in_parts).await {
                Ok(Taken::Stored) => return Ok(true),
                Ok(Taken::TooLarge) => in_parts = true,
                Err(failure) => tries.after(failure).await?,
            }
        }
    }

    /// Tries once to store a blob, from the beginning: what a broken upload left behind is not asked for.
    async fn put(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
        from: Option<&Self>,
        in_parts: bool,
    ) -> Result<Taken, Failure> {
        let action = format!("store blob {}", descriptor.digest);
        let begun = self.begin(&action, &descriptor.digest, from).await?;
        if begun.status() == 201 {
            return Ok(Taken::Stored);
        }
        let place = self.upload_place(&action, &begun)?;
        if in_parts {
            let wanted = begun.header("oci-chunk-min-length").and_then(|text| text.parse().ok());
            let part = wanted.unwrap_or(PART).clamp(PART, LARGEST_PART);
            return self.put_parts(&action, place, descriptor, source, part).await;
        }
        let request = self.finish(&action, place, &descriptor.digest).body(Body::Source(source));
        // 413 says that it is too large; the others that a length, or this way of sending, is not understood.
        let answer = self.attempt(&request, &[201, 200, 204, 405, 411, 413, 501]).await?;
        match answer.status() {
            200..=299 => Ok(Taken::Stored),
            _ => Ok(Taken::TooLarge),
        }
    }

    /// Begins an upload, or has the registry take the blob from another repository.
    async fn begin(
        &self,
        action: &str,
        digest: &Digest,
        from: Option<&Self>,
    ) -> Result<Answer, Failure> {
        let mut url = self.url(&["blobs", "uploads", ""])?;
        let mut scope = self.push();
        if let Some(from) = from {
            let mount = [("mount", digest.to_string()), ("from", from.name.to_string())];
            url.query_pairs_mut().extend_pairs(mount);
            scope = scope.and(&from.pull().to_string());
        }
        let request = Request::new(Method::POST, url, scope, action);
        self.attempt(&request, &[201, 202]).await
    }

    /// Where to send the content.
    fn upload_place(&self, action: &str, answer: &Answer) -> Result<Url, Error> {
        match answer.response.headers().get(LOCATION) {
            Some(location) => self.location(action, answer.response.url(), location),
            None => Err(self.wrong(action, "the registry does not say where to send the content")),
        }
    }

    /// The request that makes a blob of what was sent.
    fn finish(&self, action: &str, mut place: Url, digest: &Digest) -> Request<'_> {
        place.query_pairs_mut().append_pair("digest", &digest.to_string());
        Request::new(Method::PUT, place, self.push(), action).header(CONTENT_TYPE, BYTES)
    }

    /// Sends a blob in parts.
    async fn put_parts(
        &self,
        action: &str,
        mut place: Url,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
        size: usize,
    ) -> Result<Taken, Failure> {
        let mut blob = source.open().await?;
        let mut sent = 0;
        loop {
            let mut part = Vec::new();
            let read = (&mut blob).take(size as u64).read_to_end(&mut part).await;
            read.map_err(|error| blob.explain(error))?;
            if part.is_empty() {
                break;
            }
            let end = sent + part.len() as u64;
            let request = Request::new(Method::PATCH, place, self.push(), action)
                .header(CONTENT_TYPE, BYTES)
                .header(CONTENT_RANGE, &format!("{sent}-{}", end - 1))
                .body(Body::Bytes(part.into()));
            let answer = self.attempt(&request, &[202, 201, 204]).await?;
            place = self.upload_place(action, &answer)?;
            sent = end;
        }
        let request = self.finish(action, place, &descriptor.digest);
        self.attempt(&request, &[201, 200, 204]).await?;
        Ok(Taken::Stored)
    }
}
