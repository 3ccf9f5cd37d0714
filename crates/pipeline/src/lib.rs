//! The arrow: from a source to an artifact.
//!
//! [`package()`] turns files into an artifact, [`component`] does so for components: an inline manifest, an overlay or
//! somebody else's artifact goes in, one artifact with a reproducible digest comes out.

mod answer; // what a rendering asks for
pub mod component; // components: their file, and the job that builds them
pub mod deliver; // objects become a changed cluster
mod package; // files become an artifact
pub mod plan; // what a runner is told, as JSON

pub use answer::{answered, render};
pub use package::{Input, Package, PackageError, PackageOptions, package, package_files};
