//! From text to patches: inline or in a file, strategic merges or operations.

use kelson_yaml::{Dialect, Entry, Node, Reading, Span, emit};

use super::{Content, Patch, Strategic, Target};
use crate::context::{Context, File};
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::inline::Inline;
use crate::jsonpatch::JsonPatch;
use crate::kustomization::{self, SelectorField};
use crate::loader::Loader;
use crate::read;
use crate::resource::Resource;

/// Reads an entry of `patches`, or the configuration of a `PatchTransformer`.
pub(crate) fn patch(
    context: &mut Context<'_>,
    loader: &Loader,
    entry: &kustomization::Patch,
) -> Result<Patch> {
    let inline = entry.patch.trim();
    let (loaded, source) = match (inline.is_empty(), entry.path.is_empty()) {
        (true, true) => return Err(one_of("must specify one of patch and path in", entry)),
        (false, false) => {
            return Err(one_of("patch and path can't be set at the same time", entry));
        }
        (false, true) => (
            Loaded::inline(context, &Str { text: inline.into(), span: entry.patch.span }),
            format!("[patch: {}]", gotext::quote(inline)),
        ),
        (true, false) => {
            let file = loader.load(context, &entry.path, entry.path.span).map_err(|fault| {
                fault.wrap(format!("failed to get the patch file from path({})", &*entry.path))
            })?;
            (Loaded::File(file), format!("[path: {}]", gotext::quote(&entry.path)))
        }
    };
    let options = entry.options.clone().unwrap_or_default();
    let content = match loaded.strategic(context.options.places) {
        Ok(patches) if !patches.is_empty() => Content::Strategic {
            patches,
            allow_name: options.allow_name_change,
            allow_kind: options.allow_kind_change,
        },
        Ok(_) => match loaded.json(context.options.places) {
            Ok(patch) if patch.len() > 0 => Content::Json { patch, records: true },
            _ => Content::Empty,
        },
        Err(fault) => match loaded.json(context.options.places) {
            Ok(patch) => Content::Json { patch, records: true },
            Err(other) => return Err(neither(&source, entry, &fault, &other)),
        },
    };
    let target = entry.target.as_ref().map(Target::new);
    Ok(Patch { content, target, source, span: entry.span })
}

/// Reads an entry of `patchesJson6902`, or the configuration of a `PatchJson6902Transformer`.
pub(crate) fn json_patch(
    context: &mut Context<'_>,
    loader: &Loader,
    target: Option<&SelectorField>,
    path: &Str,
    operations: &Str,
    span: Span,
) -> Result<Patch> {
    let fail = |text: &str| Err(Fault::new("bad-json-patch", text).at(span, "this entry"));
    let Some(target) = target.filter(|target| !target.name.is_empty()) else {
        return fail("must specify the target name");
    };
    let loaded = match (path.is_empty(), operations.is_empty()) {
        (true, true) => return fail("empty file path and empty jsonOp"),
        (false, false) => return fail("must specify a file path or jsonOp, not both"),
        (true, false) => {
            Loaded::Inline(operations.clone(), Inline::new(operations, &context.sources))
        }
        (false, true) => {
            let file = loader.load(context, path, path.span)?;
            if file.bytes().is_empty() {
                return fail(&format!("patch file '{}' empty seems to be empty", &**path));
            }
            Loaded::File(file)
        }
    };
    let patch = loaded
        .json(context.options.places)
        .map_err(|fault| fault.wrap(format!("decoding {}", loaded.as_json())))?;
    if patch.len() == 0 {
        let text = format!("patch appears to be empty; file={}, JsonOp={}", &**path, loaded.text());
        return fail(&text);
    }
    Ok(Patch {
        content: Content::Json { patch, records: false },
        target: Some(Target::new(target)),
        source: String::new(),
        span,
    })
}

/// Reads `patchesStrategicMerge`, or the configuration of a `PatchStrategicMergeTransformer`.
pub(crate) fn strategic(
    context: &mut Context<'_>,
    loader: &Loader,
    paths: &[Str],
    patches: &Str,
    span: Span,
) -> Result<Strategic> {
    if paths.is_empty() && patches.is_empty() {
        let text = "empty file path and empty patch content";
        return Err(Fault::new("empty-patch", text).at(span, ""));
    }
    let mut loaded = Vec::new();
    for path in paths {
        // Each entry is taken for a patch first, and for a path only if it is none.
        match Loaded::inline(context, path).strategic(context.options.places) {
            Ok(found) => loaded.extend(found),
            Err(_) => {
                let file = loader.load(context, path, path.span)?;
                let found = Loaded::File(file).strategic(context.options.places);
                loaded.extend(found.map_err(|fault| in_file(fault, path))?);
            }
        }
    }
    if !patches.is_empty() {
        loaded.extend(Loaded::inline(context, patches).strategic(context.options.places)?);
    }
    if loaded.is_empty() {
        let files = gotext::list(paths.iter().map(|path| &**path));
        let text = format!("patch appears to be empty; files={files}, Patch={}", &**patches);
        return Err(Fault::new("empty-patch", text).at(span, ""));
    }
    Ok(Strategic { patches: loaded })
}

/// The text of a patch.
enum Loaded {
    Inline(Str, Inline),
    File(File),
}

impl Loaded {
    fn inline(context: &Context<'_>, text: &Str) -> Self {
        Self::Inline(text.clone(), Inline::new(text, &context.sources))
    }

    fn text(&self) -> &str {
        match self {
            Self::Inline(text, _) => text,
            Self::File(file) => file.text.as_deref().unwrap_or_default(),
        }
    }

    /// The text as JSON, for messages.
    fn as_json(&self) -> String {
        let text = self.text();
        if text.starts_with('[') {
            return text.to_owned();
        }
        let mut json = String::new();
        let node = kelson_yaml::first_document(text, Span::NONE, Dialect::V2);
        if let Ok(Some(node)) = node {
            let _ = kelson_yaml::json::write(&node, &mut json);
        }
        json
    }

    /// Reads the text as merges.
    fn strategic(&self, places: bool) -> Result<Vec<Resource>> {
        match self {
            Self::File(file) => read::file(file, places),
            Self::Inline(text, inline) => {
                let mut found = read::resources(text, inline.start(), places)?;
                found.iter_mut().for_each(|resource| inline.settle(&mut resource.node));
                Ok(found)
            }
        }
    }

    /// Reads the text as operations.
    fn json(&self, places: bool) -> Result<JsonPatch> {
        match self {
            Self::File(file) => JsonPatch::read(read::text(file)?, file.at, places),
            Self::Inline(text, inline) => {
                if text.starts_with('[') {
                    return JsonPatch::read(text, inline.settled(inline.start()), places);
                }
                let reading = Reading { dialect: Dialect::V2, places };
                let root = kelson_yaml::first_document(text, inline.start(), reading)
                    .map_err(|error| Fault::new("bad-yaml", format!("yaml: {}", error.message)))?;
                let mut root = root.unwrap_or_else(Node::null);
                inline.settle(&mut root);
                JsonPatch::parse(&root)
            }
        }
    }
}

/// Adds the name of the file to the error of malformed YAML.
pub(crate) fn in_file(mut fault: Box<Fault>, path: &str) -> Box<Fault> {
    if fault.text.contains("MalformedYAMLError") {
        fault.text = format!("{} in File: {path}", fault.text);
    }
    fault
}

/// The error of an entry with both or neither of `patch` and `path`.
fn one_of(words: &str, entry: &kustomization::Patch) -> Box<Fault> {
    let text = format!("{words}\n{}", config_text(entry));
    Fault::new("patch-or-path", text)
        .saying("a patch needs exactly one of `patch` and `path`")
        .at(entry.span, "this entry")
}

/// The error of a text that is neither kind of patch.
fn neither(source: &str, entry: &kustomization::Patch, merge: &Fault, json: &Fault) -> Box<Fault> {
    let text = format!("unable to parse SM or JSON patch from {source}");
    let say = format!(
        "this is no patch: as an object, {}; as a list of operations, {}",
        merge.diagnostic.message, json.diagnostic.message
    );
    Fault::new("bad-patch", text).saying(say).at(entry.span, "this entry")
}

/// The configuration of a patch as upstream writes it into messages.
pub(crate) fn config_text(entry: &kustomization::Patch) -> String {
    let mut entries = Vec::new();
    if let Some(options) = &entry.options {
        let mut inner = Vec::new();
        for (key, value) in [
            ("allowKindChange", options.allow_kind_change),
            ("allowNameChange", options.allow_name_change),
        ] {
            if value {
                inner.push(pair(
                    key,
                    Node::scalar("true", kelson_yaml::Tag::Bool, Default::default()),
                ));
            }
        }
        entries.push(pair("options", Node::mapping(inner)));
    }
    for (key, value) in [("patch", &entry.patch), ("path", &entry.path)] {
        if !value.is_empty() {
            entries.push(pair(key, Node::string(value.text.clone())));
        }
    }
    if let Some(target) = &entry.target {
        entries.push(pair("target", selector_node(target)));
    }
    written(&Node::mapping(entries))
}

/// A selector as a mapping without its empty fields.
pub(crate) fn selector_node(target: &SelectorField) -> Node {
    let fields = [
        ("annotationSelector", &target.annotation_selector),
        ("group", &target.group),
        ("kind", &target.kind),
        ("labelSelector", &target.label_selector),
        ("name", &target.name),
        ("namespace", &target.namespace),
        ("version", &target.version),
    ];
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    Node::mapping(filled.map(|(key, value)| pair(key, Node::string(value.text.clone()))).collect())
}

/// A tree as text for a message.
pub(crate) fn written(node: &Node) -> String {
    let mut text = String::new();
    let _ = emit::canonical(node, &mut text);
    text
}

fn pair(key: &str, value: Node) -> Entry {
    Entry { key: Node::string(key), value }
}
