//! Where the text goes: standard output, a file, or a directory.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, bail};
use kelson_kustomize::{Build, Object};

use super::Rendered;
use super::parallel::Built;

/// Writes what was built to where it was asked for, and says how much where that is not seen.
pub(super) fn deliver(built: &[Built<Rendered>], output: Option<&Path>) -> anyhow::Result<()> {
    match (built, output) {
        // Nothing is left half-written where all there was to build failed.
        ([(_, Err(_))], _) => Ok(()),
        ([(_, Ok(rendered))], Some(directory)) if directory.is_dir() => {
            write_objects(&rendered.build, directory)
        }
        ([(_, Ok(rendered))], _) => write(output, &rendered.text),
        (_, _) => {
            let texts = built.iter().filter_map(|(_, result)| result.as_ref().ok());
            let texts: Vec<&str> =
                texts.map(|rendered| rendered.text.as_str()).filter(|it| !it.is_empty()).collect();
            write(output, &texts.join("---\n"))
        }
    }
}

/// Writes a text to a file or to standard output.
pub(super) fn write(output: Option<&Path>, text: &str) -> anyhow::Result<()> {
    let Some(path) = output else {
        return match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
            // Whoever reads us has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("cannot write to standard output"),
        };
    };
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Writes one file per object, named as kustomize names them.
fn write_objects(build: &Build, directory: &Path) -> anyhow::Result<()> {
    let mut files: HashMap<String, String> = HashMap::new();
    let namespaces: HashSet<&str> =
        build.objects.iter().filter_map(Object::effective_namespace).collect();
    for object in &build.objects {
        let mut name = String::new();
        if namespaces.len() > 1
            && let Some(namespace) = object.effective_namespace()
        {
            name = format!("{}_", namespace.to_lowercase());
        }
        let parts = [object.group(), object.version(), object.kind()];
        let kind = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
        name.push_str(&format!("{}_{}.yaml", kind.to_lowercase(), object.name().to_lowercase()));
        if name.contains('/') {
            bail!("the name of `{}` cannot be a file's", object.name());
        }
        let mut text = String::new();
        if let Err(error) = kelson_yaml::emit::canonical(&object.node, &mut text) {
            bail!("`{}` cannot be written as YAML: {}", object.name(), error.message);
        }
        // Two objects of one name: the later one wins, as upstream.
        files.insert(name, text);
    }
    files.iter().try_for_each(|(name, text)| write(Some(&directory.join(name)), text))
}
