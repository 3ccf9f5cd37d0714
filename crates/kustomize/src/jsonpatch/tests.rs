//! Public vectors, and what kustomize made of our own inputs.

use kelson_yaml::{Dialect, Node, SourceId, Span, Touch, emit, first_document, json};
use serde_json::Value;

use super::JsonPatch;

const OBJECT: Span = Span { source: SourceId(1), start: 0 };
const PATCH: Span = Span { source: SourceId(2), start: 0 };

/// Applies a vector's patch to its document, of whatever shape that is.
fn patched(case: &Value) -> Result<Value, String> {
    let mut document = json::read(&case["original"].to_string(), OBJECT).expect("it is JSON");
    let patch =
        JsonPatch::read(&case["patch"].to_string(), PATCH, false).map_err(|fault| fault.text)?;
    patch.run(&mut document, Touch(1)).map_err(|fault| fault.text)?;
    let mut text = String::new();
    json::write(&document, &mut text).map_err(|error| error.message)?;
    Ok(serde_json::from_str(&text).expect("it is JSON"))
}

/// What kustomize's version of the library is to do: what the suite expects, unless that is known to differ.
fn is_as_expected(case: &Value, actual: &Result<Value, String>) -> bool {
    let ours = &case["implementations"]["evanphx v4"];
    let case = if ours.is_null() { case } else { ours };
    match actual {
        Ok(actual) if case["ok"] == true => !actual.is_null(),
        Ok(actual) => case.get("expected").or(case.get("result")) == Some(actual),
        Err(text) => match &case["error"] {
            Value::String(expected) => text == expected,
            expected => !expected.is_null(),
        },
    }
}

#[test]
fn public_vectors_hold() {
    let Some(folder) = kelson_testkit::conformance("public_vectors_hold", "jsonpatch") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("rfc6902.json")).expect("the vectors are there");
    let vectors: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    let cases = vectors["cases"].as_array().expect("the vectors have cases");
    // Options exist in a later version of the library only.
    let cases: Vec<&Value> = cases.iter().filter(|case| case["options"].is_null()).collect();
    let wrong: Vec<_> = cases
        .iter()
        .map(|case| (&case["name"], patched(case), *case))
        .filter(|(_, actual, case)| !is_as_expected(case, actual))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(cases.len() > 100, "only {} cases were found", cases.len());
}

fn read(text: &str) -> Node {
    first_document(text, OBJECT, Dialect::V3).expect("it is YAML").expect("it is not empty")
}

/// Applies a patch and returns the output, or upstream's words.
fn apply(object: &str, patch: &str) -> String {
    let mut node = read(object);
    let applied =
        JsonPatch::read(patch, PATCH, false).and_then(|patch| patch.apply(&mut node, Touch(1)));
    let mut out = String::new();
    match applied {
        Ok(()) => emit::canonical(&node, &mut out)
            .map_err(|error| error.message)
            .map_or_else(|error| error, |()| out),
        Err(fault) => format!("error: {}\n", fault.text),
    }
}

#[test]
fn results_are_those_of_kustomize() {
    let recorded = include_str!("../../tests/data/json-patches.txt");
    let mut count = 0;
    for case in recorded.split("=====\n").skip(1) {
        let mut parts = case.split("-----\n");
        let (object, patch, expected) = (parts.next(), parts.next(), parts.next());
        let (object, patch) = (object.expect("an object"), patch.expect("a patch"));
        assert_eq!(apply(object, patch), expected.expect("a result"), "{object}-----\n{patch}");
        count += 1;
    }
    assert!(count >= 100, "only {count} cases were found");
}

#[test]
fn a_patch_that_fails_changes_nothing() {
    let mut node = read("a: 2020-01-01\nb: 1\n");
    let text = r#"[{"op": "remove", "path": "/b"}, {"op": "remove", "path": "/c"}]"#;
    let patch = JsonPatch::read(text, PATCH, false).expect("it is a patch");
    assert!(patch.apply(&mut node, Touch(1)).is_err());
    assert_eq!(node.get("a").and_then(Node::text), Some("2020-01-01"));
    assert_eq!(node.get("b").and_then(Node::text), Some("1"));
}

#[test]
fn what_is_not_patched_keeps_its_place() {
    let mut node = read("a: 7\nb: {c: text}\nd: 2020-01-01\n");
    let text = r#"[{"op": "add", "path": "/b/e", "value": [1]}]"#;
    JsonPatch::read(text, PATCH, false)
        .and_then(|patch| patch.apply(&mut node, Touch(4)))
        .expect("it applies");
    let at = |path: &[&str]| node.lookup(path).map(|node| (node.span, node.touch));
    assert_eq!(at(&["a"]), Some((Span { start: 3, ..OBJECT }, Touch::NONE)));
    assert_eq!(at(&["b", "c"]), Some((Span { start: 12, ..OBJECT }, Touch::NONE)));
    assert_eq!(at(&["b", "e"]), Some((Span { start: 40, ..PATCH }, Touch(4))));
    // A date becomes text on the way, which is a change.
    assert_eq!(at(&["d"]), Some((Span { start: 21, ..OBJECT }, Touch(4))));
}

#[test]
fn a_list_that_is_no_patch_is_refused() {
    let refused = |text| {
        JsonPatch::read(text, PATCH, false).map(|patch| patch.len()).map_err(|fault| fault.text)
    };
    let kind = |what, wanted| {
        Err(format!("json: cannot unmarshal {what} into Go value of type jsonpatch.{wanted}"))
    };
    assert_eq!(refused("a: b\n"), kind("object", "Patch"));
    assert_eq!(refused("[1]"), kind("number", "Operation"));
    assert_eq!(refused("null\n"), Ok(0));
}

#[test]
fn deep_nesting_fits_the_stack_of_a_program() {
    let deep = |leaf: &str| format!("{}{leaf}{}", "{\"a\":".repeat(990), "}".repeat(990));
    let patch = format!(r#"[{{"op": "add", "path": "/b", "value": {}}}]"#, deep("1"));
    let check = move || assert!(apply(&deep("2"), &patch).contains("a: 1\n"));
    // Code that is not optimised needs more than the two megabytes of a test's thread.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(check);
    thread.expect("it starts").join().expect("it ends well");
}
