//! What an object is known by.

use std::fmt;

use kelson_yaml::Text;

/// Group, version and kind. Empty means absent, and in a selector "any".
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Gvk {
    pub(crate) group: Text,
    pub(crate) version: Text,
    pub(crate) kind: Text,
}

impl Gvk {
    /// Splits `apiVersion` at its slash.
    pub(crate) fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Whether `self`, read as a pattern whose empty parts match anything, selects `other`.
    pub(crate) fn selects(&self, other: &Self) -> bool {
        (self.group.is_empty() || self.group == other.group)
            && (self.version.is_empty() || self.version == other.version)
            && (self.kind.is_empty() || self.kind == other.kind)
    }
}

/// A full id, with the namespace as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ResId {
    pub(crate) gvk: Gvk,
    pub(crate) name: Text,
    pub(crate) namespace: Text,
}

/// `Kind.version.group`, with upstream's placeholders for what is absent.
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = or(&self.kind, "[noKind]");
        let version = or(&self.version, "[noVer]");
        write!(f, "{kind}.{version}.{}", or(&self.group, "[noGrp]"))
    }
}

/// `Kind.version.group/name.namespace`, with upstream's placeholders for what is absent.
impl fmt::Display for ResId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = or(&self.name, "[noName]");
        write!(f, "{}/{name}.{}", self.gvk, or(&self.namespace, "[noNs]"))
    }
}

fn or<'a>(text: &'a str, placeholder: &'a str) -> &'a str {
    if text.is_empty() { placeholder } else { text }
}
