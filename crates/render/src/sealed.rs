//! Objects that are encrypted.

use kelson_yaml::Node;

/// Whether an object is encrypted with SOPS. Such an object stays as it is until it is delivered.
pub fn is_sealed(object: &Node) -> bool {
    object.lookup(&["sops", "mac"]).is_some_and(|mac| !mac.is_null())
}
