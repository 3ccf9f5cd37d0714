//! The vectors of Flux's library for server-side apply that are about reading manifests. Flux reads with another library than
//! kustomize; we read everything as kustomize does. COMPAT.md says so.
//!
//! The corpus lies beside the project, not in it.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use kelson_model::{Answers, MemoryTree};
use kelson_render::{Options, Outcome, render};
use kelson_yaml::{Node, json};
use serde_json::Value as Json;

/// Cases that come out differently, with what comes out: the objects, or `error`.
const DIFFERENT: &[(&str, &str)] = &[
    // Flux leaves out what is no object; a build has it as kustomize has, and a plan names what is wrong with it.
    (
        "read-objects/some-invalid-resources",
        r#"[{"kind":"Provider","metadata":{"name":"crossplane-provider-aws1"},"piVersion":"pkg.crossplane.io/v1","spec":{"controllerConfigRef":{"name":"provider-aws"},"package":"crossplane/provider-aws:v0.23.0"}},{"apiVersion":"v1","immutable":true,"kind":"Secret","metadata":{"name":"test","namespace":"default"},"stringData":{"key":"private-key"}}]"#,
    ),
    ("read-objects/probe-no-api-version", r#"[{"kind":"ConfigMap","metadata":{"name":"a"}}]"#),
    // Others are errors, where Flux lets them pass or leaves them out.
    ("read-objects/probe-list-with-an-item-without-kind", r#"error"#),
    ("read-objects/probe-generate-name", r#"error"#),
    ("read-objects/probe-duplicate-key", r#"error"#),
    // Lists in lists stand for their items too.
    (
        "read-objects/probe-nested-list",
        r#"[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    // Of a document, what follows its one value is not looked at.
    (
        "read-objects/probe-two-json-documents",
        r#"[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    // Words, numbers, dates and empty values of YAML 1.2 and 1.1.
    (
        "read-objects/probe-anchors",
        r#"[{"apiVersion":"v1","data":{"x":"y"},"extra":{"x":"y"},"kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    (
        "read-objects/probe-merge-key",
        r#"[{"apiVersion":"v1","b":{"x":"y"},"data":{"x":"y","z":"w"},"kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    (
        "read-objects/probe-large-numbers",
        r#"[{"apiVersion":"v1","data":{"a":9223372036854775807,"b":9223372036854775808,"c":1.2345678901234568e+22,"d":1,"e":"1e400","f":-0,"g":0.1,"h":1e+21},"kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    (
        "read-objects/probe-timestamps",
        r#"[{"apiVersion":"v1","data":{"a":"2020-01-01T00:00:00Z","b":"2020-01-01T00:00:00Z"},"kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
    (
        "read-objects/probe-nulls",
        r#"[{"apiVersion":"v1","data":{"a":null,"b":null,"c":"","d":""},"kind":"ConfigMap","metadata":{"name":"a"}}]"#,
    ),
];

#[test]
fn manifests_are_read_as_flux_reads_them() {
    let test = "manifests_are_read_as_flux_reads_them";
    let Some(corpus) = kelson_testkit::conformance(test, "ssa") else { return };
    let text = std::fs::read_to_string(corpus.join("cases.json")).unwrap();
    let cases: Json = serde_json::from_str(&text).unwrap();
    let (mut same, mut different, mut wrong) = (0, 0, Vec::new());
    for case in cases["cases"].as_array().unwrap() {
        let (actual, expected) = match case["area"].as_str().unwrap() {
            "read-objects" => (read(&case["input"]), objects(case)),
            "common-metadata" => (labelled(&case["input"]), first(&case["expected"])),
            _ => continue,
        };
        let known = DIFFERENT.iter().find(|(name, _)| case["name"] == *name);
        match known {
            Some((_, ours)) if actual == *ours => different += 1,
            None if actual == expected => same += 1,
            _ => wrong.push(format!("=== {}\nours:   {actual}\ntheirs: {expected}", case["name"])),
        }
    }
    println!("{same} the same, {different} different on purpose");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap()
}

fn objects(case: &Json) -> String {
    match case.get("error") {
        Some(_) => "error".to_owned(),
        None => case["expected"]["objects"].to_string(),
    }
}

fn read(input: &Json) -> String {
    rendered(&format!("#- objects.yaml\n{}\n", text(&input["text"])), "/objects.yaml")
}

/// The labels and annotations that Flux sets on all objects are fields of a kustomization with us.
fn labelled(input: &Json) -> String {
    let (labels, annotations) = (&input["labels"], &input["annotations"]);
    let kustomization = format!(
        "resources: [objects.yaml]\nlabels: [{{pairs: {labels}}}]\ncommonAnnotations: {annotations}\n"
    );
    let objects = text(&input["text"]);
    let files = format!("#- kustomization.yaml\n{kustomization}#- objects.yaml\n{objects}\n");
    rendered(&files, "/")
}

fn first(expected: &Json) -> String {
    let dialect = kelson_yaml::Dialect::V3;
    let span = kelson_yaml::Span::NONE;
    let node = kelson_yaml::first_document(text(&expected["objects"]), span, dialect);
    format!("[{}]", written(&node.unwrap().unwrap()).unwrap())
}

fn rendered(files: &str, root: &str) -> String {
    let tree = MemoryTree::parse(files);
    let built = match render(&tree, root, &Options::default(), &Answers::default()) {
        Ok(Outcome::Built(build)) => build,
        Ok(Outcome::Needs(needs)) => panic!("{needs:?}"),
        Err(_) => return "error".to_owned(),
    };
    // Some faults are seen only when an object is written, as in kustomize.
    let objects: Option<Vec<String>> =
        built.objects.iter().map(|object| written(&object.node)).collect();
    objects.map_or("error".to_owned(), |objects| format!("[{}]", objects.join(",")))
}

fn written(node: &Node) -> Option<String> {
    let mut text = String::new();
    json::write(node, &mut text).ok()?;
    Some(text)
}
