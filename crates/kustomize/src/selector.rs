//! Which objects are meant: regular expressions on ids, and requirements on labels and annotations.

mod labels; // requirements on labels, in the syntax of kubectl
mod syntax; // that syntax

use hashbrown::HashMap;
use kelson_yaml::Node;
use labels::LabelSelector;

use crate::fault::Result;
use crate::goregex::GoRegex;
use crate::id::{Gvk, ResId};
use crate::kustomization::SelectorField;
use crate::resource::Resource;

/// A pattern that must match a whole text.
#[derive(Clone, Debug)]
enum Pattern {
    /// Nothing is asked for.
    Any,
    /// No letter of it means more than itself.
    Literal(String),
    /// A regular expression.
    Regex(Box<GoRegex>),
}

impl Pattern {
    fn new(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::Any);
        }
        if is_literal(text) {
            return Ok(Self::Literal(text.to_owned()));
        }
        Ok(Self::Regex(Box::new(GoRegex::new(&format!("^(?:{text})$"))?)))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(literal) => literal == text,
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// Whether a text, read as a regular expression, matches itself alone.
fn is_literal(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b':'))
}

/// What an id must look like.
#[derive(Clone, Debug)]
pub(crate) struct IdPatterns {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
}

impl IdPatterns {
    /// Compiles the patterns of a selector.
    pub(crate) fn new(field: &SelectorField) -> Result<Self> {
        let compile = |text: &crate::decode::Str| {
            Pattern::new(text).map_err(|fault| fault.at(text.span, "not a regular expression"))
        };
        Ok(Self {
            group: compile(&field.group)?,
            version: compile(&field.version)?,
            kind: compile(&field.kind)?,
            name: compile(&field.name)?,
            namespace: compile(&field.namespace)?,
        })
    }

    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.group, &self.version, &self.kind, &self.name, &self.namespace]
            .iter()
            .all(|pattern| matches!(pattern, Pattern::Any))
    }

    /// Whether the whole id fits, the namespace as it stands in the id.
    pub(crate) fn matches(&self, id: &ResId) -> bool {
        self.matches_gvk(&id.gvk)
            && self.name.matches(&id.name)
            && self.namespace.matches(&id.namespace)
    }

    /// The kind, where it is a plain word.
    pub(crate) fn literal_kind(&self) -> Option<&str> {
        self.kind.literal()
    }

    /// The name, where it is a plain word.
    pub(crate) fn literal_name(&self) -> Option<&str> {
        self.name.literal()
    }

    fn matches_gvk(&self, gvk: &Gvk) -> bool {
        self.group.matches(&gvk.group)
            && self.version.matches(&gvk.version)
            && self.kind.matches(&gvk.kind)
    }
}

/// The target of a patch or of an added value.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    /// What the id must look like.
    pub(crate) id: IdPatterns,
    /// Requirements on labels and annotations.
    pub(crate) metadata: MetadataSelector,
}

/// Requirements on labels and annotations. Errors in them count only where an object is tested.
#[derive(Clone, Debug)]
pub(crate) struct MetadataSelector {
    labels: Result<LabelSelector>,
    annotations: Result<LabelSelector>,
}

impl MetadataSelector {
    /// Reads both selectors.
    pub(crate) fn new(field: &SelectorField) -> Self {
        Self {
            labels: LabelSelector::parse(&field.label_selector),
            annotations: LabelSelector::parse(&field.annotation_selector),
        }
    }

    /// The error in the selectors, if there is one.
    pub(crate) fn check(&self) -> Result<()> {
        let checked = self.annotations.as_ref().and(self.labels.as_ref());
        checked.map(|_| ()).map_err(Box::clone)
    }

    /// Whether an object meets the requirements on its labels.
    pub(crate) fn matches_labels(&self, object: &Node) -> Result<bool> {
        Ok(self.labels.as_ref().map_err(Box::clone)?.matches(object, "labels"))
    }

    /// Whether an object meets the requirements on its annotations.
    pub(crate) fn matches_annotations(&self, object: &Node) -> Result<bool> {
        Ok(self.annotations.as_ref().map_err(Box::clone)?.matches(object, "annotations"))
    }
}

impl Selector {
    /// Compiles a selector.
    pub(crate) fn new(field: &SelectorField) -> Result<Self> {
        Ok(Self { id: IdPatterns::new(field)?, metadata: MetadataSelector::new(field) })
    }

    /// Whether an object is meant. Name and namespace may be the original or the present ones; the rest is
    /// tested as it stands now.
    pub(crate) fn selects(&self, resource: &Resource, is_cluster_scoped: bool) -> Result<bool> {
        let first = resource.history.first();
        let namespace = resource.effective_namespace(is_cluster_scoped);
        let fits = |pattern: &Pattern, original: Option<&str>, present: &str| {
            original.is_some_and(|text| pattern.matches(text)) || pattern.matches(present)
        };
        let fits = fits(&self.id.namespace, first.map(|id| &*id.namespace), namespace)
            && fits(&self.id.name, first.map(|id| &*id.name), resource.name())
            && self.id.matches_gvk(&resource.gvk());
        Ok(fits
            && self.metadata.matches_labels(&resource.node)?
            && self.metadata.matches_annotations(&resource.node)?)
    }
}

/// The texts of `metadata.labels` or `metadata.annotations`.
fn texts<'a>(object: &'a Node, field: &str) -> HashMap<&'a str, &'a str> {
    let mapping = object.lookup(&["metadata", field]).and_then(Node::as_mapping);
    let entries = mapping.map(|mapping| mapping.entries.as_slice()).unwrap_or_default();
    let text = |node: &'a Node| node.text().unwrap_or_default();
    entries.iter().map(|entry| (text(&entry.key), text(&entry.value))).collect()
}
