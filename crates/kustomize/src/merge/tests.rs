//! What kustomize made of our own inputs, and what it cannot tell: where values come from, and how long it takes.

use kelson_yaml::{Dialect, Node, SourceId, Span, Touch, emit, first_document};

use super::{Merged, merge, merge_values};
use crate::fault::Result;
use crate::openapi::Document;
use crate::schema::{Schema, Tables};

fn read(text: &str, source: u32) -> Node {
    let at = Span { source: SourceId(source), start: 0 };
    first_document(text, at, Dialect::V3).expect("it is YAML").expect("it is not empty")
}

fn print(node: &Node) -> String {
    let mut out = String::new();
    match emit::canonical(node, &mut out) {
        Ok(()) => out,
        Err(error) => format!("error: {}\n", error.message),
    }
}

/// Merges and returns the output, or upstream's words.
fn merged(object: &str, patch: &str, schema: &Schema) -> String {
    let mut node = read(object, 1);
    match merge(&mut node, &read(patch, 2), schema, Touch(1)) {
        Ok(Merged::Kept) => print(&node),
        Ok(Merged::Deleted) => "deleted\n".into(),
        Err(fault) => format!("error: {}\n", fault.text.trim_end()),
    }
}

#[track_caller]
fn check(object: &str, patch: &str, expected: &str) {
    assert_eq!(merged(object, patch, &Schema::builtin()), expected, "{object}-----\n{patch}");
}

#[test]
fn results_are_those_of_kustomize() {
    let recorded = include_str!("../../tests/data/merges.txt");
    let mut count = 0;
    for case in recorded.split("===== ").skip(1) {
        let (_title, case) = case.split_once('\n').expect("a title");
        let mut parts = case.split("-----\n");
        let (object, patch, expected) = (parts.next(), parts.next(), parts.next());
        check(object.expect("an object"), patch.expect("a patch"), expected.expect("a result"));
        count += 1;
    }
    assert!(count >= 100, "only {count} cases were found");
}

#[test]
fn values_come_from_where_they_were_written() -> Result<()> {
    let object =
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: b\n  - name: c\n";
    let patch = "spec:\n  containers:\n  - name: a\n    image: d\n  - name: e\n";
    let mut node = read(object, 1);
    merge(&mut node, &read(patch, 2), &Schema::builtin(), Touch(9))?;
    let containers = node.lookup(&["spec", "containers"]).and_then(Node::as_sequence);
    let origin = |index: usize, field: &str| {
        let value = containers?.get(index)?.get(field)?;
        Some((value.text()?, value.span.source.0, value.span.start as usize, value.touch.0))
    };
    let at = |text: &str, word: &str| {
        text.find(word).map(|at| at + word.len() - 1).expect("it is there")
    };
    assert_eq!(origin(0, "name"), Some(("a", 2, at(patch, "name: a"), 9)));
    assert_eq!(origin(0, "image"), Some(("d", 2, at(patch, "image: d"), 9)));
    assert_eq!(origin(1, "name"), Some(("e", 2, at(patch, "name: e"), 9)));
    assert_eq!(origin(2, "name"), Some(("c", 1, at(object, "name: c"), 0)));
    Ok(())
}

#[test]
fn helm_values_grow_at_the_end_and_may_be_replaced() -> Result<()> {
    let merged = |dest, patch| -> Result<Option<String>> {
        let (dest, patch) = (read(dest, 1), read(patch, 2));
        Ok(merge_values(dest, &patch, &Schema::builtin(), Touch(1))?.as_ref().map(print))
    };
    let values = merged("a: {b: 1, l: [1, 2]}\n", "a: {c: 2, l: [3]}\n")?;
    assert_eq!(values.as_deref(), Some("a:\n  b: 1\n  c: 2\n  l:\n  - 3\n"));
    assert_eq!(merged("a: 1\n", "$patch: replace\nb: 2\n")?.as_deref(), Some("b: 2\n"));
    assert_eq!(merged("a: 1\n", "$patch: delete\n")?, None);
    let object = "o: {apiVersion: v1, kind: Pod, spec: {volumes: [{name: a}]}}\n";
    let grown = merged(object, "o: {spec: {volumes: [{name: b}]}}\n")?.unwrap_or_default();
    assert!(grown.ends_with("volumes:\n    - name: a\n    - name: b\n"), "{grown}");
    Ok(())
}

#[test]
fn a_document_of_ones_own_takes_the_place_of_the_tables() {
    let document = r##"
definitions:
  Foo:
    x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Foo}]
    properties:
      spec:
        $ref: "#/definitions/Spec"
  Spec:
    properties:
      items:
        type: array
        items: {$ref: "#/definitions/Item"}
        x-kubernetes-patch-strategy: merge
        x-kubernetes-patch-merge-key: id
      maps:
        type: array
        items: {type: object}
        x-kubernetes-list-map-keys: [id]
      loop: {$ref: "#/definitions/Loop"}
      template: {$ref: "#/definitions/io.k8s.api.core.v1.PodSpec"}
  Item:
    additionalProperties: {$ref: "#/definitions/Spec"}
  Loop: {$ref: "#/definitions/Loop"}
"##;
    let schema = |tables| {
        let root = first_document(document, Span::NONE, Dialect::V2).expect("it is YAML");
        Schema::custom(Document::new(root.expect("it is not empty")), tables)
    };
    let foo = |spec: &str| format!("apiVersion: example.com/v1\nkind: Foo\nspec: {spec}\n");
    let check = |object: &str, patch: &str, tables, expected: &str| {
        let actual = merged(&foo(object), &foo(patch), &schema(tables));
        assert_eq!(actual.split_once("spec:\n").map(|(_, spec)| spec), Some(expected));
    };
    let items = "{items: [{id: a, n: {items: [{id: x}]}}]}";
    let expected =
        "  items:\n  - id: a\n    \"n\":\n      items:\n      - id: \"y\"\n      - id: x\n";
    check(items, "{items: [{id: a, n: {items: [{id: y}]}}]}", Tables::Dropped, expected);
    check("{maps: [{id: a}]}", "{maps: [{id: b}]}", Tables::Dropped, "  maps:\n  - id: b\n");
    check("{loop: {a: [1]}}", "{loop: {a: [2]}}", Tables::Dropped, "  loop:\n    a:\n    - 2\n");
    let (volumes, other) =
        ("{template: {volumes: [{name: a}]}}", "{template: {volumes: [{name: b}]}}");
    check(volumes, other, Tables::Dropped, "  template:\n    volumes:\n    - name: b\n");
    let both = "  template:\n    volumes:\n    - name: b\n    - name: a\n";
    check(volumes, other, Tables::Below, both);
    check(volumes, other, Tables::Above, both);
    let pod = |name| format!("apiVersion: v1\nkind: Pod\nspec: {{volumes: [{{name: {name}}}]}}\n");
    let replaced = merged(&pod("a"), &pod("b"), &schema(Tables::Dropped));
    assert!(replaced.ends_with("volumes:\n  - name: b\n"), "{replaced}");
}

#[test]
fn long_lists_merge_in_linear_time() {
    // Comparing each element with each would take minutes.
    let service = |count: usize, step: usize| {
        let mut text = String::from("apiVersion: v1\nkind: Service\nspec:\n  ports:\n");
        for port in (0..count).step_by(step) {
            let protocol = ["", ", protocol: TCP", ", protocol: UDP"][port % 3];
            text.push_str(&format!("  - {{port: {port}{protocol}}}\n"));
        }
        text
    };
    let output = merged(&service(30_000, 1), &service(40_000, 3), &Schema::builtin());
    assert_eq!(output.matches("port: ").count(), 30_000 + 3_334);
}

#[test]
fn deep_nesting_fits_the_stack_of_a_program() {
    let deep = |leaf: &str| format!("{}{leaf}{}", "{a: ".repeat(990), "}".repeat(990));
    let check = move || {
        let both = merged(&deep("{b: 1}"), &deep("{c: 2}"), &Schema::builtin());
        assert!(both.contains("b: 1\n") && both.contains("c: 2\n"));
        let added = merged("{}", &deep("{c: 2}"), &Schema::builtin());
        assert!(added.contains("c: 2\n"));
    };
    // Code that is not optimised needs more than the two megabytes of a test's thread.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(check);
    thread.expect("it starts").join().expect("it ends well");
}
