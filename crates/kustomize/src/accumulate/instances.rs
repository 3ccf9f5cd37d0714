//! The transformers and generators that the fields of a kustomization ask for, in upstream's order.

use std::sync::Arc;

use kelson_yaml::{Entry, Node, Span, Touch};

use super::Target;
use crate::config::TransformerConfig;
use crate::context::Context;
use crate::decode::Str;
use crate::decode::value::Map;
use crate::fault::{Fault, Result};
use crate::fieldspec::Specs;
use crate::generate;
use crate::kustomization::{HelmChart, ReplacementField, ReplacementInFile};
use crate::metadata::Origin;
use crate::plugins::{Generator, Making, replacements};
use crate::transform::affix::Side;
use crate::transform::namespace::Subjects;
use crate::transform::patches;
use crate::transform::{images, labels};
use crate::transformer::{Instance, Work};

/// Transformers as they are gathered.
struct Gathered<'t, 'c, 'd> {
    target: &'t Target,
    context: &'c mut Context<'d>,
    list: Vec<Instance>,
}

impl Gathered<'_, '_, '_> {
    /// Gives a transformer its number.
    fn step(&mut self, kind: &str, span: Span) -> Touch {
        self.context.step(kind, &self.target.file, span)
    }

    /// Adds a transformer.
    fn push(&mut self, kind: &str, touch: Touch, work: Work) {
        let origin = self.target.builtin_origin(kind);
        self.list.push(Instance { work, touch, origin });
    }

    /// Adds a transformer and gives it its number.
    fn add(&mut self, kind: &str, span: Span, work: Work) {
        let touch = self.step(kind, span);
        self.push(kind, touch, work);
    }
}

impl Target {
    /// What `buildMetadata` says of a transformer or generator of this file.
    fn builtin_origin(&self, kind: &str) -> Option<Arc<Origin>> {
        Some(Arc::new(self.origin.as_ref()?.builtin(self.file_name, kind)))
    }

    /// The generators of `configMapGenerator`, `secretGenerator` and `helmCharts`.
    pub(super) fn builtin_generators(&self, context: &mut Context<'_>) -> Result<Vec<Generator>> {
        let it = &self.kustomization;
        let mut list = Vec::new();
        let mut add = |context: &mut Context<'_>, kind: &str, span: Span, making: Making| {
            let touch = context.step(kind, &self.file, span);
            list.push(Generator { making, touch, origin: self.builtin_origin(kind) });
        };
        for args in &it.config_maps {
            let mut args = args.clone();
            args.options = generate::merge_options(args.options, it.generator_options.as_ref());
            add(context, "ConfigMapGenerator", args.span, Making::ConfigMap(args));
        }
        for args in &it.secrets {
            let mut args = args.clone();
            args.options = generate::merge_options(args.options, it.generator_options.as_ref());
            add(context, "SecretGenerator", args.span, Making::Secret(args));
        }
        for chart in &it.helm_charts {
            let namespace = [&*chart.namespace, &*it.namespace, &self.helm_namespace]
                .into_iter()
                .find(|namespace| !namespace.is_empty())
                .unwrap_or_default();
            let globals = it.helm_globals.as_ref();
            let kind = "HelmChartInflationGenerator";
            let request =
                generate::chart::request(context, &self.loader, chart, globals, namespace)
                    .map_err(|fault| trouble(fault, kind, &chart_config(chart, namespace)))?;
            add(context, kind, chart.span, Making::Chart(Box::new((chart.clone(), request))));
        }
        Ok(list)
    }

    /// The transformers that fields ask for.
    pub(super) fn builtin_transformers(
        &self,
        context: &mut Context<'_>,
        config: &TransformerConfig,
    ) -> Result<Vec<Instance>> {
        let mut gathered = Gathered { target: self, context, list: Vec::new() };
        self.gather_patches(&mut gathered)?;
        self.gather_names(&mut gathered, config);
        self.gather_labels(&mut gathered, config)?;
        self.gather_json_patches(&mut gathered)?;
        self.gather_values(&mut gathered, config)?;
        self.gather_replacements(&mut gathered)?;
        Ok(gathered.list)
    }

    fn gather_patches(&self, gathered: &mut Gathered<'_, '_, '_>) -> Result<()> {
        let it = &self.kustomization;
        if let Some(first) = it.patches_strategic_merge.first() {
            let paths: Vec<Str> = it.patches_strategic_merge.iter().map(|p| p.0.clone()).collect();
            let kind = "PatchStrategicMergeTransformer";
            let span = first.0.span;
            let none = Str::default();
            let work = patches::strategic(gathered.context, &self.loader, &paths, &none, span)
                .map_err(|fault| {
                    let list = paths.iter().map(Str::node).collect();
                    trouble(fault, kind, &Node::mapping(vec![pair("paths", Node::sequence(list))]))
                })?;
            gathered.add(kind, span, Work::Strategic(work));
        }
        for entry in &it.patches {
            let kind = "PatchTransformer";
            let work = patches::patch(gathered.context, &self.loader, entry).map_err(|fault| {
                let config = patches::config_text(entry);
                fault.wrap(format!("trouble configuring builtin {kind} with config: `\n{config}`"))
            })?;
            gathered.add(kind, entry.span, Work::Patch(Box::new(work)));
        }
        Ok(())
    }

    fn gather_names(&self, gathered: &mut Gathered<'_, '_, '_>, config: &TransformerConfig) {
        let it = &self.kustomization;
        if !it.namespace.is_empty() {
            let work = Work::Namespace {
                name: it.namespace.clone(),
                specs: Arc::clone(&config.namespace),
                unset_only: false,
                subjects: Subjects::default(),
            };
            gathered.add("NamespaceTransformer", it.namespace.span, work);
        }
        for (kind, side, text, specs) in [
            ("PrefixTransformer", Side::Prefix, &it.name_prefix, &config.name_prefix),
            ("SuffixTransformer", Side::Suffix, &it.name_suffix, &config.name_suffix),
        ] {
            if !text.is_empty() {
                let work = Work::Affix { side, text: text.clone(), specs: Arc::clone(specs) };
                gathered.add(kind, text.span, work);
            }
        }
    }

    fn gather_labels(
        &self,
        gathered: &mut Gathered<'_, '_, '_>,
        config: &TransformerConfig,
    ) -> Result<()> {
        let it = &self.kustomization;
        let kind = "LabelTransformer";
        for entry in &it.labels {
            let specs = Arc::new(labels::specs_of(entry, config)?);
            let work = Work::Labels { map: entry.pairs.clone(), specs };
            gathered.add(kind, entry.span, work);
        }
        if !it.labels.is_empty() || !it.common_labels.pairs.is_empty() {
            let map = it.common_labels.clone();
            let span = first_place(&map).unwrap_or(self.at);
            let work = Work::Labels { map, specs: Arc::clone(&config.common_labels) };
            gathered.add(kind, span, work);
        }
        if let Some(span) = first_place(&it.common_annotations) {
            let specs = Arc::clone(&config.common_annotations);
            let work = Work::Annotations { map: it.common_annotations.clone(), specs };
            gathered.add("AnnotationsTransformer", span, work);
        }
        Ok(())
    }

    fn gather_json_patches(&self, gathered: &mut Gathered<'_, '_, '_>) -> Result<()> {
        for entry in &self.kustomization.patches_json {
            let kind = "PatchJson6902Transformer";
            let target = entry.target.as_ref();
            let (path, patch) = (&entry.path, &entry.patch);
            let work = patches::json_patch(
                gathered.context,
                &self.loader,
                target,
                path,
                patch,
                entry.span,
            )
            .map_err(|fault| {
                let mut config = Vec::new();
                for (key, value) in [("jsonOp", patch), ("path", path)] {
                    if !value.is_empty() {
                        config.push(pair(key, value.node()));
                    }
                }
                if let Some(target) = target {
                    config.push(pair("target", patches::selector_node(target)));
                }
                trouble(fault, kind, &Node::mapping(config))
            })?;
            gathered.add(kind, entry.span, Work::Patch(Box::new(work)));
        }
        Ok(())
    }

    fn gather_values(
        &self,
        gathered: &mut Gathered<'_, '_, '_>,
        config: &TransformerConfig,
    ) -> Result<()> {
        let it = &self.kustomization;
        for replica in &it.replicas {
            let specs = Arc::clone(&config.replicas);
            let work = Work::Replicas { replica: replica.clone(), specs };
            gathered.add("ReplicaCountTransformer", replica.span, work);
        }
        let mut entries = Vec::new();
        for image in &it.images {
            let touch = gathered.step("ImageTagTransformer", image.span);
            entries.push(images::Entry { edit: images::Edit::new(image.clone()), touch });
        }
        let specs: Arc<Specs> = Arc::clone(&config.images);
        let places = it.images.iter().map(|image| image.name.clone()).collect();
        for (number, image) in it.images.iter().enumerate() {
            // All entries are done in one go; the others are there to be counted.
            let work = match number {
                0 => Work::Images {
                    entries: std::mem::take(&mut entries),
                    places: Vec::clone(&places),
                    specs: Arc::clone(&specs),
                },
                _ => Work::Nothing,
            };
            let touch = Touch::NONE;
            let _ = image;
            gathered.push("ImageTagTransformer", touch, work);
        }
        Ok(())
    }

    fn gather_replacements(&self, gathered: &mut Gathered<'_, '_, '_>) -> Result<()> {
        let entries = &self.kustomization.replacements;
        let Some(first) = entries.first() else { return Ok(()) };
        let kind = "ReplacementTransformer";
        let list = replacements(gathered.context, &self.loader, entries)
            .map_err(|fault| trouble(fault, kind, &replacement_config(entries)))?;
        gathered.add(kind, first.span, Work::Replacements(list));
        Ok(())
    }
}

/// The replacement of an entry that is written out.
pub(crate) fn inline_replacement(entry: &ReplacementField) -> ReplacementInFile {
    ReplacementInFile {
        span: entry.span,
        source: entry.source.clone(),
        targets: entry.targets.clone(),
        source_value: entry.source_value.clone(),
    }
}

/// Where a map was written.
fn first_place(map: &Map) -> Option<Span> {
    map.pairs.first().map(|(key, _)| key.span)
}

/// Wraps the error of a transformer that could not be set up, with its configuration as upstream shows it.
fn trouble(fault: Box<Fault>, kind: &str, config: &Node) -> Box<Fault> {
    let config = patches::written(config);
    fault.wrap(format!("trouble configuring builtin {kind} with config: `\n{config}`"))
}

/// The configuration of a chart, for messages.
fn chart_config(chart: &HelmChart, namespace: &str) -> Node {
    let namespace = Str::new(namespace);
    let texts = [
        ("kubeVersion", &chart.kube_version),
        ("name", &chart.name),
        ("nameTemplate", &chart.name_template),
        ("namespace", &namespace),
        ("releaseName", &chart.release_name),
        ("repo", &chart.repo),
        ("valuesFile", &chart.values_file),
        ("valuesMerge", &chart.values_merge),
        ("version", &chart.version),
    ];
    let filled = texts.into_iter().filter(|(_, text)| !text.is_empty());
    Node::mapping(filled.map(|(key, text)| pair(key, text.node())).collect())
}

/// The paths of replacements, for messages.
fn replacement_config(entries: &[ReplacementField]) -> Node {
    let list = entries
        .iter()
        .map(|entry| match entry.path.is_empty() {
            true => Node::mapping(Vec::new()),
            false => Node::mapping(vec![pair("path", entry.path.node())]),
        })
        .collect();
    Node::mapping(vec![pair("Replacements", Node::sequence(list))])
}

fn pair(key: &str, value: Node) -> Entry {
    Entry { key: Node::string(key), value }
}
