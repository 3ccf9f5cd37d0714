//! `kelson build`: renders overlays, as `kustomize build` does.

mod folder; // a file for each of many directories
mod output; // where the text goes
mod parallel; // many directories at once

use std::path::PathBuf;

use anyhow::bail;
use kelson_artifact::Reference;
use kelson_kustomize::{Build, Failure, Options, Reorder};
use kelson_yaml::Node;

use self::folder::Folder;
use self::parallel::{Built, Root};
use crate::exit::Code;
use crate::source::{self, Keys, Source};
use crate::{draw, json, path, registry, runtime};

const REORDER_WARNING: &str = "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.";
const LABEL_WARNING: &str = "Flag --enable-managedby-label has been deprecated, The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.";

/// Render overlays and print the objects.
///
/// Each path is a directory with a kustomization file, or an artifact (a directory of its tree is named after //), or -
/// for standard input. With several, all are built side by side; with --output, each becomes one file.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The directories to build.
    #[arg(value_name = "DIR", default_value = ".")]
    paths: Vec<String>,
    /// Write to this file, or, if it is a directory, one file per object (per DIR where there are several).
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Print JSON: one entry per directory, with objects and diagnostics.
    #[arg(long)]
    json: bool,
    /// Make errors of what is otherwise passed over: entries that match nothing, duplicate keys, and the like.
    #[arg(long)]
    strict: bool,
    /// How many directories to build at once; by default as many as there are processors.
    #[arg(short, long, value_name = "NUMBER")]
    jobs: Option<std::num::NonZeroUsize>,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    kustomize: Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

/// The flags of `kustomize build`.
#[derive(Debug, clap::Args)]
pub(crate) struct Flags {
    /// Whether files may be outside of the directory of the kustomization that names them.
    #[arg(long, value_enum, value_name = "RULE", default_value = "LoadRestrictionsRootOnly")]
    load_restrictor: LoadRestrictor,
    /// The order of the objects (deprecated: use sortOptions in the kustomization).
    #[arg(long, value_enum, value_name = "ORDER")]
    reorder: Option<Order>,
    /// Allow charts.
    #[arg(long)]
    enable_helm: bool,
    /// The helm program; accepted for compatibility, charts are rendered without it.
    #[arg(long, value_name = "PROGRAM", default_value = "helm")]
    helm_command: String,
    /// An API version that charts are told of; may be repeated.
    #[arg(long, value_name = "VERSION")]
    helm_api_versions: Vec<String>,
    /// The Kubernetes version that charts are told of.
    #[arg(long, value_name = "VERSION", default_value = "")]
    helm_kube_version: String,
    /// Ask Helm for debug output.
    #[arg(long)]
    helm_debug: bool,
    /// Allow functions and plugins.
    #[arg(long)]
    enable_alpha_plugins: bool,
    /// Allow functions that are programs on this machine.
    #[arg(long)]
    enable_exec: bool,
    /// Allow functions in containers to use the network.
    #[arg(long)]
    network: bool,
    /// The network of functions in containers.
    #[arg(long, value_name = "NAME", default_value = "bridge")]
    network_name: String,
    /// A mount for functions in containers; may be repeated.
    #[arg(long, value_name = "MOUNT")]
    mount: Vec<String>,
    /// A variable for functions, NAME=value or NAME; may be repeated.
    #[arg(short, long, value_name = "VARIABLE")]
    env: Vec<String>,
    /// Run functions in containers as the current user.
    #[arg(long)]
    as_current_user: bool,
    /// Label every object with app.kubernetes.io/managed-by (deprecated: use buildMetadata).
    #[arg(long, env = "KUSTOMIZE_ENABLE_MANAGEDBY_LABEL")]
    enable_managedby_label: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LoadRestrictor {
    /// Files must be in or below the kustomization's own directory.
    #[value(name = "LoadRestrictionsRootOnly")]
    RootOnly,
    /// Files may be anywhere.
    #[value(name = "LoadRestrictionsNone")]
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// By kind, what others need first.
    Legacy,
    /// As the objects came.
    None,
}

impl Flags {
    /// The options of a rendering.
    pub(crate) fn render(&self, strict: bool) -> kelson_render::Options {
        kelson_render::Options { kustomize: self.options(strict), places: false }
    }

    /// Warns of flags that have a successor, as upstream does.
    pub(crate) fn warn(&self) {
        let flags = [
            (self.reorder.is_some(), REORDER_WARNING),
            // A variable of the environment may ask for the label too, and that is not deprecated.
            (self.enable_managedby_label && is_typed("--enable-managedby-label"), LABEL_WARNING),
        ];
        flags.iter().filter(|(is_given, _)| *is_given).for_each(|(_, text)| draw::line(text));
    }

    /// The engine's options.
    pub(crate) fn options(&self, strict: bool) -> Options {
        Options {
            root_only: self.load_restrictor == LoadRestrictor::RootOnly,
            reorder: match self.reorder {
                None => Reorder::Unspecified,
                Some(Order::Legacy) => Reorder::Legacy,
                Some(Order::None) => Reorder::None,
            },
            enable_helm: self.enable_helm,
            enable_plugins: self.enable_alpha_plugins,
            enable_exec: self.enable_exec,
            network: self.network,
            env: self.env.clone(),
            mounts: self.mount.clone(),
            helm_api_versions: self.helm_api_versions.clone(),
            helm_kube_version: self.helm_kube_version.clone(),
            helm_debug: self.helm_debug,
            managed_by_label: self.enable_managedby_label,
            strict,
            ..Options::default()
        }
    }
}

impl Arguments {
    /// What is to be built; artifacts are pulled first.
    fn roots(&self) -> anyhow::Result<Vec<(String, Root)>> {
        if !self.paths.iter().any(|path| Reference::is_meant(path) || path == "-") {
            let directory =
                |path: &String| Ok((path.clone(), Root::Directory(path::absolute(path)?)));
            return self.paths.iter().map(directory).collect();
        }
        runtime::run(async {
            let client = source::client(&self.registry, &self.paths)?;
            let mut roots = Vec::new();
            for path in &self.paths {
                let root = match Reference::is_meant(path) || path == "-" {
                    true => Root::Source(Source::open(path, &client, &self.keys).await?),
                    false => Root::Directory(path::absolute(path)?),
                };
                roots.push((path.clone(), root));
            }
            Ok(roots)
        })
    }
}

/// Whether a flag is among the words of the command line.
fn is_typed(flag: &str) -> bool {
    std::env::args().any(|word| word.split('=').next() == Some(flag))
}

/// What was built, and its text.
struct Rendered {
    build: Build,
    text: String,
}

impl Rendered {
    fn new(build: Build) -> Result<Self, Failure> {
        Ok(Self { text: build.to_yaml()?, build })
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    if arguments.json && arguments.output.as_ref().is_some_and(|path| path.is_dir()) {
        bail!("--json prints one text; give --output a file, or leave one of the two out");
    }
    arguments.kustomize.warn();
    let options = arguments.kustomize.options(arguments.strict);
    let roots = arguments.roots()?;
    match &arguments.output {
        Some(directory) if roots.len() > 1 && !arguments.json => {
            let folder = Folder::new(directory, roots.iter().map(|(path, _)| path.as_str()))?;
            let built = parallel::build(roots, &options, arguments.jobs, |index, build| {
                folder.put(index, Rendered::new(build)?)
            });
            folder.close(built)
        }
        _ => {
            let then = |_, build| Rendered::new(build);
            let built = parallel::build(roots, &options, arguments.jobs, then);
            let code = deliver(arguments, &built)?;
            // The program ends here: taking large trees apart would be work for nobody.
            std::mem::forget(built);
            Ok(code)
        }
    }
}

/// Prints what was built, or writes it to one place.
fn deliver(arguments: &Arguments, built: &[Built<Rendered>]) -> anyhow::Result<Code> {
    if arguments.json {
        let list = built.iter().map(|(path, result)| report(path, result)).collect();
        output::write(arguments.output.as_deref(), &json::text(&Node::sequence(list))?)?;
    } else {
        for (_, result) in built {
            match result {
                Ok(Rendered { build, .. }) => draw::diagnostics(&build.warnings, &build.sources),
                Err(failure) => draw_failure(failure),
            }
        }
        output::deliver(built, arguments.output.as_deref())?;
    }
    Ok(code(built))
}

fn draw_failure(failure: &Failure) {
    draw::diagnostics(&failure.warnings, &failure.sources);
    draw::diagnostics(&failure.diagnostics, &failure.sources);
}

fn code<T>(built: &[Built<T>]) -> Code {
    match built.iter().any(|(_, result)| result.is_err()) {
        true => Code::Failed,
        false => Code::Done,
    }
}

/// Prints a text for whoever is still listening.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    output::write(None, text)
}

/// What `--json` says of one directory.
fn report(path: &str, result: &Result<Rendered, Failure>) -> Node {
    let (objects, diagnostics) = match result {
        Ok(Rendered { build, .. }) => {
            let objects = build.objects.iter().map(|object| object.node.clone()).collect();
            let warnings = json::diagnostics(&build.warnings, &build.sources);
            (Some(Node::sequence(objects)), warnings)
        }
        Err(failure) => (None, json::diagnostics(&failure.diagnostics, &failure.sources)),
    };
    json::object([
        ("path", Some(Node::string(path))),
        ("built", Some(json::boolean(result.is_ok()))),
        ("objects", objects),
        ("diagnostics", Some(diagnostics)),
    ])
}
