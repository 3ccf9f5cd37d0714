//! What a path stands for: an overlay, or manifests that get a kustomization of their own.

use std::sync::Arc;

use kelson_kustomize::Failure;
use kelson_model::{Diagnostic, Entry, FileKind, MemoryTree, Sources, Tree, TreeError, clean};
use kelson_yaml::Node;

/// The names that a kustomization file can have.
pub(crate) const KUSTOMIZATIONS: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What the names of manifests end in.
const MANIFESTS: [&str; 3] = [".yaml", ".yml", ".json"];

/// How many manifests a directory may stand for.
const MOST: usize = 100_000;

/// How deep directories are looked into.
const DEPTH: usize = 100;

/// How a path is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By the kustomization that is there.
    Overlay,
    /// By one that lists the manifests.
    Plain,
}

/// A tree as the engine sees it: the user's own, with a kustomization where one is made up.
pub(crate) struct Chosen<'a> {
    pub(crate) kind: Kind,
    pub(crate) root: String,
    tree: &'a dyn Tree,
    made_up: Option<Arc<[u8]>>,
}

/// Puts a manifest into a tree of its own, with an empty kustomization that lists it; `/` is to be rendered.
pub fn implicit(name: &str, manifest: &str) -> MemoryTree {
    let mut tree = MemoryTree::default();
    tree.insert(KUSTOMIZATIONS[0], list_of(&[name.to_owned()]));
    tree.insert(name, manifest);
    tree
}

/// Looks what is there and decides.
pub(crate) fn choose<'a>(tree: &'a dyn Tree, root: &str) -> Result<Chosen<'a>, Failure> {
    let fail = |error: TreeError| failure("unreadable", format!("cannot read `{root}`: {error}"));
    let entry = tree.resolve(root).map_err(fail)?;
    let overlay = |root: String| Chosen { kind: Kind::Overlay, root, tree, made_up: None };
    let plain = |root: String, files: &[String]| Chosen {
        kind: Kind::Plain,
        root,
        tree,
        made_up: Some(list_of(files).into_bytes().into()),
    };
    match entry.kind {
        FileKind::Directory if is_overlay(tree, &entry.path) => Ok(overlay(entry.path)),
        FileKind::Directory => {
            let mut files = Vec::new();
            walk(tree, &entry.path, "", DEPTH, &mut files)?;
            match files.is_empty() {
                false => Ok(plain(entry.path, &files)),
                true => Err(nothing(root)),
            }
        }
        FileKind::File => {
            let (directory, name) = split(&entry.path);
            match KUSTOMIZATIONS.contains(&name) {
                true => Ok(overlay(directory.to_owned())),
                false => Ok(plain(directory.to_owned(), &[name.to_owned()])),
            }
        }
    }
}

/// Collects the manifests below a directory; one with a kustomization stands for itself.
fn walk(
    tree: &dyn Tree,
    root: &str,
    inside: &str,
    depth: usize,
    files: &mut Vec<String>,
) -> Result<(), Failure> {
    let directory = join(root, inside);
    let fail = |error: TreeError| {
        failure("unreadable", format!("cannot read the directory `{directory}`: {error}"))
    };
    if depth == 0 {
        return Err(fail(TreeError::Unreadable(format!("more than {DEPTH} levels deep"))));
    }
    for name in tree.list(&directory).map_err(fail)? {
        let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
        let full = join(root, &path);
        // A link that leads nowhere or out of the tree is no manifest; one that is meant to be is refused when read.
        let Ok(entry) = tree.resolve(&full) else { continue };
        let is_manifest = MANIFESTS.iter().any(|ending| name.ends_with(ending));
        match entry.kind {
            FileKind::File if is_manifest => files.push(path),
            FileKind::File => {}
            // Linked directories are left out: they may lead around in a circle.
            FileKind::Directory if name == ".git" || entry.path != full => {}
            FileKind::Directory if is_overlay(tree, &full) => files.push(path),
            FileKind::Directory => walk(tree, root, &path, depth - 1, files)?,
        }
        if files.len() > MOST {
            let message = format!("`{root}` has more than {MOST} manifests in and below it");
            return Err(failure("too-many-files", message));
        }
    }
    Ok(())
}

/// Whether a directory has a kustomization file.
pub fn is_overlay(tree: &dyn Tree, directory: &str) -> bool {
    let is_file = |entry: Entry| entry.kind == FileKind::File;
    KUSTOMIZATIONS.iter().any(|name| tree.resolve(&join(directory, name)).is_ok_and(is_file))
}

/// A kustomization that lists files, as text.
fn list_of(files: &[String]) -> String {
    let entry = |key: &str, value: Node| kelson_yaml::Entry { key: Node::string(key), value };
    let names = files.iter().map(|file| Node::string(format!("./{file}"))).collect();
    let node = Node::mapping(vec![
        entry("apiVersion", Node::string("kustomize.config.k8s.io/v1beta1")),
        entry("kind", Node::string("Kustomization")),
        entry("resources", Node::sequence(names)),
    ]);
    let mut text = String::new();
    kelson_yaml::emit::canonical(&node, &mut text).expect("because texts can be written");
    text
}

fn nothing(root: &str) -> Failure {
    let message = format!("there is nothing to render in `{root}`");
    let mut failure = failure("no-manifests", message);
    for diagnostic in &mut failure.diagnostics {
        let help = "it has no kustomization file, and no .yaml, .yml or .json file in or below it";
        diagnostic.help = Some(help.to_owned());
    }
    failure
}

fn failure(code: &'static str, message: String) -> Failure {
    let diagnostics = vec![Diagnostic::error(code, message)];
    Failure { diagnostics, warnings: Vec::new(), sources: Sources::default() }
}

fn join(directory: &str, path: &str) -> String {
    clean(&format!("{directory}/{path}"))
}

pub(crate) fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((directory, name)) => (directory, name),
        None => ("/", path),
    }
}

impl Chosen<'_> {
    /// Whether a path is that of a kustomization file in the directory for which one is made up.
    fn stands_for(&self, path: &str) -> Option<Made<'_>> {
        let content = self.made_up.as_ref()?;
        let (directory, name) = split(path);
        let at = KUSTOMIZATIONS.iter().position(|known| *known == name)?;
        (directory == self.root).then_some(if at == 0 { Made::File(content) } else { Made::Hidden })
    }
}

enum Made<'a> {
    File(&'a Arc<[u8]>),
    Hidden,
}

impl Tree for Chosen<'_> {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        match self.stands_for(&clean(path)) {
            Some(Made::File(content)) => Ok(Arc::clone(content)),
            Some(Made::Hidden) => Err(TreeError::NotFound),
            None => self.tree.read(path),
        }
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let clean = clean(path);
        match self.stands_for(&clean) {
            Some(Made::File(_)) => Ok(Entry { path: clean, kind: FileKind::File }),
            Some(Made::Hidden) => Err(TreeError::NotFound),
            None => self.tree.resolve(path),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>, TreeError> {
        self.tree.list(path)
    }
}
