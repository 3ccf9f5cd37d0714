//! Who owns which field: `metadata.managedFields`.

mod set; // a set of fields

use kelson_yaml::Node;

pub use set::FieldSet;

/// An entry of `managedFields`.
#[derive(Clone, Debug)]
pub struct Manager {
    /// The manager's name.
    pub name: String,
    /// Whether its fields were applied; otherwise they were updated.
    pub applies: bool,
    /// The version the fields are written in.
    pub api_version: String,
    /// The subresource it wrote through, or nothing.
    pub subresource: String,
    /// What it owns.
    pub fields: FieldSet,
}

/// The managers of a live object, in the order they are listed.
pub fn managers(object: &Node) -> Vec<Manager> {
    entries(object).iter().map(Manager::of).collect()
}

/// What a manager has applied to an object; nothing where it has not.
pub(crate) fn applied(object: &Node, manager: &str) -> Option<FieldSet> {
    let entry = entries(object).iter().find(|entry| is_applied_by(entry, manager))?;
    Some(entry.get("fieldsV1").map(FieldSet::of).unwrap_or_default())
}

/// The entries of `managedFields`.
pub(crate) fn entries(object: &Node) -> &[Node] {
    object.lookup(&["metadata", "managedFields"]).and_then(Node::as_sequence).unwrap_or_default()
}

/// Whether an entry is what a manager has applied to the object itself.
pub(crate) fn is_applied_by(entry: &Node, manager: &str) -> bool {
    text(entry, "manager") == manager
        && text(entry, "operation") == "Apply"
        && text(entry, "subresource").is_empty()
}

impl Manager {
    pub(crate) fn of(entry: &Node) -> Self {
        Self {
            name: text(entry, "manager").to_owned(),
            applies: text(entry, "operation") == "Apply",
            api_version: text(entry, "apiVersion").to_owned(),
            subresource: text(entry, "subresource").to_owned(),
            fields: entry.get("fieldsV1").map(FieldSet::of).unwrap_or_default(),
        }
    }

    /// Whether it is we who have applied these.
    pub(crate) fn is_ours(&self, manager: &str) -> bool {
        self.applies && self.subresource.is_empty() && self.name == manager
    }
}

fn text<'a>(entry: &'a Node, key: &str) -> &'a str {
    entry.get(key).and_then(Node::text).unwrap_or_default()
}
