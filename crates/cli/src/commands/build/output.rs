//! Where the text goes: standard output, a file, or a directory.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kelson_kustomize::{Build, Object};

use super::Built;

/// Writes what was built to where it was asked for, and says how much where that is not seen.
pub(super) fn deliver(built: &[Built], output: Option<&Path>) -> anyhow::Result<()> {
    match (built, output) {
        // Nothing is left half-written where all there was to build failed.
        ([(_, Err(_))], _) => Ok(()),
        ([(_, Ok(rendered))], Some(directory)) if directory.is_dir() => {
            write_objects(&rendered.build, directory)
        }
        ([(_, Ok(rendered))], _) => write(output, &rendered.text),
        (_, None) => {
            let texts = built.iter().filter_map(|(_, result)| result.as_ref().ok());
            let texts: Vec<&str> =
                texts.map(|rendered| rendered.text.as_str()).filter(|it| !it.is_empty()).collect();
            write(None, &texts.join("---\n"))
        }
        (_, Some(directory)) => write_each(built, directory),
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

/// Writes each directory's objects to a file of its own, and a summary.
fn write_each(built: &[Built], directory: &Path) -> anyhow::Result<()> {
    if directory.is_file() {
        bail!("`{}` is a file; several directories need a directory", directory.display());
    }
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
    let mut taken = HashSet::new();
    let (mut written, mut objects) = (0, 0);
    for (path, result) in built {
        let Ok(rendered) = result else { continue };
        let file = directory.join(file_name(path, &mut taken));
        write(Some(&file), &rendered.text)?;
        written += 1;
        objects += rendered.build.objects.len();
    }
    let failed = built.len() - written;
    let shown = directory.display();
    write(None, &format!("{written} built, {failed} failed, {objects} objects in {shown}\n"))
}

/// A name that tells which directory was built: `apps/shop` gives `apps-shop.yaml`.
fn file_name(path: &str, taken: &mut HashSet<String>) -> PathBuf {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let base = if parts.is_empty() { "kustomization".to_owned() } else { parts.join("-") };
    let mut name = base.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{base}-{number}");
    }
    PathBuf::from(format!("{name}.yaml"))
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
