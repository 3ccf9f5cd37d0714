//! The runner's jobs: plan JSON in, result JSON out.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_pipeline::plan::expand;
use kelson_testkit::{Registry, registry};
use serde_json::{Value, json};

use super::built;
use crate::Stage;
use crate::stage::{has_secret, signal};

/// The plan of a deploy, as a runner is given it.
pub(super) fn plan(stage: &Stage) -> Value {
    let state = std::fs::read_to_string(stage.folder.path("state.json")).unwrap();
    let kubeconfig = std::fs::read_to_string(stage.plane.kubeconfig()).unwrap();
    json!({
        "install_id": "inl1",
        "component_id": "cmp1",
        "component_name": "Shop",
        "kubernetes_manifest": {
            "cluster_info": {"id": "c1", "kube_config": kubeconfig},
            "namespace": "{{.nuon.install.id}}",
            "oci_artifact": {"url": stage.real("oci-layout:/here/out"), "tag": "Shop"},
            "state": serde_json::from_str::<Value>(&state).unwrap(),
        },
    })
}

/// Does a job, and returns its exit code and result.
#[track_caller]
pub(super) fn job(stage: &Stage, plan: &Value, words: &str) -> (i32, Value) {
    std::fs::write(stage.folder.path("plan.json"), plan.to_string()).unwrap();
    let step = format!("kelson component deploy --plan plan.json --result result.json {words}");
    let ran = stage.run(&step);
    let text = std::fs::read_to_string(stage.folder.path("result.json")).unwrap();
    assert!(!has_secret(&text), "{text}");
    let result: Value = serde_json::from_str(&text).unwrap();
    for field in ["contents_compressed", "contents_display_compressed"] {
        if let Some(text) = result[field].as_str() {
            let text = expand(text).unwrap();
            assert!(!has_secret(&text), "{text}");
        }
    }
    assert_eq!(result["success"], ran.code == 0, "{}\n{result}", ran.shown());
    (ran.code, result)
}

/// A result for people.
fn shown(stage: &Stage, code: i32, result: &Value) -> String {
    let mut text = String::new();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let steps = result["steps"].as_array().unwrap().iter();
    let steps: Vec<String> =
        steps.map(|step| format!("{} {}", word(&step["step"]), word(&step["status"]))).collect();
    let (operation, status) = (word(&result["operation"]), word(&result["status"]));
    writeln!(text, "{code} {operation} {status} noop={}", result["noop"]).unwrap();
    writeln!(text, "{}", steps.join(", ")).unwrap();
    for diff in result["outputs"]["diff"].as_array().unwrap() {
        let (kind, name) = (word(&diff["kind"]), word(&diff["name"]));
        let entries = diff["entries"].as_array().unwrap().len();
        let (op, sort, dry_run) = (word(&diff["op"]), &diff["type"], &diff["dry_run"]);
        writeln!(text, "{op} {sort} {kind}/{name} ({entries} entries, dry run {dry_run})").unwrap();
    }
    for field in ["applied", "ready", "warnings", "error"] {
        if !result[field].is_null() {
            writeln!(text, "{field}: {}", result[field]).unwrap();
        }
    }
    stage.normal(&text)
}

/// Operations one after the other; each has what the one before it wants approved.
#[track_caller]
fn check(stage: &Stage, operations: &[&str], expected: Expect) {
    let mut plan = plan(stage);
    let mut text = String::new();
    for operation in operations {
        let (code, result) = job(stage, &plan, &format!("--operation {operation}"));
        text.push_str(&shown(stage, code, &result));
        plan["apply_plan_contents"] = result["contents_compressed"].clone();
        if plan["apply_plan_contents"].is_null() {
            plan["apply_plan_contents"] = "".into();
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn every_operation_does_its_part() {
    let stage = built();
    check(
        &stage,
        &[
            "create-apply-plan",
            "apply-plan",
            "create-apply-plan",
            "apply-plan",
            "create-teardown-plan",
            "apply-plan",
            "create-teardown-plan",
            "exec",
        ],
        expect![[r#"
            0 create-apply-plan finished noop=false
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            apply 2 ConfigMap/settings (7 entries, dry run true)
            apply 2 Secret/password (5 entries, dry run true)
            apply 2 Deployment/web (10 entries, dry run true)
            0 apply-plan finished noop=false
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            apply 2 ConfigMap/settings (7 entries, dry run true)
            apply 2 Secret/password (5 entries, dry run true)
            apply 2 Deployment/web (10 entries, dry run true)
            applied: {"changed":0,"created":3,"deleted":0,"failed":0,"kept":0,"recreated":0,"released":0,"skipped":0,"unchanged":0}
            0 create-apply-plan finished noop=true
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            apply 0 ConfigMap/settings (0 entries, dry run null)
            apply 0 Secret/password (0 entries, dry run null)
            apply 0 Deployment/web (0 entries, dry run null)
            0 apply-plan finished noop=true
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            apply 0 ConfigMap/settings (0 entries, dry run null)
            apply 0 Secret/password (0 entries, dry run null)
            apply 0 Deployment/web (0 entries, dry run null)
            applied: {"changed":0,"created":0,"deleted":0,"failed":0,"kept":0,"recreated":0,"released":0,"skipped":0,"unchanged":3}
            0 create-teardown-plan finished noop=false
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            delete 1 Deployment/web (0 entries, dry run true)
            delete 1 Secret/password (0 entries, dry run true)
            delete 1 ConfigMap/settings (0 entries, dry run true)
            0 apply-plan finished noop=false
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            delete 1 Deployment/web (0 entries, dry run true)
            delete 1 Secret/password (0 entries, dry run true)
            delete 1 ConfigMap/settings (0 entries, dry run true)
            applied: {"changed":0,"created":0,"deleted":3,"failed":0,"kept":0,"recreated":0,"released":0,"skipped":0,"unchanged":0}
            0 create-teardown-plan finished noop=true
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            warnings: ["nothing is delivered as the-namespace/shop"]
            0 exec finished noop=false
            reset finished, fetch finished, validate finished, initialize finished, exec finished, outputs finished, cleanup finished
            apply 2 ConfigMap/settings (7 entries, dry run true)
            apply 2 Secret/password (5 entries, dry run true)
            apply 2 Deployment/web (10 entries, dry run true)
            applied: {"changed":0,"created":3,"deleted":0,"failed":0,"kept":0,"recreated":0,"released":0,"skipped":0,"unchanged":0}
        "#]],
    );
}

#[test]
fn the_contents_are_in_the_form_that_approvers_know() {
    let stage = built();
    let (_, result) = job(&stage, &plan(&stage), "--operation create-apply-plan");
    let contents: Value =
        serde_json::from_str(&expand(result["contents_compressed"].as_str().unwrap()).unwrap())
            .unwrap();
    assert_eq!(contents["op"], "apply");
    let file: Value = serde_json::from_str(contents["plan"].as_str().unwrap()).unwrap();
    assert_eq!(file["schema"], "kelson.dev/plan/v1");
    let digest = result["oci_artifact"]["digest"].as_str().unwrap();
    assert!(file["request"]["reference"].as_str().unwrap().ends_with(&format!("@{digest}")));
    let display: Value = serde_json::from_str(
        &expand(result["contents_display_compressed"].as_str().unwrap()).unwrap(),
    )
    .unwrap();
    assert_eq!(display["k8s_content_diff"], contents["k8s_content_diff"]);
    let diffs = contents["k8s_content_diff"].as_array().unwrap();
    let secret = diffs.iter().find(|diff| diff["kind"] == "Secret").unwrap();
    let map = diffs.iter().find(|diff| diff["kind"] == "ConfigMap").unwrap();
    let text = |value: &Value| stage.normal(&serde_json::to_string_pretty(value).unwrap()) + "\n";
    expect![[r#"
        {
          "_version": "2",
          "api": "v1",
          "dry_run": true,
          "entries": [
            {
              "applied": "fast",
              "path": "data.mode",
              "type": 2
            },
            {
              "applied": "org1",
              "path": "data.owner",
              "type": 2
            },
            {
              "applied": "2",
              "path": "data.replicas",
              "type": 2
            },
            {
              "applied": "shop",
              "path": "metadata.labels[kelson.dev/name]",
              "type": 2
            },
            {
              "applied": "the-namespace",
              "path": "metadata.labels[kelson.dev/namespace]",
              "type": 2
            },
            {
              "applied": "cmp1",
              "path": "metadata.labels[nuon.co/component-id]",
              "type": 2
            },
            {
              "applied": "inl1",
              "path": "metadata.labels[nuon.co/install-id]",
              "type": 2
            }
          ],
          "kind": "ConfigMap",
          "name": "settings",
          "namespace": "the-namespace",
          "op": "apply",
          "resource": "configmaps",
          "type": 2
        }
    "#]]
    .assert_eq(&text(map));
    expect![[r#"
        {
          "_version": "2",
          "api": "v1",
          "dry_run": true,
          "entries": [
            {
              "applied": "***(<hash>)",
              "path": "data.password",
              "type": 2
            },
            {
              "applied": "shop",
              "path": "metadata.labels[kelson.dev/name]",
              "type": 2
            },
            {
              "applied": "the-namespace",
              "path": "metadata.labels[kelson.dev/namespace]",
              "type": 2
            },
            {
              "applied": "cmp1",
              "path": "metadata.labels[nuon.co/component-id]",
              "type": 2
            },
            {
              "applied": "inl1",
              "path": "metadata.labels[nuon.co/install-id]",
              "type": 2
            }
          ],
          "kind": "Secret",
          "name": "password",
          "namespace": "the-namespace",
          "op": "apply",
          "resource": "secrets",
          "type": 2
        }
    "#]]
    .assert_eq(&text(secret));
    expect![[r#"
        apiVersion: v1
        data:
          mode: fast
          owner: org1
          replicas: "2"
        kind: ConfigMap
        metadata:
          labels:
            kelson.dev/name: shop
            kelson.dev/namespace: the-namespace
            nuon.co/component-id: cmp1
            nuon.co/install-id: inl1
          name: settings
          namespace: the-namespace
        ---
        apiVersion: v1
        data:
          password: '***'
        kind: Secret
        metadata:
          labels:
            kelson.dev/name: shop
            kelson.dev/namespace: the-namespace
            nuon.co/component-id: cmp1
            nuon.co/install-id: inl1
          name: password
          namespace: the-namespace
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          labels:
            kelson.dev/name: shop
            kelson.dev/namespace: the-namespace
            nuon.co/component-id: cmp1
            nuon.co/install-id: inl1
          name: web
          namespace: the-namespace
        spec:
          replicas: 2
          selector:
            matchLabels:
              app: web
          template:
            metadata:
              labels:
                app: web
                fate: ready
            spec:
              containers:
              - image: registry.example/web:v1
                name: web
    "#]]
    .assert_eq(&stage.normal(contents["dry_run_output"].as_str().unwrap()));
}

#[test]
fn what_was_approved_binds() {
    let stage = built();
    let mut plan = plan(&stage);
    let (_, planned) = job(&stage, &plan, "--operation create-apply-plan");
    plan["apply_plan_contents"] = planned["contents_compressed"].clone();
    // Another object in the way, another value, another cluster's namespace: each is refused, and nothing is done.
    stage.kubectl("create configmap settings --from-literal mode=own").unwrap();
    let (code, result) = job(&stage, &plan, "--operation apply-plan");
    expect![[r#"
        4 apply-plan failed noop=false
        reset finished, fetch finished, validate finished, initialize finished, exec failed, outputs not-attempted, cleanup finished
        error: "the ground has moved since this plan was made: ConfigMap/the-namespace/settings exists now, and did not when the plan was made"
    "#]].assert_eq(&shown(&stage, code, &result));
    stage.kubectl("delete configmap settings").unwrap();
    let mut other = plan.clone();
    other["kubernetes_manifest"]["state"]["inputs"]["replicas"] = 3.into();
    let (code, result) = job(&stage, &other, "--operation apply-plan");
    expect![[r#"
        4 apply-plan failed noop=false
        reset finished, fetch finished, validate finished, initialize finished, exec failed, outputs not-attempted, cleanup finished
        error: "the ground has moved since this plan was made: the plan is for another artifact: sha256:<digest>, not sha256:<digest>; ConfigMap/the-namespace/settings would be changed in another way than the plan shows; Deployment/the-namespace/web would be changed in another way than the plan shows"
    "#]].assert_eq(&shown(&stage, code, &result));
    // A tag that was moved changes nothing: the plan knows the digest.
    assert_eq!(stage.run("kelson component build v2.toml --to oci-layout:out").code, 0);
    let (code, result) = job(&stage, &plan, "--operation apply-plan");
    assert_eq!((code, &result["status"]), (0, &json!("finished")), "{result}");
    let mode = stage.kubectl("get configmap settings -o jsonpath={.data.mode}").unwrap();
    assert_eq!(mode, "fast");
}

#[test]
fn objects_are_labelled_with_the_ids_of_the_plan() {
    let stage = built();
    let (code, result) = job(&stage, &plan(&stage), "--operation exec --no-wait");
    assert_eq!(code, 0, "{result}");
    let labels = stage.kubectl("get configmap settings -o jsonpath={.metadata.labels}").unwrap();
    let labels: Value = serde_json::from_str(&labels).unwrap();
    assert_eq!(labels["nuon.co/install-id"], "inl1");
    assert_eq!(labels["nuon.co/component-id"], "cmp1");
    assert_eq!(labels["kelson.dev/name"], "shop");
}

#[test]
fn an_artifact_comes_from_a_registry_with_the_credentials_of_the_plan() {
    let stage = built();
    let options = registry::Options { auth: registry::Auth::Basic, tls: registry::Tls::Off };
    let registry = Registry::start(options).unwrap();
    let place = format!("oci://{}/shop", registry.address());
    let creds = format!("{}:{}", registry::USER, registry::PASSWORD);
    let line = format!("kelson component build shop.toml --to {place}:v1 --creds {creds}");
    assert_eq!(stage.run(&line).code, 0);
    let mut plan = plan(&stage);
    plan["src_registry"] = json!({
        "registry_type": "private_oci", "repository": "shop", "login_server": registry.address().to_string(),
        "username": registry::USER, "password": registry::PASSWORD,
    });
    plan["src_tag"] = "v1".into();
    plan["kubernetes_manifest"]["oci_artifact"] = Value::Null;
    let (code, result) = job(&stage, &plan, "--operation exec --no-wait");
    assert_eq!(code, 0, "{result}");
    assert_eq!(result["oci_artifact"]["url"], place.as_str());
    assert!(!result.to_string().contains(registry::PASSWORD));
}

#[test]
fn a_plan_that_was_written_down_is_a_plan_that_can_be_done() {
    let stage = built();
    let line = format!("kelson component plan {} --emit-plan plan.json", super::SHOP);
    assert_eq!(stage.run(&line).code, 0);
    let text = std::fs::read_to_string(stage.folder.path("plan.json")).unwrap();
    let mut emitted: Value = serde_json::from_str(&text).unwrap();
    let kubeconfig = std::fs::read_to_string(stage.plane.kubeconfig()).unwrap();
    emitted["kubernetes_manifest"]["cluster_info"] = json!({"kube_config": kubeconfig});
    let (code, result) =
        job(&stage, &json!({"deploy_plan": emitted}), "--operation exec --no-wait");
    assert_eq!(code, 0, "{result}");
}

#[test]
fn a_deadline_ends_a_job_and_is_told() {
    let stage = built();
    let (code, result) =
        job(&stage, &plan(&stage), "--operation create-apply-plan --deploy-timeout 1ms");
    let text = shown(&stage, code, &result);
    assert!(text.contains("timed-out") && text.contains("cleanup finished"), "{text}");
    assert!(text.contains("it took more than 1ms"), "{text}");
}

#[test]
fn whoever_has_had_enough_of_a_deploy_is_told_how_it_stands() {
    let stage = built();
    let mut plan = plan(&stage);
    plan["kubernetes_manifest"]["state"]["inputs"]["fate"] = "none".into();
    std::fs::write(stage.folder.path("plan.json"), plan.to_string()).unwrap();
    let child = stage.start(
        "kelson component deploy --plan plan.json --result result.json --operation exec --timeout 10m",
    );
    stage.until("get replicasets -o name", |names| names.starts_with("replicaset"));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = std::fs::read_to_string(stage.folder.path("result.json")).unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["status"], "cancelled", "{result}");
    let status = |step: usize| result["steps"][step]["status"].as_str().unwrap_or_default();
    assert_eq!([status(4), status(5), status(6)], ["cancelled", "not-attempted", "finished"]);
}

#[test]
fn a_cluster_is_reached_by_its_address_with_a_token_of_the_caller() {
    let stage = built();
    let kubeconfig = std::fs::read_to_string(stage.plane.kubeconfig()).unwrap();
    let field = |name: &str| {
        let line = kubeconfig.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap();
        line.trim().trim_matches('"').to_owned()
    };
    let mut plan = plan(&stage);
    plan["kubernetes_manifest"]["cluster_info"] = json!({
        "endpoint": field("server:"), "ca_data": field("certificate-authority-data:"),
    });
    let token = field("token:");
    let (code, result) =
        job(&stage, &plan, &format!("--operation create-apply-plan --token {token}"));
    assert_eq!(code, 0, "{result}");
    assert!(!result.to_string().contains(&token));
}
