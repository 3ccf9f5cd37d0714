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

    /// The names in a directory, sorted by their bytes.
    fn list(&self, path: &str) -> Result<Vec<String>, TreeError>;
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
    detours: BTreeMap<String, Detour>,
}

/// What stands where neither a file nor a directory does.
#[derive(Clone, Debug)]
enum Detour {
    Link(String),
    Absent(String),
}

/// How many links one path may lead through.
const LINKS: usize = 40;

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
        self.insert_shared(path, content.into().into());
    }

    /// Adds a file whose content others hold as well.
    pub fn insert_shared(&mut self, path: &str, content: Arc<[u8]>) {
        let path = clean(path);
        self.make_parents(&path);
        self.files.insert(path, content);
    }

    /// Adds a symbolic link. It is followed where it stays in the tree.
    pub fn insert_link(&mut self, path: &str, target: &str) {
        let path = clean(path);
        self.make_parents(&path);
        self.detours.insert(path, Detour::Link(target.to_owned()));
    }

    /// Adds something that cannot be read, and why.
    pub fn insert_absent(&mut self, path: &str, why: &str) {
        let path = clean(path);
        self.make_parents(&path);
        self.detours.insert(path, Detour::Absent(why.to_owned()));
    }

    /// All files with their paths, in the order of the paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.files.iter().map(|(path, content)| (path.as_str(), content))
    }

    fn make_parents(&mut self, path: &str) {
        let mut parent = path;
        while let Some(at) = parent.rfind('/') {
            parent = &parent[..at];
            self.directories.insert(if parent.is_empty() {
                "/".to_owned()
            } else {
                parent.to_owned()
            });
        }
    }

    /// The path with all links followed.
    fn follow(&self, path: &str) -> Result<String, TreeError> {
        let path = clean(path);
        if self.detours.is_empty() {
            return Ok(path);
        }
        let unreadable = |why: &str| Err(TreeError::Unreadable(why.to_owned()));
        let mut pending: Vec<&str> = path.split('/').rev().collect();
        let (mut done, mut links) = (String::new(), 0);
        while let Some(part) = pending.pop() {
            match part {
                "" | "." => continue,
                ".." if done.is_empty() => return unreadable("leads out of the tree"),
                ".." => done.truncate(done.rfind('/').unwrap_or(0)),
                part => done = format!("{done}/{part}"),
            }
            match self.detours.get(&done) {
                None => {}
                Some(Detour::Absent(why)) => return unreadable(why),
                Some(Detour::Link(_)) if links == LINKS => {
                    return unreadable("too many levels of symbolic links");
                }
                Some(Detour::Link(target)) if target.starts_with('/') => {
                    return unreadable("leads out of the tree");
                }
                Some(Detour::Link(target)) => {
                    links += 1;
                    done.truncate(done.rfind('/').unwrap_or(0));
                    pending.extend(target.split('/').rev());
                }
            }
        }
        Ok(if done.is_empty() { "/".to_owned() } else { done })
    }
}

impl Tree for MemoryTree {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        let path = self.follow(path)?;
        match self.files.get(&path) {
            Some(content) => Ok(Arc::clone(content)),
            None if self.directories.contains(&path) => {
                Err(TreeError::Unreadable("is a directory".to_owned()))
            }
            None => Err(TreeError::NotFound),
        }
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let path = self.follow(path)?;
        if self.files.contains_key(&path) {
            Ok(Entry { path, kind: FileKind::File })
        } else if self.directories.contains(&path) {
            Ok(Entry { path, kind: FileKind::Directory })
        } else {
            Err(TreeError::NotFound)
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>, TreeError> {
        let path = self.follow(path)?;
        if self.files.contains_key(&path) {
            return Err(TreeError::Unreadable("not a directory".to_owned()));
        }
        if !self.directories.contains(&path) {
            return Err(TreeError::NotFound);
        }
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let inside = |other: &String| {
            let name = other.strip_prefix(&prefix)?;
            (!name.is_empty() && !name.contains('/')).then(|| name.to_owned())
        };
        let after = prefix.clone()..;
        let files = self.files.range(after.clone()).map(|(path, _)| path);
        let within = |path: &&String| path.starts_with(&prefix);
        let mut names: Vec<String> = files.take_while(within).filter_map(inside).collect();
        let directories = self.directories.range(after);
        names.extend(directories.take_while(within).filter_map(inside));
        let detours = self.detours.range(prefix.clone()..).map(|(path, _)| path);
        names.extend(detours.take_while(within).filter_map(inside));
        names.sort_unstable();
        Ok(names)
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
        assert_eq!(tree.list("/").unwrap(), ["b.yaml", "base"]);
        assert_eq!(tree.list("/base").unwrap(), ["a.yaml"]);
        assert_eq!(tree.list("/bas"), Err(TreeError::NotFound));
        let paths: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        assert_eq!(paths, ["/b.yaml", "/base/a.yaml"]);
    }

    #[test]
    fn links_are_followed_but_not_out_of_the_tree() {
        let mut tree = MemoryTree::parse("#- base/a.yaml\na: 1\n");
        tree.insert_link("x/up", "../base");
        tree.insert_link("x/out", "../../etc");
        tree.insert_link("x/far", "/etc");
        tree.insert_link("x/loop", "loop");
        tree.insert_absent("module", "was not fetched");
        assert_eq!(&*tree.read("/x/up/a.yaml").unwrap(), b"a: 1\n");
        assert_eq!(tree.resolve("/x/up").unwrap().path, "/base");
        assert_eq!(tree.list("/x").unwrap(), ["far", "loop", "out", "up"]);
        let message = |path: &str| tree.read(path).unwrap_err().to_string();
        assert_eq!(message("/x/out"), "leads out of the tree");
        assert_eq!(message("/x/far/passwd"), "leads out of the tree");
        assert_eq!(message("/x/loop"), "too many levels of symbolic links");
        assert_eq!(message("/module/a.yaml"), "was not fetched");
    }
}
