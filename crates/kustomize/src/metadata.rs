//! `buildMetadata`: where each object came from and what changed it, as annotations in the output.

use std::sync::Arc;

use kelson_yaml::{Entry, Node, Span, Style, Tag, Text, Touch, emit};

use crate::fault::{Fault, Result};
use crate::fieldspec::id_of;
use crate::giturl;
use crate::loader;
use crate::resource::Resource;
use crate::write::wrong_kind;

/// The options of `buildMetadata`.
pub(crate) const ORIGIN: &str = "originAnnotations";
pub(crate) const TRANSFORMERS: &str = "transformerAnnotations";
pub(crate) const MANAGED_BY: &str = "managedByLabel";

const ORIGIN_KEY: &str = "config.kubernetes.io/origin";
const TRANSFORMERS_KEY: &str = "alpha.config.kubernetes.io/transformations";

/// Where an object, or the configuration of a transformer, came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) repo: String,
    pub(crate) reference: String,
    pub(crate) configured_in: String,
    pub(crate) configured_by: Option<Configured>,
}

/// What made or changed an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl Origin {
    /// The origin of something below this one.
    pub(crate) fn append(&self, path: &str) -> Self {
        let mut origin = self.clone();
        let mut below = path.to_owned();
        if let Some(url) = giturl::parse(path) {
            origin.repo = url.repository.clone;
            origin.reference = url.repository.reference;
            origin.path = String::new();
            below = url.repository.path;
        }
        origin.path = loader::join_relative(&origin.path, &below);
        origin
    }

    /// The origin of what a builtin generator or transformer of this kustomization makes.
    pub(crate) fn builtin(&self, file: &str, kind: &str) -> Self {
        Self {
            repo: self.repo.clone(),
            reference: self.reference.clone(),
            configured_in: loader::join_relative(&self.path, file),
            configured_by: Some(Configured {
                api_version: "builtin".to_owned(),
                kind: kind.to_owned(),
                ..Configured::default()
            }),
            path: String::new(),
        }
    }

    /// The origin of what a plugin makes, from the object that configures it.
    pub(crate) fn plugin(config: &Resource) -> Option<Self> {
        let origin = config.origin.as_deref()?;
        Some(Self {
            repo: origin.repo.clone(),
            reference: origin.reference.clone(),
            configured_in: origin.path.clone(),
            configured_by: Some(Configured {
                api_version: config.api_version().to_owned(),
                kind: config.kind().to_owned(),
                name: config.name().to_owned(),
                namespace: config.namespace().to_owned(),
            }),
            path: String::new(),
        })
    }

    /// The origin as a mapping without its empty fields.
    fn node(&self) -> Node {
        let mut entries = texts(&[
            ("path", &self.path),
            ("repo", &self.repo),
            ("ref", &self.reference),
            ("configuredIn", &self.configured_in),
        ]);
        if let Some(by) = &self.configured_by {
            let inner = Node::mapping(texts(&[
                ("apiVersion", &by.api_version),
                ("kind", &by.kind),
                ("name", &by.name),
                ("namespace", &by.namespace),
            ]));
            entries.push(Entry { key: Node::string("configuredBy"), value: inner });
        }
        Node::mapping(entries)
    }
}

/// Refuses an object whose annotations are no mapping, so that nothing can be noted in them.
pub(crate) fn check_annotations(resource: &Resource) -> Result<()> {
    let annotations = resource.node.lookup(&["metadata", "annotations"]);
    match annotations.filter(|node| node.as_mapping().is_none() && !node.is_null()) {
        Some(node) => {
            let id = id_of(&resource.node);
            let text = format!("considering field 'metadata/annotations' of object {id}");
            Err(wrong_kind("MappingNode", node).wrap(text))
        }
        None => Ok(()),
    }
}

/// Notes that a transformer has run over the objects: on those it made itself as their origin.
pub(crate) fn note(resources: &mut [Resource], origin: &Arc<Origin>) {
    for resource in resources.iter_mut().filter(|resource| !resource.is_empty()) {
        resource.settle_annotations();
        if resource.origin.is_none() {
            resource.origin = Some(Arc::clone(origin));
        } else {
            resource.transformations.push(Arc::clone(origin));
        }
    }
}

/// Lets a change see the notes as the annotations they are upstream, and forgets those that it takes away.
pub(crate) fn shown_to<T>(
    resource: &mut Resource,
    change: impl FnOnce(&mut Resource) -> Result<T>,
) -> Result<T> {
    if resource.origin.is_none() {
        return change(resource);
    }
    let mark = |resource: &mut Resource, key: &str| {
        let metadata = resource.metadata_mut();
        let annotations = crate::resource::mapping_in(metadata, "annotations");
        if let Some(mapping) = annotations.as_mapping_mut() {
            mapping.insert(Node::string(key), Node::string(""));
        }
    };
    mark(resource, ORIGIN_KEY);
    mark(resource, TRANSFORMERS_KEY);
    let result = change(resource)?;
    let mut entries = resource.texts("annotations");
    let mut take = |name: &str| {
        let at = entries.iter().position(|(key, _)| key == name);
        at.map(|at| entries.remove(at)).is_some()
    };
    if !take(ORIGIN_KEY) {
        resource.origin = None;
    }
    if !take(TRANSFORMERS_KEY) {
        resource.transformations.clear();
    }
    resource.set_texts("annotations", entries);
    Ok(result)
}

/// Writes what was asked for into the annotations, and leaves the annotations as upstream does.
pub(crate) fn annotate(
    resource: &mut Resource,
    origins: bool,
    transformers: bool,
    at: Span,
    touch: Touch,
) -> Result<()> {
    let mut added: Vec<(Text, Node)> = Vec::new();
    if origins && let Some(origin) = &resource.origin {
        added.push((ORIGIN_KEY.into(), text_of(&origin.node(), at, touch)?));
    }
    if transformers && !resource.transformations.is_empty() {
        let list = resource.transformations.iter().map(|origin| origin.node()).collect();
        added.push((TRANSFORMERS_KEY.into(), text_of(&Node::sequence(list), at, touch)?));
    }
    let mut entries = resource.texts("annotations");
    let known = entries.len();
    let drop = |key: &str| {
        (key == ORIGIN_KEY && !(origins && resource.origin.is_none()))
            || (key == TRANSFORMERS_KEY && !transformers)
            || INTERNAL.contains(&key)
    };
    entries.retain(|(key, _)| !drop(key) && !added.iter().any(|(name, _)| name == key));
    if added.is_empty() && entries.len() == known {
        resource.settle_annotations();
    } else {
        entries.extend(added);
        resource.set_texts("annotations", entries);
    }
    Ok(())
}

/// Annotations that upstream uses for itself and takes away at the end, whoever wrote them.
const INTERNAL: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "internal.config.kubernetes.io/helm-generated",
];

/// The object with the annotations in which upstream would keep its books, for messages and for what upstream writes on the way.
pub(crate) fn with_books(resource: &Resource) -> Node {
    let mut copy = resource.clone();
    let mut entries = copy.texts("annotations");
    let join =
        |words: Vec<&Text>| words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(",");
    let history = &resource.history;
    let enabled = Text::from("enabled");
    let mark = |is_set: bool| is_set.then_some(&enabled).into_iter().collect::<Vec<_>>();
    for (name, words) in [
        ("allowKindChange", mark(resource.may_change_kind)),
        ("allowNameChange", mark(resource.may_change_name)),
        ("previousKinds", history.iter().map(|it| &it.kind).collect::<Vec<_>>()),
        ("previousNames", history.iter().map(|it| &it.name).collect()),
        ("previousNamespaces", history.iter().map(|it| &it.namespace).collect()),
        ("prefixes", resource.prefixes.iter().collect()),
        ("suffixes", resource.suffixes.iter().collect()),
    ] {
        if !words.is_empty() {
            let key = format!("internal.config.kubernetes.io/{name}");
            entries.push((key.into(), Node::string(join(words))));
        }
    }
    copy.set_texts("annotations", entries);
    copy.node
}

/// A tree as the text of an annotation.
fn text_of(node: &Node, at: Span, touch: Touch) -> Result<Node> {
    let mut text = String::new();
    emit::styled(node, &mut text).map_err(|error| Fault::new("emit", error.message))?;
    Ok(Node::string(text).at(at, touch))
}

/// Keys with texts, the empty ones left out.
fn texts(pairs: &[(&str, &str)]) -> Vec<Entry> {
    pairs
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(key, text)| Entry {
            key: Node::string(*key),
            value: Node::scalar(*text, Tag::Str, Style::Plain),
        })
        .collect()
}
