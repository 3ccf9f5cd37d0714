//! An overlay with further patches on top: a kustomization that nobody has written, over one that somebody has.

use std::collections::BTreeMap;
use std::sync::Arc;

use kelson_model::{Entry, FileKind, Tree, TreeError, clean};
use kelson_yaml::Node;

/// Where the files of the user are seen.
const SOURCE: &str = "/source";

/// Where the kustomization with the patches is seen. The two stand side by side, since a kustomization may not be
/// below the base that it names.
const PATCHED: &str = "/patched";

/// A tree in which an overlay has patches on top.
pub(super) struct Patched<'a> {
    tree: &'a dyn Tree,
    files: BTreeMap<String, Arc<[u8]>>,
}

impl<'a> Patched<'a> {
    /// Puts patches, each with the path it was named by, on top of an overlay.
    pub(super) fn new(tree: &'a dyn Tree, root: &str, patches: &[(String, Arc<[u8]>)]) -> Self {
        let inside = |path: &str| clean(path).trim_start_matches('/').to_owned();
        let entry = |key: &str, value: Node| kelson_yaml::Entry { key: Node::string(key), value };
        let list = |(path, _): &(String, Arc<[u8]>)| {
            Node::mapping(vec![entry("path", Node::string(inside(path)))])
        };
        let kustomization = Node::mapping(vec![
            entry("resources", Node::sequence(vec![Node::string(format!("..{SOURCE}{root}"))])),
            entry("patches", Node::sequence(patches.iter().map(list).collect())),
        ]);
        let mut text = String::new();
        kelson_yaml::emit::canonical(&kustomization, &mut text)
            .expect("because texts can be written");
        let mut files: BTreeMap<String, Arc<[u8]>> = patches
            .iter()
            .map(|(path, content)| (format!("{PATCHED}/{}", inside(path)), Arc::clone(content)))
            .collect();
        files.insert(format!("{PATCHED}/kustomization.yaml"), text.into_bytes().into());
        Self { tree, files }
    }

    /// What is to be rendered.
    pub(super) fn root(&self) -> &'static str {
        PATCHED
    }

    /// The path in the user's tree.
    fn inner(path: &str) -> Option<&str> {
        match path.strip_prefix(SOURCE)? {
            "" => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        }
    }
}

impl Tree for Patched<'_> {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        let path = clean(path);
        match Self::inner(&path) {
            Some(inner) => self.tree.read(inner),
            None => self.files.get(&path).cloned().ok_or(TreeError::NotFound),
        }
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let path = clean(path);
        if let Some(inner) = Self::inner(&path) {
            let entry = self.tree.resolve(inner)?;
            let path = format!("{SOURCE}{}", entry.path.trim_end_matches('/'));
            return Ok(Entry { path, kind: entry.kind });
        }
        if self.files.contains_key(&path) {
            return Ok(Entry { path, kind: FileKind::File });
        }
        match path == "/" || path == PATCHED {
            true => Ok(Entry { path, kind: FileKind::Directory }),
            false => Err(TreeError::NotFound),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>, TreeError> {
        match Self::inner(&clean(path)) {
            Some(inner) => self.tree.list(inner),
            None => Err(TreeError::NotFound),
        }
    }
}
