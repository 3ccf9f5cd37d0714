//! A layout that is in memory: one that was enclosed in bytes, and can only be read.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kelson_model::{MemoryTree, Tree};

use super::{LONGEST, blob_path, check_mark, index};
use crate::archive::{Limits, read_archive};
use crate::{Blob, Descriptor, Digest, Error, Index};

#[derive(Clone)]
pub(super) struct Memory {
    /// What it is called where something is wrong with it.
    name: Arc<Path>,
    files: Arc<MemoryTree>,
}

impl Memory {
    pub(super) fn open(name: &str, archive: &[u8], limits: &Limits) -> Result<Self, Error> {
        let files = Arc::new(read_archive(archive, limits)?);
        Ok(Self { name: PathBuf::from(name).into(), files })
    }

    pub(super) fn path(&self) -> &Path {
        &self.name
    }

    pub(super) fn index(&self) -> Result<Index, Error> {
        let need =
            |name: &str| self.read(name)?.ok_or_else(|| self.refuse(format!("it has no `{name}`")));
        check_mark(&need("oci-layout")?).map_err(|reason| self.refuse(reason))?;
        index::parse(&need("index.json")?).map_err(|reason| self.refuse(reason))
    }

    pub(super) fn small(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.read(&blob_path(digest))?.map(|content| content.to_vec()))
    }

    pub(super) fn blob(&self, descriptor: &Descriptor) -> Option<Blob> {
        let content = self.files.read(&blob_path(&descriptor.digest)).ok()?;
        Some(Blob::new(descriptor.clone(), Cursor::new(content)))
    }

    pub(super) fn has_blob(&self, digest: &Digest) -> bool {
        self.files.read(&blob_path(digest)).is_ok()
    }

    /// What every attempt to write comes to.
    pub(super) fn written(&self) -> Error {
        self.refuse("it is only read".to_owned())
    }

    fn read(&self, name: &str) -> Result<Option<Arc<[u8]>>, Error> {
        match self.files.read(name) {
            Ok(content) if content.len() as u64 > LONGEST => {
                Err(self.refuse(format!("its `{name}` is longer than {LONGEST} bytes")))
            }
            found => Ok(found.ok()),
        }
    }

    fn refuse(&self, reason: String) -> Error {
        Error::Layout { path: self.name.to_path_buf(), reason }
    }
}
