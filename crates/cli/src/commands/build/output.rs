//! Where the text goes: standard output, a file, or a directory.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kelson_kustomize::{Build, Failure, Object};

use super::Built;
use crate::draw;

/// Writes what was built to where it was asked for, and says how much where that is not seen.
pub(super) fn deliver(built: &[Built], output: Option<&Path>) -> anyhow::Result<()> {
    match (built, output) {
        ([(_, Ok(build))], Some(directory)) if directory.is_dir() => {
            write_objects(build, directory)
        }
        ([_], _) | (_, None) => {
            let mut texts = Vec::new();
            for (_, result) in built {
                texts.extend(text(result)?);
            }
            texts.retain(|text| !text.is_empty());
            // Nothing is left half-written where one of several failed alone.
            if built.len() == 1 && texts.is_empty() && built[0].1.is_err() {
                return Ok(());
            }
            write(output, &texts.join("---\n"))
        }
        (_, Some(directory)) => write_each(built, directory),
    }
}

/// The text of a build, nothing where it failed.
fn text(result: &Result<Build, Failure>) -> anyhow::Result<Option<String>> {
    let Ok(build) = result else { return Ok(None) };
    match build.to_yaml() {
        Ok(text) => Ok(Some(text)),
        Err(failure) => {
            draw::diagnostics(&failure.diagnostics, &failure.sources);
            bail!("the objects cannot be written as YAML")
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
        let (Some(text), Ok(build)) = (text(result)?, result) else { continue };
        let file = directory.join(file_name(path, &mut taken));
        write(Some(&file), &text)?;
        written += 1;
        objects += build.objects.len();
    }
    let failed = built.len() - written;
    println!("{written} built, {failed} failed, {objects} objects in {}", directory.display());
    Ok(())
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
