//! A folder's files as a tree in memory.

use std::fs;
use std::path::Path;

use kelson_model::MemoryTree;

/// All files below a folder, under their paths in it.
pub(crate) fn tree(folder: &Path) -> MemoryTree {
    let mut tree = MemoryTree::default();
    add(folder, "", &mut tree);
    tree
}

fn add(folder: &Path, below: &str, tree: &mut MemoryTree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            add(&path, &name, tree);
        } else {
            tree.insert(&name, fs::read(&path).unwrap());
        }
    }
}
