//! A layout that is a tar file.
//!
//! What is written is staged in a directory beside it. When a manifest comes, file and stage become one new file, which
//! takes the place of the old one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::io::{AsyncReadExt, AsyncSeekExt};

use super::directory::{self, Directory};
use super::files::{self, Lasts, Temporary};
use super::{LONGEST, MARK, blob_path, check_mark, index};
use crate::archive::{Entries, Item, Limits, Skip, Writer};
use crate::blob::{Blob, BlobSource};
use crate::blocking::blocking;
use crate::manifest::Raw;
use crate::{Descriptor, Digest, Error, Index};

#[derive(Clone)]
pub(super) struct Tarball {
    path: Arc<Path>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What is in the file, as of some state of it.
    contents: Mutex<Option<(State, Arc<Contents>)>>,
    stage: Mutex<Option<Stage>>,
    /// How many put off the writing.
    held: AtomicUsize,
}

/// What tells one state of a file from another.
type State = (u64, Option<SystemTime>);

/// Where in the file each of its files begins, and how long it is.
type Contents = BTreeMap<String, (u64, u64)>;

struct Stage {
    directory: Directory,
    _temporary: Temporary,
}

impl Tarball {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.into(), shared: Arc::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn index(&self) -> Result<Index, Error> {
        let this = self.clone();
        let mut index = blocking(move || this.read_index()).await?;
        if let Some(stage) = self.staged() {
            index::merge(&mut index, stage.index().await?);
        }
        Ok(index)
    }

    pub(super) async fn small(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        if let Some(stage) = self.staged()
            && let Some(found) = stage.small(digest).await?
        {
            return Ok(Some(found));
        }
        let (this, name) = (self.clone(), blob_path(digest));
        blocking(move || this.read(&name)).await
    }

    pub(super) async fn blob(&self, descriptor: &Descriptor) -> Result<Option<Blob>, Error> {
        if let Some(stage) = self.staged()
            && let Some(found) = stage.blob(descriptor).await?
        {
            return Ok(Some(found));
        }
        let (this, name) = (self.clone(), blob_path(&descriptor.digest));
        let found = blocking(move || this.open(&name)).await?;
        let Some((file, offset, size)) = found else { return Ok(None) };
        let mut file = tokio::fs::File::from_std(file);
        let found = file.seek(SeekFrom::Start(offset)).await;
        found.map_err(Error::io("read", &self.path))?;
        Ok(Some(Blob::new(descriptor.clone(), file.take(size))))
    }

    pub(super) async fn has_blob(&self, digest: &Digest) -> Result<bool, Error> {
        if let Some(stage) = self.staged()
            && stage.has_blob(digest).await?
        {
            return Ok(true);
        }
        let (this, name) = (self.clone(), blob_path(digest));
        blocking(move || Ok(this.open(&name)?.is_some())).await
    }

    pub(super) async fn put_blob(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
    ) -> Result<(), Error> {
        self.stage()?.put_blob(descriptor, source).await
    }

    pub(super) async fn put_manifest(&self, raw: &Raw, tag: Option<&str>) -> Result<(), Error> {
        self.stage()?.put_manifest(raw, tag).await?;
        match self.shared.held.load(Ordering::SeqCst) {
            0 => self.commit().await,
            _ => Ok(()),
        }
    }

    pub(super) fn batch(&self) -> Batch {
        self.shared.held.fetch_add(1, Ordering::SeqCst);
        Batch(Some(self.clone()))
    }

    fn staged(&self) -> Option<Directory> {
        lock(&self.shared.stage).as_ref().map(|stage| stage.directory.clone())
    }

    fn stage(&self) -> Result<Directory, Error> {
        let mut stage = lock(&self.shared.stage);
        if let Some(stage) = stage.as_ref() {
            return Ok(stage.directory.clone());
        }
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        let temporary = Temporary::directory(&self.path)?;
        let directory = Directory::stage(temporary.path());
        *stage = Some(Stage { directory: directory.clone(), _temporary: temporary });
        Ok(directory)
    }

    /// Writes file and stage as one new file.
    async fn commit(&self) -> Result<(), Error> {
        let (this, Some(stage)) = (self.clone(), self.staged()) else { return Ok(()) };
        blocking(move || {
            let staged = stage.path();
            // Others may be staging at this moment: their manifests wait, and of blobs only those that were seen here are
            // taken away.
            let _lock = directory::lock(staged)?;
            let listed = directory::read_index(staged)?;
            let blobs = staged_blobs(staged)?;
            if listed.manifests.is_empty() {
                return Ok(());
            }
            this.write(listed, &blobs)?;
            directory::write_index(staged, &index::empty(), Lasts::Briefly)?;
            blobs
                .values()
                .try_for_each(|path| fs::remove_file(path).map_err(Error::io("remove", path)))
        })
        .await
    }

    fn write(&self, staged: Index, blobs: &BTreeMap<String, PathBuf>) -> Result<(), Error> {
        let _lock = files::lock(&hidden(&self.path))?;
        let mut index = self.read_index()?;
        index::merge(&mut index, staged);
        let index = index::write(&index);
        if index.len() as u64 > LONGEST {
            return Err(self.refuse("its `index.json` would become too long"));
        }
        let (temporary, file) = Temporary::file(&self.path)?;
        let mut writer = Writer::new(io::BufWriter::with_capacity(1 << 20, &file));
        let wrong = |error| Error::io("write", &self.path)(error);
        for (path, content) in [("oci-layout", MARK.as_bytes()), ("index.json", &index)] {
            writer.item(&Item { path, mode: 0o644, content: Some(content) }).map_err(wrong)?;
        }
        for (name, source) in self.blobs(blobs)? {
            let (mut content, size) = source.open(&self.path)?;
            writer.stream(&name, size, &mut content).map_err(wrong)?;
        }
        let buffer = writer.finish().map_err(wrong)?;
        buffer.into_inner().map_err(|error| wrong(error.into_error()))?;
        temporary.keep(&file, &self.path, Lasts::Long)?;
        files::sync_parent(&self.path)
    }

    /// All blobs of file and stage, in the order of their digests.
    fn blobs(&self, staged: &BTreeMap<String, PathBuf>) -> Result<BTreeMap<String, Source>, Error> {
        let mut blobs = BTreeMap::new();
        for (name, (offset, size)) in self.contents()?.iter().flat_map(|contents| contents.iter()) {
            if name.starts_with("blobs/") {
                blobs.insert(name.clone(), Source::Old(*offset, *size));
            }
        }
        let staged = staged.iter().map(|(name, path)| (name.clone(), Source::Staged(path.clone())));
        blobs.extend(staged);
        Ok(blobs)
    }

    fn read_index(&self) -> Result<Index, Error> {
        if self.contents()?.is_none() {
            return Ok(index::empty());
        }
        let need = |name: &str| {
            let missing = || self.refuse(&format!("it has no `{name}`"));
            self.read(name)?.ok_or_else(missing)
        };
        check_mark(&need("oci-layout")?).map_err(|reason| self.refuse(&reason))?;
        index::parse(&need("index.json")?).map_err(|reason| self.refuse(&reason))
    }

    /// Reads a short file out of the tar file.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some((mut file, offset, size)) = self.open(name)? else { return Ok(None) };
        if size > LONGEST {
            return Err(self.refuse(&format!("its `{name}` is longer than {LONGEST} bytes")));
        }
        let mut content = Vec::with_capacity(size as usize);
        let read = file.seek(SeekFrom::Start(offset));
        let read = read.and_then(|_| file.take(size).read_to_end(&mut content));
        read.map_err(Error::io("read", &self.path))?;
        Ok(Some(content))
    }

    /// Opens the tar file for a file in it: where that begins, and how long it is.
    fn open(&self, name: &str) -> Result<Option<(File, u64, u64)>, Error> {
        let Some(contents) = self.contents()? else { return Ok(None) };
        let Some((offset, size)) = contents.get(name) else { return Ok(None) };
        let file = File::open(&self.path).map_err(Error::io("read", &self.path))?;
        Ok(Some((file, *offset, *size)))
    }

    /// What is in the file, if there is one.
    fn contents(&self) -> Result<Option<Arc<Contents>>, Error> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if files::is_absent(&error) => return Ok(None),
            Err(error) => return Err(Error::io("read", &self.path)(error)),
        };
        let metadata = file.metadata().map_err(Error::io("read", &self.path))?;
        if !metadata.is_file() {
            return Err(self.refuse("it is not a regular file"));
        }
        let state = (metadata.len(), metadata.modified().ok());
        let mut known = lock(&self.shared.contents);
        if let Some((seen, contents)) = known.as_ref()
            && *seen == state
        {
            return Ok(Some(Arc::clone(contents)));
        }
        let contents =
            scan(file, metadata.len()).map_err(|error| self.refuse(&error.to_string()))?;
        let contents = Arc::new(contents);
        *known = Some((state, Arc::clone(&contents)));
        Ok(Some(contents))
    }

    fn refuse(&self, reason: &str) -> Error {
        Error::Layout { path: self.path.to_path_buf(), reason: reason.to_owned() }
    }
}

/// The blobs in a stage that are whole.
fn staged_blobs(staged: &Path) -> Result<BTreeMap<String, PathBuf>, Error> {
    let folder = staged.join("blobs/sha256");
    let mut blobs = BTreeMap::new();
    for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
        let entry = entry.map_err(Error::io("read", &folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            blobs.insert(format!("blobs/sha256/{name}"), entry.path());
        }
    }
    Ok(blobs)
}

/// Where a blob of a new tar file comes from.
enum Source {
    Old(u64, u64),
    Staged(PathBuf),
}

impl Source {
    fn open(&self, old: &Path) -> Result<(Box<dyn Read>, u64), Error> {
        let path = match self {
            Self::Old(..) => old,
            Self::Staged(path) => path,
        };
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        match self {
            Self::Old(offset, size) => {
                file.seek(SeekFrom::Start(*offset)).map_err(Error::io("read", path))?;
                Ok((Box::new(file.take(*size)), *size))
            }
            Self::Staged(_) => {
                let size = file.metadata().map_err(Error::io("read", path))?.len();
                Ok((Box::new(file), size))
            }
        }
    }
}

/// Passes through the headers of a tar file.
fn scan(file: File, length: u64) -> Result<Contents, Error> {
    let limits = Limits { entries: 200_000, ..Limits::default() };
    let mut entries = Entries::new(Seeking { file: BufReader::new(file), at: 0, length }, &limits);
    let mut contents = Contents::new();
    while let Some(entry) = entries.next()? {
        if !entry.directory {
            contents.insert(entry.path, (entry.offset, entry.size));
        }
    }
    Ok(contents)
}

/// A file in which content is passed over without being read.
struct Seeking {
    file: BufReader<File>,
    at: u64,
    length: u64,
}

impl Read for Seeking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Skip for Seeking {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let end = self.at.checked_add(bytes).filter(|end| *end <= self.length);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.file.seek_relative((end - self.at) as i64)?;
        self.at = end;
        Ok(())
    }
}

/// While it lives, a tar file is not written.
#[derive(Default)]
pub(crate) struct Batch(Option<Tarball>);

impl Batch {
    /// Writes what has come together, unless somebody else still puts it off.
    pub(crate) async fn finish(mut self) -> Result<(), Error> {
        let Some(tarball) = self.0.take() else { return Ok(()) };
        match tarball.shared.held.fetch_sub(1, Ordering::SeqCst) {
            1 => tarball.commit().await,
            _ => Ok(()),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(tarball) = &self.0 {
            tarball.shared.held.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The lock beside a tar file.
fn hidden(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!(".{name}.lock"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
