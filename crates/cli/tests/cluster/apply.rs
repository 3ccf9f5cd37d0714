//! How a plan is executed.

use expect_test::expect;
use kelson_testkit::{Fault, Gate};

use crate::program::Ran;
use crate::stage::PATIENCE;
use crate::{Stage, check};

const CONFLICT: &str = "#- app/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: contested}
data: {mode: ours, level: ours, free: ours}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: quiet}
#- theirs.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: contested}
data: {mode: theirs, level: theirs}
";

#[test]
fn a_conflict_names_the_field_and_its_owner() {
    check(
        CONFLICT,
        &[
            "kubectl apply --server-side --field-manager=somebody -f /here/theirs.yaml",
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kubectl get configmap contested -o jsonpath={.data}",
            "kelson apply app --name app --yes --take nonsense",
            "kelson apply app --name app --yes --take /data/mode",
            "kelson apply app --name app --yes --take /data/mode,.data.level",
            "kubectl get configmap contested -o jsonpath={.data}",
            "kubectl apply --server-side --field-manager=somebody --force-conflicts -f /here/theirs.yaml",
            "kelson apply app --name app --yes --take-all",
            "kubectl get configmap contested -o jsonpath={.data}",
            "kelson plan app --name app",
        ],
        expect![[r#"
            $ kubectl apply --server-side --field-manager=somebody -f /here/theirs.yaml
            configmap/contested serverside-applied
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/contested: fields that others own
                .data.level (owner: somebody)
                .data.mode (owner: somebody)
                leave the fields to them with --ignore, or take them over with --take or --take-all
            + ConfigMap/the-namespace/quiet
            1 to create, 1 failing
            exit code 1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/contested: other managers own `.data.level` (somebody), `.data.mode` (somebody); leave the fields to them with --ignore, or take them over with --take or --take-all
            created   ConfigMap/the-namespace/quiet
            1 created, 1 failed
            exit code 1
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/quiet
            $ kubectl get configmap contested -o jsonpath={.data}
            {"level":"theirs","mode":"theirs"}
            $ kelson apply app --name app --yes --take nonsense
            error: invalid value 'nonsense' for '--take <FIELDS>': a field is written as `.spec.replicas`, `/spec/replicas` or `Deployment:/spec/replicas`

            For more information, try '--help'.
            exit code 64
            $ kelson apply app --name app --yes --take /data/mode
            failed    ConfigMap/the-namespace/contested: other managers own `.data.level` (somebody); leave the fields to them with --ignore, or take them over with --take or --take-all
            1 failed, 1 unchanged
            exit code 1
            $ kelson apply app --name app --yes --take /data/mode,.data.level
            changed   ConfigMap/the-namespace/contested
            1 changed, 1 unchanged
            $ kubectl get configmap contested -o jsonpath={.data}
            {"free":"ours","level":"ours","mode":"ours"}
            $ kubectl apply --server-side --field-manager=somebody --force-conflicts -f /here/theirs.yaml
            configmap/contested serverside-applied
            $ kelson apply app --name app --yes --take-all
            changed   ConfigMap/the-namespace/contested
            1 changed, 1 unchanged
            $ kubectl get configmap contested -o jsonpath={.data}
            {"free":"ours","level":"ours","mode":"ours"}
            $ kelson plan app --name app
            nothing to do: 2 objects are as they should be
        "#]],
    );
}

const IMMUTABLE: &str = "#- v1/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: frozen}
immutable: true
data: {mode: slow}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
#- v2/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: frozen}
immutable: true
data: {mode: fast}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
#- v3/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: frozen}
immutable: true
data: {mode: fast}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  annotations: {kelson.dev/recreate: allowed}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: none
  resources: {requests: {storage: 1Gi}}
";

#[test]
fn an_immutable_field_is_named_and_the_object_made_anew_on_request() {
    let stage = Stage::new(IMMUTABLE);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let before = stage.uid("configmap/frozen");
    stage.check(
        &[
            "use v2",
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kelson apply app --name app --yes --recreate",
            "kubectl get configmap frozen -o jsonpath={.data}",
            "kubectl get pvc data -o jsonpath={.spec.accessModes}",
        ],
        expect![[r#"
            $ use v2
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/frozen: `data` cannot be changed
                delete it and make it anew with --recreate
            ! PersistentVolumeClaim/the-namespace/data: `spec` cannot be changed
                delete it and make it anew with --recreate
            2 failing
            exit code 1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/frozen: `data` cannot be changed; delete it and make it anew with --recreate
            failed    PersistentVolumeClaim/the-namespace/data: `spec` cannot be changed; delete it and make it anew with --recreate
            2 failed
            exit code 1
            $ kelson apply app --name app --yes --recreate
            failed    PersistentVolumeClaim/the-namespace/data: `spec` cannot be changed, and its data would be lost; `kelson.dev/recreate: allowed` on the object lets it be made anew all the same
            recreated ConfigMap/the-namespace/frozen
            1 made anew, 1 failed
            exit code 1
            $ kubectl get configmap frozen -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get pvc data -o jsonpath={.spec.accessModes}
            ["ReadWriteOnce"]
        "#]],
    );
    assert_ne!(stage.uid("configmap/frozen"), before);
    // Nothing runs here that would say that the claim is not in use.
    let finalizers = r#"{"metadata":{"finalizers":null}}"#;
    stage.kubectl(&format!("patch pvc data --type=merge -p {finalizers}")).unwrap();
    stage.check(
        &[
            "use v3",
            "kelson apply app --name app --yes --recreate",
            "kubectl get pvc data -o jsonpath={.spec.accessModes}",
            "kelson plan app --name app",
        ],
        expect![[r#"
            $ use v3
            $ kelson apply app --name app --yes --recreate
            recreated PersistentVolumeClaim/the-namespace/data
            1 made anew, 1 unchanged
            $ kubectl get pvc data -o jsonpath={.spec.accessModes}
            ["ReadWriteMany"]
            $ kelson plan app --name app
            nothing to do: 2 objects are as they should be
        "#]],
    );
}

#[test]
fn what_comes_first_is_there_before_what_needs_it() {
    let stage = Stage::new(
        "#- app/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: a-last
  annotations: {kelson.dev/wave: '5'}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b-needs-c
  annotations: {config.kubernetes.io/depends-on: /namespaces/the-namespace/ConfigMap/c-needed}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c-needed}
---
apiVersion: v1
kind: Service
metadata: {name: service}
spec: {ports: [{port: 80}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: the-namespace-role}
rules: []
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: account}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: z-first
  annotations: {kelson.dev/wave: '-5'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: the-namespace-hook}
webhooks: []
",
    );
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let order: Vec<String> = detour
        .seen_at("PATCH", "")
        .iter()
        .filter(|seen| !seen.target.contains("dryRun") && !seen.target.contains("/secrets/"))
        .filter_map(|seen| seen.target.split('?').next()?.rsplit('/').next().map(str::to_owned))
        .collect();
    let place = |name: &str| {
        let name = stage.real(name);
        order.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}: {order:?}"))
    };
    assert!(place("the-namespace-role") < place("z-first"), "{order:?}");
    assert!(place("z-first") < place("account"), "{order:?}");
    assert!(place("account") < place("service"), "{order:?}");
    assert!(place("c-needed") < place("b-needs-c"), "{order:?}");
    assert!(place("service") < place("a-last"), "{order:?}");
    assert_eq!(place("the-namespace-hook") + 1, order.len(), "{order:?}");
}

#[test]
fn what_depends_on_a_failure_is_not_tried() {
    check(
        "#- app/objects.yaml
apiVersion: v1
kind: Service
metadata: {name: wrong}
spec: {ports: [{port: 99999}]}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dependent
  annotations: {config.kubernetes.io/depends-on: /namespaces/the-namespace/Service/wrong}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: further
  annotations: {config.kubernetes.io/depends-on: /namespaces/the-namespace/ConfigMap/dependent}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: independent}
",
        &[
            "kelson apply app --name app --yes",
            "kubectl get configmaps,services -l kelson.dev/name -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/independent
            failed    Service/the-namespace/wrong: Service "wrong" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (422 Invalid)
            skipped   ConfigMap/the-namespace/dependent: it depends on Service/the-namespace/wrong, which failed
            skipped   ConfigMap/the-namespace/further: it depends on ConfigMap/the-namespace/dependent, which failed
            1 created, 1 failed, 2 not tried
            exit code 1
            $ kubectl get configmaps,services -l kelson.dev/name -o name
            configmap/independent
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT  BY     ARTIFACT                                                                 REVISION
            <time>  failed  admin  sha256:<digest>

            OBJECT                               VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/independent  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn dependencies_in_a_circle_are_named() {
    check(
        "#- app/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: egg
  annotations: {config.kubernetes.io/depends-on: /namespaces/the-namespace/ConfigMap/hen}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: hen
  annotations: {config.kubernetes.io/depends-on: /namespaces/the-namespace/ConfigMap/egg}
",
        &["kelson plan app --name app"],
        expect![[r#"
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/egg: these depend on each other in a circle: `ConfigMap/the-namespace/egg`, `ConfigMap/the-namespace/hen`
              + metadata.annotations[config.kubernetes.io/depends-on]: /namespaces/the-namespace/ConfigMap/hen
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
            ! ConfigMap/the-namespace/hen: these depend on each other in a circle: `ConfigMap/the-namespace/egg`, `ConfigMap/the-namespace/hen`
              + metadata.annotations[config.kubernetes.io/depends-on]: /namespaces/the-namespace/ConfigMap/egg
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
            2 failing
            exit code 1
        "#]],
    );
}

const NEW: &str = "#- app/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {mode: ours}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
data: {mode: ours}
";

#[test]
fn what_turns_out_to_exist_is_not_claimed() {
    let stage = Stage::new(NEW);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/one", 1, Fault::Hold(gate.clone()));
    let child = stage.start("kelson apply app --name app --yes --parallel 1");
    let held = gate.wait(PATIENCE).unwrap();
    assert!(!held.target.contains("dryRun"), "{held}");
    stage.kubectl("create configmap one --from-literal=mode=theirs").unwrap();
    gate.release(None);
    let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.shown());
    stage.directly().check(
        &[
            "kubectl get configmap one -o jsonpath={.data}{.metadata.labels}",
            "kubectl get configmap two -o jsonpath={.data}",
            "kelson inventory show app",
            "kelson delete app --yes",
            "kubectl get configmap one -o jsonpath={.data}",
        ],
        expect![[r#"
            $ kubectl get configmap one -o jsonpath={.data}{.metadata.labels}
            {"mode":"theirs"}
            $ kubectl get configmap two -o jsonpath={.data}
            {"mode":"ours"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT  BY     ARTIFACT                                                                 REVISION
            <time>  failed  admin  sha256:<digest>

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/two  v1       created  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/two
            1 deleted
            $ kubectl get configmap one -o jsonpath={.data}
            {"mode":"theirs"}
        "#]],
    );
}

#[test]
fn what_was_there_is_only_laid_over() {
    check(
        NEW,
        &[
            "kubectl create configmap one --from-literal=mode=ours --from-literal=own=theirs --field-manager=somebody",
            "kelson apply app --name app --yes",
            "kubectl get configmap one -o jsonpath={.data}{.metadata.labels}",
            "kelson inventory show app",
            "kelson delete app --yes",
            "kubectl get configmap one -o jsonpath={.data}{.metadata.labels}",
            "kubectl get configmap two",
        ],
        expect![[r#"
            $ kubectl create configmap one --from-literal=mode=ours --from-literal=own=theirs --field-manager=somebody
            configmap/one created
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            1 created, 1 changed
            $ kubectl get configmap one -o jsonpath={.data}{.metadata.labels}
            {"mode":"ours","own":"theirs"}{"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/one  v1       found    applied  <uid>
            ConfigMap/the-namespace/two  v1       created  applied  <uid>
            $ kelson delete app --yes
            released  ConfigMap/the-namespace/one
            deleted   ConfigMap/the-namespace/two
            1 deleted, 1 released
            $ kubectl get configmap one -o jsonpath={.data}{.metadata.labels}
            {"mode":"ours","own":"theirs"}
            $ kubectl get configmap two
            Error from server (NotFound): configmaps "two" not found
        "#]],
    );
}

#[test]
fn an_object_changed_while_we_apply_is_changed_all_the_same() {
    let stage = Stage::new(NEW);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let text = std::fs::read_to_string(stage.folder.path("app/maps.yaml")).unwrap();
    std::fs::write(stage.folder.path("app/maps.yaml"), text.replace("ours", "new")).unwrap();
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    // The first is the dry run.
    detour.fault_at(2, "PATCH", "/configmaps/one", Fault::Hold(gate.clone()));
    let child = stage.start("kelson apply app --name app --yes");
    let held = gate.wait(PATIENCE).unwrap();
    assert!(!held.target.contains("dryRun"), "{held}");
    stage.kubectl("annotate configmap one by=hand").unwrap();
    gate.release(None);
    let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
    // Nobody approved a particular content; what others own is still theirs.
    assert_eq!(ran.code, 0, "{}", ran.shown());
    stage.directly().check(
        &[
            "kubectl get configmap one -o jsonpath={.data}{.metadata.annotations}",
            "kubectl get configmap two -o jsonpath={.data}",
        ],
        expect![[r#"
            $ kubectl get configmap one -o jsonpath={.data}{.metadata.annotations}
            {"mode":"new"}{"by":"hand"}
            $ kubectl get configmap two -o jsonpath={.data}
            {"mode":"new"}
        "#]],
    );
}

#[test]
fn a_status_written_while_we_apply_is_no_failure() {
    let files = "#- app/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
";
    let stage = Stage::new(files);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.until("get deployment web -o jsonpath={.status.observedGeneration}", |text| text == "1");
    let file = stage.folder.path("app/web.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("web:v1", "web:v2")).unwrap();
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    detour.fault_at(2, "PATCH", "/deployments/web", Fault::Hold(gate.clone()));
    let child = stage.start("kelson apply app --name app --yes --parallel 1");
    gate.wait(PATIENCE).unwrap();
    let patch = r#"{"status":{"conditions":[{"type":"Test","status":"True"}]}}"#;
    stage
        .kubectl(&format!("patch deployment web --subresource=status --type=merge -p {patch}"))
        .unwrap();
    gate.release(None);
    let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
}

#[test]
fn no_more_requests_are_under_way_than_allowed() {
    let maps: String = (0..12)
        .map(|number| {
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{number}}}\n")
        })
        .collect();
    let stage = Stage::new(&format!("#- app/maps.yaml\n{maps}"));
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/", 12, Fault::Hold(gate.clone()));
    let mut child = stage.start("kelson apply app --name app --yes --parallel 3");
    for _ in 0..3 {
        gate.wait(PATIENCE).unwrap();
    }
    assert!(gate.wait(std::time::Duration::from_millis(500)).is_none());
    (0..12).for_each(|_| gate.release(None));
    assert!(child.wait().unwrap().success());
    assert_eq!(
        stage.kubectl("get configmaps -l kelson.dev/name -o name").unwrap().lines().count(),
        12
    );
}

#[test]
fn a_namespace_is_made_on_request() {
    check(
        NEW,
        &[
            "kelson apply app --name app --yes -n the-namespace-new",
            "kelson plan app --name app -n the-namespace-new --create-namespace",
            "kelson apply app --name app --yes -n the-namespace-new --create-namespace",
            "kubectl get configmaps -n the-namespace-new -l kelson.dev/name -o name",
            "kelson apply app --name app --yes -n the-namespace-new",
            "kelson delete app --yes -n the-namespace-new --prune-data",
            "kubectl get namespace the-namespace-new --ignore-not-found -o name",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes -n the-namespace-new
            error: there is no namespace `the-namespace-new` to hold the inventory; make it with --create-namespace, or name another with --namespace
            exit code 1
            $ kelson plan app --name app -n the-namespace-new --create-namespace
            + Namespace/the-namespace-new
            + ConfigMap/the-namespace-new/one ?
              + data.mode: ours
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace-new
            + ConfigMap/the-namespace-new/two ?
              + data.mode: ours
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace-new
            2 changes hidden as noise (server-defaults: 2); --show-all shows them
            ? is checked by the server when it is applied
            3 to create
            exit code 2
            $ kelson apply app --name app --yes -n the-namespace-new --create-namespace
            created   Namespace/the-namespace-new
            created   ConfigMap/the-namespace-new/one
            created   ConfigMap/the-namespace-new/two
            3 created
            $ kubectl get configmaps -n the-namespace-new -l kelson.dev/name -o name
            configmap/one
            configmap/two
            $ kelson apply app --name app --yes -n the-namespace-new
            3 unchanged
            $ kelson delete app --yes -n the-namespace-new --prune-data
            deleted   ConfigMap/the-namespace-new/one
            deleted   ConfigMap/the-namespace-new/two
            deleted   Namespace/the-namespace-new
            3 deleted
            $ kubectl get namespace the-namespace-new --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn another_field_manager_is_used_throughout() {
    check(
        NEW,
        &[
            "kelson apply app --name app --yes --field-manager robot",
            "kubectl get configmap one -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields",
            "kelson apply app --name app --yes --field-manager robot",
            "kelson apply app --name app --yes",
            "kubectl get configmap one -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes --field-manager robot
            created   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            2 created
            $ kubectl get configmap one -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            robot
            $ kelson apply app --name app --yes --field-manager robot
            2 unchanged
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/one
            changed   ConfigMap/the-namespace/two
            2 changed
            $ kubectl get configmap one -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
        "#]],
    );
}

#[test]
fn progress_is_told_line_by_line() {
    let stage = Stage::new(NEW);
    let ran = stage.run("kelson apply app --name app --yes --json");
    let kinds: Vec<String> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|event| event["event"].as_str().unwrap_or("?").to_owned())
        .collect();
    expect![[r#"
        read
        planned
        wave
        step
        step
        done"#]]
    .assert_eq(&kinds.join("\n"));
}
