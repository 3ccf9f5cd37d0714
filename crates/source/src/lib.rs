//! Where trees of files come from.

mod directory; // the file system itself
pub mod git; // repositories

pub use directory::DirectoryTree;
