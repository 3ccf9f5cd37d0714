//! The kinds that a cluster has, and those that definitions in the set will bring.

use std::collections::HashMap;

use kelson_model::{Object, ObjectId};
use kelson_yaml::Node;

/// A kind in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its group, empty for the core.
    pub group: String,
    /// The version.
    pub version: String,
    /// Its name, such as `Deployment`.
    pub kind: String,
    /// Its name in addresses, such as `deployments`.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether only a definition in the set knows it: the cluster will have it when that is applied.
    pub to_come: bool,
}

/// The kinds of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// By group and kind, the preferred version first.
    kinds: HashMap<(String, String), Vec<Kind>>,
    /// Groups whose kinds could not be read, with the reason: what they have is not known to be absent.
    pub unreadable: Vec<(String, String)>,
}

impl Catalog {
    /// Adds a kind; of one group and kind the version that is preferred comes first.
    pub fn add(&mut self, kind: Kind) {
        self.kinds.entry((kind.group.clone(), kind.kind.clone())).or_default().push(kind);
    }

    /// A kind in a version.
    pub fn find(&self, group: &str, version: &str, kind: &str) -> Option<&Kind> {
        self.versions(group, kind).iter().find(|known| known.version == version)
    }

    /// All versions of a kind, the preferred one first.
    pub fn versions(&self, group: &str, kind: &str) -> &[Kind] {
        let key = (group.to_owned(), kind.to_owned());
        self.kinds.get(&key).map_or(&[], Vec::as_slice)
    }

    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.values().flatten()
    }

    /// Adds the kinds that CustomResourceDefinitions among the objects will bring, where they are not known yet.
    pub fn add_definitions(&mut self, objects: &[Object]) {
        for kind in objects.iter().filter(|object| is_definition(&object.id)).flat_map(defined) {
            if self.find(&kind.group, &kind.version, &kind.kind).is_none() {
                self.add(kind);
            }
        }
    }

    /// Why the kinds of a group are not known, where they are not.
    pub(crate) fn why_unreadable(&self, group: &str) -> Option<&str> {
        let mut unreadable = self.unreadable.iter();
        unreadable.find(|(name, _)| name == group).map(|(_, why)| why.as_str())
    }
}

impl Kind {
    /// The kind of namespaces, which every cluster has.
    pub fn namespaces() -> Self {
        Self {
            group: String::new(),
            version: "v1".to_owned(),
            kind: "Namespace".to_owned(),
            plural: "namespaces".to_owned(),
            namespaced: false,
            to_come: false,
        }
    }

    /// The kind as manifests write it in `apiVersion`.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// A kind of which only the names are known.
    pub(crate) fn unknown(id: &ObjectId, version: &str) -> Self {
        Self {
            group: id.group.clone(),
            version: version.to_owned(),
            kind: id.kind.clone(),
            plural: String::new(),
            namespaced: !id.namespace.is_empty(),
            to_come: false,
        }
    }

    /// What the definition of a kind is known by.
    pub(crate) fn definition(&self) -> ObjectId {
        ObjectId {
            group: DEFINITIONS.to_owned(),
            kind: "CustomResourceDefinition".to_owned(),
            namespace: String::new(),
            name: format!("{}.{}", self.plural, self.group),
        }
    }
}

/// The group of CustomResourceDefinitions.
const DEFINITIONS: &str = "apiextensions.k8s.io";

/// Whether an object defines kinds.
pub(crate) fn is_definition(id: &ObjectId) -> bool {
    id.group == DEFINITIONS && id.kind == "CustomResourceDefinition"
}

/// Group and version as manifests write them.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The kinds that a definition brings: one for each version that is served.
fn defined(definition: &Object) -> Vec<Kind> {
    let text = |path: &[&str]| {
        let text = definition.node.lookup(path).and_then(Node::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let names = (
        text(&["spec", "group"]),
        text(&["spec", "names", "kind"]),
        text(&["spec", "names", "plural"]),
    );
    let (Some(group), Some(kind), Some(plural)) = names else { return Vec::new() };
    let namespaced = text(&["spec", "scope"]).as_deref() == Some("Namespaced");
    let versions = definition.node.lookup(&["spec", "versions"]).and_then(Node::as_sequence);
    let served = versions
        .unwrap_or_default()
        .iter()
        .filter(|version| version.get("served").and_then(Node::text) == Some("true"));
    let names = served.filter_map(|version| version.get("name")?.as_str());
    let kind = |version: &str| Kind {
        group: group.clone(),
        version: version.to_owned(),
        kind: kind.clone(),
        plural: plural.clone(),
        namespaced,
        to_come: true,
    };
    names.map(kind).collect()
}
