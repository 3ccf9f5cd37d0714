//! An OpenAPI document of the user's own, named by `openapi.path`.
//!
//! The document is kept as read and asked field by field: of the thousands of definitions that a cluster's
//! document holds, a build needs a handful.

use hashbrown::HashMap;
use kelson_yaml::{Data, Node, Text};

use crate::id::Gvk;

const KIND: &str = "x-kubernetes-group-version-kind";
const STRATEGY: &str = "x-kubernetes-patch-strategy";
const MERGE_KEY: &str = "x-kubernetes-patch-merge-key";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";

/// A swagger document, with its definitions found by name and by kind.
#[derive(Debug)]
pub(crate) struct Document {
    definitions: Vec<Node>,
    names: HashMap<Text, usize, foldhash::fast::FixedState>,
    kinds: HashMap<(Text, Text), usize, foldhash::fast::FixedState>,
    namespaced: HashMap<Gvk, bool, foldhash::fast::FixedState>,
}

impl Document {
    /// Takes the definitions and the scopes out of a swagger document.
    pub(crate) fn new(mut root: Node) -> Self {
        let namespaced = scopes(root.get("paths"));
        let mut document = Self {
            definitions: Vec::new(),
            names: HashMap::default(),
            kinds: HashMap::default(),
            namespaced,
        };
        let definitions = root.get_mut("definitions").and_then(Node::as_mapping_mut);
        for entry in definitions.map(std::mem::take).unwrap_or_default().entries {
            document.define(entry.key.text().unwrap_or_default(), entry.value);
        }
        document
    }

    /// The definition of a kind.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> Option<&Node> {
        let index = self.kinds.get(&(Text::new(api_version), Text::new(kind)))?;
        self.definitions.get(*index)
    }

    /// Whether the paths of the document say that a kind lives in a namespace.
    pub(crate) fn is_namespaced(&self, gvk: &Gvk) -> Option<bool> {
        self.namespaced.get(gvk).copied()
    }

    /// The schema of a field, or of all values of a map.
    pub(crate) fn field<'n>(schema: &'n Node, name: &str) -> Option<&'n Node> {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        property.or_else(|| schema.get("additionalProperties").filter(|node| is_mapping(node)))
    }

    /// The schema of the elements of a list.
    pub(crate) fn elements(schema: &Node) -> Option<&Node> {
        let kind = schema.get("type")?;
        let kind = match kind.as_sequence() {
            Some([only]) => only,
            Some(_) => return None,
            None => kind,
        };
        (kind.text() == Some("array")).then(|| schema.get("items"))?.filter(|node| is_mapping(node))
    }

    /// The keys of a list that is merged, see [`crate::schema::SchemaRef::merge_keys`].
    ///
    /// The keys of a list map count only where a patch strategy stands beside them.
    pub(crate) fn merge_keys(schema: &Node) -> Option<Vec<&str>> {
        let strategy = schema.get(STRATEGY)?.text()?;
        if !strategy.split(',').any(|part| part == "merge") {
            return None;
        }
        match schema.get(MAP_KEYS).and_then(Node::as_sequence) {
            Some(keys) => Some(keys.iter().filter_map(Node::text).collect()),
            None => Some(schema.get(MERGE_KEY).and_then(Node::text).into_iter().collect()),
        }
    }

    /// What a schema refers to instead of saying anything itself.
    pub(crate) fn reference(schema: &Node) -> Option<&str> {
        schema.get("$ref").and_then(Node::text).filter(|reference| !reference.is_empty())
    }

    /// Follows one reference: `#/definitions/NAME`, and further down where the pointer goes on.
    pub(crate) fn resolve(&self, reference: &str) -> Option<&Node> {
        let (_, pointer) = reference.split_once('#')?;
        let mut steps = pointer.strip_prefix("/definitions/")?.split('/').map(unescape);
        let name = steps.next()?;
        let definition = self.definitions.get(*self.names.get(&name)?)?;
        steps.try_fold(definition, |node, step| node.get(&step))
    }

    fn define(&mut self, name: &str, definition: Node) {
        let index = self.definitions.len();
        for gvk in definition.get(KIND).and_then(Node::as_sequence).unwrap_or_default() {
            if let Some(gvk) = read_gvk(gvk) {
                self.kinds.insert((api_version(&gvk), gvk.kind), index);
            }
        }
        self.names.insert(name.into(), index);
        self.definitions.push(definition);
    }
}

/// A kind lives in a namespace if any of the paths to read it names one.
fn scopes(paths: Option<&Node>) -> HashMap<Gvk, bool, foldhash::fast::FixedState> {
    let mut scopes = HashMap::default();
    for entry in paths.and_then(Node::as_mapping).into_iter().flatten() {
        let Some(gvk) = entry.value.lookup(&["get", KIND]).and_then(read_gvk) else { continue };
        let path = entry.key.text().unwrap_or_default();
        *scopes.entry(gvk).or_insert(false) |= path.contains("namespaces/{namespace}");
    }
    scopes
}

fn read_gvk(node: &Node) -> Option<Gvk> {
    let text = |key| node.get(key).and_then(Node::text);
    Some(Gvk {
        group: text("group").unwrap_or_default().into(),
        version: text("version")?.into(),
        kind: text("kind")?.into(),
    })
}

fn api_version(gvk: &Gvk) -> Text {
    match gvk.group.as_str() {
        "" => gvk.version.clone(),
        group => format!("{group}/{}", gvk.version).into(),
    }
}

fn is_mapping(node: &Node) -> bool {
    matches!(node.data, Data::Mapping(_))
}

/// Undoes the escapes of a JSON pointer.
fn unescape(step: &str) -> Text {
    step.replace("~1", "/").replace("~0", "~").into()
}
