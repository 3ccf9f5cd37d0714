//! Where trees of files come from.

mod directory; // the file system itself

pub use directory::DirectoryTree;
