//! `replacements`: values copied from one object, or given, into fields of others.

mod comments; // the comments of a text that is written anew
mod index; // objects by kind and by name
mod live; // a value that changes with its source
mod put; // one value into one object
mod retyped; // fields that are of another type afterwards
mod structured; // values inside a text that is YAML or JSON itself

use kelson_model::Sources;
use kelson_yaml::{Node, Style, Tag, Touch};

use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::id::{Gvk, ResId};
use crate::kustomization::{
    FieldOptions, ReplacementInFile, ReplacementSource, ReplacementTarget, SelectorField,
};
use crate::path::{lookup, split_dotted, trail};
use crate::resource::Resource;
use crate::selector::{IdPatterns, MetadataSelector};
use crate::write::is_null;
use index::{Candidates, Index};
use live::{Allowance, Live};
use retyped::Retyped;

/// What is looked at when neither source nor target names a field.
const DEFAULT_PATH: &str = "metadata.name";

/// How replacements are done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options<'a> {
    /// Values in `[field=value]` must match whole, and not merely anywhere in the text.
    pub(crate) whole_values: bool,
    /// The texts that were read, so that a part of a value has its own place.
    pub(crate) sources: Option<&'a Sources>,
}

/// What came of the replacements.
pub(crate) struct Done {
    /// For each target of each replacement whether it selected an object.
    pub(crate) hits: Vec<Vec<bool>>,
    /// Fields that have another type now.
    pub(crate) retyped: Vec<Retyped>,
}

/// What is kept over all replacements.
#[derive(Default)]
struct Ledger {
    /// What may still be copied.
    allowance: Allowance,
    retyped: Vec<Retyped>,
}

/// Does the replacements in order.
pub(crate) fn apply(
    resources: &mut [Resource],
    replacements: &[ReplacementInFile],
    options: Options<'_>,
    touch: Touch,
) -> Result<Done> {
    let mut index = Index::for_lookups(resources, replacements);
    let mut hits = Vec::with_capacity(replacements.len());
    let mut ledger = Ledger::default();
    for replacement in replacements {
        if (replacement.source.is_none() && replacement.source_value.is_none())
            || replacement.targets.is_empty()
        {
            let text = "replacements must specify a source and at least one target";
            return Err(Fault::new("incomplete-replacement", text).at(replacement.span, ""));
        }
        let value = value_of(resources, &index, replacement, options)?;
        let (index, ledger) = (&mut index, &mut ledger);
        let mut run = Run { resources, index, value, ledger, options, touch };
        let targets = replacement.targets.iter();
        hits.push(targets.map(|target| run.target(target.as_ref())).collect::<Result<_>>()?);
    }
    Ok(Done { hits, retyped: ledger.retyped })
}

/// The value that is copied, with the place that gave it.
fn value_of(
    resources: &[Resource],
    index: &Index,
    replacement: &ReplacementInFile,
    options: Options<'_>,
) -> Result<Live> {
    match (&replacement.source, &replacement.source_value) {
        (Some(_), Some(_)) => {
            let text = "value and resource selectors are mutually exclusive";
            Err(Fault::new("two-sources", text).at(replacement.span, ""))
        }
        (Some(source), None) => read(resources, index, source, options),
        (None, Some(value)) => Ok(Live::fixed(given(value))),
        (None, None) => Ok(Live::fixed(Node::scalar("", Tag::Unresolved, Style::Plain))),
    }
}

fn given(value: &Str) -> Node {
    Node::scalar(value.text.clone(), Tag::Unresolved, Style::Plain).at(value.span, Touch::NONE)
}

/// Reads the field of the one object that a source selects.
fn read(
    resources: &[Resource],
    index: &Index,
    source: &ReplacementSource,
    options: Options<'_>,
) -> Result<Live> {
    let id = source_id(source);
    let at = find(resources, index, &id, source)?;
    let object = &resources[at].node;
    let path = if source.field_path.is_empty() { DEFAULT_PATH } else { &source.field_path };
    let parts = split_dotted(path);
    let found = lookup(object, &parts)
        .map_err(|fault| fault.wrap("error looking up replacement source"))?;
    let Some(found) = found.filter(|node| !is_empty(node)) else {
        let text = format!("fieldPath `{path}` is missing for replacement source {id}");
        return Err(Fault::new("missing-source-field", text).at(source.span, "read from here"));
    };
    let part = source.options.as_ref().filter(|part| !part.delimiter.is_empty());
    match part {
        Some(part) => Ok(Live::fixed(refine(found, part, options.sources)?)),
        None => Ok(Live::new(found.clone(), at, trail(object, &parts))),
    }
}

fn source_id(source: &ReplacementSource) -> ResId {
    ResId {
        gvk: Gvk {
            group: source.group.text.clone(),
            version: source.version.text.clone(),
            kind: source.kind.text.clone(),
        },
        name: source.name.text.clone(),
        namespace: source.namespace.text.clone(),
    }
}

/// Finds the one object that a source selects.
fn find(
    resources: &[Resource],
    index: &Index,
    id: &ResId,
    source: &ReplacementSource,
) -> Result<usize> {
    let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (kind, name) = (non_empty(&id.gvk.kind), non_empty(&id.name));
    let candidates = index.candidates(kind.as_deref(), name.as_deref(), resources.len());
    let mut found = None;
    for at in candidates.iter() {
        if !ids(&resources[at]).iter().any(|candidate| is_selected(candidate, id)) {
            continue;
        }
        if found.replace(at).is_some() {
            let text = format!("multiple matches for selector {}", described(source, id));
            return Err(Fault::new("ambiguous-source", text).at(source.span, "selects several"));
        }
    }
    found.ok_or_else(|| {
        let text = format!("nothing selected by {}", described(source, id));
        Fault::new("missing-source", text).at(source.span, "selects nothing")
    })
}

/// A source as errors show it.
fn described(source: &ReplacementSource, id: &ResId) -> String {
    let mut text = id.to_string();
    if !source.field_path.is_empty() {
        text = format!("{text}:{}", &*source.field_path);
    }
    match &source.options {
        Some(options) if !options.delimiter.is_empty() || options.create => {
            let (delimiter, index) = (&*options.delimiter, options.index);
            format!("{text}:{delimiter}({index}), create={}", options.create)
        }
        _ => text,
    }
}

/// Every id the object has or had; the present one first, with the namespace as written.
fn ids(resource: &Resource) -> Vec<ResId> {
    let present = resource.id();
    let gvk = present.gvk.clone();
    let earlier = resource.history.iter().map(|previous| ResId {
        gvk: Gvk { kind: previous.kind.clone(), ..gvk.clone() },
        name: previous.name.clone(),
        namespace: previous.namespace.clone(),
    });
    std::iter::once(present).chain(earlier).collect()
}

fn is_selected(id: &ResId, selector: &ResId) -> bool {
    let effective = |id: &ResId| match &*id.namespace {
        "" => "default".to_owned(),
        namespace => namespace.to_owned(),
    };
    (selector.name.is_empty() || selector.name == id.name)
        && (selector.namespace.is_empty() || effective(selector) == effective(id))
        && selector.gvk.selects(&id.gvk)
}

fn is_empty(node: &Node) -> bool {
    is_null(node)
        || node.as_mapping().is_some_and(|mapping| mapping.is_empty())
        || node.as_sequence().is_some_and(<[_]>::is_empty)
}

/// Takes the part of a text that the options name.
fn refine(node: &Node, options: &FieldOptions, sources: Option<&Sources>) -> Result<Node> {
    let Some(text) = node.text() else { return Err(not_scalar(options)) };
    let part = usize::try_from(options.index)
        .ok()
        .and_then(|index| text.split(&*options.delimiter).nth(index));
    let Some(part) = part else {
        let text = format!("options.index {} is out of bounds for value {text}", options.index);
        return Err(Fault::new("bad-index", text).at(options.span, ""));
    };
    let mut copy = node.clone();
    if let Some(sources) = sources {
        let offset = part.as_ptr().addr() - text.as_ptr().addr();
        let whole = Str { text: text.into(), span: node.span };
        copy.span = whole.part(offset, sources);
    }
    let part = part.to_owned();
    if let Some(scalar) = copy.as_scalar_mut() {
        scalar.text = part.into();
    }
    Ok(copy)
}

fn not_scalar(options: &FieldOptions) -> Box<Fault> {
    let text = "delimiter option can only be used with scalar nodes";
    Fault::new("delimiter-needs-text", text).at(options.delimiter.span, "")
}

/// One replacement under way.
struct Run<'a> {
    resources: &'a mut [Resource],
    index: &'a mut Index,
    value: Live,
    ledger: &'a mut Ledger,
    options: Options<'a>,
    touch: Touch,
}

/// The objects that a target takes and refuses.
struct Target {
    select: IdPatterns,
    metadata: MetadataSelector,
    reject: Vec<(IdPatterns, Option<MetadataSelector>)>,
}

impl Run<'_> {
    /// Puts the value into every object that a target selects; says whether there was one.
    fn target(&mut self, field: Option<&ReplacementTarget>) -> Result<bool> {
        let Some((field, select)) = field.and_then(|it| Some((it, it.select.as_ref()?))) else {
            let text = "target must specify resources to select";
            return Err(Fault::new("target-without-select", text));
        };
        let target = Target::new(select, field)
            .map_err(|fault| fault.wrap("error creating target selector"))?;
        let fields = put::Fields::new(field, self.value.node(), self.options);
        let candidates = target.candidates(self.index, self.resources.len());
        let mut is_hit = false;
        for at in candidates.iter() {
            let resource = &mut self.resources[at];
            if target.takes(resource)? {
                is_hit = true;
                let place = (at, &mut resource.node);
                fields.put(place, &mut self.value, self.ledger, self.touch)?;
                self.index.update(at, resource);
            }
        }
        Ok(is_hit)
    }
}

impl Target {
    fn new(select: &SelectorField, field: &ReplacementTarget) -> Result<Self> {
        let reject = |field: &SelectorField| {
            let asks_metadata =
                !field.label_selector.is_empty() || !field.annotation_selector.is_empty();
            let metadata = asks_metadata.then(|| MetadataSelector::new(field));
            Ok((IdPatterns::new(field)?, metadata))
        };
        Ok(Self {
            select: IdPatterns::new(select)?,
            metadata: MetadataSelector::new(select),
            reject: field.reject.iter().flatten().map(reject).collect::<Result<_>>()?,
        })
    }

    /// The objects to look at. Labels are tested before ids, so an error in a selector shows with any object.
    fn candidates(&self, index: &Index, count: usize) -> Candidates {
        let mut selectors = self
            .reject
            .iter()
            .filter_map(|(_, metadata)| metadata.as_ref())
            .chain([&self.metadata]);
        if selectors.any(|selector| selector.check().is_err()) {
            return Candidates::All(count);
        }
        index.candidates(self.select.literal_kind(), self.select.literal_name(), count)
    }

    fn takes(&self, resource: &Resource) -> Result<bool> {
        if !fits(&self.metadata, &resource.node)? {
            return Ok(false);
        }
        for (_, metadata) in &self.reject {
            if let Some(metadata) = metadata
                && fits(metadata, &resource.node)?
            {
                return Ok(false);
            }
        }
        let ids = ids(resource);
        let is_rejected = self
            .reject
            .iter()
            .any(|(patterns, _)| !patterns.is_empty() && ids.iter().any(|id| patterns.matches(id)));
        Ok(!is_rejected && ids.iter().any(|id| self.select.matches(id)))
    }
}

fn fits(metadata: &MetadataSelector, object: &Node) -> Result<bool> {
    let annotations = metadata.matches_annotations(object)?;
    Ok(metadata.matches_labels(object)? && annotations)
}
