//! Plans, states and values that nobody should write.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_pipeline::plan::compress;
use serde_json::{Value, json};

use super::runner::{job, plan};
use super::{FILES, built};
use crate::Stage;

/// What is said of plans with one thing changed in each.
#[track_caller]
fn check(operation: &str, changes: &[(&str, Value)], expected: Expect) {
    let stage = built();
    let mut text = String::new();
    for (pointer, value) in changes {
        let mut plan = plan(&stage);
        set(&mut plan, pointer, value.clone());
        let (code, result) = job(&stage, &plan, &format!("--operation {operation}"));
        let shown = &result["error"].as_str().unwrap_or("-");
        writeln!(text, "{pointer}: {code} {} {shown}", result["status"]).unwrap();
        for warning in result["warnings"].as_array().into_iter().flatten() {
            writeln!(text, "  warning: {}", warning.as_str().unwrap()).unwrap();
        }
    }
    expected.assert_eq(&stage.normal(&text));
}

/// Sets a value at a JSON pointer, made where it is missing.
fn set(plan: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = plan.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value.is_null() {
        true => parent.remove(key),
        false => parent.insert(key.to_owned(), value),
    };
}

#[test]
fn a_plan_that_lacks_something_is_refused_by_name() {
    check(
        "create-apply-plan",
        &[
            ("/kubernetes_manifest", Value::Null),
            ("/kubernetes_manifest/oci_artifact", Value::Null),
            ("/kubernetes_manifest/oci_artifact", json!({"url": "oci-layout:x"})),
            ("/kubernetes_manifest/oci_artifact", json!({"tag": "v1"})),
            ("/kubernetes_manifest/namespace", Value::Null),
            ("/kubernetes_manifest/namespace", json!("Not A Namespace")),
            ("/kubernetes_manifest/cluster_info", Value::Null),
            ("/kubernetes_manifest/cluster_info", json!({"id": "c1"})),
            ("/kubernetes_manifest/cluster_info", json!({"kube_config": "token: hunter2: ["})),
            ("/kubernetes_manifest/cluster_info", json!({"kube_config": "{}"})),
            ("/kubernetes_manifest/cluster_info", json!({"endpoint": "not an address"})),
            ("/kubernetes_manifest/aws_auth", json!({"region": "x"})),
            ("/component_name", json!("--")),
            ("/install_id", json!("a b")),
            ("/sandbox_mode", json!({"enabled": true})),
        ],
        expect![[r#"
            /kubernetes_manifest: 1 "failed" kubernetes_manifest is required
            /kubernetes_manifest/oci_artifact: 1 "failed" OCI artifact reference is required - this indicates a build phase issue
            /kubernetes_manifest/oci_artifact: 1 "failed" kubernetes_manifest.oci_artifact requires either tag or digest
            /kubernetes_manifest/oci_artifact: 1 "failed" kubernetes_manifest.oci_artifact.url is required
            /kubernetes_manifest/namespace: 1 "failed" kubernetes_manifest.namespace is required
            /kubernetes_manifest/namespace: 1 "failed" `Not A Namespace` cannot be the namespace of a delivery: it has 1 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends
            /kubernetes_manifest/cluster_info: 1 "failed" kubernetes_manifest.cluster_info is required, or name the cluster with --kubeconfig
            /kubernetes_manifest/cluster_info: 1 "failed" kubernetes_manifest.cluster_info has neither kube_config nor endpoint: give one of them, or name the cluster with --kubeconfig
            /kubernetes_manifest/cluster_info: 1 "failed" cannot tell which cluster is meant: the kubeconfig that was given is not written as one
            /kubernetes_manifest/cluster_info: 1 "failed" cannot tell which cluster is meant: the kubeconfig that was given has no clusters, users or contexts
            /kubernetes_manifest/cluster_info: 1 "failed" cannot tell which cluster is meant: `not an address` is no address of an API server, such as https://cluster.example:6443
            /kubernetes_manifest/aws_auth: 1 "failed" kubernetes_manifest.aws_auth is not understood: give a cluster_info.kube_config that logs in by itself, or name the cluster with --kubeconfig
            /component_name: 1 "failed" component_name `--` has no letter for a delivery's name: give one with --name
            /install_id: 1 "failed" install_id cannot be the value of the label `nuon.co/install-id`: it has at most 63 letters, digits and `-_.`, with a letter or digit at both ends
            /sandbox_mode: 1 "failed" `sandbox_mode` asks for answers without work, which are not given here
        "#]],
    );
}

#[test]
fn what_a_plan_says_beyond_what_is_known_is_a_warning() {
    check(
        "create-apply-plan",
        &[
            ("/something_new", json!({"a": 1})),
            ("/kubernetes_manifest/later", json!(true)),
            ("/kubernetes_manifest/cluster_info/more", json!([])),
            ("/kubernetes_manifest/manifest", json!("kind: Nothing")),
        ],
        expect![[r#"
            /something_new: 0 "finished" -
              warning: the plan's field `something_new` is not known here
            /kubernetes_manifest/later: 0 "finished" -
              warning: the plan's field `kubernetes_manifest.later` is not known here
            /kubernetes_manifest/cluster_info/more: 0 "finished" -
              warning: the plan's field `kubernetes_manifest.cluster_info.more` is not known here
            /kubernetes_manifest/manifest: 0 "finished" -
              warning: the plan's `kubernetes_manifest.manifest` is passed over: the artifact has the manifests
        "#]],
    );
}

#[test]
fn what_was_not_approved_here_is_refused() {
    let bomb = compress(&" ".repeat((64 << 20) + 1));
    check(
        "apply-plan",
        &[
            ("/apply_plan_contents", Value::Null),
            ("/apply_plan_contents", json!("%%%")),
            ("/apply_plan_contents", json!("aGVsbG8=")),
            ("/apply_plan_contents", json!(bomb)),
            ("/apply_plan_contents", json!(compress("[]"))),
            ("/apply_plan_contents", json!(compress(r#"{"plan": "", "op": "apply"}"#))),
            (
                "/apply_plan_contents",
                json!(compress(
                    r#"{"plan": "{\"schema\": \"kelson.dev/plan/v9\"}", "op": "apply"}"#
                )),
            ),
            (
                "/apply_plan_contents",
                json!(compress(r#"{"k8s_content_diff": [{"_version": "9"}], "op": "apply"}"#)),
            ),
        ],
        expect![[r#"
            /apply_plan_contents: 1 "failed" apply_plan_contents is required: there is nothing that was approved
            /apply_plan_contents: 1 "failed" apply_plan_contents is not base64
            /apply_plan_contents: 1 "failed" apply_plan_contents is not gzip
            /apply_plan_contents: 1 "failed" apply_plan_contents expands to more than 64 MiB
            /apply_plan_contents: 1 "failed" apply_plan_contents has no plan in it: it is a list, and an object is expected
            /apply_plan_contents: 1 "failed" apply_plan_contents was not made by kelson: its `plan` is no plan file; make it with the operation create-apply-plan
            /apply_plan_contents: 1 "failed" apply_plan_contents cannot be used: this is no plan that can be applied: its schema is `kelson.dev/plan/v9`, and this version of kelson knows `kelson.dev/plan/v1`: a later version wrote it, use that one
            /apply_plan_contents: 1 "failed" apply_plan_contents has a diff of version `9`, and only `2` is known
        "#]],
    );
}

#[test]
fn files_that_are_no_plans_are_refused_without_quoting_them() {
    let files = format!(
        "{FILES}#- list.json\n[1]\n#- wrong.json\n{}\n#- broken.json\n{{\"a\n",
        json!({
            "install_id": "i", "src_registry": {"password": ["hunter2"]}
        })
    );
    let stage = Stage::new(&files);
    stage.check(
        &[
            "kelson component deploy --plan list.json",
            "kelson component deploy --plan wrong.json",
            "kelson component deploy --plan broken.json",
            "kelson component deploy --plan absent.json",
            "kelson component plan shop.toml --from oci-layout:out --state broken.json",
            "kelson component plan shop.toml --from oci-layout:out --state list.json",
        ],
        expect![[r#"
            $ kelson component deploy --plan list.json
            error: `list.json` is not a plan
            caused by: a plan is an object, not a list
            exit code 1
            $ kelson component deploy --plan wrong.json
            error: `wrong.json` is not a plan
            caused by: `src_registry.password` is a list, and a string is expected
            exit code 1
            $ kelson component deploy --plan broken.json
            error: `broken.json` is not a plan
            caused by: it is not JSON: control character (\u0000-\u001F) found while parsing a string at line 2 column 0
            exit code 1
            $ kelson component deploy --plan absent.json
            error: cannot read `absent.json`
            caused by: No such file or directory (os error 2)
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out --state broken.json
            error: `broken.json` is not JSON (line 2, column 0)
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out --state list.json
            error: Shop: the state is an object, not a list
            exit code 1
        "#]],
    );
}

#[test]
fn no_value_becomes_structure_and_what_is_unfilled_is_named() {
    let files = format!(
        "{FILES}#- hostile.json\n{}\n#- nested.json\n{}\n#- typed.json\n{}\n",
        json!({"org": {"id": "a: b\n  injected: yes"}}),
        json!({"org": {"id": "{{.nuon.install.id}}"}}),
        json!({"inputs": {"replicas": {"count": 2}}}),
    );
    let stage = Stage::new(&files);
    assert_eq!(stage.run("kelson component build shop.toml --to oci-layout:out").code, 0);
    stage.check(
        &[
            "kelson component deploy shop.toml --from oci-layout:out --state state.json --state hostile.json --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson component deploy shop.toml --from oci-layout:out --state state.json --state nested.json --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson component plan shop.toml --from oci-layout:out --state state.json --state typed.json",
            "kelson component plan shop.toml --from oci-layout:out --var nuon.install.id=the-namespace",
            "kelson component plan shop.toml --from oci-layout:out",
            "kelson component plan shop.toml --from oci-layout:out --state state.json --var nuon.inputs.replicas=many",
            "kelson component plan shop.toml --from oci-layout:out --var =x",
        ],
        expect![[r#"
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --state hostile.json --yes
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 3 created
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast","owner":"a: b\n  injected: yes","replicas":"2"}
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --state nested.json --yes
            changed   ConfigMap/the-namespace/settings
            Shop of oci-layout:/here/out@sha256:<digest>: 1 changed, 2 unchanged
            warning: Shop: ConfigMap/settings: `data.owner` was filled with a text that has a place itself; that one is not filled
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast","owner":"{{.nuon.install.id}}","replicas":"2"}
            $ kelson component plan shop.toml --from oci-layout:out --state state.json --state typed.json
            error: Shop: ConfigMap/settings: `data.replicas` (all.yaml:5): the place {{.nuon.inputs.replicas}} stands for an object, and a single value is expected
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out --var nuon.install.id=the-namespace
            error: Shop: ConfigMap/settings: `data.owner` (all.yaml:4): nobody has filled the place {{.nuon.org.id}}: give it with --var nuon.org.id=VALUE, or in the state
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out
            error: Shop: `kubernetes_manifest.namespace`: nobody has filled the place {{.nuon.install.id}}: give it with --var nuon.install.id=VALUE, or in the state
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out --state state.json --var nuon.inputs.replicas=many
            ~ ConfigMap/the-namespace/settings
                data.owner: "{{.nuon.install.id}}" → org1  (owner: kelson)
                data.replicas: "2" → many  (owner: kelson)
            ! Deployment/the-namespace/web: failed to create typed patch object (the-namespace/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string (500)
            1 to change, 1 failing, 1 unchanged
            error: Shop: Deployment/the-namespace/web: failed to create typed patch object (the-namespace/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string (500)
            exit code 1
            $ kelson component plan shop.toml --from oci-layout:out --var =x
            error: Shop: `` is not the way to a value, such as nuon.install.id
            exit code 1
        "#]],
    );
}
