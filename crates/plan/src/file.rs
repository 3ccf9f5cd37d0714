//! A plan as it is stored: JSON, versioned, with a digest of the whole. No value of a Secret is in it, and no body of an
//! object: `apply` renders those again from the artifact's digest. `docs/plan-file.md` describes it.

mod failure; // failures as they are stored
mod moved; // what has moved since
mod step;
mod stored; // the whole as it is stored // steps as they are stored

use kelson_yaml::{Node, Span, json};

use crate::{Hash, Options, Plan};
pub use moved::moved;

/// The schema that is written.
pub const SCHEMA: &str = "kelson.dev/plan/v1";

/// What every schema of plans begins with.
const FAMILY: &str = "kelson.dev/plan/";

/// The largest text that is read.
const MOST_BYTES: usize = 256 << 20;

/// A plan that was read back: what was approved.
#[derive(Clone, Debug)]
pub struct Approved {
    /// The plan; its steps have no bodies.
    pub plan: Plan,
    /// What it was computed with; what was gathered for it, and the key of its masks, are not stored.
    pub options: Options,
    /// Of the inventory's stored form when the plan was made; nothing where there was none.
    pub inventory: Option<crate::Hash>,
    /// What was asked for besides.
    pub request: Asked,
}

/// What was asked for when a plan was made, as far as planning the same again needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The artifact, by digest, where the objects were in one; nothing where they were packed into the local store.
    pub reference: Option<String>,
    /// Where the objects came from, see [`crate::inventory::Origins::sources`].
    pub sources: Vec<String>,
    /// The revision of the source, where it has one.
    pub revision: String,
    /// Whether another source than the one in the inventory was meant.
    pub change_source: bool,
    /// Whether the namespace that holds the inventory is made where it is missing.
    pub create_namespace: bool,
    /// The namespace of objects that name none.
    pub default_namespace: String,
    /// Fields that are left to others, as [`crate::Ignore::parse`] reads them.
    pub ignore: Vec<String>,
    /// The number of the apply that this one goes back to, where it is a rollback.
    pub rollback: Option<u64>,
}

/// Why a plan file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no plan that can be applied: {0}")]
pub struct Malformed(pub String);

/// Writes a plan.
pub fn write(approved: &Approved) -> String {
    let mut stored = stored::Stored::from(approved);
    let text = serde_json::to_string(&stored).expect("because texts and lists have a form in JSON");
    stored.digest = digest(&text).expect("because this is the JSON that was just written");
    let mut text =
        serde_json::to_string_pretty(&stored).expect("because it had a form in JSON before");
    text.push('\n');
    text
}

/// Reads a plan, and checks its digest.
///
/// # Errors
///
/// Fails for what is no plan, was changed by hand, or is of a later schema.
pub fn read(text: &str) -> Result<Approved, Malformed> {
    if text.len() > MOST_BYTES {
        return Err(Malformed(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    crate::stored::check_schema(text, SCHEMA).map_err(Malformed)?;
    let stored: stored::Stored =
        serde_json::from_str(text).map_err(|error| Malformed(crate::stored::brief(&error)))?;
    // Of a text with other bytes and the same content nothing is lost; other content is another plan.
    match digest(text) {
        Some(found) if found == stored.digest => stored.approved().map_err(Malformed),
        _ => Err(Malformed(
            "its content is not what its digest says: it was changed after it was made. Make a new plan".to_owned(),
        )),
    }
}

/// The digest of a plan's JSON, its own field left out: SHA-256 over compact JSON with sorted keys.
fn digest(text: &str) -> Option<String> {
    let mut node: Node = json::read(text, Span::NONE).ok()?;
    node.as_mapping_mut()?.remove("digest");
    Some(format!("sha256:{}", Hash::of(&node)))
}

/// Whether a text is meant to be a plan file (so that `apply FILE` can tell it from a manifest). It may still be broken.
pub fn is_meant(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && text.match_indices(FAMILY).any(|(at, _)| names_schema(&text[..at]))
}

/// Whether a text ends in `"schema": "`.
fn names_schema(before: &str) -> bool {
    let key = before.strip_suffix('"').map(str::trim_end);
    let key = key.and_then(|text| text.strip_suffix(':')).map(str::trim_end);
    key.is_some_and(|text| text.ends_with("\"schema\""))
}

#[cfg(test)]
mod tests;
