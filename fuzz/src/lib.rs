//! What must hold for every input. The fuzzers look for one for which it does not; the tests replay what they found.

pub mod artifact; // archives and manifests
pub mod engine; // YAML and overlays
pub mod seeds; // what the fuzzers start from
