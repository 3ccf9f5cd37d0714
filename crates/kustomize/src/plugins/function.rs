//! Functions and programs: what they are asked, and what becomes of their answers.

use std::sync::Arc;

use hashbrown::HashSet;
use kelson_model::{Answer, Diagnostic, Function, Request, Run};
use kelson_yaml::{Dialect, Entry, Node, Span, emit};

use super::decoding;
use crate::accumulate::Target;
use crate::context::{Context, PENDING};
use crate::decode::{Reading, Str, decode, record};
use crate::fault::{Fault, Result};
use crate::read;
use crate::resmap::ResMap;
use crate::resource::{Behavior, Resource, mapping_in};

const FUNCTION_KEYS: [&str; 2] = ["config.kubernetes.io/function", "config.k8s.io/function"];
const CONTAINER_KEY: &str = "config.kubernetes.io/container";
const LOCAL_KEY: &str = "config.kubernetes.io/local-config";
const ID_KEY: &str = "kustomize.config.k8s.io/id";
const HASH_KEY: &str = "kustomize.config.k8s.io/needs-hash";
const BEHAVIOR_KEY: &str = "kustomize.config.k8s.io/behavior";

record! {
    /// What an annotation says of a function.
    Spec = "runtimeutil" "FunctionSpec" {
        defer: bool = "deferFailure",
        container: ContainerSpec = "container",
        exec: ExecSpec = "exec",
    }
}

record! {
    /// A function in a container.
    ContainerSpec = "runtimeutil" "ContainerSpec" {
        image: Str = "image",
        network: bool = "network",
        mounts: Vec<Mount> = "mounts",
        envs: Vec<Str> = "envs",
    }
}

record! {
    /// A function that is a program.
    ExecSpec = "runtimeutil" "ExecSpec" {
        path: Str = "path",
        args: Vec<Str> = "args",
        envs: Vec<Str> = "envs",
    }
}

record! {
    /// Something a container sees of the outside.
    Mount = "runtimeutil" "StorageMount" {
        kind: Str = "type",
        source: Str = "src",
        target: Str = "dst",
        writable: bool = "rw",
    }
}

record! {
    /// Arguments of a program of the older kind.
    Arguments = "execplugin" "argsConfig" {
        line: Str = "argsOneLiner",
        file: Str = "argsFromFile",
    }
}

/// A function or program that is set up.
pub(crate) struct FunctionPlugin {
    /// What is run; nothing where programs are not allowed, which upstream passes over in silence.
    run: Option<Run>,
    config: Node,
    /// What upstream calls it in messages.
    name: String,
    directory: String,
    span: Span,
}

impl FunctionPlugin {
    /// Reads what an object says of the function it configures.
    pub(super) fn new(
        context: &mut Context<'_>,
        target: &Target,
        config: &Resource,
    ) -> Result<Self> {
        let run = match spec_of(config)? {
            Some(spec) => function(context, config, &spec)?,
            None => Some(program(context, target, config)?),
        };
        let name = format!(
            "api: {}, kind: {}, name: {}",
            config.api_version(),
            config.kind(),
            config.name()
        );
        Ok(Self {
            run,
            config: config.node.clone(),
            name,
            directory: target.loader.root.clone(),
            span: config.node.span,
        })
    }

    /// Runs as a generator.
    pub(crate) fn generate(&self, context: &mut Context<'_>) -> Result<Vec<Resource>> {
        let Some(run) = &self.run else { return Ok(Vec::new()) };
        let items = vec![self.local_config()];
        let mut resources = self.ask(context, run, items)?;
        for resource in &mut resources {
            take_options(resource)?;
        }
        Ok(resources)
    }

    /// Runs as a transformer.
    pub(crate) fn transform(
        &self,
        context: &mut Context<'_>,
        resources: &mut ResMap,
    ) -> Result<()> {
        let Some(run) = &self.run else { return Ok(()) };
        if !context.needs.is_empty() {
            // What is missing would be missing from the input.
            return Err(Fault::new(PENDING, "something is needed first").at(self.span, ""));
        }
        resources.drop_empty();
        let items = resources.list().iter().map(with_id).collect();
        let output = self.ask(context, run, items)?;
        self.update(resources, output)
    }

    /// Replaces the objects by those that came back.
    fn update(&self, resources: &mut ResMap, output: Vec<Resource>) -> Result<()> {
        let mut kept = HashSet::new();
        for mut resource in output {
            let mut annotations = resource.texts("annotations");
            annotations.retain(|(key, _)| key != ID_KEY);
            resource.set_texts("annotations", annotations);
            let gvk = resource.gvk();
            let key = resources.key_of(&resource, &gvk);
            let found = resources.with_current(&key).first().copied();
            let at = match found {
                Some(at) => {
                    resources.update(at, |place| place.node = resource.node);
                    at
                }
                None => {
                    resources.append(resource)?;
                    resources.len() - 1
                }
            };
            if !kept.insert(at) {
                let id = resources.get(at).id();
                let text = format!("plugin {} generated duplicate resource: {id}", self.name);
                return Err(Fault::new("function-repeats", text).at(self.span, ""));
            }
        }
        let mut at = 0;
        resources.retain(|_| {
            at += 1;
            kept.contains(&(at - 1))
        });
        Ok(())
    }

    /// Asks for the output of the function.
    fn ask(&self, context: &mut Context<'_>, run: &Run, items: Vec<Node>) -> Result<Vec<Resource>> {
        let input = match run {
            Run::Plugin { .. } => documents(&items)?,
            _ => resource_list(items, self.local_config())?,
        };
        let function = Function {
            run: run.clone(),
            directory: self.directory.clone(),
            config: text_of(&self.config)?,
            input,
        };
        let request = Request::Function(Box::new(function));
        let bytes = match context.answer(request, self.span)? {
            Answer::Bytes(bytes) => bytes,
            Answer::Failed(why) => {
                let fault = Fault::new("function-failed", why).at(self.span, "this function");
                return Err(fault.wrap("couldn't execute function"));
            }
            Answer::Tree(_) => {
                let fault = Fault::new("function-failed", "answered with a directory");
                return Err(fault.at(self.span, ""));
            }
        };
        let file = context.keep(format!("output of {}", self.name), bytes);
        let text = file.text.clone().unwrap_or_else(|| Arc::from(""));
        read::resources(&text, file.at, context.options.places)
    }

    /// The configuration, marked so that it is left out of the output.
    fn local_config(&self) -> Node {
        let mut config = Resource::new(self.config.clone());
        let metadata = config.metadata_mut();
        let annotations = mapping_in(metadata, "annotations");
        if let Some(mapping) = annotations.as_mapping_mut() {
            mapping.insert(Node::string(LOCAL_KEY), Node::string("true"));
        }
        config.node
    }
}

/// What the annotations of an object say of a function.
fn spec_of(config: &Resource) -> Result<Option<Spec>> {
    for key in FUNCTION_KEYS {
        let Some(text) = config.annotation(key).filter(|text| !text.is_empty()) else { continue };
        let node = kelson_yaml::first_document(text, config.node.span, Dialect::V2)
            .map_err(|error| Fault::new("bad-yaml", format!("yaml: {}", error.message)))?;
        let spec = node.map(|node| decode::<Spec>(&node, Reading::StrictFile)).transpose();
        return spec.map_err(|fault| {
            decoding(fault)
                .wrap(format!("loader: failed to get FunctionSpec: {key} unmarshal error"))
        });
    }
    if let Some(node) = config.node.lookup(&["metadata", "configFn"]).filter(|it| !it.is_null()) {
        return decode::<Spec>(node, Reading::StrictFile).map(Some).map_err(|fault| {
            decoding(fault).wrap("loader: failed to get FunctionSpec: configFn unmarshal error")
        });
    }
    let image = config.annotation(CONTAINER_KEY).filter(|image| !image.is_empty());
    Ok(image.map(|image| {
        let mut spec = Spec::default();
        spec.container.image = Str::new(image);
        spec
    }))
}

/// What is run for a function.
fn function(context: &mut Context<'_>, config: &Resource, spec: &Spec) -> Result<Option<Run>> {
    let options = context.options;
    let container = &spec.container;
    for mount in &container.mounts {
        check_mount(config, mount)?;
    }
    if container.network && !options.network {
        let text = "couldn't execute function: network required but not enabled with --network";
        return Err(Fault::new("network-disabled", text).at(config.node.span, ""));
    }
    let texts = |list: &[Str]| list.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    if !container.image.is_empty() {
        let mut mounts: Vec<String> = container.mounts.iter().map(mount_text).collect();
        mounts.extend(options.mounts.iter().cloned());
        let mut env = texts(&container.envs);
        env.extend(options.env.iter().cloned());
        let image = container.image.to_string();
        return Ok(Some(Run::Container { image, network: container.network, mounts, env }));
    }
    if options.enable_exec && !spec.exec.path.is_empty() {
        let mut env = texts(&spec.exec.envs);
        env.extend(options.env.iter().cloned());
        let path = spec.exec.path.to_string();
        return Ok(Some(Run::Exec { path, args: texts(&spec.exec.args), env }));
    }
    if !spec.exec.path.is_empty() {
        pass_over(context, config, &spec.exec.path);
    }
    Ok(None)
}

/// Upstream is silent about a program that it does not run. Nobody should have to find out from the output.
fn pass_over(context: &mut Context<'_>, config: &Resource, path: &Str) {
    let text = format!("the function `{}` is not run", &**path);
    let help = "allow programs on this machine with --enable-exec";
    let fault =
        Fault::new("exec-disabled", text.clone()).at(config.node.span, "passed over").help(help);
    if context.options.strict {
        return context.note_strict(|| fault);
    }
    let warning = Diagnostic::warning("exec-disabled", text);
    context.warnings.push(warning.at(config.node.span, "passed over").help(help));
}

/// Refuses mounts outside of the kustomization.
fn check_mount(config: &Resource, mount: &Mount) -> Result<()> {
    let id = config.original_id();
    let source = &*mount.source;
    let words = if source.starts_with('/') {
        "relative to"
    } else if crate::loader::join_relative("", source).starts_with("..") {
        "under"
    } else {
        return Ok(());
    };
    let text = format!(
        "plugin {id} with mount path '{source}' is not permitted; mount paths must be {words} the current kustomization directory"
    );
    Err(Fault::new("mount-refused", text).at(config.node.span, ""))
}

fn mount_text(mount: &Mount) -> String {
    let (kind, source, target) = (&*mount.kind, &*mount.source, &*mount.target);
    let mode = if mount.writable { "" } else { ",readonly" };
    format!("type={kind},source={source},target={target}{mode}")
}

/// A program of the older kind, found by group, version and kind.
fn program(context: &mut Context<'_>, target: &Target, config: &Resource) -> Result<Run> {
    let gvk = config.original_gvk();
    let directory = [&*gvk.group, &*gvk.version, &gvk.kind.to_lowercase()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("/");
    let arguments: Arguments = decode(&config.node, Reading::Plugin).map_err(decoding)?;
    let mut args = split_words(&arguments.line);
    if !arguments.file.is_empty() {
        let file = target.loader.load(context, &arguments.file, arguments.file.span)?;
        let text = file.text.as_deref().unwrap_or_default();
        let lines = text.split('\n').map(|line| line.trim_start_matches(' '));
        args.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(Run::Plugin { path: format!("{directory}/{}", gvk.kind), args })
}

/// Splits a line into words; quotes keep a word together.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// An object with its id as an annotation, by which it is known again.
fn with_id(resource: &Resource) -> Node {
    let id = resource.id();
    let fields = [
        ("group", &id.gvk.group),
        ("kind", &id.gvk.kind),
        ("name", &id.name),
        ("namespace", &id.namespace),
        ("version", &id.gvk.version),
    ];
    let entries = fields
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(key, text)| Entry { key: Node::string(key), value: Node::string(text.clone()) })
        .collect();
    let text = text_of(&Node::mapping(entries)).unwrap_or_default();
    let mut copy = resource.clone();
    let metadata = copy.metadata_mut();
    if let Some(mapping) = mapping_in(metadata, "annotations").as_mapping_mut() {
        mapping.insert(Node::string(ID_KEY), Node::string(text));
    }
    copy.node
}

/// Reads what a generator says about hash and behavior.
fn take_options(resource: &mut Resource) -> Result<()> {
    let mut annotations = resource.texts("annotations");
    let known = annotations.len();
    let mut take = |name: &str| {
        let at = annotations.iter().position(|(key, _)| key == name)?;
        Some(annotations.remove(at).1.text().unwrap_or_default().to_owned())
    };
    if let Some(hash) = take(HASH_KEY) {
        resource.needs_hash = match hash.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
            "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
            _ => {
                let text =
                    format!("the annotation {HASH_KEY:?} contains an invalid value ({hash:?})");
                return Err(Fault::new("bad-annotation", text).at(resource.node.span, ""));
            }
        };
    }
    resource.behavior = Behavior::new(&take(BEHAVIOR_KEY).unwrap_or_default());
    if annotations.len() != known {
        resource.set_texts("annotations", annotations);
    }
    Ok(())
}

/// Objects as a function is given them.
fn resource_list(items: Vec<Node>, config: Node) -> Result<String> {
    let entry = |key: &str, value: Node| Entry { key: Node::string(key), value };
    let list = Node::mapping(vec![
        entry("apiVersion", Node::string("config.kubernetes.io/v1")),
        entry("kind", Node::string("ResourceList")),
        entry("items", Node::sequence(items)),
        entry("functionConfig", config),
    ]);
    let mut text = String::new();
    emit::styled(&list, &mut text).map_err(|error| Fault::new("emit", error.message))?;
    Ok(text)
}

fn documents(items: &[Node]) -> Result<String> {
    let texts: Result<Vec<String>> = items.iter().map(text_of).collect();
    Ok(texts?.join("---\n"))
}

fn text_of(node: &Node) -> Result<String> {
    let mut text = String::new();
    emit::canonical(node, &mut text)
        .map_err(|error| Fault::new("emit", error.message).at(error.span, ""))?;
    Ok(text)
}
