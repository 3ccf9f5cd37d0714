//! Reading blobs. A connection that breaks is made again, and reading goes on where it stopped.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, try_unfold};
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use tokio::io::{AsyncRead, ReadBuf};

use super::Repository;
use super::exchange::{Answer, Request};
use super::failure::{Again, BrokeOff, Failure, Trouble};
use crate::blob::Blob;
use crate::manifest::Descriptor;
use crate::{Digest, Error};

/// As often a connection may break over one blob, however much came between.
const MOST_BREAKS: u32 = 100;

impl Repository {
    /// Begins to read a blob.
    pub(crate) async fn blob(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        let mut download = Download {
            repository: self.clone(),
            descriptor: descriptor.clone(),
            answer: None,
            position: 0,
            skip: 0,
            breaks: 0,
        };
        let mut tries = self.client.tries();
        while download.answer.is_none() {
            if let Err(failure) = download.open().await {
                tries.after(failure).await?;
            }
        }
        let pieces = try_unfold(download, |mut download| async move {
            let piece = download.next().await.map_err(io::Error::other)?;
            Ok(piece.map(|piece| (piece, download)))
        });
        Ok(Blob::new(descriptor.clone(), Pieces { pieces: pieces.boxed(), rest: Bytes::new() }))
    }

    /// Whether a blob is there.
    pub(crate) async fn has_blob(&self, digest: &Digest) -> Result<bool, Error> {
        self.has(digest, self.pull()).await
    }

    pub(super) async fn has(&self, digest: &Digest, scope: super::Scope) -> Result<bool, Error> {
        let action = format!("look for blob {digest}");
        let request = Request::new(Method::HEAD, self.blob_url(digest)?, scope, action);
        Ok(self.call(&request, &[200, 404]).await?.status() == 200)
    }
}

/// A blob on its way.
struct Download {
    repository: Repository,
    descriptor: Descriptor,
    answer: Option<Answer>,
    /// How much has come.
    position: u64,
    /// How much of what comes next is known already.
    skip: u64,
    breaks: u32,
}

impl Download {
    /// Asks for the rest of the blob.
    async fn open(&mut self) -> Result<(), Failure> {
        let request = self.request()?;
        let answer = self.repository.attempt(&request, &[200, 206]).await?;
        let whole = self.descriptor.size;
        let length =
            answer.header(CONTENT_LENGTH.as_str()).and_then(|text| text.parse::<u64>().ok());
        if answer.status() == 206 {
            let begins = format!("bytes {}-", self.position);
            if !answer
                .header(CONTENT_RANGE.as_str())
                .is_some_and(|range| range.starts_with(&begins))
            {
                let reason = "the registry answered with another part than was asked for";
                return Err(self.repository.wrong(&request.action, reason).into());
            }
        } else if let Some(actual) = length.filter(|length| *length != whole) {
            let what = format!("blob {}", self.descriptor.digest);
            return Err(Error::Size { what, expected: whole, actual }.into());
        }
        // Who does not know parts sends everything again.
        self.skip = if answer.status() == 206 { 0 } else { self.position };
        self.answer = Some(answer);
        Ok(())
    }

    fn request(&self) -> Result<Request<'static>, Error> {
        let (repository, digest) = (&self.repository, &self.descriptor.digest);
        let url = repository.blob_url(digest)?;
        let what = format!("blob {digest}");
        let request = Request::new(Method::GET, url, repository.pull(), format!("read {what}"))
            .header(ACCEPT_ENCODING, "identity")
            .missing(what);
        Ok(match self.position {
            0 => request,
            position => request.header(RANGE, &format!("bytes={position}-")),
        })
    }

    /// The next piece, if need be over a new connection.
    async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let client = self.repository.client.clone();
        let mut tries = client.tries();
        loop {
            match self.try_next().await {
                Ok(piece) => return Ok(piece),
                Err(failure) => {
                    self.answer = None;
                    self.breaks += 1;
                    if self.breaks > MOST_BREAKS {
                        return Err(failure.error);
                    }
                    tries.after(failure).await?;
                }
            }
        }
    }

    async fn try_next(&mut self) -> Result<Option<Bytes>, Failure> {
        if self.answer.is_none() {
            self.open().await?;
        }
        let Some(answer) = &mut self.answer else { return Ok(None) };
        loop {
            let url = answer.response.url().clone();
            let piece = self.repository.client.transport.piece(&mut answer.response).await;
            let trouble = match piece {
                Ok(Some(mut piece)) => {
                    let known = self.skip.min(piece.len() as u64);
                    self.skip -= known;
                    let new = piece.split_off(known as usize);
                    self.position += new.len() as u64;
                    if new.is_empty() {
                        continue;
                    }
                    return Ok(Some(new));
                }
                Ok(None) if self.position >= self.descriptor.size => return Ok(None),
                Ok(None) => Trouble { source: Box::new(BrokeOff), again: Again::Later, remedy: "" },
                Err(trouble) => trouble,
            };
            let action = format!("read blob {}", self.descriptor.digest);
            return Err(self.repository.unreachable(&action, &url, trouble));
        }
    }
}

/// Pieces as something to be read.
struct Pieces {
    pieces: BoxStream<'static, io::Result<Bytes>>,
    rest: Bytes,
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.pieces.poll_next_unpin(context)) {
                Some(piece) => self.rest = piece?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = self.rest.len().min(buffer.remaining());
        buffer.put_slice(&self.rest.split_to(length));
        Poll::Ready(Ok(()))
    }
}
