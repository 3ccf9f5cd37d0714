//! An artifact and the images it names, for a place without a network.
//!
//! A bundle is an image layout: the artifact under its tags, and every image under its full reference, which is never a
//! tag.

use std::collections::{BTreeMap, BTreeSet};

use crate::copy::{Copied, CopyOptions, copy};
use crate::pack::{Form, Metadata, pack_objects};
use crate::recognise::annotation;
use crate::registry::Client;
use crate::{
    Content, Descriptor, Error, Layout, Place, Producer, PullOptions, Pulled, Reference, Store,
    is_tag, pull,
};

/// What a bundle has got.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// The artifact.
    pub artifact: Copied,
    /// The images, by their full references.
    pub images: BTreeMap<String, Copied>,
}

/// Writes an artifact under the given tags, with its signatures, and the images into one layout. A tar file appears when
/// all of it is there.
pub async fn bundle(
    from: &Store,
    reference: &Reference,
    images: &[Reference],
    client: &Client,
    to: &Layout,
    tags: &[String],
    options: &CopyOptions,
) -> Result<Bundled, Error> {
    let batch = to.batch();
    let store = Store::Layout(to.clone());
    let images: BTreeMap<String, &Reference> =
        images.iter().map(|image| (full_name(image), image)).collect();
    let mut copied = BTreeMap::new();
    for (name, image) in images {
        let registry = Store::open(&image.place, client);
        let tags = std::slice::from_ref(&name);
        let image = copy(&registry, image, &store, tags, options).await?;
        copied.insert(name, image);
    }
    let artifact = copy(from, reference, &store, tags, options).await?;
    batch.finish().await?;
    Ok(Bundled { artifact, images: copied })
}

/// Changes the images that a text of objects names, with the help of what became of them.
pub type Rewrite<'a> = &'a (dyn Fn(&str, &Mapping) -> Result<String, String> + Sync);

/// What became of the images of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(pub BTreeMap<String, String>);

impl Mapping {
    /// The new reference for an image as a manifest names it, where it was in the bundle.
    pub fn find(&self, image: &str) -> Option<&str> {
        let full = full_name(&Reference::image(image).ok()?);
        self.0.get(&full).map(String::as_str)
    }
}

/// What a restore did.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The artifact in its new place. Rewritten, it is another one, and the signatures of the old one do not hold for it.
    pub artifact: Descriptor,
    /// Every image's full reference, before and after.
    pub images: Mapping,
    /// Blobs and manifests that were sent, and those that were there.
    pub sent: usize,
    /// Those that were there.
    pub skipped: usize,
    /// How many bytes were sent.
    pub bytes: u64,
}

/// Pushes the images of a bundle to repositories below a prefix such as `registry.example/mirror`, and the artifact
/// that `reference` names in it to `to`, under the tag that this one has. With `rewrite`, its objects name the images in
/// their new places.
pub async fn restore(
    layout: &Layout,
    reference: &Reference,
    to: &Reference,
    prefix: &str,
    rewrite: Option<Rewrite<'_>>,
    client: &Client,
    options: &CopyOptions,
) -> Result<Restored, Error> {
    let store = Store::Layout(layout.clone());
    let names = layout.names().await?.into_iter().filter(|name| !is_tag(name));
    let places = places(names, prefix)?;
    let (mut mapping, mut total) = (Mapping::default(), [0, 0]);
    let mut bytes = 0;
    let mut count = |copied: &Copied| {
        total = [total[0] + copied.sent, total[1] + copied.skipped];
        bytes += copied.bytes;
    };
    for (name, target) in places {
        let source = Reference { place: layout.place(), tag: Some(name.clone()), digest: None };
        let tags: Vec<String> = target.tag.iter().cloned().collect();
        let copied =
            copy(&store, &source, &Store::open(&target.place, client), &tags, options).await?;
        count(&copied);
        let target =
            Reference { digest: target.digest.map(|_| copied.descriptor.digest), ..target };
        mapping.0.insert(name, full_name(&target));
    }
    let tag = to.tag.clone().unwrap_or_else(|| Reference::LATEST.to_owned());
    let target = Store::open(&to.place, client);
    let artifact = match rewrite {
        None => {
            let copied = copy(&store, reference, &target, &[tag], options).await?;
            count(&copied);
            copied.descriptor
        }
        Some(rewrite) => {
            let pulled = pull(&store, reference, &PullOptions::default()).await?;
            let packed = repack(&pulled, |text| rewrite(text, &mapping))?;
            let pushed = packed.push(&target, &[tag], &options.watch).await?;
            total = [total[0] + pushed.sent, total[1] + pushed.skipped];
            bytes += pushed.bytes;
            pushed.descriptor
        }
    };
    let [sent, skipped] = total;
    Ok(Restored { artifact, images: mapping, sent, skipped, bytes })
}

/// Packs an artifact again with its text changed, in the form that it had.
fn repack(
    pulled: &Pulled,
    change: impl Fn(&str) -> Result<String, String>,
) -> Result<crate::Packed, Error> {
    let Content::Objects(text) = &pulled.content else {
        let needed = "only an artifact of objects can be rewritten; push what it builds to instead";
        return Err(Error::Refused {
            what: "a tree of files".to_owned(),
            needed: needed.to_owned(),
        });
    };
    if pulled.manifest.annotations.contains_key(annotation::ENCRYPTED) {
        let needed = "it cannot be rewritten without being packed in plain text".to_owned();
        return Err(Error::Refused { what: "an encrypted artifact".to_owned(), needed });
    }
    let form = match pulled.producer {
        Producer::Kustomizer => Form::Kustomizer,
        _ => Form::Flux,
    };
    let mut annotations = pulled.manifest.annotations.clone();
    annotations.retain(|key, _| !key.starts_with("kustomizer.dev/"));
    let metadata = Metadata { annotations, ..Metadata::default() };
    let text = change(text).map_err(Error::Pack)?;
    pack_objects(&text, form, &metadata, &[])
}

/// Says where each image goes: below the prefix under its own name, with its registry's name before that where two
/// registries have one name.
fn places(
    names: impl Iterator<Item = String>,
    prefix: &str,
) -> Result<Vec<(String, Reference)>, Error> {
    let mut images = Vec::new();
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for full in names {
        let reference: Reference = format!("oci://{full}").parse()?;
        if let Place::Repository { host, name } = &reference.place {
            owners.entry(name.clone()).or_default().insert(host.clone());
            images.push((full, host.clone(), name.clone(), reference));
        }
    }
    let prefix = prefix.trim_start_matches("oci://").trim_end_matches('/');
    let place = |(full, host, name, reference): (String, String, String, Reference)| {
        let shared = owners.get(&name).is_some_and(|hosts| hosts.len() > 1);
        let host = host.to_lowercase().replace([':', '[', ']'], "-");
        let name = if shared { format!("{}/{name}", host.trim_matches('-')) } else { name };
        let target: Reference = format!("oci://{prefix}/{name}").parse()?;
        Ok((full, Reference { place: target.place, ..reference }))
    };
    images.into_iter().map(place).collect()
}

/// The full reference of an image, the same for all ways to write it. A digest says more than a tag.
fn full_name(image: &Reference) -> String {
    let tag = match (&image.tag, &image.digest) {
        (None, None) => Some(Reference::LATEST.to_owned()),
        (tag, _) => tag.clone(),
    };
    let full = Reference { tag, ..image.clone() };
    full.to_string().trim_start_matches("oci://").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_one_full_name_however_they_are_written() {
        let digest = crate::Digest::of(b"");
        for (text, expected) in [
            ("nginx", "index.docker.io/library/nginx:latest".to_owned()),
            ("acme/shop:v1", "index.docker.io/acme/shop:v1".to_owned()),
            ("docker.io/nginx:1", "index.docker.io/library/nginx:1".to_owned()),
            ("localhost:5000/a", "localhost:5000/a:latest".to_owned()),
            ("localhost/a", "localhost/a:latest".to_owned()),
            ("ghcr.io/acme/shop:v1", "ghcr.io/acme/shop:v1".to_owned()),
            (&format!("ghcr.io/a@{digest}"), format!("ghcr.io/a@{digest}")),
            (&format!("ghcr.io/a:v1@{digest}"), format!("ghcr.io/a:v1@{digest}")),
        ] {
            assert_eq!(full_name(&Reference::image(text).unwrap()), expected);
        }
        assert!(Reference::image("Not an image").is_err());
        assert!(Reference::image("").is_err());
    }

    #[test]
    fn images_go_below_the_prefix_and_never_to_one_place() {
        let names =
            ["ghcr.io/acme/shop:v1", "quay.io/acme/shop:v1", "index.docker.io/library/nginx:1"];
        let places =
            places(names.into_iter().map(str::to_owned), "oci://r.example/mirror/").unwrap();
        let actual: Vec<String> = places.iter().map(|(_, target)| target.to_string()).collect();
        assert_eq!(
            actual,
            [
                "oci://r.example/mirror/ghcr.io/acme/shop:v1",
                "oci://r.example/mirror/quay.io/acme/shop:v1",
                "oci://r.example/mirror/library/nginx:1",
            ]
        );
        let mapping =
            Mapping([("index.docker.io/library/nginx:1".to_owned(), "new".to_owned())].into());
        assert_eq!(mapping.find("nginx:1"), Some("new"));
        assert_eq!(mapping.find("nginx:2"), None);
        assert_eq!(mapping.find("{{ image }}"), None);
    }
}
