//! How what is delivered can be had again, for whoever wants to go back to it.

use kelson_artifact::{Layout, Packed, Place, Reference, Store, enclose};
use kelson_pipeline::deliver::{Keep, LARGEST_KEPT};

use crate::source;

const DECRYPTED: &str = "it was decrypted on the way, and would lie open in the cluster (one encrypted artifact, applied as it is, is kept as it is)";

/// How content can be had again that no artifact held before.
pub(crate) fn of_packed(packed: &Packed, was_sealed: bool) -> Keep {
    match was_sealed {
        true => Keep::Not(DECRYPTED.to_owned()),
        false => Keep::Archive { archive: packed.enclosed().into(), directory: String::new() },
    }
}

/// How an artifact can be had again that has a name, by digest.
pub(crate) async fn of_name(name: &str) -> anyhow::Result<Keep> {
    let (artifact, directory) = source::split(name);
    of_reference(&artifact.parse()?, directory).await
}

/// How an artifact can be had again: a registry has it for everybody, but a layout on this machine only for whoever sits
/// at it.
pub(crate) async fn of_reference(reference: &Reference, directory: &str) -> anyhow::Result<Keep> {
    let layout = match &reference.place {
        Place::Repository { .. } if directory.is_empty() => {
            return Ok(Keep::There(reference.to_string()));
        }
        Place::Repository { .. } => return Ok(Keep::There(format!("{reference}//{directory}"))),
        Place::Directory(path) => Layout::directory(path),
        Place::Tar(path) => Layout::tar(path),
    };
    match enclose(&Store::Layout(layout), reference, LARGEST_KEPT).await? {
        Some(archive) => {
            Ok(Keep::Archive { archive: archive.into(), directory: directory.to_owned() })
        }
        None => Ok(Keep::too_large()),
    }
}
