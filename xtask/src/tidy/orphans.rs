//! Every Rust file is reached from a crate's root by `mod` lines: one that is not is never compiled, and its tests never run.

use std::collections::BTreeSet;

use super::Repository;

pub(super) fn check(repository: &Repository) -> Vec<String> {
    let files: BTreeSet<&str> = repository.with_ending(".rs").collect();
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = files.iter().copied().filter(|file| is_root(file)).collect();
    while let Some(file) = open.pop() {
        if !reached.insert(file) {
            continue;
        }
        let text = repository.text(file).unwrap_or_default();
        let candidates = modules(&text).into_iter().flat_map(|name| children(file, &name));
        let candidates: Vec<String> = candidates.chain(named_paths(file, &text)).collect();
        open.extend(candidates.iter().filter_map(|child| files.get(child.as_str()).copied()));
    }
    let orphans = files.iter().filter(|file| !reached.contains(*file));
    orphans.map(|file| format!("`{file}` is named by no `mod`")).collect()
}

/// Whether cargo compiles a file by itself.
fn is_root(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').collect();
    let is_build_script = file.ends_with("/build.rs") && !parts.contains(&"src");
    is_build_script
        || matches!(
            parts.as_slice(),
            [.., "src", "lib.rs" | "main.rs"]
                | [.., "src", "bin", _]
                | [.., "tests" | "examples" | "benches" | "fuzz_targets", _]
                | [.., "tests" | "examples", _, "main.rs"]
        )
}

/// The names in `mod name;` lines.
fn modules(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split("//").next()?.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "mod")?;
        words.get(at + 1)?.strip_suffix(';').map(str::to_owned)
    });
    lines.collect()
}

/// The files that `#[path = "…"]` names, relative to the folder of the file that names them.
fn named_paths(file: &str, text: &str) -> Vec<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let paths = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("#[path = \"")?;
        let (path, _) = rest.split_once('"')?;
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    });
    paths.collect()
}

/// Where the file of a module may be.
fn children(file: &str, name: &str) -> [String; 2] {
    let folder = if is_root(file) {
        file.rsplit_once('/').map_or("", |(folder, _)| folder)
    } else {
        file.trim_end_matches(".rs")
    };
    [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_their_files_are_found() {
        assert_eq!(modules("mod a; // b\npub(crate) mod c;\nmod tests {\n// mod d;\n"), ["a", "c"]);
        assert_eq!(children("crates/x/src/lib.rs", "a")[0], "crates/x/src/a.rs");
        assert_eq!(children("crates/x/src/a.rs", "b")[0], "crates/x/src/a/b.rs");
        assert!(is_root("crates/x/tests/all.rs") && !is_root("crates/x/src/a.rs"));
        let text = "#[path = \"../../y/src/b.rs\"]\nmod b;\n";
        assert_eq!(named_paths("crates/x/tests/a.rs", text), ["crates/y/src/b.rs"]);
        assert!(is_root("crates/x/build.rs") && !is_root("crates/x/src/build.rs"));
    }
}
