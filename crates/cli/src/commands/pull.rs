//! `kelson pull`: brings an artifact's content here.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kelson_artifact::{Content, PullOptions, Pulled, Reference};

use crate::exit::Code;
use crate::progress::{Progress, count};
use crate::source::Keys;
use crate::{json, policy, registry, runtime, whole};

/// Pull an artifact and print its objects, or write its files.
///
/// The digest of everything that comes is checked, and the checksum where the artifact has one. Artifacts of Flux,
/// kustomizer, ORAS and others are understood; what would need more than reading is refused by name.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact.
    #[arg(value_name = "ARTIFACT", value_parser = registry::reference)]
    artifact: Reference,
    /// Write to this: objects to a file, files to a directory, which must be new or empty.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Take only what is signed as the signature options say.
    #[arg(long)]
    verify: bool,
    /// Print JSON: what was pulled, and the objects or the names of the files.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let pulled = runtime::run(async {
        let store = registry::store(
            &arguments.artifact,
            &arguments.registry.client(&[&arguments.artifact])?,
        )?;
        // Nothing is read before it is known to be signed.
        let reference = match arguments.verify || arguments.policy.is_given() {
            true => super::verify::pin(&store, &arguments.artifact, &arguments.policy).await?,
            false => arguments.artifact.clone(),
        };
        let progress = Progress::new();
        let options = PullOptions {
            identities: arguments.keys.identities()?,
            watch: progress.watch(),
            ..PullOptions::default()
        };
        Ok(kelson_artifact::pull(&store, &reference, &options).await?)
    })?;
    if let Some(path) = &arguments.output {
        write(&pulled, path)?;
    }
    match (&arguments.output, arguments.json) {
        (_, true) => super::print(&report(arguments, &pulled)?)?,
        (None, false) => super::print(&text(&pulled))?,
        (Some(path), false) => {
            let digest = pulled.descriptor.digest;
            let written = count(pulled.tree.files().count(), "file");
            super::print(&format!("{digest}\n{written} in {}\n", path.display()))?;
        }
    }
    Ok(Code::Done)
}

/// The objects, or every file that holds some, under its name.
fn text(pulled: &Pulled) -> String {
    match &pulled.content {
        Content::Objects(text) => text.to_string(),
        Content::Tree => {
            let files = pulled.tree.files().filter(|(path, _)| {
                [".yaml", ".yml", ".json"].iter().any(|suffix| path.ends_with(suffix))
            });
            let mut out = String::new();
            for (path, content) in files {
                let content = String::from_utf8_lossy(content);
                out.push_str(&format!(
                    "---\n# {}\n{}",
                    path.trim_start_matches('/'),
                    content.trim_end()
                ));
                out.push('\n');
            }
            out
        }
    }
}

/// Writes objects to a file, or files to a directory that is new or empty.
fn write(pulled: &Pulled, path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if let Content::Objects(text) = &pulled.content
        && !path.is_dir()
    {
        return whole::write(path, text);
    }
    if path.is_dir() && path.read_dir()?.next().is_some() {
        bail!("`{shown}` is not empty: name a new directory");
    }
    if path.is_file() {
        bail!("`{shown}` is a file, and the artifact is a tree: name a new directory");
    }
    whole::make(path, |aside| write_tree(pulled, aside))
}

fn write_tree(pulled: &Pulled, root: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(root).with_context(|| format!("cannot make `{}`", root.display()))?;
    for (path, content) in pulled.tree.files() {
        let file = root.join(path.trim_start_matches('/'));
        let folder = file.parent().unwrap_or(root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, content))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    Ok(())
}

fn report(arguments: &Arguments, pulled: &Pulled) -> anyhow::Result<String> {
    let artifact =
        Reference { digest: Some(pulled.descriptor.digest), ..arguments.artifact.clone() };
    let files = pulled.tree.files().map(|(path, _)| json::string(&path.trim_start_matches('/')));
    let objects = match &pulled.content {
        Content::Objects(text) if arguments.output.is_none() => Some(json::string(text)),
        _ => None,
    };
    let annotations = pulled.manifest.annotations.iter().map(|(key, value)| kelson_yaml::Entry {
        key: kelson_yaml::Node::string(key.as_str()),
        value: kelson_yaml::Node::string(value.as_str()),
    });
    json::text(&json::object([
        ("artifact", Some(json::string(&artifact))),
        ("digest", Some(json::string(&pulled.descriptor.digest))),
        ("producer", Some(json::string(&pulled.producer))),
        ("annotations", Some(kelson_yaml::Node::mapping(annotations.collect()))),
        ("files", Some(kelson_yaml::Node::sequence(files.collect()))),
        ("content", objects),
    ]))
}
