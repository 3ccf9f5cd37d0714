//! Writes overlays: random ones to compare with upstream, and regular ones to measure with.
//!
//! [`random`] is a function of its seed alone, so that a seed names a tree anywhere. [`bench()`] writes
//! trees whose size is the only thing that grows.

mod bench;
mod dice; // the random numbers
mod features; // one function for each field of a kustomization
mod forest; // layers, components and what each of them holds
mod generators; // ConfigMaps and Secrets made from odd data
mod manifests; // objects to put into bases
mod patches; // patches that mostly hit
mod plugins; // built-in generators and transformers with configurations of their own
mod references; // fields that name other objects
mod replacements; // values copied from field to field
mod scalars; // text and numbers that YAML readers stumble over
mod value; // documents, and the many ways to write one

pub(crate) use bench::{Shape, bench};
pub(crate) use forest::random;
