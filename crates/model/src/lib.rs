//! The values that the stages of Kelson exchange, and the traits at their seams.

mod diagnostic; // what went wrong in a user's file, for a front end to draw
mod images; // the images that objects name
mod nearest; // what was probably meant
mod need; // what a pure stage lacks, and what the edge brought
mod object; // one object of a cluster
mod secret; // what is never shown
mod source; // the texts that were read, by number
mod tree; // files, wherever they are
mod version; // versions and ranges of them

pub use diagnostic::{Diagnostic, Label, Severity};
pub use images::{ImagePath, images, visit_images};
pub use nearest::nearest;
pub use need::{
    Answer, Answers, Chart, Function, Need, Remote, Repository, Request, Run, ValuesMerge,
};
pub use object::{NotAnObject, Object, ObjectId};
pub use secret::Secret;
pub use source::{Place, Source, Sources};
pub use tree::{Entry, FileKind, MemoryTree, Tree, TreeError, clean};
pub use version::{NotAVersion, Range, Version};
