//! Packages: objects and trees become OCI artifacts, are kept in registries and image layouts, and come back.
//!
//! Content is known by its digest, and checked against it before anything else looks at it.

mod archive; // tar files, written the same each time and read with suspicion
mod blob; // content on its way
mod blocking; // work that holds nobody up
mod bundle; // everything for a place without a network
mod copy; // from store to store, byte for byte
mod cosign; // signatures as cosign makes them
pub mod credentials; // who we are to registries
mod digest; // what content is known by
mod enclose; // an artifact in one piece
mod error; // what can go wrong
mod ignore; // what stays out of an artifact
mod layout; // image layouts
pub mod manifest; // manifests, indexes, descriptors
mod pack; // objects and trees become artifacts
mod recognise; // who made an artifact
mod reference; // how people name artifacts
pub mod registry; // registries
#[cfg(test)]
mod scratch; // directories for tests
mod seal; // encryption
mod sign; // signatures are made
mod store; // either of them
mod unpack; // artifacts come back
mod verify; // signatures are judged
mod watch; // how far it is

pub use archive::{Limits, read_archive};
pub use blob::{Blob, BlobSource, InMemory};
pub use bundle::{Bundled, Mapping, Restored, Rewrite, bundle, restore};
pub use copy::{Copied, CopyOptions, copy};
pub use cosign::{
    Annotations, PrivateKey, PublicKey, Rejection, SignatureError, SignatureForm, TrustRoot,
};
pub use digest::{Digest, Hasher, NotADigest};
pub use enclose::enclose;
pub use error::Error;
pub use ignore::Ignore;
pub use layout::Layout;
pub use manifest::{Descriptor, Index, Manifest, Parsed, Raw};
pub use pack::{Form, Metadata, Packed, Pushed, pack_objects, pack_tree};
pub use recognise::{Producer, annotation, recognise};
pub use reference::{Place, Reference, Selector, is_tag};
pub use seal::{Identity, Recipient};
pub use sign::{Signed, sign};
pub use store::{Store, Stored};
pub use unpack::{Content, Description, PullOptions, Pulled, describe, pull};
pub use verify::{Pattern, Policy, Signer, SignerIdentity, Verified, verify, verify_before};
pub use watch::{Transfer, Watch};
