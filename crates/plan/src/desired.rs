//! An object as it is to be.

use kelson_model::{Object, ObjectId};

use crate::{FieldPath, Hash, Kind};

/// An object as it is to be, ready to be sent.
#[derive(Clone, Debug)]
pub struct Desired {
    /// The object: in its namespace, with its owner's labels, without what only a server writes.
    pub object: Object,
    /// Its kind.
    pub kind: Kind,
    /// Of the object as it would be sent, ignored fields left out.
    pub hash: Hash,
    /// What must come to exist in the same plan before a server can be asked about it.
    pub awaits: Option<Awaits>,
    /// Which wave it asks for.
    pub wave: i32,
    /// What it says it depends on.
    pub depends_on: Vec<ObjectId>,
    /// Fields that are left to others, each with the reason.
    pub ignored: Vec<(FieldPath, String)>,
    /// What is worth knowing of how it came about.
    pub notes: Vec<String>,
}

/// What an object waits for before a server can be asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// The CustomResourceDefinition of its kind.
    Definition(ObjectId),
    /// Its namespace.
    Namespace(ObjectId),
}

impl Awaits {
    /// What is waited for.
    pub fn id(&self) -> &ObjectId {
        match self {
            Self::Definition(id) | Self::Namespace(id) => id,
        }
    }
}
