//! Files, wherever they are: on disk, in an artifact, in memory.
//!
//! Paths are absolute inside the tree, written with `/`, and begin with `/`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A set of files that can be read. A tree does not change while it is read.
pub trait Tree: Send + Sync {
    /// Reads a whole file.
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError>;

    /// Resolves symbolic links and says what is there. The path returned is absolute, clean and free of links.
    fn resolve(&self, path: &str) -> Result<Entry, TreeError>;
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path with all links followed.
    pub path: String,
    /// What is there.
    pub kind: FileKind,
}

/// The kinds of files that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A directory.
    Directory,
    /// Anything that can be read.
    File,
}

/// Why a path could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Nothing is there.
    #[error("no such file or directory")]
    NotFound,
    /// It is there, but not to be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<String, Arc<[u8]>>,
    directories: BTreeSet<String>,
}

impl MemoryTree {
    /// Reads many files from one text, each opened by a line `#- path`.
    pub fn parse(text: &str) -> Self {
        let mut tree = Self::default();
        let mut open: Option<(String, String)> = None;
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("#- ") {
                if let Some((path, content)) = open.take() {
                    tree.insert(&path, content);
                }
                open = Some((path.trim().to_owned(), String::new()));
            } else if let Some((_, content)) = &mut open {
                content.push_str(line);
            }
        }
        if let Some((path, content)) = open {
            tree.insert(&path, content);
        }
        tree
    }

    /// Adds a file and the directories above it.
    pub fn insert(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        let path = clean(path);
        let mut parent = path.as_str();
        while let Some(at) = parent.rfind('/') {
            parent = &parent[..at];
            self.directories.insert(if parent.is_empty() {
                "/".to_owned()
            } else {
                parent.to_owned()
            });
        }
        self.files.insert(path, content.into().into());
    }
}

impl Tree for MemoryTree {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        let path = clean(path);
        match self.files.get(&path) {
            Some(content) => Ok(Arc::clone(content)),
            None if self.directories.contains(&path) => {
                Err(TreeError::Unreadable("is a directory".to_owned()))
            }
            None => Err(TreeError::NotFound),
        }
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let path = clean(path);
        if self.files.contains_key(&path) {
            Ok(Entry { path, kind: FileKind::File })
        } else if self.directories.contains(&path) {
            Ok(Entry { path, kind: FileKind::Directory })
        } else {
            Err(TreeError::NotFound)
        }
    }
}

/// Makes a path absolute and takes `.`, `..` and doubled slashes out, without asking for links.
pub fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_becomes_many_files() {
        let tree = MemoryTree::parse("#- base/a.yaml\na: 1\n#- b.yaml\nb: 2\n");
        assert_eq!(&*tree.read("/base/../base/a.yaml").unwrap(), b"a: 1\n");
        assert_eq!(tree.resolve("base").unwrap().kind, FileKind::Directory);
        assert_eq!(tree.read("c.yaml"), Err(TreeError::NotFound));
    }
}
