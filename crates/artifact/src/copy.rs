//! Artifacts from store to store, byte for byte, so that digests and signatures stay good.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::blob::{Blob, BlobSource};
use crate::manifest::{Parsed, Raw};
use crate::store::Stored;
use crate::{
    Descriptor, Digest, Error, Manifest, Place, Reference, Selector, Store, Transfer, Watch,
};

/// How many blobs move at once.
pub(crate) const PARALLEL: usize = 4;

/// How deep indexes and referrers may be nested.
const DEEPEST: usize = 8;

/// How many manifests one copy may come to.
const MOST_MANIFESTS: usize = 10_000;

/// The tags under which others keep what they say of a manifest.
const SAYINGS: [&str; 3] = ["sig", "att", "sbom"];

/// How to copy.
#[derive(Clone, Debug)]
pub struct CopyOptions {
    /// Whether signatures, attestations and other referrers go with it.
    pub referrers: bool,
    /// Who is told how far it is.
    pub watch: Watch,
}

impl Default for CopyOptions {
    fn default() -> Self {
        Self { referrers: true, watch: Watch::default() }
    }
}

/// What a copy did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The manifest or index that was asked for.
    pub descriptor: Descriptor,
    /// How many blobs and manifests were sent.
    pub sent: usize,
    /// How many were there.
    pub skipped: usize,
    /// How many bytes were sent.
    pub bytes: u64,
    /// How many signatures, attestations and other referrers there are, sent or not.
    pub referrers: usize,
}

/// Copies what a reference means now, with everything it names, under the given tags. The tags are set last, when all of
/// it is there.
pub async fn copy(
    from: &Store,
    reference: &Reference,
    to: &Store,
    tags: &[String],
    options: &CopyOptions,
) -> Result<Copied, Error> {
    let found = from.find(reference).await?;
    let batch = to.batch();
    let copying = Copying::new(from, to, options);
    let raw = copying.manifest(found.digest, 0).await?;
    for tag in tags {
        to.put_manifest(&raw, Some(tag)).await?;
    }
    batch.finish().await?;
    Ok(copying.finish(raw.descriptor))
}

/// A copy under way.
struct Copying<'a> {
    from: &'a Store,
    to: &'a Store,
    /// The source, where blobs can be taken over inside one registry.
    mount: Option<&'a Store>,
    options: &'a CopyOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: HashSet<Digest>,
    manifests: usize,
    sent: usize,
    skipped: usize,
    bytes: u64,
    referrers: usize,
}

impl<'a> Copying<'a> {
    fn new(from: &'a Store, to: &'a Store, options: &'a CopyOptions) -> Self {
        let host = |store: &Store| match store.place() {
            Place::Repository { host, .. } => Some(host),
            _ => None,
        };
        let same = host(from).is_some() && host(from) == host(to);
        Self { from, to, mount: same.then_some(from), options, state: Mutex::default() }
    }

    fn finish(self, descriptor: Descriptor) -> Copied {
        let state = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let State { sent, skipped, bytes, referrers, .. } = state;
        Copied { descriptor, sent, skipped, bytes, referrers }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Copies a manifest or index after what it names, and what others say of it.
    fn manifest(&self, digest: Digest, depth: usize) -> BoxFuture<'_, Result<Raw, Error>> {
        Box::pin(async move {
            let raw = self.from.manifest(&digest).await?;
            self.count_manifest(&raw, depth)?;
            self.state().seen.insert(digest);
            let there = self.to.has_manifest(&digest).await?;
            match raw.parse()? {
                Parsed::Index(_) if there && !self.options.referrers => {}
                Parsed::Index(index) => {
                    for child in &index.manifests {
                        self.child(child, &raw, depth).await?;
                    }
                }
                Parsed::Manifest(manifest) if !there => self.blobs(&manifest).await?,
                Parsed::Manifest(manifest) => self.skip(&manifest),
            }
            self.put(&raw, there).await?;
            if self.options.referrers {
                self.referrers(&digest, depth).await?;
            }
            Ok(raw)
        })
    }

    fn count_manifest(&self, raw: &Raw, depth: usize) -> Result<(), Error> {
        let mut state = self.state();
        state.manifests += 1;
        let refuse = |reason: String| Error::Manifest { digest: raw.descriptor.digest, reason };
        if depth > DEEPEST {
            return Err(refuse(format!("it is nested more than {DEEPEST} levels deep")));
        }
        match state.manifests > MOST_MANIFESTS {
            true => Err(refuse(format!("it is one of more than {MOST_MANIFESTS}"))),
            false => Ok(()),
        }
    }

    /// Copies what an index names: nearly always manifests, but any content may be named.
    async fn child(&self, child: &Descriptor, parent: &Raw, depth: usize) -> Result<(), Error> {
        if !self.state().seen.insert(child.digest) {
            return Ok(());
        }
        let missing = |error| match error {
            Error::NotFound { what, place } => {
                let what = format!("{what}, which index {} names,", parent.descriptor.digest);
                Error::NotFound { what, place }
            }
            error => error,
        };
        self.manifest(child.digest, depth + 1).await.map(drop).map_err(missing)
    }

    /// Copies the configuration and layers that are not known to be there.
    async fn blobs(&self, manifest: &Manifest) -> Result<(), Error> {
        let blobs = std::iter::once(&manifest.config).chain(&manifest.layers);
        let mut sends: Vec<BoxFuture<'_, Result<(), Error>>> = Vec::new();
        for blob in blobs {
            if !is_foreign(blob) && self.state().seen.insert(blob.digest) {
                sends.push(Box::pin(self.blob(blob)));
            }
        }
        stream::iter(sends).buffer_unordered(PARALLEL).try_collect().await
    }

    async fn blob(&self, descriptor: &Descriptor) -> Result<(), Error> {
        let source = Stored { store: self.from, descriptor };
        let sent = send(self.to, descriptor, &source, self.mount, &self.options.watch).await?;
        self.count(&sent);
        Ok(())
    }

    /// Whoever has a manifest has what it names.
    fn skip(&self, manifest: &Manifest) {
        for blob in std::iter::once(&manifest.config).chain(&manifest.layers) {
            if self.state().seen.insert(blob.digest) {
                self.count(&Sent::There);
                self.options.watch.tell(Transfer::There { digest: blob.digest });
            }
        }
    }

    async fn put(&self, raw: &Raw, there: bool) -> Result<(), Error> {
        if there {
            self.count(&Sent::There);
            return Ok(());
        }
        self.to.put_manifest(raw, None).await?;
        self.count(&Sent::All(raw.descriptor.size));
        Ok(())
    }

    /// Copies what others say of a manifest: under the tags that cosign uses, and as its referrers.
    async fn referrers(&self, digest: &Digest, depth: usize) -> Result<(), Error> {
        for kind in SAYINGS {
            let tag = format!("sha256-{}.{kind}", digest.hex());
            let found = match self.from.resolve(&Selector::Tag(tag.clone())).await {
                Ok(found) => found,
                Err(Error::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            // Anybody can give such a tag to any manifest, even to this one.
            let new = self.state().seen.insert(found.digest);
            let raw = match new {
                true => self.manifest(found.digest, depth + 1).await?,
                false => self.from.manifest(&found.digest).await?,
            };
            self.to.put_manifest(&raw, Some(&tag)).await?;
            self.state().referrers += 1;
        }
        for referrer in self.from.referrers(digest).await? {
            if self.state().seen.insert(referrer.digest) {
                self.manifest(referrer.digest, depth + 1).await?;
                self.state().referrers += 1;
            }
        }
        Ok(())
    }

    fn count(&self, sent: &Sent) {
        let mut state = self.state();
        match sent {
            Sent::All(_) => state.sent += 1,
            Sent::There => state.skipped += 1,
        }
        state.bytes += sent.bytes();
    }
}

/// Layers that registries may not hand on are fetched elsewhere by those who run the image.
fn is_foreign(blob: &Descriptor) -> bool {
    blob.media_type.contains(".nondistributable.") || blob.media_type.contains(".foreign.")
}

/// What became of one blob.
pub(crate) enum Sent {
    /// It was sent, as many bytes.
    All(u64),
    /// It was there.
    There,
}

impl Sent {
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::All(bytes) => *bytes,
            Self::There => 0,
        }
    }
}

/// Sends a blob unless it is there.
pub(crate) async fn send(
    to: &Store,
    descriptor: &Descriptor,
    source: &dyn BlobSource,
    mount: Option<&Store>,
    watch: &Watch,
) -> Result<Sent, Error> {
    let digest = descriptor.digest;
    let watched = Watched { source, descriptor, watch, opened: AtomicBool::new(false) };
    if !to.put_blob(descriptor, &watched, mount).await? {
        watch.tell(Transfer::There { digest });
        return Ok(Sent::There);
    }
    watch.tell(Transfer::Done { digest });
    // What a registry takes over from another of its repositories does not move.
    let moved = watched.opened.into_inner();
    Ok(Sent::All(if moved { descriptor.size } else { 0 }))
}

/// Tells how much of a blob has been read.
struct Watched<'a> {
    source: &'a dyn BlobSource,
    descriptor: &'a Descriptor,
    watch: &'a Watch,
    opened: AtomicBool,
}

impl BlobSource for Watched<'_> {
    fn open(&self) -> BoxFuture<'_, Result<Blob, Error>> {
        if !self.opened.swap(true, Ordering::Relaxed) {
            let Descriptor { digest, size, .. } = *self.descriptor;
            self.watch.tell(Transfer::Begun { digest, size });
        }
        Box::pin(async { Ok(self.source.open().await?.watched(self.watch.clone())) })
    }
}

#[cfg(test)]
mod tests;
