//! A layout that does not grow for ever: what came last is kept.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::{LONGEST, blob_path, directory, files, media_type};
use crate::manifest::{Parsed, Raw};
use crate::{Descriptor, Digest, Error, Index};

/// Drops all but the newest manifests, and every blob that only they name.
pub(super) fn keep(path: &Path, most: usize) -> Result<(), Error> {
    let _lock = directory::lock(path)?;
    let mut index = directory::read_index(path)?;
    let Some(surplus) = index.manifests.len().checked_sub(most).filter(|number| *number > 0) else {
        return Ok(());
    };
    let dropped: Vec<Descriptor> = index.manifests.drain(..surplus).collect();
    directory::write_index(path, &index, files::Lasts::Long)?;
    let kept = named(path, &index.manifests)?;
    for digest in named(path, &dropped)?.difference(&kept) {
        let blob = path.join(blob_path(digest));
        match fs::remove_file(&blob) {
            Err(error) if !files::is_absent(&error) => {
                return Err(Error::io("remove", &blob)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Everything that manifests name, themselves included.
fn named(path: &Path, manifests: &[Descriptor]) -> Result<HashSet<Digest>, Error> {
    let mut named = HashSet::new();
    let mut open: Vec<Digest> = manifests.iter().map(|listed| listed.digest).collect();
    while let Some(digest) = open.pop() {
        if !named.insert(digest) {
            continue;
        }
        let Some(content) = files::read(path, &blob_path(&digest), LONGEST)? else { continue };
        // What cannot be read names nothing.
        match Raw::new(&media_type(&content), content).parse() {
            Ok(Parsed::Manifest(manifest)) => {
                named.insert(manifest.config.digest);
                named.extend(manifest.layers.iter().map(|layer| layer.digest));
            }
            Ok(Parsed::Index(Index { manifests, .. })) => {
                open.extend(manifests.iter().map(|child| child.digest));
            }
            Err(_) => {}
        }
    }
    Ok(named)
}
