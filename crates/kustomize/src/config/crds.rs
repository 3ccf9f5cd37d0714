//! Fields that annotated type definitions name: what `crds:` lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use kelson_yaml::{Data, Dialect, Node, Style, Tag};

use super::TransformerConfig;
use crate::context::File;
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Specs};
use crate::id::Gvk;
use crate::plugins::parse_file;

/// How many properties one file may lead to, counting those of types that are referred to.
const PROPERTY_LIMIT: usize = 100_000;

/// Reads a file of type definitions; `path` is its name, for messages.
pub(crate) fn from_crds(file: &File, path: &str) -> Result<TransformerConfig> {
    let is_json = file.bytes().starts_with(b"{");
    let document = match is_json {
        true => json_document(file),
        false => parse_file(file),
    };
    let document = document.map_err(|fault| {
        fault.wrap(format!("unable to parse open API definition from '{path}'"))
    })?;
    let mut types = Types { by_name: BTreeMap::new(), visited: 0 };
    for entry in document.iter().filter_map(Node::as_mapping).flatten() {
        types.by_name.insert(entry.key.text().unwrap_or_default(), &entry.value);
    }
    types.refuse_others(path, is_json)?;
    let mut config = TransformerConfig::default();
    for name in types.by_name.keys().copied().collect::<Vec<_>>() {
        if types.is_object(name) {
            let mut one = TransformerConfig::default();
            types.visit(name, &kind_of(name), &mut Vec::new(), &mut one)?;
            config.merge(&one)?;
        }
    }
    Ok(config)
}

/// A document that is JSON by its first letter.
fn json_document(file: &File) -> Result<Option<Node>> {
    let read = kelson_yaml::json::read(file.yaml()?, file.at);
    read.map(Some).map_err(|error| {
        Fault::new("bad-crds", error.message.clone()).at(error.span, error.message)
    })
}

fn is_definition(node: &Node) -> bool {
    matches!(node.data, Data::Mapping(_)) || node.is_null()
}

struct Types<'a> {
    by_name: BTreeMap<&'a str, &'a Node>,
    visited: usize,
}

impl<'a> Types<'a> {
    /// Refuses a file that holds anything but definitions, such as the manifest of a definition.
    fn refuse_others(&self, path: &str, is_json: bool) -> Result<()> {
        let Some((name, node)) = self.by_name.iter().find(|(_, node)| !is_definition(node)) else {
            return Ok(());
        };
        let kind = match &node.data {
            Data::Sequence(_) => "array",
            Data::Scalar(scalar) => match kelson_yaml::resolve(&scalar.text, Dialect::V2) {
                _ if scalar.style != Style::Plain => "string",
                Tag::Bool => "bool",
                Tag::Int | Tag::Float => "number",
                _ => "string",
            },
            Data::Mapping(_) => "object",
        };
        let words = if is_json { "" } else { "error unmarshaling JSON: while decoding JSON: " };
        let text = format!(
            "unable to parse open API definition from '{path}': {words}json: cannot unmarshal {kind} into Go value of type accumulator.OpenAPIDefinition"
        );
        Err(Fault::new("bad-crds", text)
            .saying(format!("`{name}` is no type definition"))
            .at(node.span, "a definition is a mapping with `Schema`")
            .help("`crds` takes OpenAPI definitions, not CustomResourceDefinition manifests"))
    }

    /// The properties of a type, by name.
    fn properties(&self, name: &str) -> BTreeMap<&'a str, &'a Node> {
        let schema = self.by_name.get(name).and_then(|node| field(node, "Schema"));
        let properties = schema.and_then(|schema| field(schema, "properties"));
        let entries = properties.and_then(Node::as_mapping).into_iter().flatten();
        entries.map(|entry| (entry.key.text().unwrap_or_default(), &entry.value)).collect()
    }

    fn is_object(&self, name: &str) -> bool {
        let properties = self.properties(name);
        ["kind", "apiVersion", "metadata"].iter().all(|field| properties.contains_key(field))
    }

    fn visit(
        &mut self,
        name: &str,
        gvk: &Gvk,
        path: &mut Vec<&'a str>,
        config: &mut TransformerConfig,
    ) -> Result<()> {
        for (property, node) in self.properties(name) {
            self.visited += 1;
            if path.len() > 100 || self.visited > PROPERTY_LIMIT {
                let text = format!("type definitions of '{name}' refer to themselves without end");
                return Err(Fault::new("endless-crds", text).at(node.span, "this property"));
            }
            path.push(property);
            add(node, gvk, path, config)?;
            if let Some(reference) = field(node, "$ref").and_then(Node::text) {
                self.visit(reference, gvk, path, config)?;
            }
            path.pop();
        }
        Ok(())
    }
}

/// Adds what the marks of a property ask for.
fn add(node: &Node, gvk: &Gvk, path: &[&str], config: &mut TransformerConfig) -> Result<()> {
    let spec = || FieldSpec::new(gvk.clone(), &path.join("/"), false);
    let add_to = |specs: &mut Arc<Specs>| Arc::make_mut(specs).merge(&[spec()]);
    if mark(node, "x-kubernetes-annotation").is_some() {
        add_to(&mut config.common_annotations)?;
    }
    if mark(node, "x-kubernetes-label-selector").is_some() {
        add_to(&mut config.common_labels)?;
    }
    if mark(node, "x-kubernetes-identity").is_some() {
        add_to(&mut config.name_prefix)?;
    }
    let version = mark(node, "x-kubernetes-object-ref-api-version");
    let kind = mark(node, "x-kubernetes-object-ref-kind");
    if let (Some(version), Some(kind)) = (version, kind) {
        let key = mark(node, "x-kubernetes-object-ref-name-key").unwrap_or("name");
        let target = Gvk { version: version.into(), kind: kind.into(), ..Gvk::default() };
        let path = format!("{}/{key}", path.join("/"));
        config.add_reference(target, FieldSpec::new(gvk.clone(), &path, false))?;
    }
    Ok(())
}

/// The text of a mark, whose name may be written in any case.
fn mark<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    field(node, name)?.as_str()
}

fn field<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let mapping = node.as_mapping()?;
    let is_named = |key: &Node| key.text().is_some_and(|text| text.eq_ignore_ascii_case(name));
    mapping.iter().find(|entry| is_named(&entry.key)).map(|entry| &entry.value)
}

/// The kind of a type is the last part of its name.
fn kind_of(name: &str) -> Gvk {
    let kind = name.rsplit('.').next().unwrap_or(name);
    Gvk { kind: kind.into(), ..Gvk::default() }
}
