//! From the text of a manifest to objects: documents are split, lists unwrapped, identities checked.

mod json; // values as they come back from JSON
mod marks; // annotations in which upstream keeps its books

use std::collections::VecDeque;
use std::fmt::Write as _;

use kelson_yaml::{Data, Dialect, Node, Reading, Span};
use memchr::memmem;

use crate::context::File;
use crate::fault::{Fault, Result};
use crate::resource::Resource;

pub(crate) use marks::resource;

/// Reads every object of a file; `places` says whether those of templates are known.
pub(crate) fn file(file: &File, places: bool) -> Result<Vec<Resource>> {
    let text = text(file)?;
    if file.is_plain_text() {
        return resources(text, file.at, places);
    }
    // Upstream splits the bytes before it knows of UTF-16, and of the whole it reads the first document.
    let reading = Reading { dialect: Dialect::V3, places };
    objects(documents(vec![(text, 0)], file.at, reading)?)
}

/// The text of a file of objects.
pub(crate) fn text(file: &File) -> Result<&str> {
    file.yaml().map_err(|fault| fault.wrap("MalformedYAMLError"))
}

/// Reads every object of a text. `at` is where the text begins, `places` whether those of templates are known.
pub(crate) fn resources(text: &str, at: Span, places: bool) -> Result<Vec<Resource>> {
    let reading = Reading { dialect: Dialect::V3, places };
    let nodes = if memmem::find(text.as_bytes(), b"\r\n").is_some() {
        let (plain, removed) = without_returns(text);
        let mut nodes = documents(split(&plain)?, at, reading)?;
        nodes.iter_mut().for_each(|node| shift(node, at, &removed));
        nodes
    } else {
        documents(split(text)?, at, reading)?
    };
    objects(nodes)
}

/// Makes objects of nodes that are some.
fn objects(nodes: Vec<Node>) -> Result<Vec<Resource>> {
    let nodes = expanded(checked(nodes)?)?;
    Ok(nodes.into_iter().map(resource).collect())
}

/// The objects of all documents, each given with its offset; a single list stands for its items.
fn documents(chunks: Vec<(&str, usize)>, at: Span, reading: Reading) -> Result<Vec<Node>> {
    let alone = chunks.len() == 1;
    let mut nodes = Vec::with_capacity(chunks.len());
    for (chunk, offset) in chunks {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let place = Span { source: at.source, start: at.start.saturating_add(offset) };
        let document = kelson_yaml::first_document(chunk, place, reading).map_err(|error| {
            let text = format!("MalformedYAMLError: yaml: {}", error.message);
            Fault::new("bad-yaml", text).saying("this is not YAML").at(error.span, error.message)
        })?;
        match document {
            Some(node) if alone => unwrap_list(node, &mut nodes),
            Some(node) if !node.is_null() => nodes.push(node),
            _ => {}
        }
    }
    Ok(nodes)
}

/// Splits a text at lines that begin with `---`; each piece with its offset.
fn split(text: &str) -> Result<Vec<(&str, usize)>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut from = 0;
    while let Some(found) = memmem::find(&text.as_bytes()[from..], b"\n---") {
        let line = from + found + 1;
        let Some(length) = text[line..].find('\n') else { break };
        let end = line + length;
        let rest = text[line + 3..end].trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            let separator = text[line..end].trim();
            let text = format!("invalid document separator: {separator}");
            return Err(Fault::new("bad-separator", text));
        }
        chunks.push((&text[start..line], start));
        start = end + 1;
        // The newline that ends a separator cannot begin the next one.
        from = start;
    }
    if !text.is_empty() {
        chunks.push((&text[start..], start));
    }
    Ok(chunks)
}

/// A `List` or `ResourceList` that is alone in its text gives its items; anything else itself.
fn unwrap_list(mut node: Node, nodes: &mut Vec<Node>) {
    if node.is_null() {
        return;
    }
    let kind = node.get("kind").and_then(Node::text);
    let is_list = matches!(kind, Some("List" | "ResourceList"));
    if is_list && node.get("items").is_some() {
        if let Some(items) = node.get_mut("items").and_then(Node::as_sequence_mut) {
            nodes.append(items);
        }
    } else if !(is_list && node.get("functionConfig").is_some()) {
        nodes.push(node);
    }
}

/// Leaves out what is empty, and refuses what has no kind or no name.
fn checked(nodes: Vec<Node>) -> Result<Vec<Node>> {
    let mut kept = Vec::with_capacity(nodes.len());
    for node in nodes {
        if !is_empty(&node) {
            check(&node)?;
            kept.push(node);
        }
    }
    Ok(kept)
}

/// Whether a node is nothing at all.
fn is_empty(node: &Node) -> bool {
    match &node.data {
        Data::Mapping(mapping) => mapping.is_empty(),
        Data::Sequence(sequence) => sequence.items.is_empty(),
        Data::Scalar(_) => node.is_null(),
    }
}

/// Refuses an object without kind or name.
pub(crate) fn check(node: &Node) -> Result<()> {
    let kind = field(node, "kind");
    let metadata = node.get("metadata").filter(|metadata| !is_empty(metadata));
    let name = metadata.map(|metadata| field(metadata, "name")).unwrap_or_default();
    if kind.is_empty() {
        if !has_metadata(node, metadata) {
            let fault = Fault::new("not-an-object", "missing Resource metadata");
            return Err(fault
                .saying("this is no Kubernetes object: it has neither kind nor metadata")
                .at(node.span, "this"));
        }
        let text = format!("missing kind in object {}", shown(node));
        return Err(Fault::new("no-kind", text).saying("the object has no kind").at(node.span, ""));
    }
    if name.is_empty() && !kind.ends_with("List") {
        let text = format!("missing metadata.name in object {}", shown(node));
        let fault = Fault::new("no-name", text).saying(format!("the {kind} has no name"));
        return Err(match metadata.and_then(|metadata| metadata.get("generateName")) {
            Some(generated) => fault
                .at(generated.span, "this makes a new one each time")
                .help("give it a `name`: what has another one each time cannot be found again"),
            None => fault.at(node.span, "this object").help("give it one in `metadata.name`"),
        });
    }
    Ok(())
}

/// Whether the node has anything of an object.
fn has_metadata(node: &Node, metadata: Option<&Node>) -> bool {
    let filled = |node: &Node, key| node.get(key).is_some_and(|value| !is_empty(value));
    filled(node, "apiVersion")
        || metadata.is_some_and(|metadata| {
            ["name", "namespace", "labels", "annotations"]
                .into_iter()
                .any(|key| filled(metadata, key))
        })
}

/// The text of a field, or nothing.
fn field<'a>(node: &'a Node, key: &str) -> &'a str {
    node.get(key).filter(|value| !value.is_null()).and_then(Node::text).unwrap_or_default()
}

/// The identity of an object as Go prints the struct.
fn shown(node: &Node) -> String {
    let empty = Node::null();
    let metadata = node.get("metadata").unwrap_or(&empty);
    let mut text = format!(
        "{{{{{} {}}} {{{{{} {}}}",
        field(node, "apiVersion"),
        field(node, "kind"),
        field(metadata, "name"),
        field(metadata, "namespace"),
    );
    for key in ["labels", "annotations"] {
        let mut pairs: Vec<(&str, &str)> = metadata
            .get(key)
            .and_then(Node::as_mapping)
            .into_iter()
            .flatten()
            .map(|entry| {
                (entry.key.text().unwrap_or_default(), entry.value.text().unwrap_or_default())
            })
            .collect();
        pairs.sort_unstable();
        let pairs: Vec<String> =
            pairs.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        let _ = write!(text, " map[{}]", pairs.join(" "));
    }
    text.push_str("}}");
    text
}

/// Replaces every object whose kind ends in `List` by its items, which go to the end.
fn expanded(nodes: Vec<Node>) -> Result<Vec<Node>> {
    if !nodes.iter().any(|node| field(node, "kind").ends_with("List")) {
        return Ok(nodes);
    }
    let mut queue: VecDeque<Node> = nodes.into();
    let mut result = Vec::new();
    while let Some(node) = queue.pop_front() {
        let kind = field(&node, "kind");
        match node.get("items") {
            Some(items) if kind.ends_with("List") => match &items.data {
                Data::Sequence(sequence) => {
                    let items: Result<Vec<Node>> =
                        sequence.items.iter().map(json::through).collect();
                    queue.extend(checked(items?)?);
                }
                _ if items.is_null() => {}
                _ => {
                    let found = json::go_type(items);
                    let text = format!("expected array in {kind}/items, but found {found}");
                    return Err(Fault::new("bad-list", text).at(items.span, ""));
                }
            },
            _ => result.push(node),
        }
    }
    Ok(result)
}

/// The text with LF for CRLF, and the offsets at which a byte went missing.
fn without_returns(text: &str) -> (String, Vec<u32>) {
    let mut removed = Vec::new();
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\r\n") {
        plain.push_str(&rest[..at]);
        removed.push(u32::try_from(plain.len()).unwrap_or(u32::MAX));
        rest = &rest[at + 1..];
    }
    plain.push_str(rest);
    (plain, removed)
}

/// Moves the places of a tree to where they are in the text with its CRLFs.
fn shift(node: &mut Node, at: Span, removed: &[u32]) {
    let offset = node.span.start.saturating_sub(at.start);
    let before = removed.partition_point(|place| *place < offset);
    node.span.start = node.span.start.saturating_add(u32::try_from(before).unwrap_or(0));
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => {
            sequence.items.iter_mut().for_each(|item| shift(item, at, removed));
        }
        Data::Mapping(mapping) => {
            for entry in &mut mapping.entries {
                shift(&mut entry.key, at, removed);
                shift(&mut entry.value, at, removed);
            }
        }
    }
}
