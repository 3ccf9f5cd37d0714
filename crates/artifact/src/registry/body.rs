//! What is sent with a request.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use futures_util::stream::try_unfold;
use tokio::io::AsyncReadExt;

use crate::Error;
use crate::blob::{Blob, BlobSource};

/// How much is read at once.
const PIECE: usize = 128 << 10;

/// What is sent with a request. It can be sent again.
pub(super) enum Body<'a> {
    Nothing,
    Bytes(Bytes),
    Source(&'a dyn BlobSource),
}

/// Shows that content is moving, and why it stopped where its source is to blame.
#[derive(Default)]
pub(super) struct Pulse {
    pieces: AtomicU64,
    error: Mutex<Option<Error>>,
}

impl Pulse {
    /// How many pieces were sent.
    pub(super) fn count(&self) -> u64 {
        self.pieces.load(Ordering::Relaxed)
    }

    /// Why the source failed, if it did.
    pub(super) fn take_error(&self) -> Option<Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Body<'_> {
    /// Begins to send, with the length that is announced.
    pub(super) async fn open(
        &self,
        pulse: &Arc<Pulse>,
    ) -> Result<(reqwest::Body, Option<u64>), Error> {
        match self {
            Body::Nothing => Ok((reqwest::Body::from(Bytes::new()), None)),
            Body::Bytes(bytes) => Ok((bytes.clone().into(), Some(bytes.len() as u64))),
            Body::Source(source) => {
                let blob = source.open().await?;
                let size = blob.descriptor().size;
                Ok((reqwest::Body::wrap_stream(pieces(blob, pulse.clone())), Some(size)))
            }
        }
    }
}

/// The pieces of a blob. Whoever takes them may stop asking after the announced number of bytes, so the last piece is
/// given only when the blob has been found to be what it should be.
fn pieces(blob: Blob, pulse: Arc<Pulse>) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let left = blob.descriptor().size;
    try_unfold((blob, left), move |(mut blob, left)| {
        let pulse = pulse.clone();
        async move {
            let piece = match next(&mut blob, left).await {
                Ok(piece) => piece,
                Err(error) => {
                    let error = blob.explain(error);
                    *pulse.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(io::Error::other("the source failed"));
                }
            };
            pulse.pieces.fetch_add(1, Ordering::Relaxed);
            let left = left.saturating_sub(piece.len() as u64);
            Ok((!piece.is_empty()).then_some((piece, (blob, left))))
        }
    })
}

/// Reads a piece; together with the last one, the end.
async fn next(blob: &mut Blob, left: u64) -> io::Result<Bytes> {
    let mut piece = BytesMut::with_capacity(PIECE);
    while piece.len() < PIECE {
        if blob.read_buf(&mut piece).await? == 0 {
            break;
        }
    }
    if piece.len() as u64 == left && piece.len() == PIECE {
        blob.read_buf(&mut BytesMut::with_capacity(1)).await?;
    }
    Ok(piece.freeze())
}
