//! What was approved is what happens.

use expect_test::expect;
use kelson_testkit::{ControlPlane, Fault, Gate};

use crate::program::Ran;
use crate::stage::{PATIENCE, has_secret};
use crate::{Stage, check};

const FILES: &str = "#- v1/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: old}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
#- v2/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: new}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter3}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v2}]}
#- other/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: unapproved}
";

/// A delivery of the first version and an approved plan for the second.
fn approved() -> Stage {
    let stage = Stage::new(FILES);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.step("use v2");
    assert_eq!(stage.run("kelson plan app --name app -o plan.json").code, 2);
    stage
}

#[test]
fn a_stored_plan_is_executed_whatever_became_of_its_source() {
    let stage = approved();
    stage.check(
        &[
            "use other",
            "kelson apply plan.json --yes",
            "kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}",
            "kubectl get configmap settings -o jsonpath={.data.mode}",
            "kelson apply plan.json --yes",
        ],
        expect![[r#"
            $ use other
            $ kelson apply plan.json --yes
            created   ConfigMap/the-namespace/new
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            changed   Deployment/the-namespace/web
            deleted   ConfigMap/the-namespace/old
            1 created, 3 changed, 1 deleted
            $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
            new settings
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            fast
            $ kelson apply plan.json --yes
            error: the ground has moved since this was planned; nothing was done
              the inventory of the-namespace/app has changed: something was applied since
              ConfigMap/the-namespace/new exists now, and did not when the plan was made
              ConfigMap/the-namespace/settings has changed since the plan was made
              Secret/the-namespace/password has changed since the plan was made
              Deployment/the-namespace/web has changed since the plan was made
              ConfigMap/the-namespace/old is no longer part of the plan
            exit code 4
        "#]],
    );
}

#[test]
fn a_tag_that_was_moved_is_not_followed() {
    check(
        FILES,
        &[
            "kelson push v1 oci-layout:out:latest",
            "kelson plan oci-layout:out:latest --name app -o plan.json",
            "kelson push other oci-layout:out:latest",
            "kelson apply plan.json --yes",
            "kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:out:latest
            oci-layout:out:latest@sha256:<digest>
            4 objects; 2 blobs sent (533 B), 0 there already
            $ kelson plan oci-layout:out:latest --name app -o plan.json
            + ConfigMap/the-namespace/old
            + ConfigMap/the-namespace/settings
            + Secret/the-namespace/password
            + Deployment/the-namespace/web
            16 changes hidden as noise (server-defaults: 16); --show-all shows them
            4 to create
            exit code 2
            $ kelson push other oci-layout:out:latest
            oci-layout:out:latest@sha256:<digest>
            1 object; 2 blobs sent (382 B), 0 there already
            $ kelson apply plan.json --yes
            created   ConfigMap/the-namespace/old
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            4 created
            $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
            old settings
        "#]],
    );
}

#[test]
fn a_stored_plan_holds_no_secret() {
    let stage = approved();
    let text = std::fs::read_to_string(stage.folder.path("plan.json")).unwrap();
    assert!(!has_secret(&text), "{text}");
    let plan: serde_json::Value = serde_json::from_str(&text).unwrap();
    let uid = stage.get("/api/v1/namespaces/kube-system")["metadata"]["uid"].clone();
    assert_eq!(plan["cluster"], uid, "{text}");
}

/// Does something to the cluster between plan and apply.
#[track_caller]
fn check_moved(steps: &[&str], expected: expect_test::Expect) {
    let stage = approved();
    let mut all = steps.to_vec();
    all.extend([
        "kelson apply plan.json --yes",
        "kubectl get configmap settings -o jsonpath={.data.mode}",
        "kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}",
    ]);
    stage.check(&all, expected);
}

#[test]
fn a_changed_object_is_a_move() {
    check_moved(
        &["kubectl label configmap settings by=hand"],
        expect![[r#"
        $ kubectl label configmap settings by=hand
        configmap/settings labeled
        $ kelson apply plan.json --yes
        error: the ground has moved since this was planned; nothing was done
          ConfigMap/the-namespace/settings has changed since the plan was made
        exit code 4
        $ kubectl get configmap settings -o jsonpath={.data.mode}
        slow
        $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
        old settings
    "#]],
    );
}

#[test]
fn a_deleted_object_is_a_move() {
    check_moved(
        &["kubectl delete configmap old"],
        expect![[r#"
        $ kubectl delete configmap old
        configmap "old" deleted from the-namespace namespace
        $ kelson apply plan.json --yes
        error: the ground has moved since this was planned; nothing was done
          ConfigMap/the-namespace/old is gone, and was there when the plan was made
        exit code 4
        $ kubectl get configmap settings -o jsonpath={.data.mode}
        slow
        $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
        settings
    "#]],
    );
}

#[test]
fn a_new_object_is_a_move() {
    check_moved(
        &["kubectl create configmap new"],
        expect![[r#"
        $ kubectl create configmap new
        configmap/new created
        $ kelson apply plan.json --yes
        error: the ground has moved since this was planned; nothing was done
          ConfigMap/the-namespace/new exists now, and did not when the plan was made
        exit code 4
        $ kubectl get configmap settings -o jsonpath={.data.mode}
        slow
        $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
        old settings
    "#]],
    );
}

#[test]
fn a_changed_inventory_is_a_move() {
    check_moved(
        &["use other", "kelson apply app --name app --yes"],
        expect![[r#"
            $ use other
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/unapproved
            deleted   ConfigMap/the-namespace/old
            deleted   ConfigMap/the-namespace/settings
            deleted   Deployment/the-namespace/web
            deleted   Secret/the-namespace/password
            1 created, 4 deleted
            $ kelson apply plan.json --yes
            error: the ground has moved since this was planned; nothing was done
              the inventory of the-namespace/app has changed: something was applied since
              ConfigMap/the-namespace/settings is gone, and was there when the plan was made
              Secret/the-namespace/password is gone, and was there when the plan was made
              Deployment/the-namespace/web is gone, and was there when the plan was made
              ConfigMap/the-namespace/unapproved was not part of the plan, and would be deleted
              ConfigMap/the-namespace/old is no longer part of the plan
            exit code 4
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            Error from server (NotFound): configmaps "settings" not found
            $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
            unapproved
        "#]],
    );
}

#[test]
fn a_status_and_an_annotation_of_a_controller_are_no_move() {
    let stage = approved();
    stage.until("get deployment web -o jsonpath={.status.observedGeneration}", |text| text == "1");
    let patch = r#"{"status":{"replicas":1,"conditions":[{"type":"Test","status":"True"}]}}"#;
    stage
        .kubectl(&format!("patch deployment web --subresource=status --type=merge -p {patch}"))
        .unwrap();
    stage.check(
        &["kelson apply plan.json --yes"],
        expect![[r#"
        $ kelson apply plan.json --yes
        created   ConfigMap/the-namespace/new
        changed   ConfigMap/the-namespace/settings
        changed   Secret/the-namespace/password
        changed   Deployment/the-namespace/web
        deleted   ConfigMap/the-namespace/old
        1 created, 3 changed, 1 deleted
    "#]],
    );
}

#[test]
fn an_approved_plan_does_not_change_what_moves_while_it_is_executed() {
    let stage = approved();
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let gate = Gate::new();
    // The first is the dry run.
    detour.fault_at(2, "PATCH", "/configmaps/settings", Fault::Hold(gate.clone()));
    let child = stage.start("kelson apply plan.json --yes");
    let held = gate.wait(PATIENCE).unwrap();
    assert!(!held.target.contains("dryRun"), "{held}");
    stage.kubectl("annotate configmap settings by=hand").unwrap();
    gate.release(None);
    let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.shown());
    stage.directly().check(
        &[
            "kubectl get configmap settings -o jsonpath={.data.mode}",
            "kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}",
            "kelson apply v2 --name app --yes --change-source",
        ],
        expect![[r#"
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            slow
            $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].metadata.name}
            new old settings
            $ kelson apply v2 --name app --yes --change-source
            changed   ConfigMap/the-namespace/settings
            deleted   ConfigMap/the-namespace/old
            1 changed, 1 deleted, 3 unchanged
        "#]],
    );
}

#[test]
fn a_new_look_is_had_on_request() {
    let stage = approved();
    stage.check(
        &[
            "kubectl label configmap settings by=hand",
            "kelson apply plan.json --replan",
            "kubectl get configmap settings -o jsonpath={.data.mode}",
            "kelson apply plan.json --replan --yes",
            "kubectl get configmap settings -o jsonpath={.data.mode}",
        ],
        expect![[r#"
            $ kubectl label configmap settings by=hand
            configmap/settings labeled
            $ kelson apply plan.json --replan
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            slow
            $ kelson apply plan.json --replan --yes
            created   ConfigMap/the-namespace/new
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            changed   Deployment/the-namespace/web
            deleted   ConfigMap/the-namespace/old
            1 created, 3 changed, 1 deleted
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            fast
        "#]],
    );
}

#[test]
fn another_cluster_is_refused() {
    let stage = approved();
    let other = ControlPlane::start().unwrap();
    let file = stage.folder.path("other.kubeconfig");
    std::fs::copy(other.kubeconfig(), file).unwrap();
    stage.check(
        &["kelson apply plan.json --yes --kubeconfig other.kubeconfig"],
        expect![[r#"
        $ kelson apply plan.json --yes --kubeconfig other.kubeconfig
        error: the ground has moved since this was planned; nothing was done
          this is the cluster <uid>, and the plan is for <uid>
        exit code 4
    "#]],
    );
    assert_eq!(other.kubectl(&["get", "ns", "-o", "name"]).unwrap().lines().count(), 4);
}

#[test]
fn a_plan_changed_by_hand_is_refused() {
    let stage = approved();
    let file = stage.folder.path("plan.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"fast\"", "\"wild\"")).unwrap();
    let broken = text.trim_end().strip_suffix('}').unwrap();
    std::fs::write(stage.folder.path("broken.json"), broken).unwrap();
    stage.check(&["kelson apply plan.json --yes", "kelson apply broken.json --yes"], expect![[r#"
        $ kelson apply plan.json --yes
        error: in `plan.json`
        caused by: this is no plan that can be applied: its content is not what its digest says: it was changed after it was made. Make a new plan
        exit code 1
        $ kelson apply broken.json --yes
        error: in `broken.json`
        caused by: this is no plan that can be applied: EOF while parsing an object at line 166 column 0
        exit code 1
    "#]]);
}

#[test]
fn a_first_install_can_be_approved() {
    check(
        FILES,
        &[
            "kelson plan v1 --name app -o plan.json",
            "kelson apply plan.json --yes",
            "kelson plan v1 --name app -o plan.json",
        ],
        expect![[r#"
            $ kelson plan v1 --name app -o plan.json
            + ConfigMap/the-namespace/old
            + ConfigMap/the-namespace/settings
            + Secret/the-namespace/password
            + Deployment/the-namespace/web
            16 changes hidden as noise (server-defaults: 16); --show-all shows them
            4 to create
            exit code 2
            $ kelson apply plan.json --yes
            created   ConfigMap/the-namespace/old
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            4 created
            $ kelson plan v1 --name app -o plan.json
            nothing to do: 4 objects are as they should be
        "#]],
    );
}
