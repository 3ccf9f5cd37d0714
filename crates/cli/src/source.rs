//! What a person names as a source of objects: a directory, a file, `-`, or an artifact.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use kelson_artifact::registry::Client;
use kelson_artifact::{
    Content, Digest, Identity, Ignore, Metadata, PullOptions, Pulled, Reference, Store, annotation,
};
use kelson_kustomize::{Build, Failure};
use kelson_model::{MemoryTree, Object, Tree};
use kelson_pipeline::{Input, Package, PackageError, PackageOptions};
use kelson_source::{DirectoryTree, git};

use crate::{draw, path, registry};

/// What is read from standard input at most.
const LARGEST: u64 = 1 << 30;

/// Keys to what is encrypted.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// A file of age identities (`AGE-SECRET-KEY-1…`), for artifacts that are encrypted; may be repeated.
    #[arg(long, visible_alias = "age-identities", value_name = "FILE")]
    age_identity: Vec<std::path::PathBuf>,
}

impl Keys {
    /// The identities in the files.
    pub(crate) fn identities(&self) -> anyhow::Result<Vec<Identity>> {
        let mut identities = Vec::new();
        for path in &self.age_identity {
            let shown = path.display();
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
            let found = Identity::parse_all(&text).with_context(|| format!("in `{shown}`"))?;
            identities.extend(found);
        }
        Ok(identities)
    }
}

/// A tree, and the place in it to render.
pub(crate) struct Source {
    tree: Arc<dyn Tree>,
    root: String,
    /// Whether it was encrypted where it came from.
    sealed: bool,
    /// Whether it came from elsewhere: then it reaches nothing outside of itself, whatever the flags allow.
    foreign: bool,
    /// What it is known by where it is an artifact.
    pub(crate) artifact: Option<Known>,
}

/// What an artifact is known by.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its digest.
    pub(crate) digest: Digest,
    /// The revision of what it was made from; empty where it does not say.
    pub(crate) revision: String,
}

impl Source {
    /// Reads what a person named. A directory of an artifact's tree is named after `//`.
    pub(crate) async fn open(text: &str, client: &Client, keys: &Keys) -> anyhow::Result<Self> {
        if text == "-" {
            return Self::standard_input();
        }
        if !Reference::is_meant(text) {
            let root = path::absolute(text)?;
            return Ok(Self {
                tree: Arc::new(DirectoryTree::whole()),
                root,
                sealed: false,
                foreign: false,
                artifact: None,
            });
        }
        let (name, directory) = split(text);
        Self::pull(&name.parse()?, directory, client, keys).await
    }

    /// Reads an artifact, or a directory of its tree.
    pub(crate) async fn pull(
        reference: &Reference,
        directory: &str,
        client: &Client,
        keys: &Keys,
    ) -> anyhow::Result<Self> {
        Self::read(&registry::store(reference, client)?, reference, directory, keys).await
    }

    /// Reads an artifact of a store, or a directory of its tree.
    pub(crate) async fn read(
        store: &Store,
        reference: &Reference,
        directory: &str,
        keys: &Keys,
    ) -> anyhow::Result<Self> {
        let options = PullOptions { identities: keys.identities()?, ..PullOptions::default() };
        let pulled = kelson_artifact::pull(store, reference, &options).await?;
        Ok(Self::of(&pulled, directory))
    }

    /// The content of an artifact.
    fn of(pulled: &Pulled, directory: &str) -> Self {
        let annotations = &pulled.manifest.annotations;
        let sealed = annotations.contains_key(annotation::ENCRYPTED);
        let revision = annotations.get(annotation::OCI_REVISION).cloned().unwrap_or_default();
        let artifact = Some(Known { digest: pulled.descriptor.digest, revision });
        match &pulled.content {
            Content::Objects(text) => {
                Self { sealed, artifact, ..Self::of_text("/all.yaml", text.as_bytes()) }
            }
            Content::Tree => {
                let root = format!("/{}", directory.trim_matches('/'));
                let tree = Arc::new(pulled.tree.clone());
                Self { tree, root, sealed, foreign: true, artifact }
            }
        }
    }

    fn of_text(name: &str, text: &[u8]) -> Self {
        let mut tree = MemoryTree::default();
        tree.insert(name, text);
        let (tree, root) = (Arc::new(tree), name.to_owned());
        Self { tree, root, sealed: false, foreign: true, artifact: None }
    }

    fn standard_input() -> anyhow::Result<Self> {
        let mut text = Vec::new();
        std::io::stdin()
            .take(LARGEST)
            .read_to_end(&mut text)
            .context("cannot read standard input")?;
        Ok(Self::of_text("/standard-input.yaml", &text))
    }

    /// Whether it was encrypted where it came from, and is no longer.
    pub(crate) fn was_sealed(&self) -> bool {
        self.sealed
    }

    /// Renders it.
    pub(crate) fn render(&self, options: &kelson_render::Options) -> Result<Build, Failure> {
        kelson_pipeline::render(&*self.tree, &self.root, &self.confined(options))
    }

    /// Renders and packs it.
    pub(crate) fn package(&self, options: &PackageOptions) -> Result<Package, PackageError> {
        let options = PackageOptions { render: self.confined(&options.render), ..options.clone() };
        let input = Input::Tree { tree: &*self.tree, root: &self.root };
        kelson_pipeline::package(input, &options)
    }

    /// Packs it as it is.
    pub(crate) fn package_files(
        &self,
        ignore: &Ignore,
        metadata: &Metadata,
    ) -> Result<Package, PackageError> {
        kelson_pipeline::package_files(&*self.tree, &self.root, ignore, metadata)
    }

    /// The options, without what would let a stranger's files reach out of themselves.
    fn confined(&self, options: &kelson_render::Options) -> kelson_render::Options {
        let mut options = options.clone();
        if self.foreign {
            // An artifact may have places that only its deploy fills.
            options.places = true;
            options.kustomize.root_only = true;
            options.kustomize.enable_plugins = false;
            options.kustomize.enable_exec = false;
        }
        options
    }

    /// Its objects. What is wrong with them is drawn, and an error that needs no more words comes back.
    pub(crate) fn objects(&self, options: &kelson_render::Options) -> anyhow::Result<Vec<Object>> {
        objects(self.build(options)?)
    }

    /// What it renders to. What is wrong with that is drawn.
    pub(crate) fn build(&self, options: &kelson_render::Options) -> anyhow::Result<Build> {
        drawn(self.render(options), &self.root)
    }
}

/// Draws what is to be said of a rendering. A failed one is an error that needs no more words.
pub(crate) fn drawn(result: Result<Build, Failure>, root: &str) -> anyhow::Result<Build> {
    let build = result.map_err(|failure| {
        draw::diagnostics(&failure.warnings, &failure.sources);
        draw::diagnostics(&failure.diagnostics, &failure.sources);
        anyhow!("`{root}` cannot be rendered")
    })?;
    draw::diagnostics(&build.warnings, &build.sources);
    Ok(build)
}

/// What git knows of a directory, or of a file's directory.
pub(crate) fn repository(path: &Path) -> Option<git::Described> {
    let directory = match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(path),
    };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    git::describe(directory)
}

/// A client for the artifacts among what a person named.
pub(crate) fn client(
    registry: &registry::Flags,
    names: &[impl AsRef<str>],
) -> anyhow::Result<Client> {
    let artifacts = names.iter().map(AsRef::as_ref).filter(|name| Reference::is_meant(name));
    let references = artifacts.map(|name| split(name).0.parse()).collect::<Result<Vec<_>, _>>()?;
    registry.client(&references.iter().collect::<Vec<_>>())
}

/// The objects that were built.
pub(crate) fn objects(build: Build) -> anyhow::Result<Vec<Object>> {
    let object = |object: kelson_kustomize::Object| Object::new(object.node);
    build.objects.into_iter().map(object).collect::<Result<_, _>>().context("in what was rendered")
}

/// An artifact's name, and the directory in it.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let scheme = text.find("://").map_or(0, |at| at + 3);
    match text[scheme..].find("//") {
        Some(at) => (&text[..scheme + at], &text[scheme + at + 2..]),
        None => (text, ""),
    }
}
