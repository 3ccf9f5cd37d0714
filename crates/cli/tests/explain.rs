//! `kelson explain` as people see it, on the example application.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "program/run.rs"]
mod program;

use std::path::Path;

use expect_test::{Expect, expect};
use program::{Folder, run};

const PRODUCTION: &str = "overlays/production";
const STAGING: &str = "overlays/staging";

#[track_caller]
fn check(arguments: &[&str], expected: Expect) {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop");
    let shop = shop.canonicalize().unwrap();
    expected.assert_eq(&run(&shop, &[&["explain"], arguments].concat()).shown());
}

#[test]
fn one_field_is_a_block_with_its_line() {
    check(
        &[PRODUCTION, "Deployment/web", "spec.replicas"],
        expect![[r#"
        Deployment/web in shop

        spec.replicas: 3
          from        overlays/production/kustomization.yaml:12:10
                      count: 3
          touched by  ReplicaCountTransformer
                      overlays/production/kustomization.yaml:11
    "#]],
    );
}

#[test]
fn several_fields_are_a_table() {
    check(
        &[STAGING, "ConfigMap/settings"],
        expect![[r#"
        ConfigMap/settings-g62t54t4b6 in shop-staging

        FIELD                        VALUE                FROM                                    TOUCHED BY
        apiVersion                   v1                   overlays/staging/kustomization.yaml:11  ConfigMapGenerator overlays/staging/kustomization.yaml:11
        kind                         ConfigMap            overlays/staging/kustomization.yaml:11  ConfigMapGenerator overlays/staging/kustomization.yaml:11
        metadata.name                settings-g62t54t4b6  overlays/staging/kustomization.yaml:11  HashTransformer overlays/staging/kustomization.yaml:11
        metadata.namespace           shop-staging         overlays/staging/kustomization.yaml:3   NamespaceTransformer overlays/staging/kustomization.yaml:3
        metadata.labels.environment  staging              overlays/staging/kustomization.yaml:9   LabelTransformer overlays/staging/kustomization.yaml:8
        data.CURRENCY                EUR                  base/kustomization.yaml:9               ConfigMapGenerator base/kustomization.yaml:7
        data.LOG_LEVEL               debug                overlays/staging/kustomization.yaml:14  ConfigMapGenerator overlays/staging/kustomization.yaml:11
    "#]],
    );
    check(
        &[PRODUCTION, "Service/web", "spec"],
        expect![[r#"
        Service/web in shop

        FIELD                     VALUE  FROM              TOUCHED BY
        spec.selector.app         web    base/web.yaml:40
        spec.ports[0].port        80     base/web.yaml:42
        spec.ports[0].targetPort  8080   base/web.yaml:43
    "#]],
    );
}

#[test]
fn an_image_names_the_entry_that_gave_its_tag() {
    let field = "spec.template.spec.containers[0].image";
    check(
        &[PRODUCTION, "deployment.apps/web", field],
        expect![[r#"
        Deployment/web in shop

        spec.template.spec.containers[0].image: registry.example.com/shop/web:1.0.4
          from        overlays/production/kustomization.yaml:17:11
                      newTag: 1.0.4
          touched by  ImageTagTransformer
                      overlays/production/kustomization.yaml:16
    "#]],
    );
    check(
        &[PRODUCTION, "deploy/web", field],
        expect![[r#"
        Deployment/web in shop

        spec.template.spec.containers[0].image: registry.example.com/shop/web:1.0.4
          from        overlays/production/kustomization.yaml:17:11
                      newTag: 1.0.4
          touched by  ImageTagTransformer
                      overlays/production/kustomization.yaml:16
    "#]],
    );
}

#[test]
fn fields_may_be_written_as_pointers_too() {
    check(
        &[PRODUCTION, "Service/web", "/spec/ports/0/port", "--json"],
        expect![[r#"
        [{"field":"spec.ports[0].port","from":{"column":11,"file":"base/web.yaml","line":42},"value":80}]
    "#]],
    );
}

#[test]
fn a_name_that_means_several_objects_asks_for_more() {
    check(
        &[PRODUCTION, "web"],
        expect![[r#"
        error: `web` names several objects (Service/web in shop, Deployment/web in shop): say KIND/NAME and --namespace
        exit code 1
    "#]],
    );
}

#[test]
fn what_is_not_there_is_answered_with_what_is() {
    check(
        &[PRODUCTION, "Deployment/wbe"],
        expect![[r#"
        error: no Deployment named `wbe`; there is `web`
        exit code 1
    "#]],
    );
    check(
        &[PRODUCTION, "Deploiment/web"],
        expect![[r#"
        error: the build has no Deploiment; there is Deployment
        exit code 1
    "#]],
    );
    check(
        &[PRODUCTION, "-n", "elsewhere", "Service/web"],
        expect![[r#"
        error: no Service named `web` in elsewhere; there is Service/web in shop
        exit code 1
    "#]],
    );
    check(
        &[PRODUCTION, "Deployment/web", "spec.replica"],
        expect![[r#"
        error: Deployment/web in shop has no field `spec.replica`; there is `spec.replicas`
        exit code 1
    "#]],
    );
    check(
        &[PRODUCTION, "Deployment/web", "spec.template.nothing"],
        expect![[r#"
        error: Deployment/web in shop has no field `spec.template.nothing`; there is `spec.template.metadata`, `spec.template.spec`
        exit code 1
    "#]],
    );
    check(
        &["overlays/none", "Deployment/web"],
        expect![[r#"
        error[no-such-directory]: not a valid directory: evalsymlink failure on '/here/overlays/none' : lstat /here/overlays/none: no such file or directory
        Error: must build at directory: not a valid directory: evalsymlink failure on '/here/overlays/none' : lstat /here/overlays/none: no such file or directory
        exit code 1
    "#]],
    );
}

#[test]
fn nothing_of_a_secret_is_shown() {
    let folder = Folder::new(
        "#- kustomization.yaml\nsecretGenerator:\n- name: db\n  literals:\n  - password=hunter2\n",
    );
    let text = folder.run(&["explain", ".", "Secret/db", "data.password"]).shown();
    expect![[r#"
        Secret/db-cf85kd65mm

        data.password: ***
          from        kustomization.yaml:4:14
          touched by  SecretGenerator
                      kustomization.yaml:2
    "#]]
    .assert_eq(&text);
    let json = folder.run(&["explain", ".", "Secret/db", "--json"]).shown();
    assert!(!json.contains("hunter2") && !json.contains("aHVudGVyMg"), "{json}");
}
