//! Faults, as the API server words them; `tests/definitions.rs` holds the same cases against a real one.

use expect_test::expect;
use kelson_yaml::{Dialect, Span, first_document};

use super::*;

#[path = "../../tests/shared/things.rs"]
mod things;

fn node(text: &str) -> Node {
    first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()
}

/// The faults in any order: the server goes through maps at random.
fn sorted(mut lines: Vec<&str>) -> String {
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn what_the_server_would_refuse_is_told_in_its_words() {
    for (rest, expected) in things::CASES {
        let head = "apiVersion: example.com/v1, kind: Thing, metadata: {name: a}";
        let found = faults(&node(&format!("{{{head}, {rest}}}")), &node(things::DEFINITION));
        let found = sorted(found.iter().map(String::as_str).collect());
        assert_eq!(found, sorted(expected.lines().collect()), "{rest}");
    }
}

#[test]
fn metadata_is_known_without_a_schema() {
    let resource = node(
        "{apiVersion: example.com/v1, kind: Thing, spec: {size: 1},
          metadata: {name: a, labels: {a: 1, b: x}, annotations: [], other: 1}}",
    );
    let expected = expect![[r#"
        metadata.annotations: expected map, got list
        metadata.labels.a: expected string, got integer
        metadata.other: field not declared in schema"#]];
    expected.assert_eq(&faults(&resource, &node(things::DEFINITION)).join("\n"));
}

#[test]
fn a_resource_of_another_version_or_without_a_schema_is_left_to_the_server() {
    let resource = node("{apiVersion: example.com/v2, kind: Thing, metadata: {name: a}, spec: 1}");
    assert!(faults(&resource, &node(things::DEFINITION)).is_empty());
    assert!(faults(&resource, &node("{spec: {versions: [{name: v2}]}}")).is_empty());
    assert!(faults(&resource, &node("{spec: [1]}")).is_empty());
}

#[test]
fn nothing_of_any_depth_or_number_is_too_much() {
    let deep = format!("{{apiVersion: a/v1, spec: {}1{}}}", "[".repeat(900), "]".repeat(900));
    let schema = format!("{}type: string{}", "{type: array, items: ".repeat(400), "}".repeat(400));
    let definition = format!(
        "{{spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{{}}}}}}}}}}}]}}}}",
        schema.trim_start_matches('{').trim_end_matches('}')
    );
    let _ = first_document(&definition, Span::NONE, Dialect::V3)
        .ok()
        .flatten()
        .map(|definition| faults(&node(&deep), &definition));
    let many = (0..1000).map(|number| format!("x{number}: 1")).collect::<Vec<_>>().join(", ");
    let resource =
        format!("{{apiVersion: example.com/v1, kind: Thing, spec: {{size: 1, {many}}}}}");
    assert_eq!(faults(&node(&resource), &node(things::DEFINITION)).len(), MOST);
}
