//! What others got wrong, one test each; what was approved and digests are in `runner.rs`, Secrets in all of them.

use expect_test::expect;
use kelson_testkit::{Verdict, Webhook};

use super::runner::{job, plan};
use super::{FILES, SHOP, deployed};
use crate::faults::install;
use crate::{Stage, check};

#[test]
fn what_is_no_longer_in_a_component_is_pruned() {
    let stage = deployed();
    stage.check(
        &[
            "kelson component build v2.toml --to oci-layout:out",
            "kelson component deploy v2.toml --from oci-layout:out --state state.json --yes",
            "kubectl get configmaps,secrets,deployments -l kelson.dev/name=shop -o name",
        ],
        expect![[r#"
            $ kelson component build v2.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (2 objects)
            $ kelson component deploy v2.toml --from oci-layout:out --state state.json --yes
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 2 changed, 1 deleted
            $ kubectl get configmaps,secrets,deployments -l kelson.dev/name=shop -o name
            configmap/settings
            secret/password
        "#]],
    );
}

#[test]
fn fields_of_others_are_taken_and_that_is_told() {
    let stage = deployed();
    std::fs::write(
        stage.folder.path("own.yaml"),
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: own}}",
    )
    .unwrap();
    stage.check(
        &[
            "kubectl apply --server-side --force-conflicts --field-manager other -f /here/own.yaml",
            "kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --field-manager nuon-runner",
            "kubectl get configmap settings -o jsonpath={.data.mode}",
        ],
        expect![[r#"
            $ kubectl apply --server-side --force-conflicts --field-manager other -f /here/own.yaml
            configmap/settings serverside-applied
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --field-manager nuon-runner
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            changed   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 3 changed
            warning: Shop: ConfigMap/the-namespace/settings: `data.mode` is taken from other
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            fast
        "#]],
    );
}

const ROLES: &str = "#- roles.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: some}
rules:
- {apiGroups: ['', coordination.k8s.io], resources: [configmaps, secrets, leases], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: some}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: some}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: the-namespace-eve}]
";

#[test]
fn what_cannot_be_read_is_not_new() {
    let stage = Stage::new(&format!("{FILES}{ROLES}"));
    assert_eq!(stage.run("kelson component build shop.toml --to oci-layout:out").code, 0);
    assert_eq!(stage.run(&format!("kelson component deploy {SHOP} --yes")).code, 0);
    stage.kubectl("apply -f /here/roles.yaml").unwrap();
    stage.until("auth can-i create configmaps --as the-namespace-eve", |text| text.trim() == "yes");
    stage.check(
        &["kelson component plan shop.toml --from oci-layout:out --state state.json --as the-namespace-eve"],
        expect![[r#"
            $ kelson component plan shop.toml --from oci-layout:out --state state.json --as the-namespace-eve
            ! Deployment/the-namespace/web: it cannot be read: deployments.apps "web" is forbidden: User "the-namespace-eve" cannot get resource "deployments" in API group "apps" in the namespace "the-namespace" (403 Forbidden)
            1 failing, 2 unchanged
            error: Shop: Deployment/the-namespace/web: it cannot be read: deployments.apps "web" is forbidden: User "the-namespace-eve" cannot get resource "deployments" in API group "apps" in the namespace "the-namespace" (403 Forbidden)
            exit code 1
        "#]],
    );
}

/// A definition and an object of its kind, which is called like one of the core; a namespace and what is in it; an object
/// of the whole cluster; and an order that could not be applied as it is written.
const ALL_IN_ONE: &str = r#"#- all.toml
name = "all"
type = "kubernetes_manifest"
namespace = "the-namespace"
manifest = """
apiVersion: the-namespace.example/v1
kind: Service
metadata: {name: web}
spec: {size: 3}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: inside, namespace: the-namespace-inner}
---
apiVersion: v1
kind: Namespace
metadata: {name: the-namespace-inner}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: the-namespace-role}
rules: []
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: services.the-namespace.example}
spec:
  group: the-namespace.example
  names: {kind: Service, plural: services, singular: service}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
"""
"#;

#[test]
fn a_first_install_with_definitions_and_namespaces_is_one_step() {
    check(
        ALL_IN_ONE,
        &[
            "kelson component build all.toml --to oci-layout:out",
            "kelson component plan all.toml --from oci-layout:out",
            "kelson component deploy all.toml --from oci-layout:out --yes",
            "kelson component plan all.toml --from oci-layout:out",
            "kelson component teardown all.toml --yes",
            "kelson component teardown all.toml --yes --prune-data",
        ],
        expect![[r#"
            $ kelson component build all.toml --to oci-layout:out
            all: oci-layout:out:all@sha256:<digest> (6 objects)
            $ kelson component plan all.toml --from oci-layout:out
            + CustomResourceDefinition/services.the-namespace.example
            + Namespace/the-namespace-inner
            + ClusterRole/the-namespace-role
            + ConfigMap/the-namespace-inner/inside ?
              + metadata.labels[kelson.dev/name]: all
              + metadata.labels[kelson.dev/namespace]: the-namespace
            + Service/the-namespace/web
            + Service/the-namespace/web ?
              + metadata.labels[kelson.dev/name]: all
              + metadata.labels[kelson.dev/namespace]: the-namespace
              + spec.size: 3
            12 changes hidden as noise (server-defaults: 12); --show-all shows them
            ? is checked by the server when it is applied
            6 to create
            exit code 2
            $ kelson component deploy all.toml --from oci-layout:out --yes
            created   CustomResourceDefinition/services.the-namespace.example
            created   Namespace/the-namespace-inner
            created   ClusterRole/the-namespace-role
            created   ConfigMap/the-namespace-inner/inside
            created   Service/the-namespace/web
            created   Service/the-namespace/web
            all of oci-layout:/here/out@sha256:<digest>: 6 created
            $ kelson component plan all.toml --from oci-layout:out
            nothing to do: 6 objects are as they should be
            $ kelson component teardown all.toml --yes
            failed    CustomResourceDefinition/services.the-namespace.example: all its instances would go with it: `Service/the-namespace/web`; let it go with --prune-data
            deleted   ClusterRole/the-namespace-role
            deleted   ConfigMap/the-namespace-inner/inside
            deleted   Namespace/the-namespace-inner
            deleted   Service/the-namespace/web
            deleted   Service/the-namespace/web
            all: 5 deleted, 1 failed
            exit code 1
            $ kelson component teardown all.toml --yes --prune-data
            deleted   CustomResourceDefinition/services.the-namespace.example
            all: 1 deleted
        "#]],
    );
}

#[test]
fn a_teardown_is_tried_on_the_server_and_can_be_repeated() {
    let stage = deployed();
    let webhook = Webhook::start(|request| match request["operation"].as_str() {
        Some("DELETE") => Verdict::Deny("this map stays".to_owned()),
        _ if request["name"] == "probe" => Verdict::Deny("heard".to_owned()),
        _ => Verdict::Allow,
    })
    .unwrap();
    install(&stage, "Validating", &webhook.client_config(), "configmaps", "Fail");
    let (code, result) = job(&stage, &plan(&stage), "--operation create-teardown-plan");
    assert_eq!(code, 1);
    let error = stage.normal(result["error"].as_str().unwrap());
    expect![[r#"ConfigMap/the-namespace/settings: admission webhook "test.kelson.dev" denied the request: this map stays (403)"#]].assert_eq(&error);
    assert_eq!(result["contents_compressed"], serde_json::Value::Null);
    // Nothing of it was carried out.
    let names = stage.kubectl("get configmaps,secrets -l kelson.dev/name -o name").unwrap();
    assert_eq!(names, "configmap/settings\nsecret/password\n");
    // What somebody else has deleted is gone, which is all that is wanted.
    stage.kubectl("delete secret password").unwrap();
    let ran = stage.run("kelson component teardown shop.toml --state state.json --yes");
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.shown().contains("this map stays"), "{}", ran.shown());
}

#[test]
fn a_digest_decides_over_a_tag_and_a_changed_secret_shows_as_changed() {
    let stage = deployed();
    let mut plan = plan(&stage);
    let (_, first) = job(&stage, &plan, "--operation create-apply-plan");
    assert_eq!(stage.run("kelson component build v2.toml --to oci-layout:out").code, 0);
    let (_, moved) = job(&stage, &plan, "--operation create-apply-plan");
    let diffs = moved["outputs"]["diff"].as_array().unwrap().iter();
    let secret = diffs.clone().find(|diff| diff["kind"] == "Secret").unwrap();
    let entries = secret["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["path"] == "data.password").unwrap();
    assert_eq!((&secret["type"], &entry["type"]), (&3.into(), &3.into()), "{secret}");
    assert_ne!(entry["original"], entry["applied"]);
    assert!(entry["applied"].as_str().unwrap().starts_with("***("), "{entry}");
    let digest = &first["oci_artifact"]["digest"];
    assert_ne!(*digest, moved["oci_artifact"]["digest"]);
    plan["kubernetes_manifest"]["oci_artifact"]["digest"] = digest.clone();
    let (_, pinned) = job(&stage, &plan, "--operation create-apply-plan");
    assert_eq!(pinned["oci_artifact"]["digest"], *digest);
    assert_eq!(pinned["outputs"], first["outputs"]);
}

#[test]
fn a_namespace_that_is_missing_is_made_and_goes_with_the_component() {
    let files = FILES.replace("{{.nuon.install.id}}", "{{.nuon.install.id}}-new");
    check(
        &files,
        &[
            "kelson component build v2.toml --to oci-layout:out",
            "kelson component plan v2.toml --from oci-layout:out --state state.json",
            "kelson component deploy v2.toml --from oci-layout:out --state state.json --yes",
            "kelson component drift v2.toml --from oci-layout:out --state state.json",
            "kelson component teardown v2.toml --state state.json --yes",
            "kubectl get namespace the-namespace-new --ignore-not-found -o name",
        ],
        expect![[r#"
            $ kelson component build v2.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (2 objects)
            $ kelson component plan v2.toml --from oci-layout:out --state state.json
            + Namespace/the-namespace-new
            + ConfigMap/the-namespace-new/settings ?
              + data.mode: slow
              + metadata.labels[kelson.dev/name]: shop
              + metadata.labels[kelson.dev/namespace]: the-namespace-new
            + Secret/the-namespace-new/password ?
              + data.password: ***(<hash>)
              + metadata.labels[kelson.dev/name]: shop
              + metadata.labels[kelson.dev/namespace]: the-namespace-new
            2 changes hidden as noise (server-defaults: 2); --show-all shows them
            ? is checked by the server when it is applied
            3 to create
            exit code 2
            $ kelson component deploy v2.toml --from oci-layout:out --state state.json --yes
            created   Namespace/the-namespace-new
            created   ConfigMap/the-namespace-new/settings
            created   Secret/the-namespace-new/password
            Shop of oci-layout:/here/out@sha256:<digest>: 3 created
            $ kelson component drift v2.toml --from oci-layout:out --state state.json
            <time> Shop: no drift from sha256:<digest>
            $ kelson component teardown v2.toml --state state.json --yes
            deleted   ConfigMap/the-namespace-new/settings
            deleted   Namespace/the-namespace-new
            deleted   Secret/the-namespace-new/password
            Shop: 3 deleted
            $ kubectl get namespace the-namespace-new --ignore-not-found -o name
        "#]],
    );
}
