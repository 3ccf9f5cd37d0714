//! The fields of a kustomization, laid over objects that are rendered already.

use std::sync::Arc;

use kelson_kustomize::Failure;
use kelson_model::{Diagnostic, Entry, FileKind, Sources, Tree, TreeError, clean};
use kelson_yaml::{Data, Dialect, Span, documents};

use crate::choose::{KUSTOMIZATIONS, split};

/// What the objects are called beside the file with the fields.
const OBJECTS: &str = ".rendered-objects.yaml";

/// A tree in which a file is the kustomization of its directory, and objects are its resources.
pub struct Laid<'a> {
    tree: &'a dyn Tree,
    /// The file with the fields.
    fields: String,
    directory: String,
    kustomization: Arc<[u8]>,
    objects: Arc<[u8]>,
}

/// Lays the fields in a file over objects. Paths in the file are relative to it.
///
/// # Errors
///
/// Fails where the file cannot be read, and where it names resources of its own.
pub fn lay<'a>(tree: &'a dyn Tree, file: &str, objects: String) -> Result<Laid<'a>, Failure> {
    let cannot = |error: TreeError| refuse(file, "unreadable", &format!("cannot be read: {error}"));
    let fields = tree.resolve(file).map_err(cannot)?.path;
    let content = tree.read(&fields).map_err(cannot)?;
    let text = std::str::from_utf8(&content)
        .map_err(|_| refuse(file, "not-text", "is not written in UTF-8"))?;
    check(file, text)?;
    let text = format!("{}\nresources:\n- {OBJECTS}\n", text.trim_end());
    let directory = split(&fields).0.to_owned();
    let (kustomization, objects) = (text.into_bytes().into(), objects.into_bytes().into());
    Ok(Laid { tree, fields, directory, kustomization, objects })
}

/// Refuses what could not be laid over anything.
fn check(file: &str, text: &str) -> Result<(), Failure> {
    let wrong = |error: kelson_yaml::ParseError| {
        refuse(file, "not-yaml", &format!("is no YAML: {}", error.message))
    };
    let read = documents(text, Span::NONE, Dialect::V3).map_err(wrong)?;
    let fields = match read.as_slice() {
        [] => return Ok(()),
        [node] => match &node.data {
            Data::Mapping(fields) if !fields.flow || fields.is_empty() => fields,
            _ => return Err(refuse(file, "no-fields", "has no `field: value` lines")),
        },
        _ => return Err(refuse(file, "several-documents", "has several documents")),
    };
    match ["resources", "bases"].into_iter().find(|field| fields.contains(field)) {
        Some(field) => {
            let why = format!("has `{field}`: what is laid over others brings no objects itself");
            let mut failure = refuse(file, "own-resources", &why);
            let help = "name them as further sources";
            failure.diagnostics.iter_mut().for_each(|it| it.help = Some(help.to_owned()));
            Err(failure)
        }
        None => Ok(()),
    }
}

fn refuse(file: &str, code: &'static str, why: &str) -> Failure {
    let diagnostics = vec![Diagnostic::error(code, format!("`{file}` {why}"))];
    Failure { diagnostics, warnings: Vec::new(), sources: Sources::default() }
}

impl Laid<'_> {
    /// The directory to render.
    pub fn root(&self) -> &str {
        &self.directory
    }

    /// What stands at a path of the directory, where that is made up.
    fn stands_for(&self, path: &str) -> Option<Made<'_>> {
        if path == self.fields {
            return Some(Made::File(&self.kustomization));
        }
        let (directory, name) = split(path);
        if directory != self.directory {
            return None;
        }
        match KUSTOMIZATIONS.iter().position(|known| *known == name) {
            // As a link, so that messages name the file as its author knows it.
            Some(0) => Some(Made::Link),
            Some(_) => Some(Made::Hidden),
            None => (name == OBJECTS).then_some(Made::File(&self.objects)),
        }
    }
}

enum Made<'a> {
    File(&'a Arc<[u8]>),
    Link,
    Hidden,
}

impl Tree for Laid<'_> {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, TreeError> {
        match self.stands_for(&clean(path)) {
            Some(Made::File(content)) => Ok(Arc::clone(content)),
            Some(Made::Link) => Ok(Arc::clone(&self.kustomization)),
            Some(Made::Hidden) => Err(TreeError::NotFound),
            None => self.tree.read(path),
        }
    }

    fn resolve(&self, path: &str) -> Result<Entry, TreeError> {
        let path = clean(path);
        let (_, name) = split(&path);
        match self.stands_for(&path) {
            // Found by its other name already.
            _ if KUSTOMIZATIONS[1..].contains(&name) && path == self.fields => {
                Err(TreeError::NotFound)
            }
            Some(Made::File(_)) => Ok(Entry { path, kind: FileKind::File }),
            Some(Made::Link) => Ok(Entry { path: self.fields.clone(), kind: FileKind::File }),
            Some(Made::Hidden) => Err(TreeError::NotFound),
            None => self.tree.resolve(&path),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>, TreeError> {
        self.tree.list(path)
    }
}
