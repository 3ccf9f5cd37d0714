//! The plugins that are built in, configured by an object instead of a field.

use std::sync::Arc;

use kelson_yaml::Touch;

use super::{Making, Plugin, decoding, parse_file, replacements};
use crate::accumulate::Target;
use crate::context::Context;
use crate::decode::value::Map;
use crate::decode::{Decode, Reading, Str, decode, decode_all, record};
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Specs};
use crate::generate::{chart, iam};
use crate::kustomization::{
    ConfigMapArgs, FieldSpecField, HelmChart, HelmGlobals, Image, Metadata, Patch,
    ReplacementField, Replica, SecretArgs, SelectorField,
};
use crate::resource::Resource;
use crate::selector::Selector;
use crate::transform::affix::Side;
use crate::transform::namespace::Subjects;
use crate::transform::{images, patches};
use crate::transformer::{Instance, ValueTarget, Work};

/// The kinds that are built in.
pub(super) const KINDS: [&str; 18] = [
    "AnnotationsTransformer",
    "ConfigMapGenerator",
    "HashTransformer",
    "HelmChartInflationGenerator",
    "IAMPolicyGenerator",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PatchJson6902Transformer",
    "PatchStrategicMergeTransformer",
    "PatchTransformer",
    "PrefixSuffixTransformer",
    "PrefixTransformer",
    "ReplacementTransformer",
    "ReplicaCountTransformer",
    "SecretGenerator",
    "SuffixTransformer",
    "ValueAddTransformer",
];

record! {
    /// `metadata` of a configuration, which names what some generators make.
    Named = "builtins" "Plugin" {
        metadata: Metadata = "metadata",
    }
}

record! {
    /// A `LabelTransformer` or `AnnotationsTransformer`.
    Pairs = "builtins" "LabelTransformerPlugin" {
        labels: Map = "labels",
        annotations: Map = "annotations",
        specs: Option<Vec<FieldSpecField>> = "fieldSpecs",
    }
}

record! {
    /// A `NamespaceTransformer`.
    NamespaceArgs = "builtins" "NamespaceTransformerPlugin" {
        metadata: Metadata = "metadata",
        specs: Option<Vec<FieldSpecField>> = "fieldSpecs",
        unset_only: bool = "unsetOnly",
        subjects: Str = "setRoleBindingSubjects",
    }
}

record! {
    /// A `PrefixTransformer`, `SuffixTransformer` or `PrefixSuffixTransformer`.
    AffixArgs = "builtins" "PrefixTransformerPlugin" {
        prefix: Str = "prefix",
        suffix: Str = "suffix",
        specs: Option<Vec<FieldSpecField>> = "fieldSpecs",
    }
}

record! {
    /// An `ImageTagTransformer`.
    ImageArgs = "builtins" "ImageTagTransformerPlugin" {
        image: Image = "imageTag",
        specs: Option<Vec<FieldSpecField>> = "fieldSpecs",
    }
}

record! {
    /// A `ReplicaCountTransformer`.
    ReplicaArgs = "builtins" "ReplicaCountTransformerPlugin" {
        replica: Replica = "replica",
        specs: Option<Vec<FieldSpecField>> = "fieldSpecs",
    }
}

record! {
    /// A `ReplacementTransformer`.
    ReplacementArgs = "builtins" "ReplacementTransformerPlugin" {
        replacements: Vec<ReplacementField> = "replacements",
    }
}

record! {
    /// A `PatchJson6902Transformer`.
    JsonPatchArgs = "builtins" "PatchJson6902TransformerPlugin" {
        target: Option<SelectorField> = "target",
        path: Str = "path",
        operations: Str = "jsonOp",
    }
}

record! {
    /// A `PatchStrategicMergeTransformer`.
    StrategicArgs = "builtins" "PatchStrategicMergeTransformerPlugin" {
        paths: Vec<Str> = "paths",
        patches: Str = "patches",
    }
}

record! {
    /// A `ValueAddTransformer`.
    ValueAddArgs = "builtins" "ValueAddTransformerPlugin" {
        value: Str = "value",
        targets: Vec<ValueAddTarget> = "targets",
        file: Str = "targetFilePath",
    }
}

record! {
    /// One target of a `ValueAddTransformer`.
    ValueAddTarget = "builtins" "Target" {
        selector: Option<SelectorField> = "selector",
        field_path: Str = "fieldPath",
        position: i64 = "filePathPosition",
    }
}

/// Sets up the plugin of a kind; `None` for kinds that are not built in.
pub(super) fn set_up(
    context: &mut Context<'_>,
    target: &Target,
    config: &Resource,
    touch: Touch,
) -> Option<Result<Plugin>> {
    let transformer = |work: Result<Work>| work.map(Plugin::Transformer);
    let generator =
        |making: Result<Making>| making.map(|making| Plugin::Generator(Box::new(making)));
    let loader = &target.loader;
    if context.options.strict {
        unknown_fields(config).into_iter().for_each(|fault| context.note_strict(|| fault));
    }
    Some(match config.kind() {
        "AnnotationsTransformer" => {
            transformer(read::<Pairs>(config).map(|args| Work::Annotations {
                map: args.annotations,
                specs: specs_of(args.specs),
            }))
        }
        "LabelTransformer" => transformer(
            read::<Pairs>(config)
                .map(|args| Work::Labels { map: args.labels, specs: specs_of(args.specs) }),
        ),
        "HashTransformer" => Ok(Plugin::Transformer(Work::Hash)),
        "ImageTagTransformer" => transformer(image(config, touch)),
        "NamespaceTransformer" => transformer(namespace(config)),
        "PatchTransformer" => transformer(read::<Patch>(config).and_then(|args| {
            patches::patch(context, loader, &args).map(|patch| Work::Patch(Box::new(patch)))
        })),
        "PatchJson6902Transformer" => transformer(read::<JsonPatchArgs>(config).and_then(|args| {
            let (path, operations) = (&args.path, &args.operations);
            let target = args.target.as_ref();
            patches::json_patch(context, loader, target, path, operations, args.span)
                .map(|patch| Work::Patch(Box::new(patch)))
        })),
        "PatchStrategicMergeTransformer" => {
            transformer(read::<StrategicArgs>(config).and_then(|args| {
                patches::strategic(context, loader, &args.paths, &args.patches, args.span)
                    .map(Work::Strategic)
            }))
        }
        "PrefixTransformer" => transformer(affix(config, &[Side::Prefix], touch)),
        "SuffixTransformer" => transformer(affix(config, &[Side::Suffix], touch)),
        "PrefixSuffixTransformer" => {
            transformer(affix(config, &[Side::Prefix, Side::Suffix], touch))
        }
        "ReplacementTransformer" => transformer(read::<ReplacementArgs>(config).and_then(|args| {
            replacements(context, loader, &args.replacements).map(Work::Replacements)
        })),
        "ReplicaCountTransformer" => transformer(
            read::<ReplicaArgs>(config)
                .map(|args| Work::Replicas { replica: args.replica, specs: specs_of(args.specs) }),
        ),
        "ValueAddTransformer" => transformer(value_add(context, target, config)),
        "ConfigMapGenerator" => generator(config_map(config)),
        "SecretGenerator" => generator(secret(config)),
        "IAMPolicyGenerator" => generator(read::<iam::Args>(config).map(Making::Iam)),
        "HelmChartInflationGenerator" => generator(helm(context, target, config)),
        _ => return None,
    })
}

/// Reads the configuration of a plugin.
fn read<T: Decode>(config: &Resource) -> Result<T> {
    decode(&config.node, Reading::Plugin).map_err(decoding)
}

/// The fields that a plugin does not know. Upstream passes over them.
#[expect(clippy::vec_box, reason = "a fault travels in its box")]
fn unknown_fields(config: &Resource) -> Vec<Box<Fault>> {
    fn of<T: Decode>(config: &Resource) -> Vec<Box<Fault>> {
        decode_all::<T>(&config.node, Reading::Plugin).1.unknown
    }
    let (mut unknown, other) = match config.kind() {
        "AnnotationsTransformer" | "LabelTransformer" => (of::<Pairs>(config), None),
        "ImageTagTransformer" => (of::<ImageArgs>(config), None),
        "NamespaceTransformer" => (of::<NamespaceArgs>(config), None),
        "PatchTransformer" => (of::<Patch>(config), None),
        "PatchJson6902Transformer" => (of::<JsonPatchArgs>(config), None),
        "PatchStrategicMergeTransformer" => (of::<StrategicArgs>(config), None),
        "PrefixTransformer" | "SuffixTransformer" | "PrefixSuffixTransformer" => {
            (of::<AffixArgs>(config), None)
        }
        "ReplacementTransformer" => (of::<ReplacementArgs>(config), None),
        "ReplicaCountTransformer" => (of::<ReplicaArgs>(config), None),
        "ValueAddTransformer" => (of::<ValueAddArgs>(config), None),
        "ConfigMapGenerator" => (of::<ConfigMapArgs>(config), None),
        "SecretGenerator" => (of::<SecretArgs>(config), None),
        "IAMPolicyGenerator" => (of::<iam::Args>(config), None),
        "HelmChartInflationGenerator" => (of::<HelmChart>(config), Some(of::<HelmGlobals>(config))),
        _ => (Vec::new(), None),
    };
    let place = |fault: &Fault| fault.diagnostic.labels.first().map(|label| label.span);
    let own: Vec<_> = ["apiVersion", "kind", "metadata"]
        .iter()
        .filter_map(|key| {
            let entries = &config.node.as_mapping()?.entries;
            entries.iter().find(|it| it.key.text() == Some(*key)).map(|it| Some(it.key.span))
        })
        .collect();
    unknown.retain(|fault| {
        let at = place(fault);
        let is_known_else =
            other.as_ref().is_some_and(|other| !other.iter().any(|it| place(it) == at));
        !own.contains(&at) && !is_known_else
    });
    unknown
}

fn specs_of(fields: Option<Vec<FieldSpecField>>) -> Arc<Specs> {
    let fields = fields.unwrap_or_default();
    Arc::new(Specs::new(fields.iter().map(FieldSpec::from).collect()))
}

fn image(config: &Resource, touch: Touch) -> Result<Work> {
    let args = read::<ImageArgs>(config)?;
    let edit = images::Edit::new(args.image.clone());
    Ok(Work::Images {
        entries: vec![images::Entry { edit, touch }],
        places: vec![args.image.name],
        specs: specs_of(args.specs),
    })
}

fn namespace(config: &Resource) -> Result<Work> {
    let words = "unmarshalling NamespaceTransformer config";
    let args = read::<NamespaceArgs>(config).map_err(|fault| fault.wrap(words))?;
    Ok(Work::Namespace {
        name: args.metadata.namespace,
        specs: specs_of(args.specs),
        unset_only: args.unset_only,
        subjects: Subjects::parse(&args.subjects)?,
    })
}

fn affix(config: &Resource, sides: &[Side], touch: Touch) -> Result<Work> {
    let args = read::<AffixArgs>(config)?;
    let Some(fields) = args.specs else {
        let fault = Fault::new("no-field-specs", "fieldSpecs is not expected to be nil");
        return Err(fault.at(config.node.span, "no `fieldSpecs` here"));
    };
    let specs = specs_of(Some(fields));
    let work = |side: &Side| {
        let text = match side {
            Side::Prefix => args.prefix.clone(),
            Side::Suffix => args.suffix.clone(),
        };
        let work = Work::Affix { side: *side, text, specs: Arc::clone(&specs) };
        Instance { work, touch, origin: None }
    };
    Ok(Work::Several(sides.iter().map(work).collect()))
}

fn config_map(config: &Resource) -> Result<Making> {
    let mut args = read::<ConfigMapArgs>(config)?;
    let named = read::<Named>(config)?.metadata;
    if args.name.is_empty() {
        args.name = named.name;
    }
    if args.namespace.is_empty() {
        args.namespace = named.namespace;
    }
    Ok(Making::ConfigMap(args))
}

fn secret(config: &Resource) -> Result<Making> {
    let mut args = read::<SecretArgs>(config)?;
    let named = read::<Named>(config)?.metadata;
    if args.name.is_empty() {
        args.name = named.name;
    }
    if args.namespace.is_empty() {
        args.namespace = named.namespace;
    }
    Ok(Making::Secret(args))
}

fn helm(context: &mut Context<'_>, target: &Target, config: &Resource) -> Result<Making> {
    let mut args = read::<HelmChart>(config)?;
    args.span = config.node.span;
    let globals = read::<HelmGlobals>(config)?;
    let namespace = args.namespace.to_string();
    let request = chart::request(context, &target.loader, &args, Some(&globals), &namespace)?;
    Ok(Making::Chart(Box::new((args, request))))
}

fn value_add(context: &mut Context<'_>, target: &Target, config: &Resource) -> Result<Work> {
    let mut args = read::<ValueAddArgs>(config)?;
    let trimmed = args.value.trim();
    let value = match trimmed.is_empty() {
        true => {
            let base = target.loader.root.rsplit('/').next().unwrap_or_default();
            let text = if base.is_empty() { "/" } else { base };
            Str { text: text.into(), span: config.node.span }
        }
        false => Str { text: trimmed.into(), span: args.value.span },
    };
    if !args.file.is_empty() {
        let file = target.loader.load(context, &args.file, args.file.span)?;
        let node = parse_file(&file)?;
        if let Some(node) = node {
            let more: ValueAddArgs = decode(&node, Reading::File).map_err(decoding)?;
            args.targets.extend(more.targets);
        }
    }
    if args.targets.is_empty() {
        let fault = Fault::new("no-targets", "must specify at least one target");
        return Err(fault.at(config.node.span, ""));
    }
    let targets: Result<Vec<ValueTarget>> = args.targets.iter().map(value_target).collect();
    Ok(Work::ValueAdd { value, targets: targets? })
}

fn value_target(target: &ValueAddTarget) -> Result<ValueTarget> {
    if target.field_path.is_empty() {
        let fault = Fault::new("no-field-path", "fieldPath cannot be empty");
        return Err(fault.at(target.span, ""));
    }
    if target.position < 0 {
        let text = format!("value of FilePathPosition ({}) cannot be negative", target.position);
        return Err(Fault::new("bad-position", text).at(target.span, ""));
    }
    Ok(ValueTarget {
        selector: target.selector.as_ref().map(Selector::new).transpose()?,
        path: target.field_path.clone(),
        position: target.position,
    })
}
