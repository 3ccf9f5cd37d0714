//! Artifacts go into stores: what is there is not sent again, and the manifest comes last.

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::Packed;
use crate::copy::{PARALLEL, Sent, send};
use crate::{Descriptor, Error, InMemory, Store, Watch};

/// What a push did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The manifest, by which the artifact is known.
    pub descriptor: Descriptor,
    /// How many blobs were sent.
    pub sent: usize,
    /// How many were there.
    pub skipped: usize,
    /// How many bytes were sent.
    pub bytes: u64,
}

impl Packed {
    /// Stores the artifact under every tag, or under its digest alone where there is none. A tag never names an
    /// artifact of which something is missing.
    pub async fn push(
        &self,
        store: &Store,
        tags: &[String],
        watch: &Watch,
    ) -> Result<Pushed, Error> {
        let mut sends: Vec<BoxFuture<'_, Result<Sent, Error>>> = Vec::new();
        for (descriptor, content) in std::iter::once(&self.config).chain(&self.layers) {
            let source = InMemory { descriptor: descriptor.clone(), content: content.clone() };
            sends
                .push(Box::pin(async move { send(store, descriptor, &source, None, watch).await }));
        }
        let sent: Vec<Sent> = stream::iter(sends).buffer_unordered(PARALLEL).try_collect().await?;
        let batch = store.batch();
        match tags {
            [] => store.put_manifest(&self.manifest, None).await?,
            tags => {
                for tag in tags {
                    store.put_manifest(&self.manifest, Some(tag)).await?;
                }
            }
        }
        batch.finish().await?;
        let count =
            |wanted| sent.iter().filter(|sent| matches!(sent, Sent::All(_)) == wanted).count();
        let bytes = sent.iter().map(Sent::bytes).sum();
        let descriptor = self.manifest.descriptor.clone();
        Ok(Pushed { descriptor, sent: count(true), skipped: count(false), bytes })
    }
}
