//! Content on its way, checked against its descriptor as it passes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

use crate::digest::Hasher;
use crate::{Descriptor, Error, Transfer, Watch};

/// Content that is being read. It ends in an error unless it has the size and the digest of its descriptor, so whoever
/// reads it to its end has what was asked for.
pub struct Blob {
    descriptor: Descriptor,
    inner: Pin<Box<dyn AsyncRead + Send>>,
    hasher: Option<Hasher>,
    passed: u64,
    watch: Watch,
}

impl Blob {
    /// Watches over content that should be what the descriptor says.
    pub fn new(descriptor: Descriptor, inner: impl AsyncRead + Send + 'static) -> Self {
        let inner = Box::pin(inner);
        let (hasher, watch) = (Some(Hasher::default()), Watch::default());
        Self { descriptor, inner, hasher, passed: 0, watch }
    }

    /// Tells how much of it has been read.
    pub fn watched(self, watch: Watch) -> Self {
        Self { watch, ..self }
    }

    /// What the content should be.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Reads all of it. At most the announced size is ever held.
    pub async fn bytes(mut self) -> Result<Bytes, Error> {
        // The announced size is a claim: memory is taken as bytes come, not as they are promised.
        let room = self.descriptor.size.min(1 << 20) as usize;
        let mut content = Vec::with_capacity(room);
        match self.read_to_end(&mut content).await {
            Ok(_) => Ok(content.into()),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// An error of reading as one of ours.
    pub fn explain(&self, error: io::Error) -> Error {
        match error.downcast::<Error>() {
            Ok(error) => error,
            Err(source) => Error::Read { what: self.what(), source },
        }
    }

    fn what(&self) -> String {
        format!("blob {}", self.descriptor.digest)
    }

    /// Compares what came with what was announced.
    fn finish(&mut self) -> Result<(), Error> {
        let expected = &self.descriptor;
        if self.passed != expected.size {
            return Err(Error::Size {
                what: self.what(),
                expected: expected.size,
                actual: self.passed,
            });
        }
        match self.hasher.take().map(Hasher::finish) {
            Some(actual) if actual != expected.digest => {
                Err(Error::Mismatch { what: self.what(), expected: expected.digest, actual })
            }
            _ => Ok(()),
        }
    }
}

impl AsyncRead for Blob {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        std::task::ready!(self.inner.as_mut().poll_read(context, buffer))?;
        let piece = &buffer.filled()[before..];
        if piece.is_empty() {
            return Poll::Ready(self.finish().map_err(io::Error::other));
        }
        let (length, size) = (piece.len() as u64, self.descriptor.size);
        if let Some(hasher) = &mut self.hasher {
            hasher.update(piece);
        }
        self.passed += length;
        if self.passed > size {
            // Whoever reads is told of bytes or of an error, never of both.
            buffer.set_filled(before);
            let error = Error::Size { what: self.what(), expected: size, actual: size + 1 };
            return Poll::Ready(Err(io::Error::other(error)));
        }
        self.watch.tell(Transfer::Moved { digest: self.descriptor.digest, bytes: length });
        Poll::Ready(Ok(()))
    }
}

/// Content that can be read more than once, since a transfer may have to begin again.
pub trait BlobSource: Send + Sync {
    /// Begins to read.
    fn open(&self) -> BoxFuture<'_, Result<Blob, Error>>;
}

/// Content in memory.
pub struct InMemory {
    /// What it is.
    pub descriptor: Descriptor,
    /// The content.
    pub content: Bytes,
}

impl BlobSource for InMemory {
    fn open(&self) -> BoxFuture<'_, Result<Blob, Error>> {
        let content = io::Cursor::new(self.content.clone());
        let blob = Blob::new(self.descriptor.clone(), content);
        Box::pin(async move { Ok(blob) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(announced: &[u8], came: &'static [u8], expected: &str) {
        let blob = Blob::new(Descriptor::of("text/plain", announced), came);
        let actual = match blob.bytes().await {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => error.to_string().split(' ').skip(2).collect::<Vec<_>>().join(" "),
        };
        assert!(actual.starts_with(expected), "{actual}");
    }

    #[tokio::test]
    async fn content_is_what_was_announced_or_an_error() {
        check(b"abc", b"abc", "abc").await;
        check(b"", b"", "").await;
        check(b"abc", b"abcd", "has 4 bytes, not 3").await;
        check(b"abc", b"ab", "has 2 bytes, not 3").await;
        check(b"abc", b"abd", "has the digest sha256:").await;
    }
}
