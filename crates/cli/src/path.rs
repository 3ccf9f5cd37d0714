//! Paths as people write them, against paths in the tree of the whole file system.

use std::path::{Component, Path, PathBuf};

use anyhow::Context;

/// The absolute path that a person means, links left as they are.
pub(crate) fn absolute(path: &str) -> anyhow::Result<String> {
    let path =
        std::path::absolute(path).with_context(|| format!("cannot use the path `{path}`"))?;
    let mut clean = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(part) => clean.push(part),
            Component::ParentDir => {
                clean.pop();
            }
            _ => {}
        }
    }
    let text = clean.to_str().with_context(|| format!("`{}` is not UTF-8", clean.display()))?;
    Ok(text.to_owned())
}

/// A path as it reads best from here: relative where that is shorter.
pub(crate) fn shown(path: &str) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let inside = here.ok().and_then(|here| {
        Path::new(path).strip_prefix(&here).ok().map(|inside| inside.display().to_string())
    });
    match inside {
        Some(inside) if inside.is_empty() => ".".to_owned(),
        Some(inside) => inside,
        None => path.to_owned(),
    }
}
