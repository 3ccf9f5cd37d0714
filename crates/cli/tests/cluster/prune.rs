//! What is no longer wanted.

use expect_test::{Expect, expect};

use crate::{Stage, check};

const FILES: &str = "#- v1/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: stays}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: goes}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: goes-too}
#- v2/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: stays}
";

#[test]
fn what_is_no_longer_wanted_goes() {
    check(
        FILES,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "use v2",
            "kelson plan app --name app",
            "kelson apply app --name app --yes --no-prune",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson inventory show app",
            "kelson apply app --name app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/goes
            created   ConfigMap/the-namespace/goes-too
            created   ConfigMap/the-namespace/stays
            3 created
            $ use v2
            $ kelson plan app --name app
            - ConfigMap/the-namespace/goes
            - ConfigMap/the-namespace/goes-too
            2 to delete, 1 unchanged
            exit code 2
            $ kelson apply app --name app --yes --no-prune
            kept      ConfigMap/the-namespace/goes: pruning is off
            kept      ConfigMap/the-namespace/goes-too: pruning is off
            2 kept, 1 unchanged
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/goes
            configmap/goes-too
            configmap/stays
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/goes      v1       created  applied  <uid>
            ConfigMap/the-namespace/goes-too  v1       created  applied  <uid>
            ConfigMap/the-namespace/stays     v1       created  applied  <uid>
            $ kelson apply app --name app --yes
            deleted   ConfigMap/the-namespace/goes
            deleted   ConfigMap/the-namespace/goes-too
            2 deleted, 1 unchanged
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/stays
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn more_deletions_than_the_cap_are_none() {
    check(
        FILES,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "use v2",
            "kelson plan app --name app --max-deletions 1",
            "kelson apply app --name app --yes --max-deletions 1",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson apply app --name app --yes --max-deletions 2",
            "kubectl get configmaps -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/goes
            created   ConfigMap/the-namespace/goes-too
            created   ConfigMap/the-namespace/stays
            3 created
            $ use v2
            $ kelson plan app --name app --max-deletions 1
            ! ConfigMap/the-namespace/goes: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
            ! ConfigMap/the-namespace/goes-too: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
            2 failing, 1 unchanged
            exit code 1
            $ kelson apply app --name app --yes --max-deletions 1
            failed    ConfigMap/the-namespace/goes: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
            failed    ConfigMap/the-namespace/goes-too: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
            2 failed, 1 unchanged
            exit code 1
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/goes
            configmap/goes-too
            configmap/stays
            $ kelson apply app --name app --yes --max-deletions 2
            deleted   ConfigMap/the-namespace/goes
            deleted   ConfigMap/the-namespace/goes-too
            2 deleted, 1 unchanged
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/stays
        "#]],
    );
}

/// Does something to the object `goes` before it is pruned.
#[track_caller]
fn check_goes(steps: &[&str], expected: Expect) {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.step("use v2");
    let mut all = steps.to_vec();
    all.extend([
        "kelson apply app --name app --yes",
        "kubectl get configmap goes --ignore-not-found -o name",
        "kelson inventory show app",
    ]);
    stage.check(&all, expected);
}

#[test]
fn our_own_annotation_keeps() {
    check_goes(
        &["kubectl annotate configmap goes kelson.dev/prune=disabled"],
        expect![[r#"
        $ kubectl annotate configmap goes kelson.dev/prune=disabled
        configmap/goes annotated
        $ kelson apply app --name app --yes
        kept      ConfigMap/the-namespace/goes: it is marked `kelson.dev/prune: disabled`
        deleted   ConfigMap/the-namespace/goes-too
        1 deleted, 1 kept, 1 unchanged
        $ kubectl get configmap goes --ignore-not-found -o name
        configmap/goes
        $ kelson inventory show app
        Delivery:      the-namespace/app
        Source:        /here/app
        Field manager: kelson

        AT                    RESULT   BY     ARTIFACT                                                                 REVISION
        <time>  applied  admin  sha256:<digest>
        <time>  applied  admin  sha256:<digest>

        OBJECT                         VERSION  ORIGIN   STATE    UID
        ConfigMap/the-namespace/goes   v1       created  applied  <uid>
        ConfigMap/the-namespace/stays  v1       created  applied  <uid>
    "#]],
    );
}

#[test]
fn the_annotations_of_flux_keep() {
    check_goes(
        &["kubectl annotate configmap goes kustomize.toolkit.fluxcd.io/prune=disabled"],
        expect![[r#"
            $ kubectl annotate configmap goes kustomize.toolkit.fluxcd.io/prune=disabled
            configmap/goes annotated
            $ kelson apply app --name app --yes
            kept      ConfigMap/the-namespace/goes: it is marked `kustomize.toolkit.fluxcd.io/prune: disabled`
            deleted   ConfigMap/the-namespace/goes-too
            1 deleted, 1 kept, 1 unchanged
            $ kubectl get configmap goes --ignore-not-found -o name
            configmap/goes
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/goes   v1       created  applied  <uid>
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn the_annotations_of_kpt_keep() {
    check_goes(
        &["kubectl annotate configmap goes client.lifecycle.config.k8s.io/deletion=detach"],
        expect![[r#"
            $ kubectl annotate configmap goes client.lifecycle.config.k8s.io/deletion=detach
            configmap/goes annotated
            $ kelson apply app --name app --yes
            kept      ConfigMap/the-namespace/goes: it is marked `client.lifecycle.config.k8s.io/deletion: detach`
            deleted   ConfigMap/the-namespace/goes-too
            1 deleted, 1 kept, 1 unchanged
            $ kubectl get configmap goes --ignore-not-found -o name
            configmap/goes
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/goes   v1       created  applied  <uid>
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn somebody_elses_object_of_the_same_name_stays() {
    check_goes(
        &[
            "kubectl delete configmap goes",
            "kubectl create configmap goes --from-literal=by=others",
        ],
        expect![[r#"
            $ kubectl delete configmap goes
            configmap "goes" deleted from the-namespace namespace
            $ kubectl create configmap goes --from-literal=by=others
            configmap/goes created
            $ kelson apply app --name app --yes
            deleted   ConfigMap/the-namespace/goes-too
            1 deleted, 1 unchanged
            $ kubectl get configmap goes --ignore-not-found -o name
            configmap/goes
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn what_lost_our_label_stays() {
    check_goes(
        &["kubectl label configmap goes kelson.dev/name-"],
        expect![[r#"
        $ kubectl label configmap goes kelson.dev/name-
        configmap/goes unlabeled
        $ kelson apply app --name app --yes
        kept      ConfigMap/the-namespace/goes: its label `kelson.dev/name` does not say that it belongs to the-namespace/app: delete it yourself, or put the label back
        deleted   ConfigMap/the-namespace/goes-too
        1 deleted, 1 kept, 1 unchanged
        $ kubectl get configmap goes --ignore-not-found -o name
        configmap/goes
        $ kelson inventory show app
        Delivery:      the-namespace/app
        Source:        /here/app
        Field manager: kelson

        AT                    RESULT   BY     ARTIFACT                                                                 REVISION
        <time>  applied  admin  sha256:<digest>
        <time>  applied  admin  sha256:<digest>

        OBJECT                         VERSION  ORIGIN   STATE    UID
        ConfigMap/the-namespace/goes   v1       created  applied  <uid>
        ConfigMap/the-namespace/stays  v1       created  applied  <uid>
    "#]],
    );
}

#[test]
fn what_another_delivery_took_stays() {
    check_goes(
        &["kubectl label configmap goes kelson.dev/name=other --overwrite"],
        expect![[r#"
            $ kubectl label configmap goes kelson.dev/name=other --overwrite
            configmap/goes labeled
            $ kelson apply app --name app --yes
            deleted   ConfigMap/the-namespace/goes-too
            1 deleted, 1 unchanged
            $ kubectl get configmap goes --ignore-not-found -o name
            configmap/goes
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn what_is_gone_already_is_forgotten() {
    check_goes(
        &["kubectl delete configmap goes"],
        expect![[r#"
            $ kubectl delete configmap goes
            configmap "goes" deleted from the-namespace namespace
            $ kelson apply app --name app --yes
            deleted   ConfigMap/the-namespace/goes-too
            1 deleted, 1 unchanged
            $ kubectl get configmap goes --ignore-not-found -o name
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn a_finalizer_that_never_finishes_is_told_and_remembered() {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let holds = r#"{"metadata":{"finalizers":["example.com/never"]}}"#;
    stage.kubectl(&format!("patch configmap goes --type=merge -p {holds}")).unwrap();
    stage.check(
        &[
            "use v2",
            "kelson apply app --name app --yes --delete-timeout 1s",
            "kelson inventory show app",
            "kubectl patch configmap goes --type=merge -p {\"metadata\":{\"finalizers\":null}}",
            "kelson apply app --name app --yes",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ use v2
            $ kelson apply app --name app --yes --delete-timeout 1s
            deleted   ConfigMap/the-namespace/goes-too
            failed    ConfigMap/the-namespace/goes: it is being deleted, but not gone yet: it waits for its finalizers example.com/never
            1 deleted, 1 failed, 1 unchanged
            exit code 1
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  failed   admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE     UID
            ConfigMap/the-namespace/goes   v1       created  deleting  <uid>
            ConfigMap/the-namespace/stays  v1       created  applied   <uid>
            $ kubectl patch configmap goes --type=merge -p {"metadata":{"finalizers":null}}
            configmap/goes patched
            $ kelson apply app --name app --yes
            1 unchanged
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

const DATA: &str = "#- v1/objects.yaml
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: database}
spec:
  selector: {matchLabels: {app: database}}
  serviceName: database
  template:
    metadata: {labels: {app: database}}
    spec: {containers: [{name: db, image: registry.example/db:v1}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: stateless}
spec:
  selector: {matchLabels: {app: stateless}}
  serviceName: stateless
  template:
    metadata: {labels: {app: stateless}}
    spec: {containers: [{name: db, image: registry.example/db:v1}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: the-namespace-used}
---
apiVersion: v1
kind: Namespace
metadata: {name: the-namespace-free}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.the-namespace.example}
spec:
  group: the-namespace.example
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stays}
#- v2/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: stays}
#- foreign.yaml
apiVersion: the-namespace.example/v1
kind: Widget
metadata: {name: foreign}
";

#[test]
fn what_holds_data_goes_only_when_told() {
    let stage = Stage::new(DATA);
    stage.check(
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "kubectl create -f /here/foreign.yaml",
            "kubectl create configmap foreign -n the-namespace-used",
            "use v2",
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get namespaces,crds,statefulsets,pvc -l kelson.dev/namespace=the-namespace -o name",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   CustomResourceDefinition/widgets.the-namespace.example
            created   Namespace/the-namespace-free
            created   Namespace/the-namespace-used
            created   ConfigMap/the-namespace/stays
            created   StatefulSet/the-namespace/database
            created   StatefulSet/the-namespace/stateless
            created   PersistentVolumeClaim/the-namespace/data
            7 created
            $ kubectl create -f /here/foreign.yaml
            widget.the-namespace.example/foreign created
            $ kubectl create configmap foreign -n the-namespace-used
            configmap/foreign created
            $ use v2
            $ kelson plan app --name app
            ! CustomResourceDefinition/widgets.the-namespace.example: all its instances would go with it: `Widget/the-namespace/foreign`
                let it go with --prune-data
            ! Namespace/the-namespace-used: with it would go what is not ours: `ConfigMap/the-namespace-used/foreign`
                let it go with --prune-data
            ! StatefulSet/the-namespace/database: its Pods keep data in claims made from `data`
                let it go with --prune-data
            ! PersistentVolumeClaim/the-namespace/data: the data of its volume (1Gi) may go with it
                let it go with --prune-data
            - StatefulSet/the-namespace/stateless
            - Namespace/the-namespace-free
            2 to delete, 4 failing, 1 unchanged
            exit code 1
            $ kelson apply app --name app --yes
            failed    CustomResourceDefinition/widgets.the-namespace.example: all its instances would go with it: `Widget/the-namespace/foreign`; let it go with --prune-data
            failed    Namespace/the-namespace-used: with it would go what is not ours: `ConfigMap/the-namespace-used/foreign`; let it go with --prune-data
            failed    StatefulSet/the-namespace/database: its Pods keep data in claims made from `data`; let it go with --prune-data
            failed    PersistentVolumeClaim/the-namespace/data: the data of its volume (1Gi) may go with it; let it go with --prune-data
            deleted   Namespace/the-namespace-free
            deleted   StatefulSet/the-namespace/stateless
            2 deleted, 4 failed, 1 unchanged
            exit code 1
            $ kubectl get namespaces,crds,statefulsets,pvc -l kelson.dev/namespace=the-namespace -o name
            namespace/the-namespace-used
            customresourcedefinition.apiextensions.k8s.io/widgets.the-namespace.example
            statefulset.apps/database
            persistentvolumeclaim/data
        "#]],
    );
    // Nothing runs here that would say that the claim is not in use.
    let finalizers = r#"{"metadata":{"finalizers":null}}"#;
    stage.kubectl(&format!("patch pvc data --type=merge -p {finalizers}")).unwrap();
    stage.check(
        &[
            "kelson apply app --name app --yes --prune-data",
            "kubectl get namespaces,crds,statefulsets,pvc -l kelson.dev/namespace=the-namespace -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes --prune-data
            deleted   CustomResourceDefinition/widgets.the-namespace.example
            deleted   Namespace/the-namespace-used
            deleted   PersistentVolumeClaim/the-namespace/data
            deleted   StatefulSet/the-namespace/database
            4 deleted, 1 unchanged
            $ kubectl get namespaces,crds,statefulsets,pvc -l kelson.dev/namespace=the-namespace -o name
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/stays  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn the_clusters_own_namespaces_never_go() {
    check(
        "#- v1/objects.yaml
apiVersion: v1
kind: Namespace
metadata: {name: kube-node-lease}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
#- v2/map.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
",
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "use v2",
            "kelson apply app --name app --yes --prune-data",
            "kelson delete app --yes --prune-data",
            "kubectl get namespace kube-node-lease -o jsonpath={.status.phase}{.metadata.labels}",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            changed   Namespace/kube-node-lease
            created   ConfigMap/the-namespace/map
            1 created, 1 changed
            $ use v2
            $ kelson apply app --name app --yes --prune-data
            released  Namespace/kube-node-lease
            1 released, 1 unchanged
            $ kelson delete app --yes --prune-data
            deleted   ConfigMap/the-namespace/map
            1 deleted
            $ kubectl get namespace kube-node-lease -o jsonpath={.status.phase}{.metadata.labels}
            Active{"kubernetes.io/metadata.name":"kube-node-lease"}
        "#]],
    );
}

#[test]
fn a_deletion_can_be_repeated() {
    check(
        FILES,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "kubectl delete configmap goes",
            "kelson delete app",
            "kelson delete app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson delete app --yes",
            "kelson delete never-was --yes",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/goes
            created   ConfigMap/the-namespace/goes-too
            created   ConfigMap/the-namespace/stays
            3 created
            $ kubectl delete configmap goes
            configmap "goes" deleted from the-namespace namespace
            $ kelson delete app
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/goes-too
            deleted   ConfigMap/the-namespace/stays
            2 deleted
            $ kubectl get configmaps -l kelson.dev/name -o name
            $ kelson delete app --yes
            nothing is delivered as the-namespace/app
            $ kelson delete never-was --yes
            nothing is delivered as the-namespace/never-was
        "#]],
    );
}

#[test]
fn everything_goes_in_the_reverse_order() {
    let stage = Stage::new(
        "#- app/objects.yaml
apiVersion: v1
kind: ServiceAccount
metadata: {name: account}
---
apiVersion: v1
kind: Service
metadata: {name: service}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
",
    );
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson delete app --yes --parallel 1");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let names: Vec<String> = detour
        .seen_at("DELETE", "")
        .iter()
        .filter_map(|seen| seen.target.split('?').next()?.rsplit('/').next().map(str::to_owned))
        .filter(|name| ["account", "service", "map"].contains(&name.as_str()))
        .collect();
    let place = |name: &str| names.iter().position(|known| known == name).unwrap();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(place("service") < place("account"), "{names:?}");
}
