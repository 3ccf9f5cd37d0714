//! What a caller sees of a build: needs and answers, strictness, places and hints, and bad input.

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use kelson_kustomize::{Failure, Options, Outcome, build};
use kelson_model::{Answer, Answers, MemoryTree, Request};

fn run(files: &str, options: &Options, answers: &Answers) -> String {
    match build(&MemoryTree::parse(files), "/", options, answers) {
        Ok(Outcome::Built(built)) => built.to_yaml().unwrap_or_else(|failure| shown(&failure)),
        Ok(Outcome::Needs(needs)) => {
            let mut text = String::new();
            for need in needs {
                let _ = writeln!(text, "{}:{}: {:?}", need.file, need.line, need.request);
            }
            text
        }
        Err(failure) => shown(&failure),
    }
}

/// Every problem with its places and hints.
fn shown(failure: &Failure) -> String {
    let mut text = String::new();
    for problem in &failure.diagnostics {
        let _ = writeln!(text, "{}: {}", problem.code, problem.message);
        for label in &problem.labels {
            if let Some(place) = failure.sources.place(label.span) {
                let (name, line, column) = (place.name, place.line, place.column);
                let _ = writeln!(text, "  {name}:{line}:{column} {}", label.text);
            }
        }
        if let Some(help) = &problem.help {
            let _ = writeln!(text, "  {help}");
        }
    }
    text
}

#[track_caller]
fn check(files: &str, expected: Expect) {
    expected.assert_eq(&run(files, &Options::default(), &Answers::default()));
}

#[track_caller]
fn check_strict(files: &str, expected: Expect) {
    let options = Options { strict: true, ..Options::default() };
    expected.assert_eq(&run(files, &options, &Answers::default()));
}

const MAP: &str = "#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n";

#[test]
fn a_slip_in_a_field_is_shown_with_its_place_and_the_right_word() {
    check(
        "#- kustomization.yaml\nresuorces:\n- a.yaml\n",
        expect![[r#"
            unknown-field: there is no field `resuorces` here
              /kustomization.yaml:1:1 not a known field
              did you mean `resources`?
        "#]],
    );
    check(
        "#- kustomization.yaml\nimages:\n- name: a\n  newTag: 1.0\n",
        expect![[r#"
            wrong-type: `newTag` must be text, not a number
              /kustomization.yaml:3:11 this is a number
              put it in quotes to make it text
        "#]],
    );
}

#[test]
fn a_patch_for_a_misspelt_object_names_the_one_that_is_there() {
    let patch = "#- kustomization.yaml\nresources: [a.yaml]\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: shpo\n";
    check(
        &format!("{patch}{MAP}"),
        expect![[r#"
            patch-matches-nothing: there is no ConfigMap `shpo` to patch
              /kustomization.yaml:4:5 this patch
              no ConfigMap named `shpo`; there is `shop`
        "#]],
    );
}

#[test]
fn what_has_no_name_is_told_how_to_get_one() {
    let object =
        "#- kustomization.yaml\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: Pod\n";
    check(
        &format!("{object}metadata:\n  labels: {{a: b}}\n"),
        expect![[r#"
            no-name: the Pod has no name
              /a.yaml:1:1 this object
              give it one in `metadata.name`
        "#]],
    );
    check(
        &format!("{object}metadata:\n  generateName: job-\n"),
        expect![[r#"
        no-name: the Pod has no name
          /a.yaml:4:17 this makes a new one each time
          give it a `name`: what has another one each time cannot be found again
    "#]],
    );
}

#[test]
fn strictness_reports_what_upstream_passes_over() {
    let kustomization = "#- kustomization.yaml\nresources: [a.yaml]\nresources: [a.yaml]\nimages:\n- name: nginx\n  newTag: \"2\"\npatches:\n- target: {kind: Deployment}\n  patch: '[{\"op\": \"remove\", \"path\": \"/x\"}]'\nreplacements:\n- source: {kind: ConfigMap, name: shop}\n  targets:\n  - select: {kind: Service}\n";
    check_strict(
        &format!("{kustomization}{MAP}"),
        expect![[r#"
            repeated-key: the key `resources` is here more than once; the last one counts
              /kustomization.yaml:2:1 here again
              /kustomization.yaml:1:1 it was here first
              take one of the two out, or put their values together
            patch-matches-nothing: the target of the patch selects nothing (Deployment.[noVer].[noGrp]/[noName].[noNs]:a=:l=)
              /kustomization.yaml:7:11 selects no object
              take the patch out, or make its target select an object
            image-matches-nothing: no container uses the image `nginx`
              /kustomization.yaml:4:9 used nowhere
              take the entry out, or give the name that a container uses
            replacement-matches-nothing: the target of the replacement selects nothing
              /kustomization.yaml:12:5 selects no object
              take the target out, or make it select an object
        "#]],
    );
}

#[test]
fn all_needs_are_found_in_one_pass_and_answers_go_on() {
    let files = "#- kustomization.yaml\nresources:\n- https://example.com/a.yaml\n- github.com/org/repo//base?ref=v1\nhelmCharts:\n- name: db\n";
    let options = Options { enable_helm: true, ..Options::default() };
    let tree = MemoryTree::parse(files);
    let Ok(Outcome::Needs(needs)) = build(&tree, "/", &options, &Answers::default()) else {
        panic!("something is needed");
    };
    let lines: Vec<usize> = needs.iter().map(|need| need.line).collect();
    assert_eq!(lines, [2, 3, 5]);
    let object =
        |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n");
    let mut answers = Answers::default();
    for need in needs {
        let answer = match &need.request {
            Request::Remote(remote) if remote.repository.is_some() => {
                let files = format!(
                    "#- base/kustomization.yaml\nresources: [b.yaml]\n#- base/b.yaml\n{}",
                    object("b")
                );
                Answer::Tree(Arc::new(MemoryTree::parse(&files)))
            }
            Request::Chart(_) => Answer::Bytes(object("chart").into_bytes().into()),
            _ => Answer::Bytes(object("a").into_bytes().into()),
        };
        answers.insert(need.request, answer);
    }
    let Ok(Outcome::Built(built)) = build(&tree, "/", &options, &answers) else {
        panic!("nothing more is needed");
    };
    let names: Vec<&str> = built.objects.iter().map(|object| object.name()).collect();
    assert_eq!(names, ["a", "b", "chart"]);
}

#[test]
fn circles_and_endless_nesting_end_with_an_error() {
    check(
        "#- kustomization.yaml\nresources: [.]\n",
        expect![[r#"
            cycle: cycle detected: candidate root '/' contains visited root '/'
              /kustomization.yaml:1:13 this leads back
        "#]],
    );
    let mut files = String::from("#- kustomization.yaml\nresources: [n0]\n");
    let mut path = String::from("n0");
    for number in 0..300 {
        let _ = write!(files, "#- {path}/kustomization.yaml\nresources: [n{}]\n", number + 1);
        let _ = write!(path, "/n{}", number + 1);
    }
    let said = run(&files, &Options::default(), &Answers::default());
    assert!(said.starts_with("too-deep: bases are nested more than 200 deep"), "{said}");
}
