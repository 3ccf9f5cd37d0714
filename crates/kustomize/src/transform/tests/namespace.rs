//! Namespaces of objects and of what names them.

use expect_test::expect;

use super::check;

#[test]
fn namespace_is_set_where_objects_have_one() {
    check(
        r##"namespace: "123""##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: old}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: c}
---
apiVersion: v1
kind: Namespace
metadata: {name: ns}
---
apiVersion: example.com/v1
kind: Namespace
metadata: {name: mine, namespace: ~}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {conversion: {webhook: {clientConfig: {service: {namespace: old}}}}}
"##,
        expect![[r##"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: a
              namespace: "123"
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata:
              name: c
            ---
            apiVersion: v1
            kind: Namespace
            metadata:
              name: "123"
            ---
            apiVersion: example.com/v1
            kind: Namespace
            metadata:
              name: mine
              namespace: "123"
            ---
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: crd
            spec:
              conversion:
                webhook:
                  clientConfig:
                    service:
                      namespace: "123"
        "##]],
    );
}

#[test]
fn namespace_reaches_subjects_named_default() {
    check(
        r##"namespace: ns"##,
        r##"apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: other}
- {kind: Group, name: default, namespace: old}
"##,
        expect![[r##"
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata:
              name: b
              namespace: ns
            subjects:
            - kind: ServiceAccount
              name: default
              namespace: ns
            - kind: ServiceAccount
              name: other
            - kind: Group
              name: default
              namespace: ns
        "##]],
    );
}

#[test]
fn namespace_refuses_subjects_that_are_no_mappings() {
    check(
        r##"namespace: ns"##,
        r##"apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
subjects: [default]
"##,
        expect![[r##"
            Error: setting namespace on (cluster)role binding subjects: looking up name on (cluster)role binding subject: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            default
        "##]],
    );
}
