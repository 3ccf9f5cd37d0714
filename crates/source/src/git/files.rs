//! The files of a commit, read from the object database.

use gix::bstr::ByteSlice;
use gix::object::tree::EntryKind;
use kelson_model::MemoryTree;

use super::Limits;

/// How deep directories may nest.
const DEPTH: usize = 200;

/// A submodule of a commit.
pub(super) struct Module {
    pub(super) path: String,
    pub(super) commit: String,
    pub(super) url: Option<String>,
}

/// What a commit holds.
pub(super) struct Files {
    pub(super) tree: MemoryTree,
    pub(super) modules: Vec<Module>,
    limits: Limits,
    files: usize,
    bytes: u64,
}

/// Why files could not be read.
pub(super) enum Failed {
    TooLarge(String),
    Broken(String),
}

impl From<gix::Error> for Failed {
    fn from(error: gix::Error) -> Self {
        Self::Broken(super::transfer::reason(&error))
    }
}

impl Files {
    /// Reads everything below the root of a commit.
    pub(super) fn read(commit: &gix::Commit<'_>, limits: Limits) -> Result<Self, Failed> {
        let mut files =
            Self { tree: MemoryTree::default(), modules: Vec::new(), limits, files: 0, bytes: 0 };
        files.directory(&commit.tree()?, "", DEPTH)?;
        if !files.modules.is_empty() {
            files.name_modules();
        }
        Ok(files)
    }

    fn directory(&mut self, tree: &gix::Tree<'_>, path: &str, depth: usize) -> Result<(), Failed> {
        if depth == 0 {
            return Err(Failed::TooLarge(format!("{DEPTH} levels of directories")));
        }
        for entry in tree.iter() {
            let entry = entry?;
            // Names that are no text cannot be named by a manifest either.
            let Ok(name) = entry.filename().to_str() else { continue };
            if name.contains(['/', '\0']) || matches!(name, "" | "." | "..") {
                return Err(Failed::Broken("a file has an impossible name".to_owned()));
            }
            let path = format!("{path}/{name}");
            match entry.kind() {
                EntryKind::Tree => {
                    self.directory(&entry.object()?.into_tree(), &path, depth - 1)?;
                }
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    let content = self.content(&entry)?;
                    self.tree.insert(&path, content);
                }
                EntryKind::Link => {
                    let target = self.content(&entry)?;
                    match String::from_utf8(target) {
                        Ok(target) => self.tree.insert_link(&path, &target),
                        Err(_) => self.tree.insert_absent(&path, "is a link to no text"),
                    }
                }
                EntryKind::Commit => {
                    let commit = entry.oid().to_string();
                    self.modules.push(Module { path, commit, url: None });
                }
            }
        }
        Ok(())
    }

    /// The content of a file, counted before it is unpacked.
    fn content(&mut self, entry: &gix::object::tree::EntryRef<'_, '_>) -> Result<Vec<u8>, Failed> {
        let size = entry.id().header()?.size();
        self.files += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.files > self.limits.files {
            return Err(Failed::TooLarge(format!("{} files", self.limits.files)));
        }
        if self.bytes > self.limits.bytes {
            return Err(Failed::TooLarge(format!("{} bytes in its files", self.limits.bytes)));
        }
        Ok(entry.object()?.detach().data)
    }

    /// Finds out from `.gitmodules` where submodules are.
    fn name_modules(&mut self) {
        use kelson_model::Tree;
        let Ok(text) = self.tree.read("/.gitmodules") else { return };
        let Ok(config) = gix::config::File::try_from(&*String::from_utf8_lossy(&text)) else {
            return;
        };
        let sections = config.sections_by_name("submodule").into_iter().flatten();
        for section in sections {
            let (path, url) = (section.value("path"), section.value("url"));
            let (Some(path), Some(url)) = (path, url) else { continue };
            let path = format!("/{}", path.to_str_lossy());
            for module in self.modules.iter_mut().filter(|module| module.path == path) {
                module.url = Some(url.to_str_lossy().into_owned());
            }
        }
    }
}
