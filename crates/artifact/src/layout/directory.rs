//! A layout that is a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

use super::files::Lasts;
use super::{LONGEST, MARK, blob_path, check_mark, files, index};
use crate::blob::{Blob, BlobSource};
use crate::blocking::blocking;
use crate::manifest::Raw;
use crate::{Descriptor, Digest, Error, Index};

/// As much as moves at once.
const PIECE: usize = 256 << 10;

#[derive(Clone)]
pub(super) struct Directory {
    path: Arc<Path>,
    lasts: Lasts,
    /// Whether it was found or made ready for writing.
    ready: Arc<OnceLock<()>>,
}

impl Directory {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.into(), lasts: Lasts::Long, ready: Arc::default() }
    }

    /// A directory in which something else is put together.
    pub(super) fn stage(path: &Path) -> Self {
        Self { lasts: Lasts::Briefly, ..Self::new(path) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn index(&self) -> Result<Index, Error> {
        let path = Arc::clone(&self.path);
        blocking(move || match read_index(&path) {
            // Another program may be making the layout at this moment, and holds the lock while it does.
            Err(error @ Error::Layout { .. }) => match files::wait(&path.join(LOCK)) {
                true => read_index(&path),
                false => Err(error),
            },
            read => read,
        })
        .await
    }

    /// Reads a manifest, which is never long.
    pub(super) async fn small(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        let (path, name) = (Arc::clone(&self.path), blob_path(digest));
        blocking(move || files::read(&path, &name, LONGEST)).await
    }

    pub(super) async fn blob(&self, descriptor: &Descriptor) -> Result<Option<Blob>, Error> {
        let (path, name) = (Arc::clone(&self.path), blob_path(&descriptor.digest));
        let found = blocking(move || files::open(&path, &name)).await?;
        let Some((file, size)) = found else { return Ok(None) };
        if size != descriptor.size {
            let what = format!("blob {}", descriptor.digest);
            return Err(Error::Size { what, expected: descriptor.size, actual: size });
        }
        let file = tokio::fs::File::from_std(file);
        Ok(Some(Blob::new(descriptor.clone(), file)))
    }

    pub(super) async fn has_blob(&self, digest: &Digest) -> Result<bool, Error> {
        let (path, name) = (Arc::clone(&self.path), blob_path(digest));
        blocking(move || Ok(files::open(&path, &name)?.is_some())).await
    }

    pub(super) async fn put_blob(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
    ) -> Result<(), Error> {
        let target = self.prepare(&descriptor.digest).await?;
        let blob = source.open().await?;
        let (temporary, file) = {
            let target = target.clone();
            blocking(move || files::Temporary::file(&target)).await?
        };
        let mut file = tokio::fs::File::from_std(file);
        let mut blob = tokio::io::BufReader::with_capacity(PIECE, blob);
        loop {
            let piece = match blob.fill_buf().await {
                Ok([]) => break,
                Ok(piece) => piece,
                Err(error) => return Err(blob.get_ref().explain(error)),
            };
            file.write_all(piece).await.map_err(Error::io("write", &target))?;
            let length = piece.len();
            blob.consume(length);
        }
        file.flush().await.map_err(Error::io("write", &target))?;
        let (file, lasts) = (file.into_std().await, self.lasts);
        // The name is on the disk when that of the manifest is, which comes into the same directory.
        blocking(move || temporary.keep(&file, &target, lasts)).await
    }

    pub(super) async fn put_manifest(&self, raw: &Raw, tag: Option<&str>) -> Result<(), Error> {
        let target = self.prepare(&raw.descriptor.digest).await?;
        let (path, raw, tag) = (Arc::clone(&self.path), raw.clone(), tag.map(str::to_owned));
        let lasts = self.lasts;
        blocking(move || {
            files::write(&target, &raw.bytes, lasts)?;
            let _lock = lock(&path)?;
            let mut index = read_index(&path)?;
            index::put(&mut index, &raw, tag.as_deref());
            write_index(&path, &index, lasts)
        })
        .await
    }

    /// Makes the layout where there is none, and says where a blob goes.
    async fn prepare(&self, digest: &Digest) -> Result<PathBuf, Error> {
        let target = self.path.join(blob_path(digest));
        if self.ready.get().is_none() {
            let (path, lasts) = (Arc::clone(&self.path), self.lasts);
            blocking(move || prepare(&path, lasts)).await?;
            let _ = self.ready.set(());
        }
        Ok(target)
    }
}

fn refuse(path: &Path, reason: impl Into<String>) -> Error {
    Error::Layout { path: path.to_owned(), reason: reason.into() }
}

const LOCK: &str = "index.json.lock";

/// Whoever changes the index holds this.
pub(super) fn lock(path: &Path) -> Result<fs::File, Error> {
    files::lock(&path.join(LOCK))
}

pub(super) fn read_index(path: &Path) -> Result<Index, Error> {
    match files::read(path, "index.json", LONGEST)? {
        Some(content) => {
            check(path)?;
            index::parse(&content).map_err(|reason| refuse(path, reason))
        }
        None if is_empty(path)? => Ok(index::empty()),
        None => Err(refuse(path, "it has no `index.json`")),
    }
}

pub(super) fn write_index(path: &Path, index: &Index, lasts: Lasts) -> Result<(), Error> {
    let content = index::write(index);
    if content.len() as u64 > LONGEST {
        return Err(refuse(path, "its `index.json` would become too long"));
    }
    files::write(&path.join("index.json"), &content, lasts)
}

/// Checks that a directory is a layout.
fn check(path: &Path) -> Result<(), Error> {
    let mark = files::read(path, "oci-layout", LONGEST)?;
    let mark = mark.ok_or_else(|| refuse(path, "it has no `oci-layout`"))?;
    check_mark(&mark).map_err(|reason| refuse(path, reason))
}

/// Makes a directory a layout, unless it holds something else.
fn prepare(path: &Path, lasts: Lasts) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::io("create", path))?;
    if !is_ours(path)? {
        return Err(refuse(path, "it is neither empty nor an image layout"));
    }
    let _lock = lock(path)?;
    let blobs = path.join("blobs");
    for directory in [&blobs, &blobs.join("sha256")] {
        fs::create_dir(directory).or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(Error::io("create", directory)(error)),
        })?;
        let metadata = fs::symlink_metadata(directory).map_err(Error::io("read", directory))?;
        if !metadata.is_dir() {
            return Err(refuse(path, "its `blobs` are not a directory"));
        }
    }
    if files::read(path, "index.json", LONGEST)?.is_none() {
        write_index(path, &index::empty(), lasts)?;
    }
    match files::read(path, "oci-layout", LONGEST)? {
        Some(_) => check(path),
        None => files::write(&path.join("oci-layout"), MARK.as_bytes(), lasts),
    }
}

/// Whether nothing is in a directory but what a layout has. Another program may be making the same layout at this moment.
fn is_ours(path: &Path) -> Result<bool, Error> {
    // The mark itself may appear between two looks.
    let known = |name: &str| matches!(name, LOCK | "blobs" | "index.json" | "oci-layout");
    let marked = path.join("oci-layout").exists();
    Ok(marked || entries(path)?.iter().all(|name| known(name) || name.ends_with(".tmp")))
}

fn is_empty(path: &Path) -> Result<bool, Error> {
    Ok(entries(path)?.iter().all(|name| name == LOCK || name.ends_with(".tmp")))
}

/// The names in a directory; none, where there is no directory.
fn entries(path: &Path) -> Result<Vec<String>, Error> {
    let listed = match fs::read_dir(path) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let names = listed.take(1000).map(|entry| entry.map(name));
    names.collect::<Result<_, _>>().map_err(Error::io("read", path))
}
