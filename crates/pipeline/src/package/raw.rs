//! Files as they are, without what has no business in an artifact.

use std::sync::Arc;

use kelson_artifact::{Ignore, Metadata};
use kelson_model::{FileKind, Sources, Tree, TreeError, clean};

use super::{Package, PackageError};

/// How deep directories are looked into.
const DEPTH: usize = 100;

/// How many files, and how many bytes in them, are packed.
const MOST_FILES: usize = 100_000;
const MOST_BYTES: usize = 1 << 30;

/// Packs a directory or a file without rendering anything, as `flux push artifact` does. Links are left out.
///
/// # Errors
///
/// Fails where files cannot be read or packed.
pub fn package_files(
    tree: &dyn Tree,
    root: &str,
    ignore: &Ignore,
    metadata: &Metadata,
) -> Result<Package, PackageError> {
    let entry = tree.resolve(root).map_err(unreadable(root))?;
    let mut walk = Walk { tree, files: Vec::new(), bytes: 0 };
    match entry.kind {
        FileKind::Directory => walk.directory(&entry.path, "", ignore, DEPTH)?,
        FileKind::File => {
            let name = entry.path.rsplit('/').next().unwrap_or_default().to_owned();
            walk.file(&entry.path, name)?;
        }
    }
    if walk.files.is_empty() {
        return Err(PackageError::Empty);
    }
    let packed = kelson_artifact::pack_tree(&walk.files, metadata).map_err(PackageError::Pack)?;
    let (warnings, sources) = (Vec::new(), Sources::default());
    Ok(Package { packed, objects: 0, sealed: 0, warnings, sources })
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    files: Vec<(String, Arc<[u8]>)>,
    bytes: usize,
}

impl Walk<'_> {
    fn directory(
        &mut self,
        root: &str,
        inside: &str,
        ignore: &Ignore,
        depth: usize,
    ) -> Result<(), PackageError> {
        let here = clean(&format!("{root}/{inside}"));
        if depth == 0 {
            let error = TreeError::Unreadable(format!("is more than {DEPTH} levels deep"));
            return Err(unreadable(&here)(error));
        }
        let names = self.tree.list(&here).map_err(unreadable(&here))?;
        let mut own = None;
        if names.iter().any(|name| name == Ignore::FILE) {
            let rules = clean(&format!("{here}/{}", Ignore::FILE));
            let text = self.tree.read(&rules).map_err(unreadable(&rules))?;
            let mut more = ignore.clone();
            more.add(inside, &String::from_utf8_lossy(&text));
            own = Some(more);
        }
        let ignore = own.as_ref().unwrap_or(ignore);
        for name in names {
            let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
            let full = clean(&format!("{root}/{path}"));
            let Ok(entry) = self.tree.resolve(&full) else { continue };
            let is_directory = entry.kind == FileKind::Directory;
            if entry.path != full || ignore.is_ignored(&path, is_directory) {
                continue;
            }
            match is_directory {
                true => self.directory(root, &path, ignore, depth - 1)?,
                false => self.file(&full, path)?,
            }
        }
        Ok(())
    }

    fn file(&mut self, full: &str, name: String) -> Result<(), PackageError> {
        let content = self.tree.read(full).map_err(unreadable(full))?;
        self.bytes = self.bytes.saturating_add(content.len());
        if self.files.len() == MOST_FILES || self.bytes > MOST_BYTES {
            return Err(PackageError::TooLarge { files: MOST_FILES, bytes: MOST_BYTES });
        }
        self.files.push((name, content));
        Ok(())
    }
}

fn unreadable(path: &str) -> impl FnOnce(TreeError) -> PackageError {
    let path = path.to_owned();
    move |source| PackageError::Read { path, source }
}
