//! Patches: strategic merges and JSON patches, on objects that they name or that a target selects.

mod load; // from text to patches

use std::sync::Arc;

use kelson_yaml::{Node, Span, Touch};

use crate::context::Context;
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::id::ResId;
use crate::jsonpatch::{JsonPatch, reread};
use crate::kustomization::SelectorField;
use crate::merge::{self, Merged};
use crate::metadata;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::retype;
use crate::schema::Schema;
use crate::selector::Selector;
use crate::write;

pub(crate) use load::{config_text, in_file, json_patch, patch, selector_node, strategic, written};

/// A patch that was read.
pub(crate) struct Patch {
    content: Content,
    target: Option<Target>,
    /// Upstream's words for where it came from.
    source: String,
    span: Span,
}

/// What a patch does.
enum Content {
    /// Merges; the marks say what they may change beyond the rest.
    Strategic { patches: Vec<Resource>, allow_name: bool, allow_kind: bool },
    /// A list of operations. An entry of `patches` records the id it had before, one of `patchesJson6902` does not.
    Json { patch: JsonPatch, records: bool },
    /// Nothing at all.
    Empty,
}

/// The objects that a patch is for.
struct Target {
    /// A pattern that cannot be compiled is an error only when objects are selected.
    selector: Result<Selector>,
    text: String,
    kind: Str,
    name: Str,
    span: Span,
}

/// The patches of `patchesStrategicMerge`, one transformer.
pub(crate) struct Strategic {
    patches: Vec<Resource>,
}

impl Target {
    fn new(field: &SelectorField) -> Self {
        let id = ResId {
            gvk: crate::id::Gvk {
                group: field.group.text.clone(),
                version: field.version.text.clone(),
                kind: field.kind.text.clone(),
            },
            name: field.name.text.clone(),
            namespace: field.namespace.text.clone(),
        };
        let (annotations, labels) = (&*field.annotation_selector, &*field.label_selector);
        Self {
            selector: Selector::new(field),
            text: format!("{id}:a={annotations}:l={labels}"),
            kind: field.kind.clone(),
            name: field.name.clone(),
            span: field.span,
        }
    }

    /// The objects that are selected, by hash where the name is a plain word.
    fn select(&self, resources: &mut ResMap) -> Result<Vec<usize>> {
        select(self.selector.as_ref().map_err(Box::clone)?, resources)
    }
}

/// The objects that a selector selects, in order.
pub(crate) fn select(selector: &Selector, resources: &mut ResMap) -> Result<Vec<usize>> {
    let candidates = match selector.id.literal_name() {
        Some(name) => resources.named(name),
        None => (0..resources.len()).collect(),
    };
    let mut selected = Vec::new();
    for at in candidates {
        let resource = resources.get(at);
        if !resource.is_empty() && selector.selects(resource, resources.is_cluster_scoped(at))? {
            selected.push(at);
        }
    }
    Ok(selected)
}

impl Patch {
    /// Applies the patch.
    pub(crate) fn apply(
        &self,
        context: &mut Context<'_>,
        resources: &mut ResMap,
        touch: Touch,
    ) -> Result<()> {
        match (&self.content, &self.target) {
            (Content::Empty, _) => Ok(()),
            (Content::Json { patch, records }, Some(target)) => {
                let selected = target.select(resources)?;
                self.note_nothing(context, resources, &selected, target);
                apply_json(context, resources, &selected, patch, *records, touch)
            }
            (Content::Json { .. }, None) => {
                let text = format!("must specify a target for JSON patch {}", self.source);
                Err(Fault::new("patch-without-target", text)
                    .saying("a JSON patch needs a `target`")
                    .at(self.span, "this patch"))
            }
            (Content::Strategic { patches, allow_name, allow_kind }, Some(target)) => {
                let [patch] = patches.as_slice() else { return Err(self.too_many()) };
                let selected = target.select(resources).map_err(|fault| {
                    let target = gotext::quote(&target.text);
                    fault.wrap(format!("unable to find patch target {target} in `resources`"))
                })?;
                self.note_nothing(context, resources, &selected, target);
                let allowed = Allowed { name: *allow_name, kind: *allow_kind };
                apply_to_selected(context, resources, &selected, patch, allowed, touch)
            }
            (Content::Strategic { patches, allow_name, allow_kind }, None) => {
                let allowed = Allowed { name: *allow_name, kind: *allow_kind };
                patches.iter().try_for_each(|patch| {
                    let at = find(resources, patch).map_err(|fault| {
                        let id = gotext::quote(&patch.id().to_string());
                        fault.wrap(format!("no resource matches strategic merge patch {id}"))
                    })?;
                    apply_one(context, resources, at, &patch.node, allowed, touch)
                })
            }
        }
    }

    /// Under strictness a patch must find something.
    fn note_nothing(
        &self,
        context: &mut Context<'_>,
        resources: &ResMap,
        selected: &[usize],
        target: &Target,
    ) {
        if selected.is_empty() {
            context.note_strict(|| {
                let near = resources.near_miss(&target.kind, &target.name);
                let help = || "take the patch out, or make its target select an object".to_owned();
                let text = format!("the target of the patch selects nothing ({})", target.text);
                Fault::new("patch-matches-nothing", text)
                    .at(target.span, "selects no object")
                    .help(near.unwrap_or_else(help))
            });
        }
    }

    fn too_many(&self) -> Box<Fault> {
        let text = format!(
            "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {}",
            self.source
        );
        Fault::new("several-patches", text).at(self.span, "this entry")
    }
}

impl Strategic {
    /// Applies the patches in order.
    pub(crate) fn apply(
        &self,
        context: &mut Context<'_>,
        resources: &mut ResMap,
        touch: Touch,
    ) -> Result<()> {
        for patch in &self.patches {
            let at = find(resources, patch)?;
            let allowed = Allowed { name: false, kind: false };
            apply_to_selected(context, resources, &[at], patch, allowed, touch)?;
        }
        Ok(())
    }
}

/// What a merge may change beyond the rest.
#[derive(Clone, Copy)]
struct Allowed {
    name: bool,
    kind: bool,
}

/// The one object that a patch names.
fn find(resources: &mut ResMap, patch: &Resource) -> Result<usize> {
    let gvk = patch.gvk();
    let key = resources.key_of(patch, &gvk);
    let found = resources.with_any(&key);
    let id = patch.id();
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let text =
                format!("no matches for Id {id}; failed to find unique target for patch {id}");
            let fault = Fault::new("patch-matches-nothing", text)
                .saying(format!("there is no {} `{}` to patch", id.gvk.kind, id.name))
                .at(patch.node.span, "this patch");
            Err(match near_miss(resources, &id) {
                Some(help) => fault.help(help),
                None => fault,
            })
        }
        several => {
            let text = format!(
                "multiple matches for Id {id}; failed to find unique target for patch {id}"
            );
            let mut fault = Fault::new("patch-is-ambiguous", text)
                .saying(format!("several objects are or were the {} `{}`", id.gvk.kind, id.name))
                .at(patch.node.span, "this patch");
            for at in several.iter().take(5) {
                fault = fault.at(resources.get(*at).node.span, "it could be this");
            }
            Err(fault)
        }
    }
}

/// What was probably meant by an id that nothing has.
fn near_miss(resources: &mut ResMap, id: &ResId) -> Option<String> {
    let same_name = resources.named(&id.name);
    if let Some(other) = same_name.first().map(|at| resources.get(*at)) {
        let namespace = match other.namespace() {
            "" => String::new(),
            namespace => format!(" in namespace `{namespace}`"),
        };
        let (kind, version) = (other.kind(), other.api_version());
        return Some(format!("there is a {kind} `{}` of {version}{namespace}", id.name));
    }
    resources.near_miss(&id.gvk.kind, &id.name)
}

/// Applies a merge to selected objects, as upstream does it: the labels and annotations of the patch become text first.
fn apply_to_selected(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    selected: &[usize],
    patch: &Resource,
    allowed: Allowed,
    touch: Touch,
) -> Result<()> {
    if selected.is_empty() {
        return Ok(());
    }
    let mut settled = patch.clone();
    for field in ["labels", "annotations"] {
        let entries = settled.texts(field);
        settled.set_texts(field, entries);
    }
    let name = patch.name().to_owned();
    settled.set_name(&name, None, touch);
    let namespace = patch.namespace().to_owned();
    settled.set_namespace(&namespace, None, touch);
    for at in selected {
        let version = resources.get(*at).api_version().to_owned();
        set_api_version(&mut settled.node, &version);
        apply_one(context, resources, *at, &settled.node, allowed, touch)?;
    }
    if allowed.name || allowed.kind {
        refuse_collisions(resources, selected)?;
    }
    Ok(())
}

/// Gives a patch the version of the object it is laid over.
fn set_api_version(patch: &mut Node, version: &str) {
    match patch.get_mut("apiVersion").and_then(Node::as_scalar_mut) {
        Some(scalar) => {
            scalar.text = version.into();
            scalar.tag = kelson_yaml::Tag::Unresolved;
        }
        None => {
            if let Some(mapping) = patch.as_mapping_mut() {
                let value = kelson_yaml::Tag::Unresolved;
                let value = Node::scalar(version, value, kelson_yaml::Style::Plain);
                mapping.insert(Node::string("apiVersion"), value);
            }
        }
    }
}

/// Refuses names that a merge made equal.
fn refuse_collisions(resources: &mut ResMap, selected: &[usize]) -> Result<()> {
    for at in selected {
        let resource = resources.get(*at).clone();
        let gvk = resource.gvk();
        let key = resources.key_of(&resource, &gvk);
        if !resource.is_empty() && resources.with_current(&key).len() > 1 {
            let id = resource.id();
            let text = format!("may not add resource with an already registered id: {id}");
            return Err(Fault::new("duplicate-object", text).at(resource.node.span, ""));
        }
    }
    Ok(())
}

/// Lays a patch over one object; name, namespace and kind stay unless their change is allowed.
fn apply_one(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    at: usize,
    patch: &Node,
    allowed: Allowed,
    touch: Touch,
) -> Result<()> {
    context.merged = true;
    let schema = Arc::clone(&context.schema);
    let is_cluster_scoped = resources.is_cluster_scoped(at);
    let apply = |resource: &mut Resource| {
        if allowed.name || allowed.kind {
            resource.store_previous(is_cluster_scoped);
        }
        resource.may_change_name |= allowed.name;
        resource.may_change_kind |= allowed.kind;
        merge_into(resource, patch, &schema, allowed, touch)
    };
    retype::watched(context, resources, at, apply)
}

fn merge_into(
    resource: &mut Resource,
    patch: &Node,
    schema: &Schema,
    allowed: Allowed,
    touch: Touch,
) -> Result<()> {
    let before = Identity::of(resource);
    if drops_annotations(patch) {
        forget(resource);
    }
    let bonds = write::Bonds::of(&resource.node);
    let merged = merge::merge(&mut resource.node, patch, schema, touch)?;
    bonds.restore(&mut resource.node);
    match merged {
        Merged::Deleted => {
            resource.node = Node::null();
            Ok(())
        }
        Merged::Kept if resource.is_empty() => Ok(()),
        Merged::Kept => {
            before.restore(resource, allowed, touch);
            Ok(())
        }
    }
}

/// Whether a patch takes all annotations away, and upstream's books with them.
fn drops_annotations(patch: &Node) -> bool {
    let Some(metadata) = patch.get("metadata") else { return false };
    let replaced =
        |node: &Node| node.get("$patch").and_then(Node::text).is_some_and(|word| word == "replace");
    match metadata.get("annotations") {
        Some(annotations) => annotations.is_null() || replaced(annotations) || replaced(metadata),
        None => replaced(metadata),
    }
}

/// Loses what upstream keeps in annotations.
fn forget(resource: &mut Resource) {
    resource.history.clear();
    resource.prefixes.clear();
    resource.suffixes.clear();
    resource.needs_hash = false;
    resource.origin = None;
    resource.transformations.clear();
}

/// The fields that a merge must not change.
struct Identity {
    kind: Option<Node>,
    version: Option<Node>,
    name: Option<Node>,
    namespace: Option<Node>,
}

impl Identity {
    fn of(resource: &Resource) -> Self {
        let field = |path: &[&str]| resource.node.lookup(path).cloned();
        Self {
            kind: field(&["kind"]),
            version: field(&["apiVersion"]),
            name: field(&["metadata", "name"]),
            namespace: field(&["metadata", "namespace"]),
        }
    }

    fn restore(self, resource: &mut Resource, allowed: Allowed, touch: Touch) {
        let text =
            |node: &Option<Node>| node.as_ref().and_then(Node::text).unwrap_or_default().to_owned();
        if !allowed.kind {
            resource.set_kind(&text(&self.kind), touch);
        }
        if !allowed.name {
            resource.set_name(&text(&self.name), None, touch);
        }
        let namespace = self.namespace.as_ref().filter(|node| !node.is_null()).cloned();
        resource.set_namespace(&text(&namespace), None, touch);
        replace_place(resource.node.get_mut("kind"), self.kind);
        replace_place(resource.node.get_mut("apiVersion"), self.version);
        let metadata = resource.metadata_mut();
        replace_place(metadata.get_mut("name"), self.name);
        replace_place(metadata.get_mut("namespace"), namespace);
    }
}

/// Gives a field that has its old text its old place too.
fn replace_place(node: Option<&mut Node>, before: Option<Node>) {
    if let (Some(node), Some(before)) = (node, before)
        && node.text() == before.text()
    {
        node.span = before.span;
        node.touch = before.touch;
    }
}

/// Applies operations to selected objects.
fn apply_json(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    selected: &[usize],
    patch: &JsonPatch,
    records: bool,
    touch: Touch,
) -> Result<()> {
    for at in selected {
        let is_cluster_scoped = resources.is_cluster_scoped(*at);
        retype::watched(context, resources, *at, |resource| -> Result<()> {
            if records {
                resource.store_previous(is_cluster_scoped);
            }
            if resource.has_bookkeeping() {
                let metadata = resource.metadata_mut();
                crate::resource::mapping_in(metadata, "annotations");
            }
            write::sever(&mut resource.node);
            metadata::shown_to(resource, |resource| {
                patch.apply(&mut resource.node, touch)?;
                reread::check(resource)
            })?;
            let entries = resource.texts("annotations");
            resource.set_texts("annotations", entries);
            Ok(())
        })?;
    }
    Ok(())
}
