//! Plugins: objects listed under `generators`, `transformers` and `validators` that configure one each.

mod builtin; // the kinds that are built in
pub(crate) mod function; // functions and programs

use std::sync::Arc;

use hashbrown::HashMap;
use kelson_yaml::{Bond, Data, Entry, Node, Span, Touch};

use crate::accumulate::{Target, inline_replacement};
use crate::context::{Context, File};
use crate::decode::{Reading, decode_all};
use crate::fault::{Fault, Result};
use crate::generate::{self, chart, iam};
use crate::kustomization::{
    ConfigMapArgs, HelmChart, ReplacementField, ReplacementInFile, SecretArgs,
};
use crate::loader::Loader;
use crate::metadata::Origin;
use crate::resmap::ResMap;
use crate::resource::{Behavior, Resource};
use crate::transformer::{Instance, Work};
use function::FunctionPlugin;

/// A generator that is set up.
pub(crate) struct Generator {
    pub(crate) making: Making,
    pub(crate) touch: Touch,
    /// What `buildMetadata` says of it.
    pub(crate) origin: Option<Arc<Origin>>,
}

/// What a generator makes.
pub(crate) enum Making {
    ConfigMap(ConfigMapArgs),
    Secret(SecretArgs),
    Chart(Box<(HelmChart, kelson_model::Chart)>),
    Iam(iam::Args),
    Function(Box<FunctionPlugin>),
}

impl Generator {
    /// Makes the objects.
    pub(crate) fn run(&self, context: &mut Context<'_>, loader: &Loader) -> Result<Vec<Resource>> {
        match &self.making {
            Making::ConfigMap(args) => {
                Ok(vec![generate::config_map(context, loader, args, self.touch)?])
            }
            Making::Secret(args) => Ok(vec![generate::secret(context, loader, args, self.touch)?]),
            Making::Chart(both) => chart::objects(context, both.1.clone(), &both.0),
            Making::Iam(args) => iam::service_account(args, self.touch),
            Making::Function(function) => function.generate(context),
        }
    }
}

/// A plugin that is set up.
enum Plugin {
    Generator(Box<Making>),
    Transformer(Work),
    /// Either, as the list it stands in wants it.
    Function(Box<FunctionPlugin>),
}

/// Sets up the generators that objects configure.
pub(crate) fn generators(
    context: &mut Context<'_>,
    target: &Target,
    configs: Vec<Resource>,
) -> Result<Vec<Generator>> {
    let mut list = Vec::new();
    for config in configs {
        let touch = context.step(config.kind(), &target.file, config.node.span);
        let making = match set_up(context, target, &config, touch) {
            Ok(Plugin::Generator(making)) => *making,
            Ok(Plugin::Function(function)) => Making::Function(function),
            Ok(Plugin::Transformer(_)) => {
                return Err(wrong_list(&config, "generator").wrap("failed to load generator"));
            }
            Err(fault) => return Err(fault.wrap("failed to load generator")),
        };
        list.push(Generator { making, touch, origin: Origin::plugin(&config).map(Arc::new) });
    }
    Ok(list)
}

/// Sets up the transformers that objects configure.
pub(crate) fn transformers(
    context: &mut Context<'_>,
    target: &Target,
    configs: Vec<Resource>,
) -> Result<Vec<Instance>> {
    let mut list = Vec::new();
    for config in configs {
        let touch = context.step(config.kind(), &target.file, config.node.span);
        let work = match set_up(context, target, &config, touch)? {
            Plugin::Transformer(work) => work,
            Plugin::Function(function) => Work::Function(function),
            Plugin::Generator(_) => return Err(wrong_list(&config, "transformer")),
        };
        list.push(Instance { work, touch, origin: Origin::plugin(&config).map(Arc::new) });
    }
    Ok(list)
}

/// Sets up one plugin.
fn set_up(
    context: &mut Context<'_>,
    target: &Target,
    config: &Resource,
    touch: Touch,
) -> Result<Plugin> {
    let gvk = config.gvk();
    let failed = |fault: Box<Fault>| {
        let fault = match fault.diagnostic.labels.is_empty() {
            true => fault.at(config.node.span, "this configuration"),
            false => fault,
        };
        fault.wrap(format!("plugin {} fails configuration", config.original_id()))
    };
    if gvk.group.is_empty() && gvk.version == "builtin" {
        let Some(plugin) = builtin::set_up(context, target, config, touch) else {
            let text = format!("unable to load builtin {gvk}");
            let fault = Fault::new("unknown-builtin", text).at(config.node.span, "");
            let near = kelson_model::nearest(&gvk.kind, builtin::KINDS);
            return Err(match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            });
        };
        return plugin.map_err(failed);
    }
    if !context.options.enable_plugins {
        let kind = &gvk.kind;
        let text = format!("external plugins disabled; unable to load external plugin '{kind}'");
        return Err(Fault::new("plugins-disabled", text)
            .at(config.node.span, "this is no builtin plugin")
            .help("allow plugins with --enable-alpha-plugins"));
    }
    FunctionPlugin::new(context, target, config)
        .map(|function| Plugin::Function(Box::new(function)))
}

/// The error of a plugin in the wrong list.
fn wrong_list(config: &Resource, wanted: &str) -> Box<Fault> {
    let text = format!("plugin {} not a {wanted}", config.original_id());
    Fault::new("wrong-plugin", text).at(config.node.span, "")
}

/// Reads the replacements of a list, those in files among them.
pub(crate) fn replacements(
    context: &mut Context<'_>,
    loader: &Loader,
    entries: &[ReplacementField],
) -> Result<Vec<ReplacementInFile>> {
    let mut list = Vec::new();
    for entry in entries {
        if entry.path.is_empty() {
            list.push(inline_replacement(entry));
            continue;
        }
        if entry.source.is_some() || !entry.targets.is_empty() {
            let text = "cannot specify both path and inline replacement";
            return Err(Fault::new("path-or-replacement", text).at(entry.span, ""));
        }
        let file = loader.load(context, &entry.path, entry.path.span)?;
        let node = parse_file(&file)?;
        if context.options.strict {
            let text = file.text.as_deref().unwrap_or_default();
            for fault in crate::kustomization::repeated_keys(
                text,
                file.at,
                context.reading(kelson_yaml::Dialect::V3),
            ) {
                context.note_strict(|| fault);
            }
        }
        match node.as_ref().map(|node| &node.data) {
            Some(Data::Sequence(sequence)) => {
                for item in &sequence.items {
                    list.push(decode_file(context, item)?);
                }
            }
            Some(Data::Mapping(_)) => {
                if let Some(node) = &node {
                    list.push(decode_file(context, node)?);
                }
            }
            other => {
                let kind = if other.is_none() { "invalid" } else { "string" };
                let text = format!(
                    "unsupported replacement type encountered within replacement path: {kind}"
                );
                return Err(Fault::new("bad-replacement", text).at(file.at, ""));
            }
        }
    }
    Ok(list)
}

/// Reads a file of configuration.
pub(crate) fn parse_file(file: &File) -> Result<Option<Node>> {
    let parsed = file.yaml().and_then(|text| {
        kelson_yaml::first_document(text, file.at, kelson_yaml::Dialect::V2).map_err(|error| {
            Fault::new("bad-yaml", format!("yaml: {}", error.message)).at(error.span, error.message)
        })
    });
    parsed.map_err(|fault| fault.wrap("error converting YAML to JSON"))
}

/// Reads a value of such a file; under strictness it must know all fields.
fn decode_file<T: crate::decode::Decode>(context: &mut Context<'_>, node: &Node) -> Result<T> {
    let (value, reader) = decode_all(node, Reading::File);
    if let Some(fault) = reader.faults.into_iter().next() {
        return Err(decoding(fault));
    }
    reader.unknown.into_iter().for_each(|fault| context.note_strict(|| fault));
    Ok(value)
}

/// Adds the words that surround problems of decoding.
pub(crate) fn decoding(fault: Box<Fault>) -> Box<Fault> {
    fault.wrap("error unmarshaling JSON: while decoding JSON")
}

/// Refuses what a validator changed, but for the label with which it signs.
pub(crate) fn refuse_changes(before: &ResMap, after: &ResMap) -> Result<()> {
    let fail = |text: String| {
        let text = format!("validator shouldn't modify the resource map: {text}");
        Err(Fault::new("validator-changes", text))
    };
    if before.len() != after.len() {
        return fail("lists have different number of entries".to_owned());
    }
    let known: HashMap<String, &Resource> =
        after.list().iter().map(|resource| (resource.id().to_string(), resource)).collect();
    for resource in before.list() {
        let id = resource.id();
        let Some(other) = known.get(&id.to_string()) else {
            return fail(format!("id in self missing from other; id: {id}"));
        };
        let signed = without_signature(other);
        let is_equal = signed.is_some_and(|signed| is_same(&resource.node, &signed));
        if resource.history != other.history || !is_equal {
            return fail(unequal(resource, other));
        }
    }
    Ok(())
}

/// Upstream's words for two objects that differ.
fn unequal(before: &Resource, after: &Resource) -> String {
    let shown = |resource: &Resource| {
        let mut node = crate::metadata::with_books(resource);
        // The label is gone by the time that upstream compares.
        let labels = node.get_mut("metadata").and_then(|metadata| metadata.get_mut("labels"));
        if let Some(labels) = labels.and_then(Node::as_mapping_mut) {
            labels.remove("validated-by");
        }
        let mut text = String::new();
        let _ = kelson_yaml::json::write(&node, &mut text);
        text
    };
    let memory = "&resource.Resource{RNode:yaml.RNode{fieldPath:[]string(nil), value:(*yaml.Node)(0x0), ShouldKeep:false, Match:[]string(nil)}, refVarNames:[]string(nil)}";
    let (before, after) = (shown(before), shown(after));
    format!("nodes unequal: \n -- {before},\n -- {after}\n\n--\n{memory}\n------\n{memory}\n")
}

/// The object without the label of validators. Upstream writes the other labels anew, sorted and at the end;
/// that they stand in no file then makes them another thing than those that do, and there is no such object.
fn without_signature(resource: &Resource) -> Option<Node> {
    let mut node = resource.node.clone();
    let metadata = node.get_mut("metadata").and_then(Node::as_mapping_mut);
    let is_signed = |labels: &Node| labels.get("validated-by").is_some();
    if let Some(metadata) = metadata.filter(|it| it.get("labels").is_some_and(is_signed)) {
        let mut entry = metadata.remove("labels")?;
        let is_made = entry.value.span == Span::NONE || resource.behavior != Behavior::Unspecified;
        let labels = entry.value.as_mapping_mut()?;
        labels.remove("validated-by");
        labels.entries.sort_by(|left, right| left.key.text().cmp(&right.key.text()));
        let stands_alone = |it: &Entry| it.value.bond == Bond::NONE;
        let is_read = resource.behavior == Behavior::Unspecified && labels.iter().any(stands_alone);
        if !is_made || is_read {
            return None;
        }
        if !labels.is_empty() {
            metadata.entries.push(entry);
        }
    }
    Some(node)
}

/// Whether two trees say the same.
fn is_same(left: &Node, right: &Node) -> bool {
    match (&left.data, &right.data) {
        (Data::Scalar(left), Data::Scalar(right)) => {
            left.text == right.text
                && left.style == right.style
                && left.resolved() == right.resolved()
        }
        (Data::Sequence(left), Data::Sequence(right)) => {
            left.items.len() == right.items.len()
                && left.items.iter().zip(&right.items).all(|(left, right)| is_same(left, right))
        }
        (Data::Mapping(left), Data::Mapping(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    is_same(&left.key, &right.key) && is_same(&left.value, &right.value)
                })
        }
        _ => false,
    }
}
