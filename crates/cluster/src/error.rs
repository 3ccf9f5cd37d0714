//! What stops a stage.

use kelson_plan::Refusal;

/// Why the cluster cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration is missing or wrong.
    #[error("cannot tell which cluster is meant")]
    Configuration(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It cannot be reached, or says no to everything.
    #[error("cannot {what}: {refusal}")]
    Refused {
        /// What was tried.
        what: String,
        /// What came back.
        refusal: Refusal,
    },
    /// The inventory is no longer what it was: somebody else wrote it.
    #[error("the inventory of {0} was changed by somebody else in between; run the command again")]
    InventoryMoved(String),
    /// The inventory cannot be read.
    #[error(
        "the inventory of {delivery} is damaged: {why}; `kelson inventory recover` rebuilds it from labels"
    )]
    InventoryDamaged {
        /// Whose.
        delivery: String,
        /// Why.
        why: String,
    },
    /// The inventory was written by a later version of Kelson.
    #[error(
        "the inventory of {delivery} was written by a later version of kelson (its schema is `{schema}`); use that one"
    )]
    InventoryLater {
        /// Whose.
        delivery: String,
        /// Its schema.
        schema: String,
    },
    /// An artifact that is kept cannot be read.
    #[error(
        "the Secret `{secret}`, which keeps what was applied, is damaged: {why}; nothing was done with it, apply that version from its source"
    )]
    KeptDamaged {
        /// Which one.
        secret: String,
        /// Why.
        why: String,
    },
    /// An artifact was kept by a later version of Kelson.
    #[error(
        "the Secret `{secret}` was written by a later version of kelson (its schema is `{schema}`); use that one"
    )]
    KeptLater {
        /// Which one.
        secret: String,
        /// Its schema.
        schema: String,
    },
    /// The namespace that is to hold the inventory does not exist.
    #[error(
        "the namespace `{0}`, which is to hold the inventory, does not exist; --create-namespace makes it"
    )]
    NoNamespace(String),
    /// Somebody else is applying.
    #[error("{holder} is applying {delivery} right now; try again when that is done")]
    Held {
        /// Which delivery.
        delivery: String,
        /// Who.
        holder: String,
    },
    /// The Lease went to somebody else while we worked.
    #[error(
        "the lease of {0} was lost to somebody else; what was done is in the inventory, run the command again"
    )]
    LeaseLost(String),
    /// Somebody asked us to stop.
    #[error("interrupted; what was done is in the inventory, and the same command goes on")]
    Interrupted,
}
