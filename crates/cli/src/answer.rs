//! Builds with what they ask for.

use kelson_kustomize::{Build, Failure, Options};
use kelson_source::DirectoryTree;

/// Builds a directory, running the functions it asks for where the options allow.
pub(crate) fn build(root: &str, options: &Options) -> Result<Build, Failure> {
    let tree = DirectoryTree::whole();
    kelson_pipeline::answered(&tree, |answers| {
        kelson_kustomize::build(&tree, root, options, answers)
    })
}
