//! Labels, in metadata, templates and selectors.

use expect_test::expect;

use super::{DEPLOYMENT, check};

#[test]
fn labels_reach_metadata_alone_unless_asked() {
    check(
        r##"labels:
- pairs: {a: "1", b: yes-man}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: "1"
                b: yes-man
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_reach_templates() {
    check(
        r##"labels:
- pairs: {a: on-off}
  includeTemplates: true"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: on-off
              name: web
            spec:
              template:
                metadata:
                  labels:
                    a: on-off
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_reach_selectors_and_their_own_fields() {
    check(
        r##"labels:
- pairs: {a: b}
  includeSelectors: true
  fields:
  - path: spec/extra/labels
    create: true
  - path: spec/none/labels"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: b
              name: web
            spec:
              extra:
                labels:
                  a: b
              selector:
                matchLabels:
                  a: b
              template:
                metadata:
                  labels:
                    a: b
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_overwrite_and_keep_nulls_elsewhere() {
    check(
        r##"commonLabels: {a: b}"##,
        r##"apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: n, labels: {a: 1, c: ~}}
spec:
  podSelector: {matchLabels: null}
  ingress:
  - from:
    - podSelector: {matchLabels: {x: y}}
    - podSelector: {}
"##,
        expect![[r##"
            apiVersion: networking.k8s.io/v1
            kind: NetworkPolicy
            metadata:
              labels:
                a: b
                c: null
              name: "n"
            spec:
              ingress:
              - from:
                - podSelector:
                    matchLabels:
                      a: b
                      x: "y"
                - podSelector: {}
              podSelector:
                matchLabels: null
        "##]],
    );
}

#[test]
fn labels_refuse_what_is_no_mapping() {
    check(
        r##"commonLabels: {a: b}"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: n, labels: text}
"##,
        expect![[r##"
            Error: considering field 'metadata/labels' of object ConfigMap.v1.[noGrp]/n.[noNs]: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            text
        "##]],
    );
}

#[test]
fn labels_refuse_conflicting_fields() {
    check(
        r##"labels:
- pairs: {a: b}
  fields:
  - path: metadata/labels"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: n}
"##,
        expect![[r##"
            Error: failed to merge labels: conflicting fieldspecs
        "##]],
    );
}

#[test]
fn a_label_made_at_several_places_is_one_value() {
    check(
        r##"commonLabels: {app: x}
replacements:
- sourceValue: new
  targets:
  - select: {kind: Deployment}
    fieldPaths: [metadata.labels.app]"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                app: new
              name: web
            spec:
              selector:
                matchLabels:
                  app: new
              template:
                metadata:
                  labels:
                    app: new
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}
