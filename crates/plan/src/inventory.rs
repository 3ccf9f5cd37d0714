//! What a delivery has made: the record that nothing we make goes untracked.

pub mod identifier; // ids in one text
mod kustomizer; // inventories of kustomizer
mod stored; // the record as it is stored

use kelson_model::ObjectId;

use crate::Hash;
pub use kustomizer::import;
pub use stored::{Malformed, SCHEMA, read, write};

/// What a delivery has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Where the objects came from; nothing before the first apply.
    pub source: Option<Origins>,
    /// The field manager they were applied with.
    pub field_manager: String,
    /// What was applied last, newest last; ten at most.
    pub history: Vec<Applied>,
    /// 32 bytes that Secrets are masked with, so that a change is visible.
    pub key: Vec<u8>,
    /// The objects, sorted by id.
    pub entries: Vec<Entry>,
}

/// Where objects came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// Each source without tag, digest or revision: another list is another source.
    pub sources: Vec<String>,
}

/// One apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Which one it is of all of its delivery, from 1; the same artifact applied again keeps it. 0 before it is stored.
    pub number: u64,
    /// The artifact's digest.
    pub digest: String,
    /// The revision of the source, where it has one.
    pub revision: String,
    /// When, as RFC 3339.
    pub at: String,
    /// Who, as the cluster or the machine knows them.
    pub by: String,
    /// What came of it: `begun`, `applied`, `failed` or `interrupted`, and once it was watched `ready` or `not-ready`.
    pub result: String,
    /// Where the artifact can be had again.
    pub content: Content,
    /// The number of the apply that this one went back to, where it is a rollback.
    pub rollback: Option<u64>,
}

/// Where the artifact of an apply can be had again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Nobody knows: there was none, or an earlier version of Kelson has made the entry.
    #[default]
    Unknown,
    /// From a registry: its name there, by digest.
    Registry(String),
    /// From Secrets beside the inventory.
    Cluster {
        /// The directory of its tree that was rendered; empty for the whole.
        directory: String,
    },
    /// From nowhere, for this reason.
    Nowhere(String),
}

/// One object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is known by.
    pub id: ObjectId,
    /// The version it was applied in.
    pub version: String,
    /// Its uid, once it is known.
    pub uid: Option<String>,
    /// How it became ours.
    pub origin: Origin,
    /// How far it is.
    pub state: State,
    /// Of what was sent, see [`crate::Desired::hash`].
    pub desired: Option<Hash>,
    /// Of the fields that we own as the server gave them back, see [`crate::Found::owned`].
    pub owned: Option<Hash>,
}

/// How an object became ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// We made it.
    Created,
    /// Another tool managed it, and somebody told us to take it over.
    Adopted,
    /// It was there, and we only laid fields over it. It is never deleted; our fields are taken back.
    Found,
}

/// How far an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It may come to exist.
    Pending,
    /// It was applied.
    Applied,
    /// It is being deleted.
    Deleting,
}

impl Applied {
    /// Whether everything was written, whatever became of it afterwards.
    pub fn is_applied(&self) -> bool {
        matches!(self.result.as_str(), "applied" | "ready" | "not-ready")
    }

    /// Whether it was good as far as anybody has looked: what a rollback goes back to.
    pub fn is_good(&self) -> bool {
        matches!(self.result.as_str(), "applied" | "ready")
    }
}

impl Inventory {
    /// How many applies are remembered.
    pub const REMEMBERED: usize = 10;

    /// Enters an apply as the newest; it gets its number here. The artifact that was the newest already is replaced, so that
    /// whoever applies the same again and again keeps what was there before. The oldest leave.
    pub fn enter(&mut self, applied: Applied) {
        let newest = self.history.last().map_or(0, |last| last.number);
        let again = self.history.pop_if(|last| last.digest == applied.digest).is_some();
        let number = if again { newest.max(1) } else { newest.saturating_add(1) };
        self.history.push(Applied { number, ..applied });
        let most = self.history.len().saturating_sub(Self::REMEMBERED);
        self.history.drain(..most);
    }

    /// The entry of an object.
    pub fn entry(&self, id: &ObjectId) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.id.cmp(id)).ok().map(|at| &self.entries[at])
    }

    /// Adds or replaces an entry.
    pub fn put(&mut self, entry: Entry) {
        match self.entries.binary_search_by(|known| known.id.cmp(&entry.id)) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Removes an entry.
    pub fn remove(&mut self, id: &ObjectId) -> Option<Entry> {
        let at = self.entries.binary_search_by(|entry| entry.id.cmp(id)).ok()?;
        Some(self.entries.remove(at))
    }
}
