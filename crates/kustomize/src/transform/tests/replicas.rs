//! Counts of replicas.

use expect_test::expect;

use super::{DEPLOYMENT, check};

#[test]
fn replicas_are_made_and_typed() {
    check(
        r##"namePrefix: p-
replicas:
- {name: web, count: 3}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: p-web
            spec:
              replicas: 3
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
fn replicas_need_a_match() {
    check(
        r##"replicas:
- {name: none, count: 3}"##,
        DEPLOYMENT,
        expect![[r##"
            Error: resource with name none does not match a config with the following GVK [Deployment.[noVer].[noGrp] StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]
        "##]],
    );
}
