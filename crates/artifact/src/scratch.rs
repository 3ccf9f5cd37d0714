//! Directories for tests.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use crate::{Layout, Store};

/// A directory that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = RandomState::new().build_hasher().finish();
        let path = std::env::temp_dir().join(format!("kelson-artifact-{number:016x}"));
        std::fs::create_dir(&path).expect("because the name is new");
        Self(path)
    }

    /// A layout in it: a tar file, if the name ends so.
    pub(crate) fn store(&self, name: &str) -> Store {
        let path = self.0.join(name);
        Store::Layout(match name.ends_with(".tar") {
            true => Layout::tar(&path),
            false => Layout::directory(&path),
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
