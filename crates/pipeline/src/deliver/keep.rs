//! What was applied can be had again: from the registry it came from, or from Secrets beside the inventory.

use std::sync::Arc;

use kelson_cluster::{Cluster, Held, Kept};
use kelson_plan::inventory::Content;
use kelson_plan::{Event, Listener};

use super::Request;

/// The largest archive that is kept: ten of them are a good part of what a cluster's store should hold.
pub const LARGEST_KEPT: u64 = 8 << 20;

/// How the artifact of an apply can be had again.
#[derive(Clone, Debug, Default)]
pub enum Keep {
    /// Nobody asks: there is none.
    #[default]
    Nothing,
    /// It stays where it is: in a registry, under this name by digest.
    There(String),
    /// It is kept in the cluster.
    Archive {
        /// The artifact, as [`kelson_artifact::enclose`] makes it.
        archive: Arc<[u8]>,
        /// The directory of its tree that was rendered; empty for the whole.
        directory: String,
    },
    /// It cannot be had again, for this reason.
    Not(String),
}

/// Where an artifact was put, and what else lies there.
pub(super) struct Shelf {
    /// What the history says of it.
    pub(super) content: Content,
    kept: Option<Kept>,
}

/// Puts an artifact where it can be had again, before anything names it. One that cannot be kept is no reason not to
/// apply it: the history says so, and so does a warning.
pub(super) async fn put(
    cluster: &Cluster,
    held: &Held,
    request: &Request,
    listener: &dyn Listener,
) -> Shelf {
    let kept = match concerns(held, &request.keep) {
        true => {
            let found = Kept::find(cluster, &held.delivery).await;
            Some(found.unwrap_or_else(|_| Kept::unlisted(&held.delivery)))
        }
        false => None,
    };
    let content = match (&request.keep, &kept) {
        (Keep::Nothing, _) => Content::Unknown,
        (Keep::There(reference), _) => Content::Registry(reference.clone()),
        (Keep::Not(why), _) => Content::Nowhere(why.clone()),
        (Keep::Archive { archive, .. }, _) if archive.len() as u64 > LARGEST_KEPT => {
            Content::Nowhere(too_large())
        }
        (Keep::Archive { archive, directory }, Some(kept)) => {
            match kept.put(cluster, &request.artifact, archive).await {
                Ok(()) => Content::Cluster { directory: directory.clone() },
                Err(error) => Content::Nowhere(error.to_string()),
            }
        }
        (Keep::Archive { .. }, None) => Content::Unknown,
    };
    if let Content::Nowhere(why) = &content {
        let text =
            format!("what is applied is not kept: {why}; going back to it will need its source");
        listener.hear(&Event::Warning(text));
    }
    Shelf { content, kept }
}

/// Whether anything is to be kept, or may have to be swept.
fn concerns(held: &Held, keep: &Keep) -> bool {
    let is_kept = |content: &Content| matches!(content, Content::Cluster { .. });
    match keep {
        Keep::Nothing => false,
        Keep::Archive { .. } => true,
        Keep::There(_) | Keep::Not(_) => {
            held.inventory.history.iter().any(|applied| is_kept(&applied.content))
        }
    }
}

fn too_large() -> String {
    format!("it has more than {} MiB", LARGEST_KEPT >> 20)
}

impl Keep {
    /// What becomes of an artifact that is larger than what is kept.
    pub fn too_large() -> Self {
        Self::Not(too_large())
    }
}

impl Shelf {
    /// Removes what the history no longer names.
    pub(super) async fn sweep(self, cluster: &Cluster, held: &Held) {
        if let Some(kept) = self.kept {
            kept.sweep(cluster, &held.inventory).await;
        }
    }
}
