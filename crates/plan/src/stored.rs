//! What the stored forms share: ids, words for the states, and errors that are short and quote nothing large.

use kelson_model::ObjectId;
use serde::{Deserialize, Serialize};

use crate::Origin;

/// The longest text that a message quotes.
const QUOTED: usize = 200;

/// An id as it is stored; parts that are empty are left out.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredId {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// How an object became ours, as it is stored.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoredOrigin {
    #[default]
    Created,
    Adopted,
    Found,
}

/// The schema that a text says it has.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl From<&ObjectId> for StoredId {
    fn from(id: &ObjectId) -> Self {
        let ObjectId { group, kind, namespace, name } = id.clone();
        Self { group, kind, namespace, name }
    }
}

impl From<StoredId> for ObjectId {
    fn from(stored: StoredId) -> Self {
        let StoredId { group, kind, namespace, name } = stored;
        Self { group, kind, namespace, name }
    }
}

impl From<Origin> for StoredOrigin {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Created => Self::Created,
            Origin::Adopted => Self::Adopted,
            Origin::Found => Self::Found,
        }
    }
}

impl From<StoredOrigin> for Origin {
    fn from(stored: StoredOrigin) -> Self {
        match stored {
            StoredOrigin::Created => Self::Created,
            StoredOrigin::Adopted => Self::Adopted,
            StoredOrigin::Found => Self::Found,
        }
    }
}

/// Checks that a text has the schema that is known here, before anything else of it is looked at.
pub(crate) fn check_schema(text: &str, known: &str) -> Result<(), String> {
    let head: Head = serde_json::from_str(text).map_err(|error| brief(&error))?;
    if head.schema == known {
        return Ok(());
    }
    let is_family = |family: &str| head.schema.starts_with(family);
    match known.rsplit_once('/') {
        Some((family, _)) if is_family(family) => Err(format!(
            "its schema is `{}`, and this version of kelson knows `{known}`: a later version wrote it, use that one",
            cropped(&head.schema)
        )),
        _ => Err(format!("its schema is `{}`, not `{known}`", cropped(&head.schema))),
    }
}

/// What is wrong with a JSON text, without the values that the library would quote at any length.
pub(crate) fn brief(error: &serde_json::Error) -> String {
    cropped(&error.to_string())
}

/// The beginning of a text that may be of any length, without what a terminal would obey.
pub(crate) fn cropped(text: &str) -> String {
    let visible = |text: &str| text.replace(char::is_control, "\u{fffd}");
    match text.len() {
        0..=QUOTED => visible(text),
        _ => visible(&text[..text.floor_char_boundary(QUOTED)]) + "…",
    }
}

/// For fields that are left out when they are false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
