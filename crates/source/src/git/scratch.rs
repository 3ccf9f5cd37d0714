//! A directory for the time of a transfer.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that nobody else can read, gone when dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(workspace: Option<&Path>) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        use std::os::unix::fs::DirBuilderExt;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("kelson-git-{}-{number}", std::process::id());
            let path = workspace.map_or_else(std::env::temp_dir, Path::to_owned).join(name);
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                // Left over by a process of the same number that was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The other side may still be writing for a moment.
        for _ in 0..10 {
            match std::fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                _ => return,
            }
        }
    }
}
