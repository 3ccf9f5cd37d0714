//! Files that are whole or not there at all.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::Error;

/// A file or directory under a name of its own, removed unless it is given its final name.
pub(super) struct Temporary {
    path: PathBuf,
    kept: bool,
}

impl Temporary {
    /// Makes a file beside the one it is to become.
    pub(super) fn file(target: &Path) -> Result<(Self, File), Error> {
        let path = beside(target);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(Error::io("create", &path))?;
        Ok((Self { path, kept: false }, file))
    }

    /// Makes a directory beside a file.
    pub(super) fn directory(target: &Path) -> Result<Self, Error> {
        let path = beside(target);
        fs::create_dir(&path).map_err(Error::io("create", &path))?;
        Ok(Self { path, kept: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives a file its final name, for what lasts after all of it is on the disk. The name itself may not be, until
    /// something calls [`sync_parent`].
    pub(super) fn keep(mut self, file: &File, target: &Path, lasts: Lasts) -> Result<(), Error> {
        if lasts == Lasts::Long {
            file.sync_all().map_err(Error::io("write", &self.path))?;
        }
        fs::rename(&self.path, target).map_err(Error::io("write", target))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // Whatever stays behind has a name that nobody looks for.
            let _ = fs::remove_file(&self.path).or_else(|_| fs::remove_dir_all(&self.path));
        }
    }
}

/// A name in the same directory that nobody else has.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = RandomState::new().build_hasher().finish();
    target.with_file_name(format!(".{name}.{number:016x}.tmp"))
}

/// A new name is on the disk when its directory is.
pub(super) fn sync_parent(target: &Path) -> Result<(), Error> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Not every system can open a directory, and then there is nothing to be done.
    match File::open(parent) {
        Ok(directory) => directory.sync_all().map_err(Error::io("write", parent)),
        Err(_) => Ok(()),
    }
}

/// Whether something is to be there after a power failure.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lasts {
    /// It is.
    Long,
    /// It goes away with the program.
    Briefly,
}

/// Writes a whole file in the place of whatever was there.
pub(super) fn write(target: &Path, content: &[u8], lasts: Lasts) -> Result<(), Error> {
    let (temporary, mut file) = Temporary::file(target)?;
    file.write_all(content).map_err(Error::io("write", target))?;
    temporary.keep(&file, target, lasts)?;
    if lasts == Lasts::Long { sync_parent(target) } else { Ok(()) }
}

/// Holds a lock until it is dropped. The file stays: removing it would let two hold it at once.
pub(super) fn lock(path: &Path) -> Result<File, Error> {
    // Opening a link would make a file wherever it leads, and opening a pipe would never end.
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        let reason = "its lock is not a regular file".to_owned();
        return Err(Error::Layout { path: path.to_owned(), reason });
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(Error::io("create", path))?;
    file.lock().map_err(Error::io("lock", path))?;
    Ok(file)
}

/// Waits until nobody holds a lock, and says whether there is one.
pub(super) fn wait(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_file && File::open(path).is_ok_and(|file| file.lock_shared().is_ok())
}

/// Opens a file below `root`, where one is. Links are not followed: they could lead anywhere.
pub(super) fn open(root: &Path, name: &str) -> Result<Option<(File, u64)>, Error> {
    let mut path = root.to_owned();
    for part in name.split('/') {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => return Err(unusual(root, name, "a link")),
            Ok(_) => {}
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(Error::io("read", &path)(error)),
        }
    }
    let metadata = fs::symlink_metadata(&path).map_err(Error::io("read", &path))?;
    if !metadata.is_file() {
        return Err(unusual(root, name, "not a regular file"));
    }
    let file = File::open(&path).map_err(Error::io("read", &path))?;
    Ok(Some((file, metadata.len())))
}

/// Reads a file of at most `most` bytes, where one is.
pub(super) fn read(root: &Path, name: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
    let Some((file, length)) = open(root, name)? else { return Ok(None) };
    let mut content = Vec::with_capacity(length.min(most) as usize);
    let mut file = file.take(most + 1);
    file.read_to_end(&mut content).map_err(Error::io("read", &root.join(name)))?;
    if content.len() as u64 > most {
        return Err(unusual(root, name, &format!("longer than {most} bytes")));
    }
    Ok(Some(content))
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unusual(root: &Path, name: &str, what: &str) -> Error {
    Error::Layout { path: root.to_owned(), reason: format!("its `{name}` is {what}") }
}
