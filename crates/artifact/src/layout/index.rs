//! Which manifests a layout has: `index.json`.

use crate::manifest::{Descriptor, Index, Parsed, Raw, media};
use crate::recognise::annotation::OCI_REF_NAME;
use crate::reference::Selector;
use crate::{Digest, Reference};

/// An index of nothing.
pub(super) fn empty() -> Index {
    Index {
        schema_version: 2,
        media_type: Some(media::OCI_INDEX.to_owned()),
        artifact_type: None,
        manifests: Vec::new(),
        subject: None,
        annotations: Default::default(),
    }
}

pub(super) fn parse(content: &[u8]) -> Result<Index, String> {
    serde_json::from_slice(content).map_err(|error| format!("its `index.json`: {error}"))
}

pub(super) fn write(index: &Index) -> Vec<u8> {
    Raw::write_index(index).bytes.to_vec()
}

/// What a tag or digest names.
pub(super) fn find<'a>(index: &'a Index, selector: &Selector) -> Option<&'a Descriptor> {
    let mut listed = index.manifests.iter();
    let found = match selector {
        Selector::Digest(digest) => listed.find(|listed| listed.digest == *digest),
        Selector::Tag(_) => listed.rfind(|listed| named(listed, selector)),
    };
    // Many programs write one manifest without a name; who asks for none in particular means that.
    match (found, selector, index.manifests.as_slice()) {
        (None, Selector::Tag(tag), [only]) if tag == Reference::LATEST && name(only).is_none() => {
            Some(only)
        }
        (found, ..) => found,
    }
}

/// Whether a manifest is listed under this tag.
pub(super) fn named(listed: &Descriptor, selector: &Selector) -> bool {
    matches!(selector, Selector::Tag(tag) if name(listed) == Some(tag))
}

fn name(listed: &Descriptor) -> Option<&str> {
    listed.annotations.get(OCI_REF_NAME).map(String::as_str)
}

pub(super) fn names(index: &Index) -> impl Iterator<Item = &str> {
    index.manifests.iter().filter_map(name)
}

/// Lists a manifest, under a name or none. The name is taken from whatever had it.
pub(super) fn put(index: &mut Index, raw: &Raw, tag: Option<&str>) {
    let mut listed = raw.descriptor.clone();
    listed.annotations.clear();
    if let Some(tag) = tag {
        listed.annotations.insert(OCI_REF_NAME.to_owned(), tag.to_owned());
    }
    // What an index names need not be listed beside it.
    let children = match raw.parse() {
        Ok(Parsed::Index(children)) => children.manifests,
        _ => Vec::new(),
    };
    let nameless = |one: &Descriptor| name(one).is_none();
    index.manifests.retain(|one| {
        let child = nameless(one) && children.iter().any(|child| child.digest == one.digest);
        !child && (tag.is_none() || name(one) != tag)
    });
    add(index, listed);
}

/// Takes over what another index lists.
pub(super) fn merge(index: &mut Index, other: Index) {
    for listed in other.manifests {
        if let Some(tag) = name(&listed).map(str::to_owned) {
            index.manifests.retain(|one| name(one) != Some(&tag));
        }
        add(index, listed);
    }
}

/// One manifest is listed once per name, or once without any.
fn add(index: &mut Index, listed: Descriptor) {
    let digest = listed.digest;
    match name(&listed) {
        None if index.manifests.iter().any(|one| one.digest == digest) => {}
        None => index.manifests.push(listed),
        Some(_) => {
            index.manifests.retain(|one| one.digest != digest || name(one).is_some());
            index.manifests.push(listed);
        }
    }
}

/// Describes a manifest as a referrer, if it is one of this subject.
pub(super) fn referrer(found: Descriptor, parsed: Parsed, of: &Digest) -> Option<Descriptor> {
    let (subject, kind, annotations) = match parsed {
        Parsed::Manifest(manifest) => {
            let kind = manifest.artifact_type.unwrap_or(manifest.config.media_type);
            (manifest.subject, Some(kind), manifest.annotations)
        }
        Parsed::Index(index) => (index.subject, index.artifact_type, index.annotations),
    };
    subject.filter(|subject| subject.digest == *of)?;
    Some(Descriptor { artifact_type: kind, annotations, ..found })
}
