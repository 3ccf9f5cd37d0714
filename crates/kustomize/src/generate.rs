//! Generators: ConfigMaps and Secrets from literals and files, and the few other kinds that are built in.

pub(crate) mod chart; // what Helm is asked for
pub(crate) mod iam; // IAMPolicyGenerator
mod pairs; // keys and values from literals, files and env files

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kelson_yaml::{Entry, Node, Span, Style, Tag, Text, Touch};

use crate::context::Context;
use crate::decode::Str;
use crate::decode::value::Map;
use crate::fault::{Fault, Result};
use crate::kustomization::{ConfigMapArgs, GeneratorOptions, SecretArgs};
use crate::loader::Loader;
use crate::resource::{Behavior, Resource, mapping_in};
use pairs::{Pair, Value};

/// Makes the ConfigMap of an entry of `configMapGenerator`.
pub(crate) fn config_map(
    context: &mut Context<'_>,
    loader: &Loader,
    args: &ConfigMapArgs,
    touch: Touch,
) -> Result<Resource> {
    let mut node = base(args.span, "ConfigMap", &args.name, &args.namespace, touch)?;
    let (envs, literals, files) = (&args.envs, &args.literals, &args.files);
    let from = pairs::From { envs, literals, files, is_secret: false };
    let pairs = pairs::load(context, loader, from).and_then(|pairs| distinct(pairs, &args.name))?;
    for pair in &pairs {
        let (field, text) = match &pair.value {
            Value::Text(text) => ("data", text.to_string()),
            Value::Bytes(bytes) => ("binaryData", wrapped_base64(bytes)),
        };
        put(&mut node, field, pair, &text, touch);
    }
    decorate(&mut node, args.options.as_ref(), touch);
    Ok(finished(node, &args.behavior, args.options.as_ref()))
}

/// Makes the Secret of an entry of `secretGenerator`.
pub(crate) fn secret(
    context: &mut Context<'_>,
    loader: &Loader,
    args: &SecretArgs,
    touch: Touch,
) -> Result<Resource> {
    let mut node = base(args.span, "Secret", &args.name, &args.namespace, touch)?;
    let kind = if args.kind.is_empty() {
        Node::string("Opaque").at(args.span, touch)
    } else {
        Node::string(args.kind.text.clone()).at(args.kind.span, touch)
    };
    insert(&mut node, "type", kind);
    let (envs, literals, files) = (&args.envs, &args.literals, &args.files);
    let from = pairs::From { envs, literals, files, is_secret: true };
    let pairs = pairs::load(context, loader, from).and_then(|pairs| distinct(pairs, &args.name))?;
    mapping_in(&mut node, "data").span = args.span;
    for pair in &pairs {
        let text = wrapped_base64(pair.value.bytes());
        put(&mut node, "data", pair, &text, touch);
    }
    decorate(&mut node, args.options.as_ref(), touch);
    Ok(finished(node, &args.behavior, args.options.as_ref()))
}

/// Merges `generatorOptions` under the options of an entry: the entry wins for keys, a global `true` always.
pub(crate) fn merge_options(
    entry: Option<GeneratorOptions>,
    global: Option<&GeneratorOptions>,
) -> Option<GeneratorOptions> {
    let Some(global) = global else { return entry };
    let mut options = entry.unwrap_or_default();
    options.labels.extend_from(&global.labels);
    options.annotations.extend_from(&global.annotations);
    options.disable_hash |= global.disable_hash;
    if global.immutable.value {
        options.immutable = global.immutable;
    }
    Some(options)
}

/// The object without its data.
fn base(span: Span, kind: &str, name: &Str, namespace: &Str, touch: Touch) -> Result<Node> {
    if name.is_empty() {
        let fault = Fault::new("generator-without-name", "a configmap must have a name");
        return Err(fault.saying("the generator has no name").at(span, "this entry"));
    }
    let text = |text: &Str| {
        let style = crate::write::style_of_new(text);
        Node::scalar(text.text.clone(), Tag::Str, style).at(text.span, touch)
    };
    let mut metadata = Node::mapping(vec![entry("name", text(name))]).at(span, touch);
    if !namespace.is_empty() {
        insert(&mut metadata, "namespace", text(namespace));
    }
    Ok(Node::mapping(vec![
        entry("apiVersion", Node::string("v1").at(span, touch)),
        entry("kind", Node::string(kind).at(span, touch)),
        entry("metadata", metadata),
    ])
    .at(span, touch))
}

/// Refuses a key that is given twice, and sorts by key.
fn distinct(mut pairs: Vec<Pair>, name: &str) -> Result<Vec<Pair>> {
    let mut seen: hashbrown::HashMap<Text, Span> = hashbrown::HashMap::new();
    for pair in &pairs {
        if let Some(first) = seen.insert(pair.key.clone(), pair.span) {
            let text = format!("configmap {name} illegally repeats the key `{}`", pair.key);
            return Err(Fault::new("repeated-key", text)
                .at(pair.span, "here again")
                .at(first, "the key was here first"));
        }
    }
    pairs.sort_by(|left, right| left.key.cmp(&right.key));
    Ok(pairs)
}

/// Adds a key to a field of the object.
fn put(node: &mut Node, field: &str, pair: &Pair, text: &str, touch: Touch) {
    let style = if text.contains('\n') { Style::Literal } else { Style::Plain };
    let value = Node::scalar(text, Tag::Str, style).at(pair.span, touch);
    let key = Node::scalar(pair.key.clone(), Tag::Unresolved, Style::Plain).at(pair.span, touch);
    if let Some(mapping) = mapping_in(node, field).as_mapping_mut() {
        mapping.push(key, value);
    }
}

/// Adds labels, annotations and `immutable`.
fn decorate(node: &mut Node, options: Option<&GeneratorOptions>, touch: Touch) {
    let Some(options) = options else { return };
    let metadata = mapping_in(node, "metadata");
    for (field, map) in [("labels", &options.labels), ("annotations", &options.annotations)] {
        decorate_with(metadata, field, map, touch);
    }
    if options.immutable.value {
        let span = options.immutable.at.unwrap_or(options.span);
        insert(node, "immutable", Node::scalar("true", Tag::Bool, Style::Plain).at(span, touch));
    }
}

fn decorate_with(metadata: &mut Node, field: &str, map: &Map, touch: Touch) {
    if map.pairs.is_empty() {
        return;
    }
    let target = mapping_in(metadata, field);
    for (key, value) in &map.pairs {
        let key = Node::scalar(key.text.clone(), Tag::Unresolved, Style::Plain).at(key.span, touch);
        let value = Node::string(value.text.clone()).at(value.span, touch);
        if let Some(mapping) = target.as_mapping_mut() {
            mapping.push(key, value);
        }
    }
}

/// The object with what the build must remember of it.
fn finished(node: Node, behavior: &str, options: Option<&GeneratorOptions>) -> Resource {
    let mut resource = Resource::new(node);
    resource.needs_hash = !options.is_some_and(|options| options.disable_hash);
    resource.behavior = Behavior::new(behavior);
    resource
}

/// Base64 in lines of seventy letters; a text that fits in one has no newline.
pub(crate) fn wrapped_base64(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    let text = STANDARD.encode(bytes);
    if text.len() < LINE {
        return text;
    }
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(rest.len().min(LINE));
        lines.push_str(line);
        lines.push('\n');
        rest = tail;
    }
    lines
}

fn entry(key: &str, value: Node) -> Entry {
    let span = value.span;
    Entry { key: Node::string(key).at(span, value.touch), value }
}

fn insert(node: &mut Node, key: &str, value: Node) {
    if let Some(mapping) = node.as_mapping_mut() {
        mapping.insert(Node::string(key).at(value.span, value.touch), value);
    }
}
