//! Values copied from one field to others.

use expect_test::expect;

use super::{DEPLOYMENT, FOO, check};

#[test]
fn a_copied_text_takes_the_type_of_its_new_place() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.number}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.word, spec.new]
    options: {create: true}
- source: {kind: Foo, fieldPath: spec.text}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.number, spec.newer]
    options: {create: true}"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              map:
                k: v
              new: 80
              newer: 80
              number: 80
              text: "80"
              word: "80"
        "##]],
    );
}

#[test]
fn a_map_is_copied_whole_or_not_at_all() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.map}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.items, spec.word]"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
                k: v
              map:
                k: v
              number: 80
              text: "80"
              word: ""
        "##]],
    );
}

#[test]
fn values_in_brackets_match_anywhere() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: F.*}
    fieldPaths: ["spec.items.[name=one].value"]"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 7
              - name: one-two
                value: 7
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn items_are_made_from_their_description() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {name: foo}
    fieldPaths: ["spec.items.[name=new].value", spec.list.0.a, spec.items.3]
    options: {create: true}"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              - name: new
                value: x
              - x
              list:
              - a: x
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn parts_of_a_text_are_replaced() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: metadata.annotations.a, options: {delimiter: /, index: 1}}
  targets:
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.b]
    options: {delimiter: ":", index: 1}
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.c]
    options: {delimiter: ":", index: -1}
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.d]
    options: {delimiter: ":", index: 9}"##,
        r##"apiVersion: example.com/v1
kind: Foo
metadata:
  name: foo
  annotations: {a: x/y/z, b: "1:2:3", c: "1:2", d: "1"}
spec:
  number: 80
  text: "80"
  word: abc
  map: {k: v}
  items:
  - name: one
    value: 1
  - name: one-two
    value: 2
"##,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              annotations:
                a: x/y/z
                b: 1:y:3
                c: y:1:2
                d: 1:y
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn texts_that_hold_yaml_or_json_are_edited_inside() {
    check(
        r##"replacements:
- sourceValue: "<new>"
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: ["data.[a.json].b.c", "data.[p.json].x.0", "data.[y.yaml].k.[name=n].v"]"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  a.json: '{"z":1,"b":{"c":"old"}}'
  p.json: |
    {
      "x": [1, {}], "e": []
    }
  y.yaml: |
    k:
      - name: n
        v: "old"
      - name: m
"##,
        expect![[r##"
            apiVersion: v1
            data:
              a.json: '{"b":{"c":"\u003cnew\u003e"},"z":1}'
              p.json: |
                {
                  "x": [1, {}], "e": []
                }
              y.yaml: |-
                k:
                - name: n
                  v: "<new>"
                - name: m
            kind: ConfigMap
            metadata:
              name: c
        "##]],
    );
}

#[test]
fn rejected_objects_are_left_alone() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {kind: ConfigMap}
    reject:
    - {name: b}
    - {labelSelector: "app in (c,d)"}
    fieldPaths: [data.k]"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {app: a}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {app: b}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, labels: {app: c}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d, labels: {app: d}}
data: {k: v}
"##,
        expect![[r##"
            apiVersion: v1
            data:
              k: x
            kind: ConfigMap
            metadata:
              labels:
                app: a
              name: a
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: b
              name: b
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: c
              name: c
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: d
              name: d
        "##]],
    );
}

#[test]
fn a_source_must_select_one_object() {
    check(
        r##"replacements:
- source: {kind: ConfigMap}
  targets:
  - select: {kind: ConfigMap}"##,
        DEPLOYMENT,
        expect![[r##"
            Error: nothing selected by ConfigMap.[noVer].[noGrp]/[noName].[noNs]
        "##]],
    );
}

#[test]
fn a_source_must_not_select_two() {
    check(
        r##"replacements:
- source: {version: v1, fieldPath: x.y, options: {delimiter: "-", index: 2}}
  targets:
  - select: {kind: ConfigMap}"##,
        r##"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: main
        image: nginx:1
      initContainers:
      - name: init
        image: reg:5000/tool@sha256:ab
---
apiVersion: example.com/v1
kind: Foo
metadata:
  name: foo
spec:
  number: 80
  text: "80"
  word: abc
  map: {k: v}
  items:
  - name: one
    value: 1
  - name: one-two
    value: 2
"##,
        expect![[r##"
            Error: multiple matches for selector [noKind].v1.[noGrp]/[noName].[noNs]:x.y:-(2), create=false
        "##]],
    );
}

#[test]
fn a_source_field_must_be_there() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.nope}
  targets:
  - select: {kind: Foo}"##,
        FOO,
        expect![[r##"
            Error: fieldPath `spec.nope` is missing for replacement source Foo.[noVer].[noGrp]/[noName].[noNs]
        "##]],
    );
}

#[test]
fn a_target_field_must_be_there() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.nope.x]"##,
        FOO,
        expect![[r##"
            Error: unable to find field "spec.nope.x" in replacement target
        "##]],
    );
}

#[test]
fn a_target_must_select() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - fieldPaths: [spec.nope.x]"##,
        FOO,
        expect![[r##"
            Error: target must specify resources to select
        "##]],
    );
}

#[test]
fn a_bad_pattern_is_named() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {name: "a(b"}"##,
        FOO,
        expect![[r##"
            Error: error creating target selector: error parsing regexp: missing closing ): `^(?:a(b)$`
        "##]],
    );
}

#[test]
fn a_bad_label_selector_is_named() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {labelSelector: "a in b"}"##,
        FOO,
        expect![[r##"
            Error: unable to parse requirement: found 'b' expected: '('
        "##]],
    );
}

#[test]
fn a_path_below_a_text_is_refused() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.word.x]"##,
        FOO,
        expect![[r##"
            Error: unable to find field "spec.word.x" in replacement target: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            abc
        "##]],
    );
}
