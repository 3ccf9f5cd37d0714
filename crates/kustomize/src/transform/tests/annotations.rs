//! Annotations.

use expect_test::expect;

use super::{DEPLOYMENT, check};

#[test]
fn annotations_reach_pod_templates() {
    check(
        r##"commonAnnotations: {a: "1", b: "on"}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              annotations:
                a: "1"
                b: "on"
              name: web
            spec:
              template:
                metadata:
                  annotations:
                    a: "1"
                    b: "on"
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
