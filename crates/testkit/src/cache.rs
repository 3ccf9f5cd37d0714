//! Where things that take long to make are kept, outside the work tree.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::Error;

/// The folder for things that take long to make: `$KELSON_CACHE`, else `kelson` in the user's cache folder.
pub fn directory() -> Result<PathBuf, Error> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("KELSON_CACHE")
        .map(PathBuf::from)
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| PathBuf::from(cache).join("kelson")))
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache/kelson")))
        .ok_or_else(|| {
            Error::Missing("no folder for built programs: set KELSON_CACHE or HOME".to_owned())
        })
}

/// Returns the folder `name` of the cache, made by `make` if it is not there yet.
///
/// `make` fills a folder of another name that is renamed when complete, so an interrupted or failed run leaves
/// nothing behind under the final name. Of two processes that ask at once, one makes and the other waits.
pub fn get_or_make(
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<PathBuf, Error> {
    let cache = directory()?;
    let wanted = cache.join(name);
    if wanted.is_dir() {
        return Ok(wanted);
    }
    let parent = wanted.parent().unwrap_or(&cache);
    fs::create_dir_all(parent).map_err(Error::at(parent))?;
    let lock_path = wanted.with_added_extension("lock");
    let lock = File::create(&lock_path).map_err(Error::at(&lock_path))?;
    lock.lock().map_err(Error::at(&lock_path))?;
    if wanted.is_dir() {
        return Ok(wanted);
    }
    let partial = wanted.with_added_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(Error::at(&partial))?;
    }
    fs::create_dir_all(&partial).map_err(Error::at(&partial))?;
    if let Err(error) = make(&partial) {
        fs::remove_dir_all(&partial).ok();
        return Err(error);
    }
    fs::rename(&partial, &wanted).map_err(Error::at(&wanted))?;
    Ok(wanted)
}
