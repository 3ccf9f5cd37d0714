//! Prefixes and suffixes of names.

use expect_test::expect;

use super::check;

#[test]
fn names_are_typed_anew_by_prefix_and_suffix() {
    check(
        r##"namePrefix: "1"
nameSuffix: "1""##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: e}
---
apiVersion: v1
kind: Secret
metadata: {name: "e"}
---
apiVersion: v1
kind: Secret
metadata: {name: 23}
---
apiVersion: v1
kind: Namespace
metadata: {name: kept}
"##,
        expect![[r##"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: 10
            ---
            apiVersion: v1
            kind: Secret
            metadata:
              name: "1e1"
            ---
            apiVersion: v1
            kind: Secret
            metadata:
              name: 1231
            ---
            apiVersion: v1
            kind: Namespace
            metadata:
              name: kept
        "##]],
    );
}
