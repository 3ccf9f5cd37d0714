//! The file system as a tree.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kelson_model::{Entry, FileKind, Tree, TreeError};

/// A file larger than this is refused: spans count bytes in 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// A directory with more entries than this is refused.
const MOST: usize = 1_000_000;

/// The files on disk, all of them or those below one directory.
///
/// Paths in the tree are paths on disk with the directory's own path taken off. Links are followed, but not out of
/// the directory. Only regular files can be read: a pipe or a device would never end.
#[derive(Debug)]
pub struct DirectoryTree {
    root: PathBuf,
    /// Directories that were asked for, with all links followed: most files lie beside one that was resolved before.
    directories: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl DirectoryTree {
    /// The whole file system: paths in the tree are absolute paths on disk.
    pub fn whole() -> Self {
        Self::new(PathBuf::from("/"))
    }

    /// The files below a directory.
    pub fn below(directory: &Path) -> io::Result<Self> {
        Ok(Self::new(directory.canonicalize()?))
    }

    fn new(root: PathBuf) -> Self {
        Self { root, directories: Mutex::default() }
    }

    fn on_disk(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The path on disk of what may be opened. Nothing leads out of the whole file system.
    fn inside(&self, path: &str) -> Result<PathBuf, TreeError> {
        match self.root.parent() {
            None => Ok(self.on_disk(path)),
            Some(_) => Ok(self.on_disk(&self.resolve(path)?.path)),
        }
    }

    /// The path on disk with all links followed, and what is there.
    fn follow(&self, path: &Path) -> io::Result<(PathBuf, fs::Metadata)> {
        if let (Some(parent), Some(name)) = (path.parent(), plain_name(path)) {
            let real = self.directory(parent)?.join(name);
            let metadata = fs::symlink_metadata(&real)?;
            if !metadata.is_symlink() {
                return Ok((real, metadata));
            }
        }
        let real = path.canonicalize()?;
        let metadata = fs::metadata(&real)?;
        Ok((real, metadata))
    }

    /// A directory with all links followed.
    fn directory(&self, path: &Path) -> io::Result<PathBuf> {
        let known = || self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(real) = known().get(path) {
            return Ok(real.clone());
        }
        let real = path.canonicalize()?;
        known().insert(path.to_owned(), real.clone());
        Ok(real)
    }
}

/// The last part of a path that ends in a name, and not in `..` or a slash.
fn plain_name(path: &Path) -> Option<&OsStr> {
    let name = path.file_name()?;
    let ends = |whole: &OsStr| whole.as_encoded_bytes().ends_with(name.as_encoded_bytes());
    ends(path.as_os_str()).then_some(name)
}

impl Tree for DirectoryTree {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        let path = self.inside(path)?;
        // Asked before it is opened: to open a pipe is to wait for whoever writes to it.
        let metadata = fs::metadata(&path).map_err(translate)?;
        if metadata.is_dir() {
            return Err(TreeError::Unreadable("is a directory".to_owned()));
        }
        if !metadata.is_file() {
            return Err(TreeError::Unreadable("is not a regular file".to_owned()));
        }
        if metadata.len() > LARGEST {
            return Err(TreeError::Unreadable("has more than 4 GiB".to_owned()));
        }
        let file = fs::File::open(&path).map_err(translate)?;
        // Who has the length need not ask for the end. The files in which a system shows itself have none to give.
        let limit = if metadata.len() == 0 { LARGEST } else { metadata.len() };
        let mut content = Vec::with_capacity(metadata.len() as usize);
        file.take(limit).read_to_end(&mut content).map_err(translate)?;
        Ok(content.into())
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let (real, metadata) = self.follow(&self.on_disk(path)).map_err(translate)?;
        let inside = real
            .strip_prefix(&self.root)
            .map_err(|_| TreeError::Unreadable("leads out of the tree".to_owned()))?;
        let Some(inside) = inside.to_str() else {
            return Err(TreeError::Unreadable("has a name that is not UTF-8".to_owned()));
        };
        let kind = if metadata.is_dir() { FileKind::Directory } else { FileKind::File };
        Ok(Entry { path: format!("/{inside}"), kind })
    }

    fn list(&self, path: &str) -> Result<Vec<String>, TreeError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.inside(path)?).map_err(translate)? {
            let name = entry.map_err(translate)?.file_name().into_string().map_err(|name| {
                let shown = name.to_string_lossy();
                TreeError::Unreadable(format!("the name of `{shown}` in it is not UTF-8"))
            })?;
            if names.len() == MOST {
                return Err(TreeError::Unreadable(format!("holds more than {MOST} files")));
            }
            names.push(name);
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// Words an error as the operating system does, since scripts know those words.
fn translate(error: io::Error) -> TreeError {
    match error.kind() {
        io::ErrorKind::NotFound => TreeError::NotFound,
        io::ErrorKind::PermissionDenied => TreeError::Unreadable("permission denied".to_owned()),
        io::ErrorKind::NotADirectory => TreeError::Unreadable("not a directory".to_owned()),
        _ => TreeError::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of one test, gone afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("kelson-{}-{name}", std::process::id()));
            fs::create_dir_all(path.join("inside")).unwrap();
            fs::write(path.join("secret"), "s").unwrap();
            fs::write(path.join("inside/a.yaml"), "a: 1\n").unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn links_are_followed_but_not_out_of_the_directory() {
        let scratch = Scratch::new("links");
        let inside = scratch.0.join("inside");
        std::os::unix::fs::symlink("a.yaml", inside.join("b.yaml")).unwrap();
        std::os::unix::fs::symlink("../secret", inside.join("c.yaml")).unwrap();
        std::os::unix::fs::symlink("d.yaml", inside.join("d.yaml")).unwrap();
        let tree = DirectoryTree::below(&inside).unwrap();
        assert_eq!(&*tree.read("/b.yaml").unwrap(), b"a: 1\n");
        assert_eq!(tree.resolve("/b.yaml").unwrap().path, "/a.yaml");
        let message = |path: &str| tree.read(path).unwrap_err().to_string();
        assert_eq!(message("/c.yaml"), "leads out of the tree");
        assert_eq!(message("/../secret"), "leads out of the tree");
        assert!(message("/d.yaml").contains("levels of symbolic links"));
        assert_eq!(message("/e.yaml"), "no such file or directory");
        assert_eq!(message("/"), "is a directory");
    }

    #[test]
    fn what_never_ends_is_not_read() {
        let tree = DirectoryTree::whole();
        let message = tree.read("/dev/zero").unwrap_err().to_string();
        assert_eq!(message, "is not a regular file");
    }
}
