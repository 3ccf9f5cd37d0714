//! Artifacts come back: found once, checked, recognised, read.

mod content; // layers as files
mod describe; // what is said of an artifact, without its content

use std::borrow::Cow;
use std::sync::Arc;

use kelson_model::MemoryTree;

pub use describe::{Description, describe};

use crate::archive::Limits;
use crate::error::crop;
use crate::manifest::{Index, Parsed};
use crate::recognise::{annotation, recognise, refuse_index, refuse_kluctl};
use crate::seal::unseal;
use crate::{
    Descriptor, Digest, Error, Identity, Manifest, Producer, Raw, Reference, Store, Watch,
};

/// How to pull.
#[derive(Clone, Debug, Default)]
pub struct PullOptions {
    /// How much an artifact may ask for.
    pub limits: Limits,
    /// What reads encrypted artifacts.
    pub identities: Vec<Identity>,
    /// Who is told how far it is.
    pub watch: Watch,
}

/// An artifact that was read.
#[derive(Clone, Debug)]
pub struct Pulled {
    /// What the reference named: the digest that identifies the artifact.
    pub descriptor: Descriptor,
    /// The manifest; where the reference named an index, that of its only child.
    pub manifest: Manifest,
    /// Who made it.
    pub producer: Producer,
    /// The files in it, decrypted.
    pub tree: MemoryTree,
    /// What the files are.
    pub content: Content,
}

/// What the files of an artifact are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// One text of objects, the only file of the tree.
    Objects(Arc<str>),
    /// Files to build from.
    Tree,
}

/// Reads an artifact. A tag is resolved once, and everything after is asked for by digest; nothing is looked into before
/// it has the digest that it was asked for by.
pub async fn pull(
    store: &Store,
    reference: &Reference,
    options: &PullOptions,
) -> Result<Pulled, Error> {
    let followed = follow(store, reference).await?;
    let descriptor = followed.first.descriptor;
    let manifest = match followed.end {
        Parsed::Manifest(manifest) => manifest,
        Parsed::Index(index) => return Err(refuse_index(&index)),
    };
    let mut producer = recognise(&manifest)?;
    let tree = content::read(store, &manifest, producer, options).await?;
    if tree.files().any(|(path, _)| path == "/.imgpkg/images.yml") {
        producer = Producer::Imgpkg;
    }
    refuse_foreign(&manifest, &tree)?;
    let identities = &options.identities;
    let (tree, content) = match producer {
        Producer::Kelson | Producer::Kustomizer => objects(&manifest, &tree, identities)?,
        _ => single(tree),
    };
    Ok(Pulled { descriptor, manifest, producer, tree, content })
}

/// The way from what a reference names to its content.
pub(crate) struct Followed {
    /// What was named.
    pub(crate) first: Raw,
    /// What indexes led to, one after the other.
    pub(crate) rest: Vec<Raw>,
    /// What is at the end: a manifest, or an index that leaves a choice.
    pub(crate) end: Parsed,
}

/// Reads a manifest, following indexes that leave no choice.
pub(crate) async fn follow(store: &Store, reference: &Reference) -> Result<Followed, Error> {
    let first = store.read(reference).await?;
    let mut rest: Vec<Raw> = Vec::new();
    for _ in 0..3 {
        let end = rest.last().unwrap_or(&first).parse()?;
        let child = match &end {
            Parsed::Manifest(_) => None,
            Parsed::Index(index) => only_child(index),
        };
        match child {
            Some(child) => rest.push(store.manifest(&child).await?),
            None => return Ok(Followed { first, rest, end }),
        }
    }
    let reason = "its indexes are nested too deep".to_owned();
    Err(Error::Manifest { digest: first.descriptor.digest, reason })
}

/// The manifest that an index names, if there is one alone.
fn only_child(index: &Index) -> Option<Digest> {
    let mut children = index.manifests.iter().filter(|child| !is_attestation(child));
    match (children.next(), children.next()) {
        (Some(only), None) => Some(only.digest),
        _ => None,
    }
}

/// Builders of images add manifests that only say how another one was built.
fn is_attestation(child: &Descriptor) -> bool {
    child
        .annotations
        .get("vnd.docker.reference.type")
        .is_some_and(|kind| kind == "attestation-manifest")
}

/// Refuses trees that only their own program can render.
fn refuse_foreign(manifest: &Manifest, tree: &MemoryTree) -> Result<(), Error> {
    let kluctl = manifest.annotations.contains_key("io.kluctl.image.git_info");
    let project = |path: &str| match path {
        "/.kluctl.yaml" => true,
        // Elsewhere this is a common name for a Deployment.
        "/deployment.yaml" => kluctl,
        _ => false,
    };
    match tree.files().find(|(path, _)| project(path)) {
        Some((path, _)) => Err(refuse_kluctl(&path[1..])),
        None => Ok(()),
    }
}

/// The text of an artifact that is one, decrypted and checked against its checksum.
fn objects(
    manifest: &Manifest,
    tree: &MemoryTree,
    identities: &[Identity],
) -> Result<(MemoryTree, Content), Error> {
    let files: Vec<&[u8]> = tree.files().map(|(_, file)| &**file).collect();
    let mut content = match files.as_slice() {
        [only] => Cow::Borrowed(*only),
        // kustomizer sets them one after the other, with nothing between them.
        many => Cow::Owned(many.concat()),
    };
    let encrypted = tree.files().any(|(path, _)| path.ends_with(".age"));
    if encrypted || manifest.annotations.contains_key(annotation::ENCRYPTED) {
        content = Cow::Owned(unseal(&content, identities)?);
    }
    if let Some(expected) = manifest.annotations.get(annotation::CHECKSUM) {
        let actual = Digest::of(&content).hex();
        if actual != *expected {
            let expected = crop(expected);
            return Err(Error::Checksum { key: annotation::CHECKSUM, expected, actual });
        }
    }
    let text = std::str::from_utf8(&content)
        .map_err(|_| Error::Archive { rule: "its objects are not UTF-8".to_owned() })?;
    let text: Arc<str> = text.into();
    let mut tree = MemoryTree::default();
    tree.insert_shared("all.yaml", Arc::clone(&text).into());
    Ok((tree, Content::Objects(text)))
}

/// A tree of one file with manifests is one text of objects.
fn single(tree: MemoryTree) -> (MemoryTree, Content) {
    let mut files = tree.files();
    let only = match (files.next(), files.next()) {
        (Some((path, content)), None) if is_objects(path) => {
            std::str::from_utf8(content).ok().map(|text| (path.to_owned(), Arc::<str>::from(text)))
        }
        _ => None,
    };
    drop(files);
    match only {
        None => (tree, Content::Tree),
        Some((path, text)) => {
            let mut tree = MemoryTree::default();
            tree.insert_shared(&path, Arc::clone(&text).into());
            (tree, Content::Objects(text))
        }
    }
}

/// Whether a file has objects rather than instructions for building them.
fn is_objects(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let instructions = ["kustomization.yaml", "kustomization.yml"].contains(&name);
    is_manifest(path) && !instructions
}

/// Whether a file may have manifests.
fn is_manifest(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests;
