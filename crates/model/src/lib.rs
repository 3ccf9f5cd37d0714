//! The values that the stages of Kelson exchange, and the traits at their seams.

mod diagnostic; // what went wrong in a user's file, for a front end to draw
mod nearest; // what was probably meant
mod need; // what a pure stage lacks, and what the edge brought
mod source; // the texts that were read, by number
mod tree; // files, wherever they are

pub use diagnostic::{Diagnostic, Label, Severity};
pub use nearest::nearest;
pub use need::{
    Answer, Answers, Chart, Function, Need, Remote, Repository, Request, Run, ValuesMerge,
};
pub use source::{Place, Source, Sources};
pub use tree::{Entry, FileKind, MemoryTree, Tree, TreeError, clean};
