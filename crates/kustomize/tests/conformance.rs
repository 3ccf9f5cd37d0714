//! Upstream's own suite: every case of the corpus, compared byte for byte.
//!
//! The corpus lies beside the project, not in it.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "shared/difference.rs"]
mod difference; // where two texts part
#[path = "shared/leaves.rs"]
mod leaves; // the scalars of an object
#[path = "shared/load.rs"]
mod load; // a folder's files

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use difference::difference;
use kelson_kustomize::{Build, Failure, Options, Outcome, Reorder, build};
use kelson_model::Answers;
use kelson_yaml::{Dialect, Node, Span};

/// A case of the corpus.
struct Case {
    name: String,
    folder: PathBuf,
    root: String,
    reorder: Reorder,
    root_only: bool,
    managed_by: bool,
    expects_error: bool,
    error_match: String,
    in_release: bool,
}

/// How a case went.
enum Verdict {
    Same,
    /// It failed, as it should, but with other words.
    OtherWords(String),
    Wrong(String),
}

#[test]
fn every_case_of_the_corpus_comes_out_as_upstream() {
    let test = "every_case_of_the_corpus_comes_out_as_upstream";
    let Some(corpus) = kelson_testkit::conformance(test, "kustomize") else { return };
    let mut score: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut words, mut errors) = (String::new(), String::new(), (0, 0));
    let mut failed = 0;
    for case in cases(&corpus) {
        let area = case.name.split('/').next().unwrap_or_default().to_owned();
        let entry = score.entry(area).or_default();
        entry.1 += 1;
        errors.1 += usize::from(case.expects_error);
        match judge(&case) {
            Verdict::Same => {
                entry.0 += 1;
                errors.0 += usize::from(case.expects_error);
            }
            Verdict::OtherWords(text) => {
                entry.0 += 1;
                let _ = writeln!(words, "other words in {}:\n{text}", case.name);
            }
            Verdict::Wrong(text) => {
                failed += usize::from(case.in_release);
                let mark = if case.in_release { "" } else { " (newer than the release)" };
                let _ = writeln!(wrong, "=== {}{mark}\n{text}", case.name);
            }
        }
    }
    print!("{words}{wrong}");
    let total: (usize, usize) =
        score.values().fold((0, 0), |sum, area| (sum.0 + area.0, sum.1 + area.1));
    for (area, (same, all)) in &score {
        println!("{same:4}/{all:<4} {area}");
    }
    println!("{:4}/{:<4} in all; error texts {}/{}", total.0, total.1, errors.0, errors.1);
    assert_eq!(failed, 0, "cases that the release passes differ");
    assert!(errors.0 * 10 >= errors.1 * 9, "fewer than nine in ten error texts match");
}

/// All cases, sorted by name.
fn cases(corpus: &Path) -> Vec<Case> {
    let mut list = Vec::new();
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        found.retain(|path| path.is_dir());
        found
    };
    for area in folders(corpus) {
        for folder in folders(&area) {
            if folder.join("case.yaml").is_file() {
                list.push(read_case(folder));
            }
        }
    }
    list
}

fn read_case(folder: PathBuf) -> Case {
    let text = fs::read_to_string(folder.join("case.yaml")).unwrap();
    let node = kelson_yaml::first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
    let field =
        |path: &[&str]| node.lookup(path).and_then(Node::text).unwrap_or_default().to_owned();
    Case {
        name: field(&["name"]),
        root: field(&["root"]),
        reorder: match field(&["flags", "reorder"]).as_str() {
            "legacy" => Reorder::Legacy,
            "unspecified" => Reorder::Unspecified,
            _ => Reorder::None,
        },
        root_only: field(&["flags", "load_restrictor"]) != "LoadRestrictionsNone",
        managed_by: field(&["flags", "add_managedby_label"]) == "true",
        expects_error: field(&["expect"]) == "error",
        error_match: field(&["error_match"]),
        in_release: field(&["in_v5_8_1"]) != "false",
        folder,
    }
}

fn judge(case: &Case) -> Verdict {
    let result = run(case);
    let (built, expected) = match (result, case.expects_error) {
        (Err(failure), true) => return judge_error(case, &failure),
        (Err(failure), false) => return Verdict::Wrong(format!("failed: {}", said(&failure))),
        (Ok((text, _)), true) => {
            return Verdict::Wrong(format!("should have failed, gave:\n{text}"));
        }
        (Ok((text, built)), false) => {
            let expected = fs::read_to_string(case.folder.join("expected.yaml")).unwrap();
            ((text, built), expected)
        }
    };
    if built.0 != expected {
        return Verdict::Wrong(difference(&expected, &built.0));
    }
    match without_origin(&built.1) {
        missing if missing.is_empty() => Verdict::Same,
        missing => Verdict::Wrong(format!("no origin: {}", missing.join(", "))),
    }
}

fn run(case: &Case) -> Result<(String, Build), Failure> {
    let tree = load::tree(&case.folder.join("input"));
    let options = Options {
        root_only: case.root_only,
        reorder: case.reorder,
        managed_by_label: case.managed_by,
        version: "(test)".to_owned(),
        ..Options::default()
    };
    match build(&tree, &format!("/{}", case.root), &options, &Answers::default())? {
        Outcome::Built(built) => Ok((built.to_yaml()?, built)),
        Outcome::Needs(needs) => panic!("{} needs {needs:?}", case.name),
    }
}

fn judge_error(case: &Case, failure: &Failure) -> Verdict {
    let said = said(failure);
    let wanted = fs::read_to_string(case.folder.join("error.txt")).unwrap();
    let matches = match case.error_match.as_str() {
        "any" => true,
        "equals" => said.trim_end() == wanted.trim_end(),
        "regexp" => regex::Regex::new(&wanted).unwrap().is_match(&said),
        "anyof" => wanted.lines().any(|line| said.contains(line)),
        _ => said.contains(&wanted),
    };
    if matches {
        return Verdict::Same;
    }
    Verdict::OtherWords(format!("  wanted ({}): {wanted}\n  said: {said}", case.error_match))
}

fn said(failure: &Failure) -> String {
    let first = &failure.diagnostics[0];
    first.upstream.clone().unwrap_or_else(|| first.message.clone())
}

/// The leaves of all objects that say nowhere where they came from, but for what the build itself adds.
fn without_origin(built: &Build) -> Vec<String> {
    let mut missing = Vec::new();
    for object in &built.objects {
        leaves::each(&object.node, &mut String::new(), &mut |path, node| {
            let is_ours = path.ends_with(".app.kubernetes.io/managed-by");
            if node.span == Span::NONE && !is_ours {
                missing.push(format!("{} {}{path}", object.kind(), object.name()));
            }
        });
    }
    missing
}
