//! Gathers what is built: files, or somebody else's artifact pinned to its digest.

use std::path::PathBuf;
use std::sync::Arc;

use kelson_artifact::{Metadata, Reference, Store};
use kelson_model::{Tree, TreeError, clean};
use kelson_source::{DirectoryTree, git};

use super::validate::{Source, Valid};
use super::{BuildOptions, Error, World};

/// What is ready to be built.
pub(super) enum Prepared {
    Inline { manifest: String, metadata: Metadata },
    Overlay(Overlay),
    Artifact { store: Store, pinned: Reference },
}

/// An overlay with the patches on top of it.
pub(super) struct Overlay {
    pub(super) tree: Arc<dyn Tree>,
    pub(super) root: String,
    pub(super) patches: Vec<(String, Arc<[u8]>)>,
    pub(super) root_only: bool,
    pub(super) enable_helm: bool,
    pub(super) metadata: Metadata,
}

pub(super) async fn prepare(
    valid: &Valid<'_>,
    world: &World,
    options: &BuildOptions,
) -> Result<Prepared, Error> {
    match &valid.source {
        Source::Inline(manifest) => Ok(Prepared::Inline {
            manifest: (*manifest).to_owned(),
            metadata: dated(options.metadata.clone(), options),
        }),
        Source::Kustomize { path, config } => {
            let files = match &valid.plan.git_source {
                Some(source) => fetched(source, world, options).await?,
                None => local(options)?,
            };
            let patches = config.patches.iter().map(|patch| {
                let full = clean(&format!("{}/{patch}", files.directory));
                let content = files.tree.read(&full).map_err(|error| unreadable(patch, &error))?;
                Ok((patch.clone(), content))
            });
            Ok(Prepared::Overlay(Overlay {
                root: clean(&format!("{}/{path}", files.base)),
                patches: patches.collect::<Result<_, Error>>()?,
                root_only: config.load_restrictor != "none",
                enable_helm: config.enable_helm,
                metadata: dated(files.metadata, options),
                tree: files.tree,
            }))
        }
        Source::Artifact { source, reference } => {
            let store = world.foreign(reference, &source.credentials_ref)?;
            let found = store.find(reference).await?;
            world.verified(&store, reference, &found).await?;
            let pinned = Reference { digest: Some(found.digest), ..reference.clone() };
            Ok(Prepared::Artifact { store, pinned })
        }
    }
}

/// Files, and where in them paths begin.
struct Files {
    tree: Arc<dyn Tree>,
    /// What the overlay's path is relative to.
    base: String,
    /// What the paths of patches are relative to.
    directory: String,
    metadata: Metadata,
}

async fn fetched(
    source: &crate::plan::GitSource,
    world: &World,
    options: &BuildOptions,
) -> Result<Files, Error> {
    let address = git::Address::parse(&source.url)?;
    let git_options = git::Options {
        credentials: address.host().and_then(|host| world.git.get(host).cloned()),
        insecure: options.insecure,
        authorities: world.authorities.to_vec(),
        workspace: options.workspace.clone(),
        submodules: source.recurse_submodules,
        ..git::Options::default()
    };
    let fetched = world.repositories.fetch(&source.url, &source.reference, &git_options).await?;
    let metadata = Metadata {
        source: Some(address.shown()),
        revision: Some(fetched.revision()),
        created: Some(fetched.committed_at),
        ..options.metadata.clone()
    };
    let tree = Arc::new(fetched.tree.clone());
    Ok(Files { tree, base: "/".to_owned(), directory: format!("/{}", source.path), metadata })
}

fn local(options: &BuildOptions) -> Result<Files, Error> {
    let read = |path: &PathBuf| {
        path.canonicalize().map_err(|source| Error::Read { path: path.clone(), source })
    };
    let local = read(&options.local)?;
    let root = options.local_root.as_ref().map_or_else(|| Ok(local.clone()), read)?;
    let Ok(inside) = local.strip_prefix(&root) else {
        let (local, root) = (local.display(), root.display());
        return Err(Error::Plan(format!("`{local}` is not below `{root}`")));
    };
    let base = clean(&inside.to_string_lossy());
    let tree =
        DirectoryTree::below(&root).map_err(|source| Error::Read { path: root.clone(), source })?;
    let metadata = options.metadata.clone();
    Ok(Files { tree: Arc::new(tree), directory: base.clone(), base, metadata })
}

/// Reads a file that a component names.
pub(in crate::component) fn read_local(
    path: &str,
    options: &BuildOptions,
) -> Result<String, Error> {
    let files = local(options)?;
    let full = clean(&format!("{}/{path}", files.directory));
    let bytes = files
        .tree
        .read(&full)
        .map_err(|error| Error::Plan(format!("cannot read the manifest `{path}`: {error}")))?;
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Error::Plan(format!("the manifest `{path}` is not UTF-8")))
}

/// The time that the caller wants, where it does.
fn dated(metadata: Metadata, options: &BuildOptions) -> Metadata {
    Metadata { created: options.created.or(metadata.created), ..metadata }
}

fn unreadable(patch: &str, error: &TreeError) -> Error {
    Error::Plan(format!("cannot read the patch `{patch}`: {error}"))
}
