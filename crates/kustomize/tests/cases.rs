//! Our own cases: folders of input with what upstream printed. Their README says what a folder holds.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "shared/difference.rs"]
mod difference; // where two texts part
#[path = "shared/load.rs"]
mod load; // a folder's files

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use difference::difference;
use kelson_kustomize::{Failure, Options, Outcome, Reorder, build};
use kelson_model::{Answers, Diagnostic};

#[test]
fn every_case_comes_out_as_recorded() {
    let mut wrong = String::new();
    let mut words = String::new();
    let (mut count, mut errors, mut alike) = (0, 0, 0);
    for folder in folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        count += 1;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let recorded = fs::read_to_string(folder.join("error.txt")).ok();
        let (result, warnings) = run(&folder);
        match (result, recorded) {
            (Ok(actual), None) => {
                let expected = fs::read_to_string(folder.join("out.yaml")).unwrap_or_default();
                if actual != expected {
                    let _ = writeln!(wrong, "=== {name}\n{}", difference(&expected, &actual));
                }
            }
            (Err(actual), Some(expected)) => {
                errors += 1;
                if actual.trim_end() == expected.trim_end() {
                    alike += 1;
                } else {
                    let _ = writeln!(words, "--- {name}\nwanted {expected}\nsaid   {actual}\n");
                }
            }
            (Ok(actual), Some(expected)) => {
                let _ = writeln!(wrong, "=== {name}\nshould fail: {expected}\ngave:\n{actual}");
            }
            (Err(actual), None) => {
                let _ = writeln!(wrong, "=== {name}\nfails: {actual}");
            }
        }
        let expected = fs::read_to_string(folder.join("warnings.txt")).unwrap_or_default();
        if warnings != expected {
            let _ = writeln!(wrong, "=== {name}: warnings\nwanted {expected}\nsaid   {warnings}");
        }
    }
    print!("{words}{wrong}");
    println!("{count} cases, {errors} of them errors, {alike} with upstream's very words");
    assert!(wrong.is_empty(), "some cases differ");
    assert!(alike * 10 >= errors * 9, "fewer than nine in ten error texts match");
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.join("in").is_dir());
    found.sort();
    found
}

/// Builds a case: the output or upstream's words, and the warnings.
fn run(folder: &Path) -> (Result<String, String>, String) {
    let text = fs::read_to_string(folder.join("case.txt")).unwrap_or_default();
    let field = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
            .map(str::trim)
            .unwrap_or_default()
    };
    let tree = load::tree(&folder.join("in"));
    let options = Options {
        root_only: field("load-restrictor") != "LoadRestrictionsNone",
        reorder: match field("reorder") {
            "legacy" => Reorder::Legacy,
            "none" => Reorder::None,
            _ => Reorder::Unspecified,
        },
        managed_by_label: field("managed-by") == "true",
        ..Options::default()
    };
    let root = format!("/{}", field("root").trim_start_matches("./").trim_matches('.'));
    let said = |failure: &Failure| {
        let first = &failure.diagnostics[0];
        first.upstream.clone().unwrap_or_else(|| first.message.clone())
    };
    match build(&tree, &root, &options, &Answers::default()) {
        Ok(Outcome::Built(built)) => {
            let warnings = lines(&built.warnings);
            (built.to_yaml().map_err(|failure| said(&failure)), warnings)
        }
        Ok(Outcome::Needs(needs)) => (Err(format!("needs {needs:?}")), String::new()),
        Err(failure) => (Err(said(&failure)), lines(&failure.warnings)),
    }
}

fn lines(warnings: &[Diagnostic]) -> String {
    let lines = warnings.iter().filter_map(|warning| warning.upstream.as_deref());
    lines.map(|line| format!("{line}\n")).collect()
}
