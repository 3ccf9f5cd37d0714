//! Generated objects meet those that exist: created, merged or put in their place.

use hashbrown::HashMap;
use kelson_yaml::{Node, Span, Text, Touch};

use crate::fault::{Fault, Result};
use crate::gotext;
use crate::id::ResId;
use crate::resmap::ResMap;
use crate::resource::{Behavior, Resource, mapping_in};

impl ResMap {
    /// Adds a generated object, or merges it with the one that has or had its id.
    pub(crate) fn absorb(&mut self, resource: Resource) -> Result<()> {
        let gvk = resource.gvk();
        let key = self.key_of(&resource, &gvk);
        let found = self.with_any(&key);
        match (found.as_slice(), resource.behavior) {
            ([], Behavior::Merge | Behavior::Replace) => Err(self.missing(&resource)),
            ([], _) => self.append(resource),
            ([at], Behavior::Merge | Behavior::Replace) => {
                let old = self.get(*at).clone();
                self.update(*at, |place| *place = over(&old, resource));
                Ok(())
            }
            ([at], _) => Err(exists(&resource, self.get(*at))),
            (several, _) => {
                let shown: Vec<String> =
                    several.iter().map(|at| self.get(*at).id().to_string()).collect();
                let text = format!(
                    "found multiple objects {} that could accept merge of {}",
                    gotext::list(shown),
                    resource.id()
                );
                Err(Fault::new("generator-is-ambiguous", text).at(resource.node.span, ""))
            }
        }
    }

    fn missing(&self, resource: &Resource) -> Box<Fault> {
        let text =
            format!("id {} does not exist; cannot merge or replace", go_syntax(&resource.id()));
        let (kind, name) = (resource.kind(), resource.name());
        let fault = Fault::new("generator-matches-nothing", text)
            .saying(format!("there is no {kind} `{name}` to {}", resource.behavior.word()))
            .at(resource.node.span, "this entry");
        match self.near_miss(kind, name) {
            Some(near) => fault.help(near),
            None => fault,
        }
    }
}

fn exists(resource: &Resource, other: &Resource) -> Box<Fault> {
    let text = format!(
        "id {} exists; can not use behavior: '{}', behavior must be merge or replace",
        go_syntax(&resource.id()),
        resource.behavior.word()
    );
    Fault::new("generator-collides", text)
        .saying(format!("the {} `{}` exists already", resource.kind(), resource.name()))
        .at(resource.node.span, "generated here")
        .at(other.node.span, "it exists already")
        .help("set `behavior: merge` or `behavior: replace`")
}

/// An id as Go's `%#v` prints it.
fn go_syntax(id: &ResId) -> String {
    let quote = |text: &str| gotext::quote(text);
    format!(
        "resid.ResId{{Gvk:resid.Gvk{{Group:{}, Version:{}, Kind:{}, isClusterScoped:false}}, Name:{}, Namespace:{}}}",
        quote(&id.gvk.group),
        quote(&id.gvk.version),
        quote(&id.gvk.kind),
        quote(&id.name),
        quote(&id.namespace)
    )
}

/// The new object over the old: name, namespace and history are the old one's.
fn over(old: &Resource, mut new: Resource) -> Resource {
    let touch = new.node.touch;
    for field in ["labels", "annotations"] {
        let merged = merged(old.texts(field), new.texts(field));
        new.set_texts(field, merged);
    }
    take_identity(old, &mut new, touch);
    if new.behavior == Behavior::Merge {
        merge_data(old, &mut new);
        new.origin = old.origin.clone().or(new.origin);
    }
    new.needs_hash &= old.needs_hash;
    new.history = old.history.clone();
    new.prefixes = old.prefixes.clone();
    new.suffixes = old.suffixes.clone();
    new.vars = old.vars.clone();
    new.is_helm = old.is_helm;
    new.behavior = old.behavior;
    new.transformations = old.transformations.clone();
    new
}

/// Name and namespace become the old ones, with their places.
fn take_identity(old: &Resource, new: &mut Resource, touch: Touch) {
    let span = |key: &str| old.node.lookup(&["metadata", key]).map_or(Span::NONE, |node| node.span);
    new.set_name(old.name(), Some(span("name")), touch);
    new.set_namespace(old.namespace(), Some(span("namespace")), touch);
}

/// Entries of both, the new ones winning.
fn merged(old: Vec<(Text, Node)>, new: Vec<(Text, Node)>) -> Vec<(Text, Node)> {
    let mut places: HashMap<Text, usize> = HashMap::new();
    let mut result: Vec<(Text, Node)> = Vec::new();
    for (key, value) in old.into_iter().chain(new) {
        match places.get(&key) {
            Some(at) => result[*at].1 = value,
            None => {
                places.insert(key.clone(), result.len());
                result.push((key, value));
            }
        }
    }
    result
}

/// Merges `data` and `binaryData` key by key. All values become text, as they do upstream.
fn merge_data(old: &Resource, new: &mut Resource) {
    let texts = |resource: &Resource, field: &str| -> Vec<(Text, Node)> {
        let mapping = resource.node.get(field).and_then(Node::as_mapping);
        mapping
            .into_iter()
            .flatten()
            .map(|entry| (entry.key.text().unwrap_or_default().into(), entry.value.clone()))
            .collect()
    };
    for field in ["data", "binaryData"] {
        let mut entries = merged(texts(old, field), texts(new, field));
        if let Some(mapping) = new.node.as_mapping_mut() {
            mapping.remove(field);
        }
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, value) in entries {
            let text = value.text().filter(|_| !value.is_null()).unwrap_or_default();
            let style = match text.contains('\n') {
                true => kelson_yaml::Style::Literal,
                false => kelson_yaml::Style::Plain,
            };
            let text = Node::scalar(text, kelson_yaml::Tag::Str, style);
            let key = Node::scalar(key, Default::default(), Default::default());
            let entry = kelson_yaml::Entry {
                key: key.at(value.span, value.touch),
                value: text.at(value.span, value.touch),
            };
            if let Some(mapping) = mapping_in(&mut new.node, field).as_mapping_mut() {
                mapping.entries.push(entry);
            }
        }
    }
}
