//! Tar archives: written so that the same files give the same bytes, read with suspicion.

mod expand; // gzip, zstd or neither
mod header; // the 512 bytes before each entry
mod limits; // how much an archive may ask for
mod name; // which names entries may have
mod read; // entries, one after the other
mod write; // the same files, the same bytes

pub use limits::Limits;
pub(crate) use name::{Names, clean as clean_name};
pub(crate) use read::{Entries, Skip};
pub(crate) use write::{Compression, Item, Layer, Writer, layer};

use kelson_model::MemoryTree;

use crate::Error;

/// Reads an archive, compressed by gzip, zstd or not at all, into a tree in memory. Nothing is ever written to disk.
///
/// Only regular files and directories are accepted, under names that mean the same file wherever they are unpacked; what
/// exceeds `limits` is refused while it is read. The content must have been checked against its digest before.
pub fn read_archive(content: &[u8], limits: &Limits) -> Result<MemoryTree, Error> {
    let mut tree = MemoryTree::default();
    let mut entries = Entries::new(expand::Expanded::open(content, limits)?, limits);
    while let Some(entry) = entries.next()? {
        if !entry.directory {
            tree.insert(&entry.path, entries.body(&entry)?);
        }
    }
    Ok(tree)
}

#[cfg(test)]
mod tests;
