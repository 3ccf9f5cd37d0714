//! A crate names only crates of lower layers.

use serde_json::Value;

use super::Repository;
use crate::run::{cargo, output};

/// Lowest first. `testkit` stands beside them: only tests and `xtask` may name it.
const LAYERS: [&[&str]; 8] = [
    &["yaml"],
    &["model"],
    &["kustomize", "helm", "sops", "plan"],
    &["render", "source", "artifact", "cluster"],
    &["pipeline"],
    &["api"],
    &["controller", "web"],
    &["cli"],
];

pub(super) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let text = output(cargo().current_dir(&repository.root).args([
        "metadata",
        "--no-deps",
        "--format-version=1",
        "--offline",
    ]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        for dependency in list(&package["dependencies"]) {
            let on = dependency["name"].as_str().unwrap_or_default();
            let is_dev = dependency["kind"].as_str() == Some("dev");
            findings.extend(judge(name, on, is_dev));
        }
    }
    Ok(findings)
}

/// What is wrong with a crate that depends on another, if anything is.
fn judge(name: &str, on: &str, is_dev: bool) -> Option<String> {
    let on = on.strip_prefix("kelson-")?;
    let short = name.strip_prefix("kelson-")?;
    if on == "testkit" {
        return (!is_dev).then(|| format!("`{name}` depends on testkit outside of its tests"));
    }
    if short == "testkit" {
        return Some(format!("`{name}` depends on `{on}`: what tests stand on stands alone"));
    }
    let layer = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    match (layer(short), layer(on)) {
        (None, _) => Some(format!("`{name}` has no layer; add it to xtask's list")),
        (_, None) => Some(format!("`{on}` has no layer; add it to xtask's list")),
        (Some(own), Some(other)) if other >= own => {
            Some(format!("`{name}` depends on `kelson-{on}`, which is not of a lower layer"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_point_downwards_only() {
        assert_eq!(judge("kelson-kustomize", "kelson-yaml", false), None);
        assert_eq!(judge("kelson-kustomize", "regex", false), None);
        assert_eq!(judge("kelson-cluster", "kelson-testkit", true), None);
        assert!(judge("kelson-cluster", "kelson-testkit", false).is_some());
        assert!(judge("kelson-kustomize", "kelson-helm", false).is_some());
        assert!(judge("kelson-model", "kelson-cli", true).is_some());
        assert!(judge("kelson-news", "kelson-yaml", false).is_some());
    }
}
