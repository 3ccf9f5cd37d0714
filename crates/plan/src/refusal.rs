//! What a server says no with, and what it says to a dry run.

use std::fmt;

use kelson_yaml::Node;

use crate::managed;

/// A `Status` that is a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status; 0 where no answer came.
    pub code: u16,
    /// The reason in one word, such as `Invalid`.
    pub reason: String,
    /// What the server says. Values of Secrets are cut out before it gets here.
    pub message: String,
    /// What it says field by field.
    pub causes: Vec<Cause>,
}

/// One cause of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The reason in one word, such as `FieldManagerConflict`.
    pub reason: String,
    /// The field, as the server writes it.
    pub field: String,
    /// What it says.
    pub message: String,
}

/// What came of a dry run.
#[derive(Clone, Debug)]
pub enum DryRun {
    /// The object would be so.
    Would(Box<Node>),
    /// The server would not do it.
    Refused(Refusal),
}

impl DryRun {
    /// Takes what a server answered, without what no plan looks at: status, what others own, and what we own of an object that
    /// is new. `manager` is our field manager.
    pub fn would(mut node: Node, manager: &str, is_new: bool) -> Self {
        if let Some(object) = node.as_mapping_mut() {
            object.remove("status");
        }
        let entries =
            node.get_mut("metadata").and_then(|metadata| metadata.get_mut("managedFields"));
        if let Some(entries) = entries.and_then(Node::as_sequence_mut) {
            entries.retain(|entry| !is_new && managed::is_applied_by(entry, manager));
            entries.shrink_to_fit();
        }
        Self::Would(Box::new(node))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            0 => formatter.write_str(&self.message),
            code if self.reason.is_empty() => write!(formatter, "{} ({code})", self.message),
            code => write!(formatter, "{} ({} {})", self.message, code, self.reason),
        }
    }
}
