//! From what people name as sources to the objects of a delivery, and the artifact that holds them.

mod identity; // what a source is known by
mod keep; // how it can be had again
mod refuse; // what cannot be delivered
mod twins; // objects that may be one and the same

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use kelson_artifact::{Form, Metadata, Packed, Reference, pack_objects};
use kelson_kustomize::Build;
use kelson_model::{MemoryTree, Object, ObjectId};
use kelson_source::DirectoryTree;

pub(crate) use self::identity::absolute;
pub(crate) use self::keep::{of_name, of_packed, of_reference};
use crate::commands::build;
use crate::source::{self, Keys, Source};
use crate::{path, registry};

/// How sources are read.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Flags {
    /// Lay the fields of this kustomization file over all objects; may be repeated.
    #[arg(long, value_name = "FILE")]
    patch: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) keys: Keys,
    #[command(flatten)]
    kustomize: build::Flags,
    #[command(flatten)]
    pub(crate) registry: registry::Flags,
}

/// The objects of a delivery.
pub(crate) struct Gathered {
    pub(crate) objects: Vec<Object>,
    /// The digest of the artifact that holds them.
    pub(crate) digest: String,
    /// That artifact, by digest, where they came from one.
    pub(crate) reference: Option<String>,
    /// That artifact, where they did not.
    pub(crate) packed: Option<Packed>,
    /// What the sources are known by, whatever their revision.
    pub(crate) sources: Vec<String>,
    pub(crate) revision: String,
    /// Whether anything was encrypted and is no longer.
    pub(crate) was_sealed: bool,
}

impl Flags {
    /// How a source is rendered.
    pub(crate) fn render(&self) -> kelson_render::Options {
        self.kustomize.render(false)
    }

    /// Reads and renders all sources.
    pub(crate) async fn gather(&self, names: &[String]) -> anyhow::Result<Gathered> {
        let client = source::client(&self.registry, names)?;
        let mut opened = Vec::new();
        for name in names {
            opened.push((name.as_str(), Source::open(name, &client, &self.keys).await?));
        }
        let (options, opened) = (self.render(), borrowed(&opened));
        match opened.as_slice() {
            [(name, source)] if source.artifact.is_some() && self.patch.is_empty() => {
                of_artifact(name, source, &options)
            }
            _ => self.of_files(&opened, &options),
        }
    }

    /// Objects that no artifact holds yet.
    fn of_files(
        &self,
        opened: &[(&str, &Source)],
        options: &kelson_render::Options,
    ) -> anyhow::Result<Gathered> {
        let builds = opened.iter().map(|(name, source)| Ok((*name, source.build(options)?)));
        let builds = builds.collect::<anyhow::Result<Vec<_>>>()?;
        let mut build = one_set(builds, options)?;
        for patch in &self.patch {
            build = laid(patch, build, options)?;
        }
        let text = to_yaml(&mut build)?;
        let packed = pack_objects(&text, Form::Flux, &Metadata::default(), &[])?;
        let joined: Vec<&str> = match opened {
            [_] => Vec::new(),
            several => several.iter().map(|(name, _)| *name).collect(),
        };
        Ok(Gathered {
            objects: deliverable(build, &joined)?,
            digest: packed.manifest.descriptor.digest.to_string(),
            reference: None,
            packed: Some(packed),
            sources: names(opened)?,
            revision: identity::revision(opened),
            was_sealed: opened.iter().any(|(_, source)| source.was_sealed()),
        })
    }
}

/// The objects of one artifact as it is.
fn of_artifact(
    name: &str,
    source: &Source,
    options: &kelson_render::Options,
) -> anyhow::Result<Gathered> {
    let artifact = source.artifact.as_ref().ok_or_else(|| anyhow!("`{name}` is no artifact"))?;
    let (named, directory) = source::split(name);
    let reference: Reference = named.parse()?;
    let reference = Reference { tag: None, digest: Some(artifact.digest), ..reference };
    let directory = if directory.is_empty() { String::new() } else { format!("//{directory}") };
    Ok(Gathered {
        objects: deliverable(source.build(options)?, &[])?,
        digest: artifact.digest.to_string(),
        reference: Some(format!("{}{directory}", identity::absolute(&reference)?)),
        packed: None,
        sources: vec![identity::of(name)?],
        revision: identity::revision(&[(name, source)]),
        was_sealed: source.was_sealed(),
    })
}

/// The objects of an artifact that a plan names.
pub(crate) fn of_plan(source: &Source) -> anyhow::Result<Vec<Object>> {
    deliverable(source.build(&kelson_render::Options::default())?, &[])
}

/// The objects that were built, if all of them can be delivered. `joined` are the sources where there are several.
fn deliverable(build: Build, joined: &[&str]) -> anyhow::Result<Vec<Object>> {
    let mut places = twins::places(&build, joined);
    let mut objects = source::objects(build)?;
    for (number, object) in objects.iter_mut().enumerate() {
        object.place = places.remove(&number).map(String::into_boxed_str);
    }
    refuse::check(&objects)?;
    Ok(objects)
}

fn borrowed<'a>(opened: &'a [(&'a str, Source)]) -> Vec<(&'a str, &'a Source)> {
    opened.iter().map(|(name, source)| (*name, source)).collect()
}

fn names(opened: &[(&str, &Source)]) -> anyhow::Result<Vec<String>> {
    opened.iter().map(|(name, _)| identity::of(name)).collect()
}

/// Several sources become one set, in which no object is there twice.
fn one_set(
    mut builds: Vec<(&str, Build)>,
    options: &kelson_render::Options,
) -> anyhow::Result<Build> {
    if builds.len() == 1
        && let Some((_, build)) = builds.pop()
    {
        return Ok(build);
    }
    let mut seen: HashMap<ObjectId, &str> = HashMap::new();
    let mut tree = MemoryTree::default();
    for (number, (name, mut build)) in builds.into_iter().enumerate() {
        for object in &build.objects {
            let id = ObjectId {
                group: object.group().to_owned(),
                kind: object.kind().to_owned(),
                namespace: object.namespace().to_owned(),
                name: object.name().to_owned(),
            };
            if let Some(other) = seen.get(&id) {
                bail!("{id} is in two sources: `{other}` and `{name}`");
            }
            seen.insert(id, name);
        }
        tree.insert(&format!("/{number:06}.yaml"), to_yaml(&mut build)?);
    }
    source::drawn(kelson_pipeline::render(&tree, "/", &with_places(options)), "all sources")
}

/// Lays the fields of a file over what is built.
fn laid(
    patch: &std::path::Path,
    mut build: Build,
    options: &kelson_render::Options,
) -> anyhow::Result<Build> {
    let shown = patch.display().to_string();
    let file = path::absolute(&shown)?;
    let (tree, objects) = (DirectoryTree::whole(), to_yaml(&mut build)?);
    let built = kelson_render::lay(&tree, &file, objects)
        .and_then(|laid| kelson_pipeline::render(&laid, laid.root(), &with_places(options)));
    source::drawn(built, &shown)
}

/// What is rendered already may have places that only a deploy fills.
fn with_places(options: &kelson_render::Options) -> kelson_render::Options {
    kelson_render::Options { places: true, ..options.clone() }
}

/// The text of all objects, in the order of their application.
fn to_yaml(build: &mut Build) -> anyhow::Result<String> {
    kelson_render::to_apply_yaml(build).map_err(|failure| {
        crate::draw::diagnostics(&failure.diagnostics, &failure.sources);
        anyhow!("the objects cannot be written")
    })
}

#[cfg(test)]
mod tests;
