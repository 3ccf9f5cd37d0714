//! Every crate is named in ARCHITECTURE.md, and every path named there exists.

use super::Repository;

const PAGE: &str = "ARCHITECTURE.md";

pub(super) fn check(repository: &Repository) -> Vec<String> {
    let Some(text) = repository.text(PAGE) else { return vec![format!("{PAGE} is missing")] };
    let named = paths(&text);
    let missing = named
        .iter()
        .filter(|path| !repository.root.join(path).exists())
        .map(|path| format!("{PAGE} names `{path}`, which does not exist"));
    let unnamed = repository
        .crates()
        .into_iter()
        .filter(|folder| !named.iter().any(|path| path.trim_end_matches('/') == *folder))
        .map(|folder| format!("{PAGE} does not name the crate `{folder}`"));
    missing.chain(unnamed).collect()
}

/// The words in backticks that are paths of this repository: they have a slash, and nothing that a path has not.
fn paths(text: &str) -> Vec<String> {
    let starts = ["crates/", "xtask", "fuzz", "examples/", "docs/", ".ci/"];
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| starts.iter().any(|start| word.starts_with(start)))
        .filter(|word| !word.contains([' ', '*', '<', '{', '\n']))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_words_in_backticks() {
        let text = "The crate `crates/yaml/` has `Node`; see `a/b`, `crates/*` and `xtask`.";
        assert_eq!(paths(text), ["crates/yaml/", "xtask"]);
    }
}
