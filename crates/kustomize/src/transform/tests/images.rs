//! Names, tags and digests of images.

use expect_test::expect;

use super::{DEPLOYMENT, check};

#[test]
fn tag_suffix_is_put_twice_where_both_passes_reach() {
    check(
        r##"images:
- {name: nginx, tagSuffix: -x}"##,
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
apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: "nginx:1"}]}}}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {containers: [{image: "nginx:1"}]}
"##,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: nginx:1-x-x
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
            ---
            apiVersion: batch/v1
            kind: CronJob
            metadata:
              name: c
            spec:
              jobTemplate:
                spec:
                  template:
                    spec:
                      containers:
                      - image: nginx:1-x
            ---
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: crd
            spec:
              containers:
              - image: nginx:1
        "##]],
    );
}

#[test]
fn images_change_name_tag_and_digest() {
    check(
        r##"images:
- {name: nginx, newName: other, newTag: "2"}
- {name: "reg:5000/tool", newTag: v1}
- {name: other, digest: "sha256:dd"}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: other@sha256:dd
                    name: main
                  initContainers:
                  - image: reg:5000/tool:v1
                    name: init
        "##]],
    );
}

#[test]
fn images_turn_null_lists_into_empty_ones() {
    check(
        r##"images:
- {name: nginx, newTag: "2"}"##,
        r##"apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: null, initContainers: ~, volumes:
}
"##,
        expect![[r##"
            apiVersion: v1
            kind: Pod
            metadata:
              name: p
            spec:
              containers: []
              initContainers: []
              volumes: []
        "##]],
    );
}

#[test]
fn images_refuse_containers_that_are_no_mappings() {
    check(
        r##"images:
- {name: nginx, newTag: "2"}"##,
        r##"apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [nginx]}
"##,
        expect![[r##"
            Error: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            nginx
        "##]],
    );
}
