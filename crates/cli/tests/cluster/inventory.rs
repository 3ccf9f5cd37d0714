//! The record of what was made.

use std::io::{BufRead, BufReader};

use expect_test::expect;
use kelson_testkit::{Fault, Gate};

use crate::stage::{PATIENCE, signal};
use crate::{Stage, check};

const FILES: &str = "#- v1/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
#- v2/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
#- inventory.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: inv-app
  labels:
    app.kubernetes.io/name: app
    app.kubernetes.io/component: inventory
    app.kubernetes.io/created-by: kustomizer
  annotations:
    inventory.kustomizer.dev/last-applied-time: '2026-01-01T00:00:00Z'
    inventory.kustomizer.dev/source: https://git.example/shop
    inventory.kustomizer.dev/revision: main
data:
  resources: '[{\"id\":\"the-namespace_one__ConfigMap\",\"ver\":\"v1\"},{\"id\":\"the-namespace_two__ConfigMap\",\"ver\":\"v1\"}]'
  artifacts: '[]'
#- kustomizer/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
  labels: {inventory.kustomizer.dev/name: app, inventory.kustomizer.dev/namespace: the-namespace}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: two
  labels: {inventory.kustomizer.dev/name: app, inventory.kustomizer.dev/namespace: the-namespace}
";

#[test]
fn an_inventory_is_one_secret_and_what_was_applied_another() {
    check(
        FILES,
        &[
            "use v1",
            "kelson inventory show app",
            "kelson apply app --name app --yes",
            "kelson inventory show app",
            "kubectl get secrets -o jsonpath={.items[*].metadata.name}{.items[*].type}",
            "kubectl get leases -o name",
            "kelson delete app --yes",
            "kubectl get secrets,leases -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ use v1
            $ kelson inventory show app
            error: nothing was delivered as the-namespace/app
            exit code 1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            2 created
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/one  v1       created  applied  <uid>
            ConfigMap/the-namespace/two  v1       created  applied  <uid>
            $ kubectl get secrets -o jsonpath={.items[*].metadata.name}{.items[*].type}
            kelson.app kelson.app.kept.<digest>.0kelson.dev/inventory kelson.dev/artifact
            $ kubectl get leases -o name
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/one
            deleted   ConfigMap/the-namespace/two
            2 deleted
            $ kubectl get secrets,leases -o name
            $ kelson inventory show app
            error: nothing was delivered as the-namespace/app
            exit code 1
        "#]],
    );
}

#[test]
fn an_inventory_that_was_lost_is_rebuilt_from_labels() {
    check(
        FILES,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "kubectl delete secrets --all",
            "kelson inventory recover app",
            "kelson inventory recover app --yes",
            "kelson inventory show app",
            "use v2",
            "kelson apply app --name app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            2 created
            $ kubectl delete secrets --all
            secret "kelson.app" deleted from the-namespace namespace
            secret "kelson.app.kept.<digest>.0" deleted from the-namespace namespace
            $ kelson inventory recover app
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson inventory recover app --yes
            ConfigMap/the-namespace/one
            ConfigMap/the-namespace/two
            2 objects in the inventory of the-namespace/app
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        
            Field manager: kelson

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/one  v1       created  applied  <uid>
            ConfigMap/the-namespace/two  v1       created  applied  <uid>
            $ use v2
            $ kelson apply app --name app --yes
            deleted   ConfigMap/the-namespace/two
            1 deleted, 1 unchanged
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/one
        "#]],
    );
}

#[test]
fn an_inventory_of_kustomizers_is_imported() {
    check(
        FILES,
        &[
            "kubectl apply --server-side --field-manager=kustomizer -f /here/kustomizer -f /here/inventory.yaml",
            "kelson inventory import app --yes",
            "kelson inventory show app",
            "use v2",
            "kelson apply app --name app --yes --adopt",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kubectl get configmaps -o name",
        ],
        expect![[r#"
            $ kubectl apply --server-side --field-manager=kustomizer -f /here/kustomizer -f /here/inventory.yaml
            configmap/one serverside-applied
            configmap/two serverside-applied
            configmap/inv-app serverside-applied
            $ kelson inventory import app --yes
            changed   ConfigMap/the-namespace/one
            changed   ConfigMap/the-namespace/two
            2 changed
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT  REVISION
            <time>  applied  admin  -

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/one  v1       adopted  applied  <uid>
            ConfigMap/the-namespace/two  v1       adopted  applied  <uid>
            $ use v2
            $ kelson apply app --name app --yes --adopt
            deleted   ConfigMap/the-namespace/two
            1 deleted, 1 unchanged
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/one
            $ kubectl get configmaps -o name
            configmap/inv-app
            configmap/kube-root-ca.crt
            configmap/one
        "#]],
    );
}

#[test]
fn a_damaged_inventory_is_no_empty_one() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let list = stage.get("/api/v1/namespaces/the-namespace/secrets");
    let secret = &list["items"][0];
    let name = secret["metadata"]["name"].as_str().unwrap().to_owned();
    let keys: Vec<&String> = secret["data"].as_object().unwrap().keys().collect();
    let data: serde_json::Map<String, serde_json::Value> =
        keys.into_iter().map(|key| (key.clone(), "AAAA".into())).collect();
    let patch = serde_json::json!({ "data": data }).to_string();
    stage.kubectl(&format!("patch secret {name} --type=merge -p {patch}")).unwrap();
    stage.check(
        &[
            "use v2",
            "kelson apply app --name app --yes",
            "kelson delete app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ use v2
            $ kelson apply app --name app --yes
            error: the inventory of the-namespace/app is damaged: its schema is none of ours; `kelson inventory recover` rebuilds it from labels
            exit code 1
            $ kelson delete app --yes
            error: the inventory of the-namespace/app is damaged: its schema is none of ours; `kelson inventory recover` rebuilds it from labels
            exit code 1
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/one
            configmap/two
        "#]],
    );
}

/// An apply that hangs at a request of ours.
fn hanging(stage: &Stage, detour: &kelson_testkit::Detour) -> (std::process::Child, Gate) {
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/", 1, Fault::Hold(gate.clone()));
    let child = stage.start("kelson apply app --name app --yes --parallel 1 --lease-duration 30s");
    gate.wait(PATIENCE).unwrap();
    (child, gate)
}

#[test]
fn one_apply_at_a_time() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let (mut first, gate) = hanging(&stage, &detour);
    let stage = stage.directly();
    let second = stage.run("kelson apply app --name app --yes --lease-timeout 1s");
    assert_eq!(second.code, 1, "{}", second.shown());
    assert!(second.err.contains("is applying"), "{}", second.shown());
    gate.release(None);
    assert!(first.wait().unwrap().success());
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
}

#[test]
fn the_lease_of_a_dead_process_is_taken_over_at_once() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let (mut first, gate) = hanging(&stage, &detour);
    signal(&first, "-KILL");
    first.wait().unwrap();
    gate.release(Some(Fault::Close));
    let stage = stage.directly();
    // Shorter than the lease would last.
    let second = stage.run("kelson apply app --name app --yes --lease-timeout 5s");
    assert_eq!(second.code, 0, "{}", second.shown());
}

#[test]
fn ctrl_c_ends_in_an_orderly_way() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let (mut child, gate) = hanging(&stage, &detour);
    signal(&child, "-INT");
    // It has heard before the request that it waits for is answered.
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.contains("stopping"), "{line}");
    gate.release(None);
    std::io::copy(&mut told, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    stage.directly().check(
        &[
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson inventory show app",
            "kelson apply app --name app --yes",
        ],
        expect![[r#"
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/one
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT       BY     ARTIFACT                                                                 REVISION
            <time>  interrupted  admin  sha256:<digest>

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/one  v1       created  applied  <uid>
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/two
            1 created, 1 unchanged
        "#]],
    );
}

#[test]
fn the_namespace_of_the_inventory_goes_last() {
    check(
        "#- app/objects.yaml
apiVersion: v1
kind: Namespace
metadata: {name: the-namespace-own}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: inside, namespace: the-namespace-own}
",
        &[
            "kelson apply app --name app -n the-namespace-own --yes --create-namespace",
            "kelson delete app -n the-namespace-own --yes --prune-data",
            "kubectl get namespace the-namespace-own --ignore-not-found -o name",
            "kelson delete app -n the-namespace-own --yes --prune-data",
        ],
        expect![[r#"
            $ kelson apply app --name app -n the-namespace-own --yes --create-namespace
            created   Namespace/the-namespace-own
            created   ConfigMap/the-namespace-own/inside
            2 created
            $ kelson delete app -n the-namespace-own --yes --prune-data
            deleted   ConfigMap/the-namespace-own/inside
            deleted   Namespace/the-namespace-own
            2 deleted
            $ kubectl get namespace the-namespace-own --ignore-not-found -o name
            $ kelson delete app -n the-namespace-own --yes --prune-data
            nothing is delivered as the-namespace-own/app
        "#]],
    );
}
