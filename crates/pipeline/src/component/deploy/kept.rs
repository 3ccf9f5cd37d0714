//! What is deployed can be had again: an artifact that is deployed as it is where it is, one whose places were filled as it
//! came out.

use kelson_artifact::{
    Digest, Form, Metadata, Packed, Place, Pulled, Reference, Store, annotation, enclose,
    pack_objects,
};
use kelson_model::Object;
use kelson_plan::inventory::Applied;
use kelson_yaml::emit;

use crate::PackageError;
use crate::component::Error;
use crate::deliver::{Keep, LARGEST_KEPT};

/// An artifact by its digest alone.
pub(super) fn exact(reference: &Reference, digest: Digest) -> Reference {
    Reference { tag: None, digest: Some(digest), ..reference.clone() }
}

/// Whether an artifact was encrypted, and no longer is.
pub(super) fn was_sealed(pulled: &Pulled) -> bool {
    pulled.manifest.annotations.contains_key(annotation::ENCRYPTED)
}

/// Packs objects as they are: the same objects have the same digest.
pub(super) fn pack(objects: &[Object]) -> Result<Packed, Error> {
    let mut text = String::new();
    for object in objects {
        emit::canonical(&object.node, &mut text)
            .map_err(|error| Error::Objects(vec![format!("{}: {error}", object.id)]))?;
        text.push_str("---\n");
    }
    Ok(pack_objects(&text, Form::Flux, &Metadata::default(), &[]).map_err(PackageError::Pack)?)
}

/// The revision of objects that came out of an artifact, in the form that Flux has for artifacts.
pub(super) fn revision(tag: Option<&str>, digest: Digest) -> String {
    match tag {
        Some(tag) => format!("{tag}@{digest}"),
        None => digest.to_string(),
    }
}

/// The digest of the artifact that an apply was of: its revision says so where that is another than what was applied.
pub(super) fn artifact(of: &Applied) -> String {
    let named = of.revision.rsplit('@').next();
    match named.filter(|digest| digest.parse::<Digest>().is_ok()) {
        Some(digest) => digest.to_owned(),
        None => of.digest.clone(),
    }
}

/// How what came out of an artifact can be had again.
pub(super) fn keep(packed: &Packed, was_sealed: bool) -> Keep {
    match was_sealed {
        true => Keep::Not(
            "its artifact is encrypted, and what came out of it would lie open in the cluster; deploy that artifact again"
                .to_owned(),
        ),
        false => Keep::Archive { archive: packed.enclosed().into(), directory: String::new() },
    }
}

/// How an artifact can be had again: a registry has it for everybody, a layout only for whoever sits at it.
pub(super) async fn keep_as_it_is(store: &Store, exact: &Reference) -> Keep {
    if matches!(exact.place, Place::Repository { .. }) {
        return Keep::There(exact.to_string());
    }
    match enclose(store, exact, LARGEST_KEPT).await {
        Ok(Some(archive)) => Keep::Archive { archive: archive.into(), directory: String::new() },
        Ok(None) => Keep::too_large(),
        Err(error) => Keep::Not(error.to_string()),
    }
}
