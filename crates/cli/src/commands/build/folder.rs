//! A file for each of many directories.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kelson_kustomize::Failure;
use kelson_model::{Diagnostic, Sources};

use super::parallel::Built;
use super::{Rendered, code, draw_failure, output};
use crate::draw;
use crate::exit::Code;

/// Where the files go. Each is written as soon as its directory is built, so that a thousand of them neither wait for each
/// other nor are held in memory.
pub(super) struct Folder {
    path: PathBuf,
    names: Vec<String>,
}

/// What is left of a directory whose file was written, or was not.
pub(super) struct Written {
    outcome: anyhow::Result<()>,
    objects: usize,
    warnings: Vec<Diagnostic>,
    sources: Sources,
}

impl Folder {
    /// A folder with a name for the file of each directory that will be built.
    pub(super) fn new<'a>(
        path: &Path,
        directories: impl Iterator<Item = &'a str>,
    ) -> anyhow::Result<Self> {
        if path.is_file() {
            bail!("`{}` is a file; several directories need a directory", path.display());
        }
        std::fs::create_dir_all(path)
            .with_context(|| format!("cannot make the directory `{}`", path.display()))?;
        let mut taken = HashSet::new();
        let names = directories.map(|directory| file_name(directory, &mut taken)).collect();
        Ok(Self { path: path.to_owned(), names })
    }

    /// Writes the file of one directory.
    pub(super) fn put(&self, index: usize, rendered: Rendered) -> Result<Written, Failure> {
        let Rendered { build, text } = rendered;
        let outcome = output::write(Some(&self.path.join(&self.names[index])), &text);
        let has_warnings = !build.warnings.is_empty();
        Ok(Written {
            outcome,
            objects: build.objects.len(),
            sources: if has_warnings { build.sources } else { Sources::default() },
            warnings: build.warnings,
        })
    }

    /// Says what there was to say of each, and how much was written.
    pub(super) fn close(&self, built: Vec<Built<Written>>) -> anyhow::Result<Code> {
        let code = code(&built);
        let (mut written, mut failed, mut objects) = (0, 0, 0);
        for (_, result) in built {
            match result {
                Ok(one) => {
                    draw::diagnostics(&one.warnings, &one.sources);
                    one.outcome?;
                    written += 1;
                    objects += one.objects;
                }
                Err(failure) => {
                    draw_failure(&failure);
                    failed += 1;
                }
            }
        }
        let shown = self.path.display();
        let text = format!("{written} built, {failed} failed, {objects} objects in {shown}\n");
        output::write(None, &text)?;
        Ok(code)
    }
}

/// A name that tells which directory was built: `apps/shop` gives `apps-shop.yaml`.
fn file_name(path: &str, taken: &mut HashSet<String>) -> String {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let base = if parts.is_empty() { "kustomization".to_owned() } else { parts.join("-") };
    let mut name = base.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{base}-{number}");
    }
    format!("{name}.yaml")
}
