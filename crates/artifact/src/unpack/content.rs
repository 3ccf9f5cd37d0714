//! The layers of an artifact as files.

use bytes::Bytes;
use kelson_model::{MemoryTree, Tree};

use super::{PullOptions, is_manifest};
use crate::archive::{Limits, Names, clean_name, read_archive};
use crate::blocking::blocking;
use crate::error::crop;
use crate::recognise::annotation;
use crate::{Descriptor, Error, Manifest, Producer, Store, Transfer};

/// Reads the layers that an artifact of this producer has its content in.
pub(super) async fn read(
    store: &Store,
    manifest: &Manifest,
    producer: Producer,
    options: &PullOptions,
) -> Result<MemoryTree, Error> {
    let mut tree = MemoryTree::default();
    let layers = match producer {
        Producer::Image | Producer::Imgpkg | Producer::Oras | Producer::Timoni => {
            &manifest.layers[..]
        }
        // Whatever follows the first layer is not theirs.
        _ => &manifest.layers[..1],
    };
    for layer in layers {
        match form(layer, producer, options)? {
            Form::Archive => {
                let content = fetch(store, layer, options).await?;
                let limits = options.limits.clone();
                let files = blocking(move || read_archive(&content, &limits)).await?;
                merge(&mut tree, &files, producer)?;
            }
            Form::File(path) => {
                let content = fetch(store, layer, options).await?;
                if tree.read(&path).is_ok() {
                    return Err(refuse(&path, "its name is used twice"));
                }
                tree.insert(&path, Vec::from(content));
            }
            Form::Nothing => {}
        }
    }
    if layers.len() > 1 {
        check_names(&tree, &options.limits)?;
    }
    let empty = tree.files().next().is_none();
    if empty { Err(Error::Archive { rule: "it has no files".to_owned() }) } else { Ok(tree) }
}

/// How a layer holds files.
enum Form {
    Archive,
    File(String),
    Nothing,
}

/// Says how a layer holds files, and under which name where it is one.
fn form(layer: &Descriptor, producer: Producer, options: &PullOptions) -> Result<Form, Error> {
    let title = layer.annotations.get(annotation::OCI_TITLE);
    let unpack = layer.annotations.get(annotation::ORAS_UNPACK).is_some_and(|text| text == "true");
    let clean = |title: &str| {
        let path = clean_name(title.as_bytes(), &options.limits);
        path.map_err(|rule| refuse(title, &rule))
    };
    match (producer, title) {
        (Producer::Nuon, title) => {
            Ok(Form::File(clean(title.map_or("manifest.yaml", String::as_str))?))
        }
        (Producer::FluxStatic, _) => Ok(Form::File(static_name(&layer.media_type).to_owned())),
        (Producer::Oras, Some(_)) if unpack => Ok(Form::Archive),
        (Producer::Oras, Some(title)) if is_manifest(title) => Ok(Form::File(clean(title)?)),
        (Producer::Oras, _) => Ok(Form::Nothing),
        _ => Ok(Form::Archive),
    }
}

fn static_name(media_type: &str) -> &'static str {
    if media_type.ends_with("json") { "manifest.json" } else { "manifest.yaml" }
}

async fn fetch(store: &Store, layer: &Descriptor, options: &PullOptions) -> Result<Bytes, Error> {
    let most = options.limits.blob;
    if layer.size > most {
        let rule = format!("layer {} has {} bytes, more than {most}", layer.digest, layer.size);
        return Err(Error::Archive { rule });
    }
    let (digest, size) = (layer.digest, layer.size);
    options.watch.tell(Transfer::Begun { digest, size });
    let blob = store.blob(layer).await?.watched(options.watch.clone());
    let content = blob.bytes().await?;
    options.watch.tell(Transfer::Done { digest });
    Ok(content)
}

/// Lays a layer over those before it. Files may replace files; nothing may be taken away.
fn merge(tree: &mut MemoryTree, files: &MemoryTree, producer: Producer) -> Result<(), Error> {
    for (path, content) in files.files() {
        let removes = path.rsplit('/').next().is_some_and(|name| name.starts_with(".wh."));
        if removes && producer == Producer::Image {
            return Err(refuse(path, "it takes away what an earlier layer has"));
        }
        tree.insert_shared(path, content.clone());
    }
    Ok(())
}

/// What holds for the names of one archive holds for those of all layers together.
fn check_names(tree: &MemoryTree, limits: &Limits) -> Result<(), Error> {
    let mut names = Names::default();
    for (path, _) in tree.files() {
        names.claim(&path[1..], false, limits).map_err(|rule| refuse(path, &rule))?;
    }
    Ok(())
}

fn refuse(path: &str, rule: &str) -> Error {
    Error::Entry { entry: crop(path.trim_start_matches('/')), rule: rule.to_owned() }
}
