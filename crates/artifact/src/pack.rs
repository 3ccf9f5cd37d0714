//! Objects and trees become artifacts: the same input, the same digest.

mod annotate; // what is said of an artifact
mod push; // into a store, manifest last

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

pub use annotate::Metadata;
pub use push::Pushed;

use crate::archive::{Compression, Item, Layer, Limits, Names, clean_name, layer};
use crate::manifest::{LARGEST_MANIFEST, media};
use crate::recognise::annotation;
use crate::seal::seal;
use crate::{Descriptor, Digest, Error, Manifest, Raw, Recipient};

/// The version of the format, not of the program: the same content has the same digest whoever packs it.
const FORMAT_VERSION: &str = "1.0.0";

/// How encrypted content is marked.
const AGE: &str = "age-encryption.org/v1";

/// Whose form an artifact has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Flux's types, read by Flux, by kustomizer and by us.
    #[default]
    Flux,
    /// Docker's types, as kustomizer writes them.
    Kustomizer,
}

/// An artifact that is ready to be pushed.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The manifest.
    pub manifest: Raw,
    /// The configuration.
    pub config: (Descriptor, Bytes),
    /// The content.
    pub layers: Vec<(Descriptor, Bytes)>,
}

/// Packs objects as one text: documents in the order of their application, each followed by a line `---`. With
/// recipients it is encrypted for them, and no two packings are the same.
pub fn pack_objects(
    yaml: &str,
    form: Form,
    metadata: &Metadata,
    recipients: &[Recipient],
) -> Result<Packed, Error> {
    let encrypted = !recipients.is_empty();
    let sealed = if encrypted { Some(seal(yaml.as_bytes(), recipients)?) } else { None };
    let (path, content) = match &sealed {
        Some(sealed) => ("all.yaml.age", sealed.as_slice()),
        None => ("all.yaml", yaml.as_bytes()),
    };
    let (mode, compression) = match form {
        Form::Flux => (0o644, Compression::Usual),
        Form::Kustomizer => (0o600, Compression::Fast),
    };
    let layer = layer([Item { path, mode, content: Some(content) }].into_iter(), compression);
    let mut annotations = metadata.annotations()?;
    let created = metadata.created()?;
    annotations.insert(annotation::VERSION.to_owned(), FORMAT_VERSION.to_owned());
    annotations.insert(annotation::CREATED.to_owned(), created);
    if encrypted {
        annotations.insert(annotation::ENCRYPTED.to_owned(), AGE.to_owned());
    }
    // The checksum of the plain text lets others confirm a guess of it. Kustomizer does not read an artifact without, so
    // its form has it all the same.
    if !encrypted || form == Form::Kustomizer {
        let checksum = Digest::of(yaml.as_bytes()).hex();
        annotations.insert(annotation::CHECKSUM.to_owned(), checksum);
    }
    packed(layer, form, annotations)
}

/// Packs files as they are, as `flux push artifact` does: with their directories, in one order whatever the order they
/// are given in. What is to be left out is left out by the caller, by [`crate::Ignore`].
pub fn pack_tree(files: &[(String, Arc<[u8]>)], metadata: &Metadata) -> Result<Packed, Error> {
    let limits = Limits::default();
    let (mut names, mut directories) = (Names::default(), BTreeSet::from(["."]));
    let mut items = Vec::with_capacity(files.len());
    for (path, content) in files {
        let name = path.trim_start_matches('/');
        let refuse = |rule| Error::Entry { entry: path.clone(), rule };
        let clean = clean_name(name.as_bytes(), &limits).map_err(refuse)?;
        if clean != name {
            return Err(refuse("its path is not in its shortest form".to_owned()));
        }
        names.claim(name, false, &limits).map_err(refuse)?;
        directories.extend(name.match_indices('/').map(|(at, _)| &name[..at]));
        items.push(Item { path: name, mode: 0o644, content: Some(content) });
    }
    items.extend(directories.iter().map(|path| Item { path, mode: 0o755, content: None }));
    // As a walk through directories meets them: part by part, so that `a/b` comes before `a-b`.
    items.sort_by(|one, other| parts(one.path).cmp(parts(other.path)));
    packed(layer(items.into_iter(), Compression::Usual), Form::Flux, metadata.annotations()?)
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| *part != ".")
}

/// Writes the configuration and the manifest around a layer.
fn packed(
    layer: Layer,
    form: Form,
    annotations: BTreeMap<String, String>,
) -> Result<Packed, Error> {
    let [manifest_type, config_type, layer_type] = match form {
        Form::Flux => [media::OCI_MANIFEST, media::FLUX_CONFIG, media::FLUX_CONTENT],
        Form::Kustomizer => [media::DOCKER_MANIFEST, media::DOCKER_CONFIG, media::DOCKER_LAYER],
    };
    let config = Bytes::from(image_config(&layer.expanded));
    let config = (Descriptor::of(config_type, &config), config);
    let content = Bytes::from(layer.content);
    let layers = vec![(Descriptor::of(layer_type, &content), content)];
    let manifest = Raw::write(&Manifest {
        schema_version: 2,
        media_type: Some(manifest_type.to_owned()),
        artifact_type: None,
        config: config.0.clone(),
        layers: layers.iter().map(|(descriptor, _)| descriptor.clone()).collect(),
        subject: None,
        annotations,
    });
    if manifest.descriptor.size > LARGEST_MANIFEST {
        return Err(Error::Pack("its annotations are too long".to_owned()));
    }
    Ok(Packed { manifest, config, layers })
}

/// An image's configuration that says nothing but what the layer expands to; kustomizer writes the same bytes.
fn image_config(expanded: &Digest) -> String {
    format!(
        r#"{{"architecture":"","created":"0001-01-01T00:00:00Z","history":[{{"created":"0001-01-01T00:00:00Z"}}],"os":"","rootfs":{{"type":"layers","diff_ids":["{expanded}"]}},"config":{{}}}}"#
    )
}

#[cfg(test)]
mod tests;
