//! What a source is known by, whatever its revision: another name is another source.

use std::path::Path;

use kelson_artifact::{Place, Reference};

use crate::path;
use crate::source::{self, Source};

/// The name of a source without tag, digest or revision.
pub(super) fn of(name: &str) -> anyhow::Result<String> {
    if name == "-" {
        return Ok(name.to_owned());
    }
    if Reference::is_meant(name) {
        let (artifact, directory) = source::split(name);
        let place = absolute(&Reference { tag: None, digest: None, ..artifact.parse()? })?;
        return Ok(with_directory(place.to_string(), directory));
    }
    let absolute = path::absolute(name)?;
    Ok(in_repository(Path::new(&absolute)).unwrap_or(absolute))
}

/// The address of the repository that a path is in, and the way in it.
fn in_repository(path: &Path) -> Option<String> {
    let found = source::repository(path).filter(|found| !found.url.is_empty())?;
    let root = found.root?.canonicalize().ok()?;
    let inside = path.canonicalize().ok()?;
    let inside = inside.strip_prefix(root).ok()?.to_str()?;
    Some(with_directory(found.url, inside))
}

fn with_directory(place: String, directory: &str) -> String {
    match directory.trim_matches('/') {
        "" => place,
        directory => format!("{place}//{directory}"),
    }
}

/// A reference that means the same from every directory.
pub(crate) fn absolute(reference: &Reference) -> anyhow::Result<Reference> {
    let absolute = |path: &Path| path::absolute(&path.display().to_string());
    let place = match &reference.place {
        Place::Directory(path) => Place::Directory(absolute(path)?.into()),
        Place::Tar(path) => Place::Tar(absolute(path)?.into()),
        repository => repository.clone(),
    };
    Ok(Reference { place, ..reference.clone() })
}

/// The revisions of all sources that have one.
pub(super) fn revision(sources: &[(&str, &Source)]) -> String {
    let revision = |(name, source): &(&str, &Source)| match &source.artifact {
        Some(artifact) => artifact.revision.clone(),
        None if *name == "-" => String::new(),
        None => source::repository(Path::new(name)).map(|it| it.revision()).unwrap_or_default(),
    };
    let revisions: Vec<String> =
        sources.iter().map(revision).filter(|revision| !revision.is_empty()).collect();
    revisions.join(", ")
}
