//! Where artifacts are kept: a registry's repository or an image layout, used in the same way.

use futures_util::future::BoxFuture;

use crate::blob::{Blob, BlobSource};
use crate::layout::{Batch, Layout};
use crate::manifest::{Descriptor, Raw};
use crate::reference::{Place, Reference, Selector};
use crate::registry::{Client, Repository};
use crate::{Digest, Error};

/// A repository or a layout.
#[derive(Clone)]
pub enum Store {
    /// A repository of a registry.
    Repository(Repository),
    /// An image layout, as a directory or a tar file.
    Layout(Layout),
}

impl Store {
    /// Opens the place that a reference names. Nothing is read or written yet.
    pub fn open(place: &Place, client: &Client) -> Self {
        match place {
            Place::Repository { host, name } => Self::Repository(client.repository(host, name)),
            Place::Directory(path) => Self::Layout(Layout::directory(path)),
            Place::Tar(path) => Self::Layout(Layout::tar(path)),
        }
    }

    /// Finds what a reference means now.
    pub async fn find(&self, reference: &Reference) -> Result<Descriptor, Error> {
        self.resolve(&reference.selector()).await
    }

    /// Finds what a tag or digest means now; a registry is asked by HEAD.
    pub async fn resolve(&self, selector: &Selector) -> Result<Descriptor, Error> {
        match self {
            Self::Repository(repository) => repository.resolve(selector).await,
            Self::Layout(layout) => layout.resolve(selector).await,
        }
    }

    /// Reads what a reference means now, in one step.
    pub async fn read(&self, reference: &Reference) -> Result<Raw, Error> {
        let selector = reference.selector();
        match self {
            Self::Repository(repository) => repository.fetch(&selector).await,
            Self::Layout(layout) => {
                let found = layout.resolve(&selector).await?;
                layout.manifest(&found.digest).await
            }
        }
    }

    /// Reads a manifest or index, checked against its digest and no longer than
    /// [`crate::manifest::LARGEST_MANIFEST`].
    pub async fn manifest(&self, digest: &Digest) -> Result<Raw, Error> {
        match self {
            Self::Repository(repository) => repository.manifest(digest).await,
            Self::Layout(layout) => layout.manifest(digest).await,
        }
    }

    /// Begins to read a blob.
    pub async fn blob(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        match self {
            Self::Repository(repository) => repository.blob(descriptor).await,
            Self::Layout(layout) => layout.blob(descriptor).await,
        }
    }

    /// Whether a blob is there.
    pub async fn has_blob(&self, digest: &Digest) -> Result<bool, Error> {
        match self {
            Self::Repository(repository) => repository.has_blob(digest).await,
            Self::Layout(layout) => layout.has_blob(digest).await,
        }
    }

    /// Whether a manifest is there.
    pub async fn has_manifest(&self, digest: &Digest) -> Result<bool, Error> {
        match self.resolve(&Selector::Digest(*digest)).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Stores a blob unless it is there, and says whether it was not. `from` is another store of the same registry that has
    /// it already, where one is known.
    pub async fn put_blob(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
        from: Option<&Self>,
    ) -> Result<bool, Error> {
        match (self, from) {
            (Self::Repository(repository), Some(Self::Repository(from))) => {
                repository.put_blob(descriptor, source, Some(from)).await
            }
            (Self::Repository(repository), _) => {
                repository.put_blob(descriptor, source, None).await
            }
            (Self::Layout(layout), _) => {
                let missing = !layout.has_blob(&descriptor.digest).await?;
                if missing {
                    layout.put_blob(descriptor, source).await?;
                }
                Ok(missing)
            }
        }
    }

    /// Stores a manifest or index byte for byte, under its digest or a tag. What it names must be there already.
    pub async fn put_manifest(&self, raw: &Raw, tag: Option<&str>) -> Result<(), Error> {
        match self {
            Self::Repository(repository) => repository.put_manifest(raw, tag).await,
            Self::Layout(layout) => layout.put_manifest(raw, tag).await,
        }
    }

    /// All tags, in order.
    pub async fn tags(&self) -> Result<Vec<String>, Error> {
        match self {
            Self::Repository(repository) => repository.tags().await,
            Self::Layout(layout) => layout.tags().await,
        }
    }

    /// The manifests that say something about this one.
    pub async fn referrers(&self, digest: &Digest) -> Result<Vec<Descriptor>, Error> {
        match self {
            Self::Repository(repository) => repository.referrers(digest).await,
            Self::Layout(layout) => layout.referrers(digest).await,
        }
    }

    /// Puts off the writing of a layout's tar file until the batch is finished.
    pub(crate) fn batch(&self) -> Batch {
        match self {
            Self::Repository(_) => Batch::default(),
            Self::Layout(layout) => layout.batch(),
        }
    }

    /// The place as people name it.
    pub fn place(&self) -> Place {
        match self {
            Self::Repository(repository) => repository.place(),
            Self::Layout(layout) => layout.place(),
        }
    }
}

/// A blob in a store, to be put into another.
pub struct Stored<'a> {
    /// Where it is.
    pub store: &'a Store,
    /// Which it is.
    pub descriptor: &'a Descriptor,
}

impl BlobSource for Stored<'_> {
    fn open(&self) -> BoxFuture<'_, Result<Blob, Error>> {
        Box::pin(self.store.blob(self.descriptor))
    }
}
