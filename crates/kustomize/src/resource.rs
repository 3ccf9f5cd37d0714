//! An object under construction: its tree, and what the build must remember about it.

use std::sync::Arc;

use kelson_yaml::{Bond, Data, Dialect, Node, Span, Style, Tag, Text, Touch};

use crate::id::{Gvk, ResId};
use crate::metadata::Origin;

/// An object under construction.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// The object itself, a mapping. Bookkeeping never lives in its annotations.
    pub(crate) node: Node,
    /// Earlier (name, effective namespace, kind) triples, oldest first.
    pub(crate) history: Vec<Previous>,
    /// Every prefix that its name was given, oldest first.
    pub(crate) prefixes: Vec<Text>,
    /// Every suffix that its name was given, oldest first.
    pub(crate) suffixes: Vec<Text>,
    /// Whether its name gets a hash of its content.
    pub(crate) needs_hash: bool,
    /// Whether a patch was allowed to change its name or its kind, which upstream's messages show.
    pub(crate) may_change_name: bool,
    pub(crate) may_change_kind: bool,
    /// What a generator wants done where the object exists already.
    pub(crate) behavior: Behavior,
    /// Whether a chart gave it; the namespace is Helm's business then.
    pub(crate) is_helm: bool,
    /// The variables that read from it.
    pub(crate) vars: Vec<Text>,
    /// Where it came from, if anybody asked.
    pub(crate) origin: Option<Arc<Origin>>,
    /// What changed it, if anybody asked.
    pub(crate) transformations: Vec<Arc<Origin>>,
}

/// What an object was called before a transformer renamed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Previous {
    pub(crate) name: Text,
    pub(crate) namespace: Text,
    pub(crate) kind: Text,
}

/// What a generator wants done where the object exists already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    #[default]
    Unspecified,
    Create,
    Replace,
    Merge,
}

impl Behavior {
    /// Reads the word of a generator; any other word is as none.
    pub(crate) fn new(word: &str) -> Self {
        match word {
            "create" => Self::Create,
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            _ => Self::Unspecified,
        }
    }

    /// The word for messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Merge => "merge",
        }
    }
}

impl Resource {
    /// An object as it was read.
    pub(crate) fn new(node: Node) -> Self {
        Self {
            node,
            history: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            needs_hash: false,
            may_change_name: false,
            may_change_kind: false,
            behavior: Behavior::Unspecified,
            is_helm: false,
            vars: Vec::new(),
            origin: None,
            transformations: Vec::new(),
        }
    }

    /// The text at `metadata.name`, or nothing.
    pub(crate) fn name(&self) -> &str {
        self.node.lookup(&["metadata", "name"]).and_then(Node::text).unwrap_or_default()
    }

    /// The text at `metadata.namespace`, or nothing.
    pub(crate) fn namespace(&self) -> &str {
        let node = self.node.lookup(&["metadata", "namespace"]);
        node.filter(|node| !node.is_null()).and_then(Node::text).unwrap_or_default()
    }

    /// The text at `kind`, or nothing.
    pub(crate) fn kind(&self) -> &str {
        self.node.get("kind").and_then(Node::text).unwrap_or_default()
    }

    /// The text at `apiVersion`, or nothing.
    pub(crate) fn api_version(&self) -> &str {
        self.node.get("apiVersion").and_then(Node::text).unwrap_or_default()
    }

    /// Group, version and kind as they stand now.
    pub(crate) fn gvk(&self) -> Gvk {
        Gvk::new(self.api_version(), self.kind())
    }

    /// The id as it stands now.
    pub(crate) fn id(&self) -> ResId {
        ResId { gvk: self.gvk(), name: self.name().into(), namespace: self.namespace().into() }
    }

    /// The oldest id: what later layers may still call it.
    pub(crate) fn original_id(&self) -> ResId {
        match self.history.first() {
            Some(first) => ResId {
                gvk: self.original_gvk(),
                name: first.name.clone(),
                namespace: first.namespace.clone(),
            },
            None => self.id(),
        }
    }

    /// Group, version and kind as they were read; only the kind can have been another.
    pub(crate) fn original_gvk(&self) -> Gvk {
        let mut gvk = self.gvk();
        if let Some(first) = self.history.first() {
            gvk.kind = first.kind.clone();
        }
        gvk
    }

    /// The namespace that decides whether two ids are equal.
    pub(crate) fn effective_namespace(&self, is_cluster_scoped: bool) -> &str {
        match self.namespace() {
            _ if is_cluster_scoped => NO_NAMESPACE,
            "" => "default",
            namespace => namespace,
        }
    }

    /// Remembers the present name, namespace and kind, because one of them is about to change.
    pub(crate) fn store_previous(&mut self, is_cluster_scoped: bool) {
        self.drop_empty_annotations();
        self.history.reserve_exact(1);
        self.history.push(Previous {
            name: self.name().into(),
            namespace: self.effective_namespace(is_cluster_scoped).into(),
            kind: self.kind().into(),
        });
    }

    /// Takes `metadata.annotations` away where it holds nothing, as upstream does when it opens its books.
    fn drop_empty_annotations(&mut self) {
        let annotations = self.node.lookup(&["metadata", "annotations"]);
        let is_empty = annotations.is_some_and(|node| match &node.data {
            Data::Mapping(mapping) => mapping.is_empty(),
            Data::Sequence(sequence) => sequence.items.is_empty(),
            Data::Scalar(_) => true,
        });
        if is_empty && let Some(metadata) = self.metadata_mut().as_mapping_mut() {
            metadata.remove("annotations");
        }
    }

    /// Makes every annotation stand for itself alone.
    fn sever_annotations(&mut self) {
        let metadata = self.node.get_mut("metadata");
        if let Some(annotations) = metadata.and_then(|metadata| metadata.get_mut("annotations")) {
            crate::write::sever(annotations);
        }
    }

    /// Whether nothing is left of it: it was deleted.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.node.data {
            Data::Mapping(mapping) => mapping.is_empty(),
            Data::Sequence(sequence) => sequence.items.is_empty(),
            Data::Scalar(scalar) => scalar.text.is_empty() || self.node.is_null(),
        }
    }

    /// Whether upstream would have annotations of its own on the object, which make `metadata.annotations` exist.
    pub(crate) fn has_bookkeeping(&self) -> bool {
        !self.history.is_empty()
            || self.needs_hash
            || self.behavior != Behavior::Unspecified
            || self.is_helm
            || !self.prefixes.is_empty()
            || !self.suffixes.is_empty()
            || self.origin.is_some()
    }

    /// Gives it another name. Type and style of the field stay open: `1` and `e1` make a number.
    pub(crate) fn set_name(&mut self, name: &str, span: Option<Span>, touch: Touch) {
        set_text(self.metadata_mut(), "name", name, span, touch);
    }

    /// Gives it another namespace, or none.
    pub(crate) fn set_namespace(&mut self, namespace: &str, span: Option<Span>, touch: Touch) {
        if namespace.is_empty() {
            if let Some(metadata) = self.node.get_mut("metadata").and_then(Node::as_mapping_mut) {
                metadata.remove("namespace");
            }
        } else {
            set_text(self.metadata_mut(), "namespace", namespace, span, touch);
        }
    }

    /// Gives it another kind.
    pub(crate) fn set_kind(&mut self, kind: &str, touch: Touch) {
        set_text(&mut self.node, "kind", kind, None, touch);
    }

    /// `metadata`, made where it is missing.
    pub(crate) fn metadata_mut(&mut self) -> &mut Node {
        mapping_in(&mut self.node, "metadata")
    }

    /// The entries of `metadata.labels` or `metadata.annotations` as texts.
    pub(crate) fn texts(&self, field: &str) -> Vec<(Text, Node)> {
        let Some(mapping) = self.node.lookup(&["metadata", field]).and_then(Node::as_mapping)
        else {
            return Vec::new();
        };
        let text = |node: &Node| Text::from(node.text().unwrap_or_default());
        mapping.iter().map(|entry| (text(&entry.key), entry.value.clone())).collect()
    }

    /// The text of an annotation, if it is there.
    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        self.node.lookup(&["metadata", "annotations", key])?.text()
    }

    /// Replaces `metadata.labels` or `metadata.annotations` by texts, sorted; none at all takes the field away.
    pub(crate) fn set_texts(&mut self, field: &str, mut entries: Vec<(Text, Node)>) {
        let metadata = self.metadata_mut();
        let old = metadata.as_mapping_mut().and_then(|mapping| mapping.remove(field));
        if entries.is_empty() {
            return;
        }
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        let entries = entries
            .into_iter()
            .map(|(key, value)| {
                // The type of the key stays open, so that `"1"` comes out as a number and is refused.
                let key = Node::scalar(key, Tag::Unresolved, Style::Plain);
                let key = key.at(value.span, value.touch);
                let mut value = as_text(value);
                value.bond = Bond::NONE;
                kelson_yaml::Entry { key, value }
            })
            .collect();
        let mut map = Node::mapping(entries);
        if let Some(old) = &old {
            map = map.at(old.value.span, old.value.touch);
        }
        if let Some(mapping) = metadata.as_mapping_mut() {
            mapping.insert(Node::string(field), map);
        }
    }

    /// Makes every annotation text, and takes the field away where it is empty, as upstream's bookkeeping does.
    pub(crate) fn settle_annotations(&mut self) {
        let in_order = |node: &Node| {
            node.as_mapping().is_some_and(|mapping| {
                let is_settled = |entry: &kelson_yaml::Entry| {
                    is_text(&entry.value) && entry.key.text().is_some_and(is_plain_text)
                };
                !mapping.is_empty() && mapping.iter().all(is_settled)
            })
        };
        match self.node.get("metadata").and_then(|metadata| metadata.get("annotations")) {
            Some(annotations) if in_order(annotations) => self.sever_annotations(),
            Some(_) => {
                let entries = self.texts("annotations");
                self.set_texts("annotations", entries);
            }
            None => {
                self.metadata_mut();
            }
        }
    }
}

/// Stands for the namespace of objects that have none.
pub(crate) const NO_NAMESPACE: &str = "_non_namespaceable_";

/// The mapping at a key, made where it is missing or nothing.
pub(crate) fn mapping_in<'a>(node: &'a mut Node, key: &str) -> &'a mut Node {
    if node.as_mapping().is_none() {
        node.data = Data::Mapping(kelson_yaml::Mapping::default());
    }
    let missing = node.get(key).is_none_or(Node::is_null);
    if missing && let Some(mapping) = node.as_mapping_mut() {
        mapping.insert(Node::string(key), Node::mapping(Vec::new()));
    }
    node.get_mut(key).expect("because the key was inserted above")
}

/// Sets a field to a text whose type stays open; the style of an existing field stays.
fn set_text(node: &mut Node, key: &str, text: &str, span: Option<Span>, touch: Touch) {
    if let Some(place) = node.get_mut(key) {
        if let Some(scalar) = place.as_scalar_mut() {
            if scalar.text == text {
                scalar.tag = Tag::Unresolved;
                return;
            }
            scalar.text = text.into();
            scalar.tag = Tag::Unresolved;
        } else {
            *place = Node::scalar(text, Tag::Unresolved, Style::Plain).at(place.span, touch);
        }
        place.touch = touch;
        if let Some(span) = span {
            place.span = span;
        }
    } else if let Some(mapping) = node.as_mapping_mut() {
        let value = Node::scalar(text, Tag::Unresolved, Style::Plain);
        mapping.insert(Node::string(key), value.at(span.unwrap_or(Span::NONE), touch));
    }
}

/// Whether a node is text without doubt, and written as upstream writes text.
fn is_text(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| {
        scalar.resolved() == Tag::Str
            && (scalar.style == Style::Literal || !scalar.text.contains('\n'))
    })
}

/// Whether a text is text without quotes.
fn is_plain_text(text: &str) -> bool {
    kelson_yaml::resolve(text, Dialect::V3) == Tag::Str
}

/// The node as text: what it reads like, whatever its type; nothing for lists and mappings.
fn as_text(node: Node) -> Node {
    if is_text(&node) {
        return node;
    }
    let text = Text::from(node.text().unwrap_or_default());
    let style = if text.contains('\n') { Style::Literal } else { Style::Plain };
    Node::scalar(text, Tag::Str, style).at(node.span, node.touch)
}
