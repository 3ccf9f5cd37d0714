//! The cases: those of the corpus, where it is, and our own.

use std::fs;
use std::path::{Path, PathBuf};

use kelson_kustomize::{Options, Reorder};
use kelson_model::MemoryTree;
use kelson_yaml::{Dialect, Node, Span};

use crate::load;

/// A tree to build, and how.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) root: String,
    pub(crate) options: Options,
    pub(crate) tree: MemoryTree,
}

/// All cases that should build, sorted by name.
pub(crate) fn all() -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<Case> =
        folders(&own).into_iter().filter_map(|path| own_case(&path)).collect();
    for area in corpus().iter().flat_map(|corpus| folders(corpus)) {
        cases.extend(folders(&area).into_iter().filter_map(|path| corpus_case(&path)));
    }
    if let Some(only) = std::env::var_os("KELSON_CASE") {
        cases.retain(|case| case.name.contains(&*only.to_string_lossy()));
    }
    cases
}

fn own_case(folder: &Path) -> Option<Case> {
    if !folder.join("out.yaml").is_file() {
        return None;
    }
    let text = fs::read_to_string(folder.join("case.txt")).unwrap_or_default();
    let field = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        value.map(str::trim).unwrap_or_default()
    };
    Some(Case {
        name: folder.file_name()?.to_string_lossy().into_owned(),
        root: format!("/{}", field("root").trim_start_matches("./").trim_matches('.')),
        options: options(field("load-restrictor"), field("reorder"), field("managed-by") == "true"),
        tree: load::tree(&folder.join("in")),
    })
}

fn corpus_case(folder: &Path) -> Option<Case> {
    let text = fs::read_to_string(folder.join("case.yaml")).ok()?;
    let node = kelson_yaml::first_document(&text, Span::NONE, Dialect::V3).unwrap()?;
    let field = |path: &[&str]| node.lookup(path).and_then(Node::text).unwrap_or_default();
    let managed_by = field(&["flags", "add_managedby_label"]) == "true";
    let restrictor = field(&["flags", "load_restrictor"]);
    (field(&["expect"]) != "error").then(|| Case {
        name: field(&["name"]).to_owned(),
        root: format!("/{}", field(&["root"])),
        options: options(restrictor, field(&["flags", "reorder"]), managed_by),
        tree: load::tree(&folder.join("input")),
    })
}

fn options(restrictor: &str, reorder: &str, managed_by_label: bool) -> Options {
    let reorder = match reorder {
        "legacy" => Reorder::Legacy,
        "none" => Reorder::None,
        _ => Reorder::Unspecified,
    };
    let root_only = restrictor != "LoadRestrictionsNone";
    Options { root_only, reorder, managed_by_label, ..Options::default() }
}

/// Where the corpus is, if it is; see the test of conformance.
fn corpus() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("KELSON_CONFORMANCE") {
        return Some(PathBuf::from(folder).join("kustomize"));
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|above| above.join("shared/conformance/kustomize")).find(|folder| folder.is_dir())
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}
