//! A kustomization's view of files: what it may read, and where its bases are.

use std::rc::Rc;
use std::sync::Arc;

use kelson_model::{Answer, FileKind, Remote, Request, Tree, TreeError, clean};
use kelson_yaml::Span;

use crate::context::{Context, File, resolve};
use crate::fault::{Fault, Result};
use crate::giturl::{self, GitUrl};
use crate::kustomization::FILE_NAMES;

/// How deep bases may nest. The stack is finite, and a hundred is far beyond anything sensible.
const DEPTH: usize = 200;

/// The files of one kustomization.
#[derive(Clone)]
pub(crate) struct Loader {
    /// The directory of the kustomization: absolute, clean, free of links.
    pub(crate) root: String,
    referrer: Option<Rc<Self>>,
    clone: Option<Rc<Fetched>>,
    depth: usize,
}

/// A repository that was fetched.
struct Fetched {
    url: GitUrl,
    tree: Arc<dyn Tree>,
    number: usize,
}

/// What an entry that is fetched turned out to be.
pub(crate) enum Entry {
    File(File),
    Directory(Rc<Loader>),
}

impl Loader {
    /// The view from a directory of the tree.
    pub(crate) fn new(context: &Context<'_>, root: &str) -> Result<Rc<Self>> {
        let root = confirm_directory(context.tree, &clean(root))
            .map_err(|fault| fault.wrap("must build at directory"))?;
        Ok(Rc::new(Self { root, referrer: None, clone: None, depth: 0 }))
    }

    /// The path of a file of this kustomization.
    pub(crate) fn path_of(&self, path: &str) -> String {
        if path.starts_with('/') { path.to_owned() } else { join(&self.root, path) }
    }

    /// Reads a file by the path a kustomization gives it, or by its address.
    pub(crate) fn load(&self, context: &mut Context<'_>, path: &str, asked: Span) -> Result<File> {
        if giturl::is_http(path) {
            return load_http(context, path, asked);
        }
        let full = self.path_of(path);
        let found = self.allowed(context, &full).map_err(|fault| fault.at(asked, ""))?;
        self.read(context, &found).map_err(|error| {
            let text = match error {
                TreeError::NotFound => format!("open {found}: {error}"),
                TreeError::Unreadable(why) if why == "is a directory" => {
                    format!("read {found}: {why}")
                }
                TreeError::Unreadable(why) => format!("open {found}: {why}"),
            };
            Fault::new("unreadable-file", text).at(asked, "")
        })
    }

    /// The kustomization file of this directory, with its name.
    pub(crate) fn load_kustomization(
        &self,
        context: &mut Context<'_>,
    ) -> Result<(File, &'static str)> {
        let mut found = Vec::new();
        for name in FILE_NAMES {
            if let Ok(file) = self.load(context, name, Span::NONE) {
                found.push((file, name));
            }
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => {
                let text = format!(
                    "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{}'",
                    self.root
                );
                Err(Fault::new("no-kustomization", text))
            }
            _ => {
                let text = format!("Found multiple kustomization files under: {}\n", self.root);
                let names: Vec<&str> = found.iter().map(|(_, name)| *name).collect();
                let say = format!("`{}` has {}; one is allowed", self.root, names.join(" and "));
                Err(Fault::new("several-kustomizations", text).saying(say))
            }
        }
    }

    /// What people call a file of this kustomization's tree.
    pub(crate) fn name_of(&self, path: &str) -> String {
        match &self.clone {
            None => path.to_owned(),
            Some(fetched) => {
                let repository = &fetched.url.repository;
                let reference = match repository.reference.as_str() {
                    "" => String::new(),
                    reference => format!("?ref={reference}"),
                };
                format!("{}/{path}{reference}", repository.clone)
            }
        }
    }

    /// The view from a base: a directory, or a repository.
    pub(crate) fn new_root(
        self: &Rc<Self>,
        context: &mut Context<'_>,
        path: &str,
        asked: Span,
    ) -> Result<Rc<Self>> {
        if path.is_empty() {
            return Err(Fault::new("empty-path", "new root cannot be empty").at(asked, ""));
        }
        if self.depth >= DEPTH {
            let text = format!("bases are nested more than {DEPTH} deep");
            return Err(Fault::new("too-deep", text).at(asked, ""));
        }
        if let Some(url) = giturl::parse(path) {
            return self.new_clone(context, url, asked);
        }
        if path.starts_with('/') {
            let text = format!("new root '{path}' cannot be absolute");
            return Err(Fault::new("absolute-base", text).at(asked, ""));
        }
        let tree = self.tree(context);
        let root = confirm_directory(&*tree, &join(&self.root, path))
            .map_err(|fault| fault.wrap("must build at directory").at(asked, ""))?;
        drop(tree);
        self.refuse_cycle(&root).map_err(|fault| fault.at(asked, "this leads back"))?;
        Ok(Rc::new(Self {
            root,
            referrer: Some(Rc::clone(self)),
            clone: self.clone.clone(),
            depth: self.depth + 1,
        }))
    }

    /// What an address leads to where either a file or a base will do.
    pub(crate) fn fetch(
        self: &Rc<Self>,
        context: &mut Context<'_>,
        address: &str,
        asked: Span,
    ) -> Result<Entry> {
        let url = giturl::parse(address);
        let repository = url.as_ref().map(|url| url.repository.clone());
        let remote = Remote { url: address.to_owned(), file: true, repository };
        match context.answer(Request::Remote(remote), asked)? {
            Answer::Bytes(bytes) => Ok(Entry::File(context.keep(address.to_owned(), bytes))),
            Answer::Failed(why) => Err(Fault::new("fetch-failed", why).at(asked, "")),
            Answer::Tree(tree) => match url {
                Some(url) => Ok(Entry::Directory(self.at_clone(context, url, tree, asked)?)),
                None => Err(Fault::new("fetch-failed", "not a repository").at(asked, "")),
            },
        }
    }

    /// The view from a directory of a repository.
    fn new_clone(
        self: &Rc<Self>,
        context: &mut Context<'_>,
        url: GitUrl,
        asked: Span,
    ) -> Result<Rc<Self>> {
        self.refuse_repository_cycle(&url).map_err(|fault| fault.at(asked, ""))?;
        let repository = Some(url.repository.clone());
        let remote = Remote { url: url.raw.clone(), file: false, repository };
        match context.answer(Request::Remote(remote), asked)? {
            Answer::Tree(tree) => self.at_clone(context, url, tree, asked),
            Answer::Failed(why) => Err(Fault::new("fetch-failed", why).at(asked, "")),
            Answer::Bytes(_) => {
                let text = format!("'{}' refers to a file; expecting directory", url.raw);
                Err(Fault::new("fetch-failed", text).at(asked, ""))
            }
        }
    }

    fn at_clone(
        self: &Rc<Self>,
        context: &mut Context<'_>,
        url: GitUrl,
        tree: Arc<dyn Tree>,
        asked: Span,
    ) -> Result<Rc<Self>> {
        let path = join("/", &url.repository.path);
        let (root, kind) = resolve(&*tree, &path)
            .map_err(|text| Fault::new("no-such-directory", text).at(asked, ""))?;
        if kind == FileKind::File {
            let text = format!("'{path}' refers to file '{root}'; expecting directory");
            return Err(Fault::new("not-a-directory", text).at(asked, ""));
        }
        let number = context.next_clone();
        Ok(Rc::new(Self {
            root,
            referrer: Some(Rc::clone(self)),
            clone: Some(Rc::new(Fetched { url, tree, number })),
            depth: self.depth + 1,
        }))
    }

    /// Refuses a base at or above any directory on the way here.
    fn refuse_cycle(&self, candidate: &str) -> Result<()> {
        let mut loader = Some(self);
        while let Some(it) = loader {
            let same_tree = it.number() == self.number();
            if same_tree && is_within(&it.root, candidate) {
                let text = format!(
                    "cycle detected: candidate root '{candidate}' contains visited root '{}'",
                    it.root
                );
                return Err(Fault::new("cycle", text));
            }
            loader = it.referrer.as_deref();
        }
        Ok(())
    }

    /// Refuses a repository that led here.
    fn refuse_repository_cycle(&self, url: &GitUrl) -> Result<()> {
        let mut loader = Some(self);
        while let Some(it) = loader {
            if let Some(fetched) = &it.clone
                && fetched.url.raw.starts_with(&url.raw)
            {
                let text = format!(
                    "cycle detected: URI '{}' referenced by previous URI '{}'",
                    url.raw, fetched.url.raw
                );
                return Err(Fault::new("cycle", text));
            }
            loader = it.referrer.as_deref();
        }
        Ok(())
    }

    /// The path of a file that this kustomization may read, with links followed.
    fn allowed(&self, context: &Context<'_>, path: &str) -> Result<String> {
        if self.clone.is_none() && !context.options.root_only {
            return Ok(path.to_owned());
        }
        let (found, kind) = resolve(&*self.tree(context), path).map_err(|text| {
            let shown = path.strip_prefix(&*self.root).unwrap_or(path).trim_start_matches('/');
            Fault::new("no-such-file", text)
                .saying(format!("there is no file or directory `{shown}`"))
                .help(format!("it is looked for in `{}`", self.root))
        })?;
        if kind == FileKind::Directory {
            let text = format!("'{path}' must resolve to a file");
            return Err(Fault::new("not-a-file", text));
        }
        let directory = parent(&found);
        if !is_within(directory, &self.root) {
            let text = format!("security; file '{path}' is not in or below '{}'", self.root);
            return Err(Fault::new("outside-root", text).help(
                "move the file below the kustomization, or allow it with --load-restrictor LoadRestrictionsNone",
            ));
        }
        Ok(found)
    }

    fn read(&self, context: &mut Context<'_>, path: &str) -> std::result::Result<File, TreeError> {
        match &self.clone {
            None => {
                let tree = context.tree;
                context.read(tree, 0, path, || path.to_owned())
            }
            Some(fetched) => {
                let tree = Arc::clone(&fetched.tree);
                context.read(&*tree, fetched.number, path, || self.name_of(path))
            }
        }
    }

    fn tree<'a>(&'a self, context: &Context<'a>) -> Box<dyn Tree + 'a> {
        match &self.clone {
            None => Box::new(Borrowed(context.tree)),
            Some(fetched) => Box::new(Borrowed(&*fetched.tree)),
        }
    }

    fn number(&self) -> usize {
        self.clone.as_ref().map_or(0, |fetched| fetched.number)
    }
}

/// A tree by reference.
struct Borrowed<'a>(&'a dyn Tree);

impl Tree for Borrowed<'_> {
    fn read(&self, path: &str) -> std::result::Result<Arc<[u8]>, TreeError> {
        self.0.read(path)
    }

    fn resolve(&self, path: &str) -> std::result::Result<kelson_model::Entry, TreeError> {
        self.0.resolve(path)
    }

    fn list(&self, path: &str) -> std::result::Result<Vec<String>, TreeError> {
        self.0.list(path)
    }
}

/// Reads a file by its address.
fn load_http(context: &mut Context<'_>, address: &str, asked: Span) -> Result<File> {
    let remote = Remote { url: address.to_owned(), file: true, repository: None };
    match context.answer(Request::Remote(remote), asked)? {
        Answer::Bytes(bytes) => Ok(context.keep(address.to_owned(), bytes)),
        Answer::Failed(why) => Err(Fault::new("fetch-failed", why).at(asked, "")),
        Answer::Tree(_) => Err(Fault::new("fetch-failed", "URL is a git repository").at(asked, "")),
    }
}

/// The path of a directory with links followed.
fn confirm_directory(tree: &dyn Tree, path: &str) -> Result<String> {
    let (found, kind) = resolve(tree, path).map_err(|text| {
        Fault::new("no-such-directory", format!("not a valid directory: {text}"))
    })?;
    if kind == FileKind::File {
        let text = format!("'{path}': file is not directory");
        return Err(Fault::new("not-a-directory", text));
    }
    Ok(found)
}

/// Whether a path is a directory or below it.
fn is_within(path: &str, directory: &str) -> bool {
    directory == "/"
        || path == directory
        || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// The directory of a path.
pub(crate) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

/// Joins two paths and cleans the result; absolute.
pub(crate) fn join(directory: &str, path: &str) -> String {
    clean(&format!("{directory}/{path}"))
}

/// Joins two paths that may be relative, as Go's `filepath.Join` does.
pub(crate) fn join_relative(directory: &str, path: &str) -> String {
    if directory.starts_with('/') {
        return join(directory, path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    match parts.is_empty() {
        true if directory.is_empty() && path.is_empty() => String::new(),
        true => ".".to_owned(),
        false => parts.join("/"),
    }
}
