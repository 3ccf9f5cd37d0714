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
    /// The artifact's digest.
    pub digest: String,
    /// The revision of the source, where it has one.
    pub revision: String,
    /// When, as RFC 3339.
    pub at: String,
    /// Who, as the cluster or the machine knows them.
    pub by: String,
    /// What came of it: `applied` or `failed`.
    pub result: String,
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

impl Inventory {
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
