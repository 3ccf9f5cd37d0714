//! One build from its root: gather, rename, resolve, sort, write.

use kelson_model::{Answers, Diagnostic, Need, Sources, Tree};
use kelson_yaml::{Node, Span, Text, Touch, emit};

use crate::accumulate::{Accumulator, Target};
use crate::context::{Context, Step};
use crate::decode::Str;
use crate::decode::value::Map;
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Specs};
use crate::id::Gvk;
use crate::kustomization::Var;
use crate::loader::Loader;
use crate::metadata;
use crate::options::{Options, Reorder};
use crate::resource::Resource;
use crate::transform::labels;
use crate::transform::vars;
use crate::{hash, namerefs, output, sort};

/// What became of a build.
pub enum Outcome {
    /// The objects are there.
    Built(Build),
    /// Something must be fetched or run first; with answers the build is started again.
    Needs(Vec<Need>),
}

/// The objects of a build, and how they came about.
pub struct Build {
    /// The objects in the order of the output.
    pub objects: Vec<Object>,
    /// What is worth saying about a build that succeeded.
    pub warnings: Vec<Diagnostic>,
    /// The texts that were read; places in the objects refer to them.
    pub sources: Sources,
    /// What made and changed the objects: `Touch(n)` on a node stands for `steps[n - 1]`.
    pub steps: Vec<Step>,
}

/// An object of the output.
pub struct Object {
    /// Its tree. Each node knows where its value was written and what changed it last.
    pub node: Node,
    earlier_names: Vec<Text>,
    is_cluster_scoped: bool,
}

/// Why a build failed.
#[derive(Debug)]
pub struct Failure {
    /// The problems; `upstream` of the first is what kustomize prints.
    pub diagnostics: Vec<Diagnostic>,
    /// What was said before it failed.
    pub warnings: Vec<Diagnostic>,
    /// The texts that were read.
    pub sources: Sources,
}

/// Builds the kustomization in a directory of a tree.
///
/// Paths in messages are those of the tree. What the tree does not have — a remote base, a rendered chart,
/// the output of a function — comes back as [`Outcome::Needs`]; with `answers` the build goes on.
///
/// # Errors
///
/// Fails where kustomize fails, and in [`Options::strict`] where kustomize is silent about a mistake.
pub fn build(
    tree: &dyn Tree,
    root: &str,
    options: &Options,
    answers: &Answers,
) -> std::result::Result<Outcome, Failure> {
    let mut context = Context::new(tree, options, answers);
    let result = run(&mut context, root);
    if !context.needs.is_empty() {
        return Ok(Outcome::Needs(context.needs));
    }
    let Context { sources, warnings, strict, steps, schema, .. } = context;
    match result {
        Err(fault) => {
            let diagnostics = std::iter::once(fault.into_diagnostic()).chain(strict).collect();
            Err(Failure { diagnostics, warnings, sources })
        }
        Ok(_) if !strict.is_empty() => Err(Failure { diagnostics: strict, warnings, sources }),
        Ok(resources) => {
            let finish = |resource: Resource| Object {
                is_cluster_scoped: schema.is_cluster_scoped(&resource.gvk()),
                earlier_names: resource.history.into_iter().map(|earlier| earlier.name).collect(),
                node: resource.node,
            };
            let objects = resources.into_iter().map(finish).collect();
            Ok(Outcome::Built(Build { objects, warnings, sources, steps }))
        }
    }
}

fn run(context: &mut Context<'_>, root: &str) -> Result<Vec<Resource>> {
    let loader = Loader::new(context, root)?;
    let mut target = Target::load(context, loader)?;
    target.set_schema(context, true)?;
    if !target.kustomization.build_metadata.is_empty() {
        target.origin = Some(metadata::Origin::default());
    }
    let start = Accumulator::new(context);
    let mut built = target.accumulate(context, start)?;
    if !context.needs.is_empty() {
        return Ok(Vec::new());
    }
    refuse_commas(&built)?;
    hash::add_suffixes(&mut built.resources, |resource| {
        context.step("HashTransformer", &target.file, resource.node.span)
    })?;
    // Nobody asks for it: the place of each name says why it is another.
    let touch = context.step("NameReferenceTransformer", &target.file, Span::NONE);
    namerefs::update(&mut built.resources, &built.config.name_reference, touch)?;
    resolve_vars(context, &mut built, &target)?;
    built.resources.retain(|resource| !is_local(resource));
    let mut resources = finished(built, context)?;
    sort_all(context, &mut resources, &target)?;
    decorate(context, &mut resources, &target)?;
    note_numbers(context, &resources);
    Ok(resources)
}

/// Refuses names that upstream's history cannot hold: it is a text with commas between the names.
fn refuse_commas(built: &Accumulator) -> Result<()> {
    let has_comma =
        |resource: &&Resource| resource.history.iter().any(|previous| previous.name.contains(','));
    match built.resources.list().iter().find(has_comma) {
        Some(resource) => {
            let text = "panic: number of previous names, number of previous namespaces, number of previous kinds not equal";
            Err(Fault::new("name-with-comma", text)
                .saying(format!("the name `{}` has a comma in it", resource.name()))
                .at(resource.node.span, ""))
        }
        None => Ok(()),
    }
}

/// Under strictness a name must not have become a number on the way: `e1` with the prefix `1` does.
fn note_numbers(context: &mut Context<'_>, resources: &[Resource]) {
    for resource in resources {
        for key in ["name", "namespace"] {
            let Some(node) = resource.node.lookup(&["metadata", key]) else { continue };
            if node.as_scalar().is_some_and(|it| it.resolved() != kelson_yaml::Tag::Str) {
                context.note_strict(|| {
                    let text = node.text().unwrap_or_default();
                    let kind = resource.kind();
                    let words = format!("the {key} `{text}` of a {kind} is not text any more");
                    Fault::new("changed-type", words)
                        .at(node.span, "this became part of it")
                        .help("choose a name or a prefix with which it does not read as a number")
                });
            }
        }
    }
}

/// Replaces the variables.
fn resolve_vars(context: &mut Context<'_>, built: &mut Accumulator, target: &Target) -> Result<()> {
    let mut list = std::mem::take(&mut built.vars.list);
    if list.is_empty() {
        return Ok(());
    }
    list.sort_by(|left, right| left.name.text.cmp(&right.name.text));
    let mut readers = hashbrown::HashMap::new();
    for (at, resource) in built.resources.list().iter().enumerate() {
        for name in &resource.vars {
            readers.entry(name.clone()).or_insert(at);
        }
    }
    let mut values = vars::Vars::default();
    let step = |var: &Var| context.step("RefVarTransformer", &target.file, var.span);
    let touches: Vec<Touch> = list.iter().map(step).collect();
    for (var, touch) in list.iter().zip(&touches) {
        match readers.get(&var.name.text) {
            Some(at) => values.define(var, built.resources.get(*at), *touch)?,
            None => return Err(vars::no_object(var)),
        }
    }
    for resource in built.resources.list_mut() {
        values.apply(resource, &built.config.var_reference, touches[0])?;
    }
    let unused = values.unused();
    if !unused.is_empty() {
        let text = format!("well-defined vars that were never replaced: {}", unused.join(","));
        context.warnings.push(Diagnostic::warning("unused-var", text.clone()).upstream(text));
    }
    Ok(())
}

/// Whether an object is for the build alone.
fn is_local(resource: &Resource) -> bool {
    resource.annotation("config.kubernetes.io/local-config").is_some_and(|value| value != "false")
}

/// The objects, of which no two may have one id.
fn finished(built: Accumulator, context: &Context<'_>) -> Result<Vec<Resource>> {
    let list = built.resources.into_list();
    for resource in &list {
        if crate::read::check(&resource.node).is_err() {
            crate::read::check(&metadata::with_books(resource))?;
        }
    }
    Ok(crate::resmap::ResMap::from_list(list, &context.schema)?.into_list())
}

fn sort_all(
    context: &mut Context<'_>,
    resources: &mut Vec<Resource>,
    target: &Target,
) -> Result<()> {
    let options = target.kustomization.sort_options.as_ref();
    let reorder = context.options.reorder;
    if let Some(options) = options
        && reorder != Reorder::Unspecified
    {
        let text = "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). Using the kustomization file over the CLI flag.";
        let message = "`sortOptions` is used, and --reorder is not";
        let warning = Diagnostic::warning("two-orders", message).upstream(text);
        context.warnings.push(warning.at(options.span, ""));
    }
    sort::sort(resources, options, reorder)
}

/// Adds what `buildMetadata` asks for, and leaves the annotations as upstream does.
fn decorate(context: &mut Context<'_>, resources: &mut [Resource], target: &Target) -> Result<()> {
    let it = &target.kustomization;
    let place = it.build_metadata.first().map_or(Span::NONE, |option| option.span);
    if context.options.managed_by_label || it.wants(metadata::MANAGED_BY) {
        let touch = context.step("ManagedByLabel", &target.file, place);
        let version = context.options.version.clone();
        resources.iter_mut().try_for_each(|it| manage(it, &version, place, touch))?;
    }
    let touch = context.step("BuildMetadata", &target.file, place);
    let (origins, transformers) = (it.wants(metadata::ORIGIN), it.wants(metadata::TRANSFORMERS));
    resources
        .iter_mut()
        .try_for_each(|it| metadata::annotate(it, origins, transformers, place, touch))
}

/// Adds the label that says who manages the object.
fn manage(resource: &mut Resource, version: &str, place: Span, touch: Touch) -> Result<()> {
    let text = |text: String| Str { text: text.into(), span: place };
    let key = text("app.kubernetes.io/managed-by".to_owned());
    let pairs = vec![(key, text(format!("kustomize-{version}")))];
    let map = Map { pairs, present: true };
    let specs = Specs::new(vec![FieldSpec::new(Gvk::default(), "metadata/labels", true)]);
    labels::apply(resource, &map, &specs, touch).map(drop)
}

impl Build {
    /// What last changed a node, and the place that asked for it. Of a reference that follows a name it is the
    /// place that asked for the name.
    pub fn touched(&self, node: &Node) -> Option<(&Step, Span)> {
        let step = self.step(node.touch)?;
        let place = match step.span == Span::NONE {
            true => self.name_of(node).and_then(|name| self.step(name.touch)).map(|it| it.span),
            false => Some(step.span),
        };
        Some((step, place.unwrap_or(node.span)))
    }

    /// The name or namespace of an object that a node repeats.
    fn name_of(&self, node: &Node) -> Option<&Node> {
        let fields = |object| ["name", "namespace"].map(|key| metadata_field(object, key));
        let is_same = |name: &&Node| name.span == node.span && name.text() == node.text();
        self.objects.iter().flat_map(fields).flatten().find(is_same)
    }

    /// What a node's `touch` stands for.
    pub fn step(&self, touch: Touch) -> Option<&Step> {
        self.steps.get((touch.0 as usize).checked_sub(1)?)
    }

    /// The objects as text: the bytes that `kustomize build` prints.
    ///
    /// # Errors
    ///
    /// Fails for objects that have no form in JSON: infinite numbers, keys that are not text, keys that repeat.
    pub fn to_yaml(&self) -> std::result::Result<String, Failure> {
        let mut text = String::new();
        for (number, object) in self.objects.iter().enumerate() {
            if number > 0 {
                text.push_str("---\n");
            }
            self.write_object(object, &mut text)?;
        }
        Ok(text)
    }

    /// Writes one of the objects in the same form.
    ///
    /// # Errors
    ///
    /// As [`Build::to_yaml`].
    pub fn write_object(
        &self,
        object: &Object,
        text: &mut String,
    ) -> std::result::Result<(), Failure> {
        emit::canonical(&object.node, text).map_err(|error| self.failed(object, error))
    }

    fn failed(&self, object: &Object, error: kelson_yaml::EmitError) -> Failure {
        // What go-yaml cannot decode is shown as nothing.
        let undecoded = ["unmarshal errors", "cannot decode", "invalid map key", "!!binary"];
        let why = error.message.strip_prefix("yaml: ").unwrap_or_default();
        let shown = match undecoded.iter().any(|start| why.starts_with(start)) {
            true => "map[string]interface {}(nil)".to_owned(),
            // Upstream prints the values of a Secret, too.
            false if object.kind() == "Secret" => "map[string]interface {}{***}".to_owned(),
            false => output::go_syntax(&object.node),
        };
        let words = format!("{shown}: {}", error.message);
        let (kind, name) = (object.kind(), object.name());
        let fault = match repeated_key(&object.node) {
            Some([first, again]) => Fault::new("repeated-key", words)
                .saying(format!("{kind} `{name}` has a key more than once"))
                .at(again, "here again")
                .at(first, "it was here first")
                .help("take one of the two out"),
            None => Fault::new("not-json", words)
                .saying(format!("{kind} `{name}` cannot be written: {}", error.message))
                .at(error.span, ""),
        };
        Failure {
            diagnostics: vec![fault.into_diagnostic()],
            warnings: self.warnings.clone(),
            sources: self.sources.clone(),
        }
    }
}

fn metadata_field<'o>(object: &'o Object, key: &str) -> Option<&'o Node> {
    object.node.lookup(&["metadata", key])
}

/// The places of the first key that is twice in one mapping.
fn repeated_key(node: &Node) -> Option<[Span; 2]> {
    if let Some(items) = node.as_sequence() {
        return items.iter().find_map(repeated_key);
    }
    let mut seen = hashbrown::HashMap::new();
    node.as_mapping()?.iter().find_map(|entry| {
        let first = seen.insert(entry.key.text()?, entry.key.span);
        first.map(|first| [first, entry.key.span]).or_else(|| repeated_key(&entry.value))
    })
}

impl Object {
    /// `apiVersion` without the version; empty for the core group.
    pub fn group(&self) -> &str {
        self.field("apiVersion").rsplit_once('/').map_or("", |(group, _)| group)
    }

    /// `apiVersion` without the group.
    pub fn version(&self) -> &str {
        let text = self.field("apiVersion");
        text.split_once('/').map_or(text, |(_, version)| version)
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.field("kind")
    }

    /// The name.
    pub fn name(&self) -> &str {
        metadata_field(self, "name").and_then(Node::text).unwrap_or_default()
    }

    /// The namespace; empty where there is none.
    pub fn namespace(&self) -> &str {
        metadata_field(self, "namespace").and_then(Node::text).unwrap_or_default()
    }

    /// The namespace that it will be in: `default` where none is written, nothing for kinds that are in none.
    pub fn effective_namespace(&self) -> Option<&str> {
        match self.namespace() {
            _ if self.is_cluster_scoped => None,
            "" => Some("default"),
            namespace => Some(namespace),
        }
    }

    /// Whether a transformer gave it another name than this.
    pub fn was_named(&self, name: &str) -> bool {
        self.earlier_names.iter().any(|earlier| earlier == name)
    }

    fn field(&self, key: &str) -> &str {
        self.node.get(key).and_then(Node::text).unwrap_or_default()
    }
}
