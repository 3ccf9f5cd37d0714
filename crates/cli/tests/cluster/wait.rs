//! Until it is ready, or clearly will not be.

use std::io::{BufRead, BufReader};

use expect_test::expect;
use kelson_testkit::Detour;
use serde_json::Value;

use crate::node::{Node, deployment};
use crate::program::Ran;
use crate::stage::signal;
use crate::{Stage, check};

const MAPS: &str = "#- app/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
";

/// The program's names of Pods and ReplicaSets end in letters that differ from run to run.
fn normal(stage: &Stage, text: &str) -> String {
    let text = stage.normal(text);
    let text = regex::Regex::new(r"(ReplicaSet/\S+?/[a-z]+)-[0-9a-z]{8,10}\b")
        .unwrap()
        .replace_all(&text, "$1-<set>")
        .into_owned();
    regex::Regex::new(r"(Pod/\S+?/[a-z]+)-[0-9a-z]{8,10}-[0-9a-z]{5}\b")
        .unwrap()
        .replace_all(&text, "$1-<pod>")
        .into_owned()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn an_apply_waits_until_all_is_ready() {
    let stage = Stage::new(&format!("{MAPS}#- app/web.yaml\n{}", deployment("web", "ready")));
    let _node = Node::of(&stage);
    let ran = stage.run("kelson apply app --name app --yes --timeout 60s");
    let shown = normal(&stage, &ran.shown());
    assert_eq!(ran.code, 0, "{shown}");
    has(&shown, &["3 created\n", "\n3 ready\n"]);
    // What was ready from the start is not worth a line; on a slow machine the Deployment may be.
    assert!(!shown.contains("ready     ConfigMap"), "{shown}");
    assert_eq!(result(&stage), "ready");
}

/// What the record says of the last apply.
fn result(stage: &Stage) -> String {
    let ran = stage.run("kelson inventory show app --json");
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    record["history"].as_array().unwrap().last().unwrap()["result"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_not_ready_is_told_with_what_is_behind_it() {
    let fates = ["crash", "image", "unschedulable", "unready"];
    let files: String = fates.iter().map(|fate| deployment(fate, fate)).collect();
    let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
    let _node = Node::of(&stage);
    // All rollouts are given up after a second: the wait ends long before its time.
    let ran = stage.run("kelson apply app --name app --yes --timeout 10m --no-fail-fast");
    let shown = normal(&stage, &ran.shown());
    assert_eq!(ran.code, 3, "{shown}");
    has(
        &shown,
        &[
            "4 created\n",
            "failed    Deployment/the-namespace/crash: ",
            "            Pod/the-namespace/crash-<pod>: CrashLoop: ",
            // Of the log, the last lines, without what would colour the terminal.
            "              | starting\n              | no database at db:5432\n",
            "            Pod/the-namespace/image-<pod>: ImagePull: ",
            "            Pod/the-namespace/unschedulable-<pod>: Unschedulable: ",
            "            Pod/the-namespace/unready-<pod>: Probe: ",
            "\n4 failed\n",
            "not ready: what has failed does not come right by waiting\n",
        ],
    );
    assert_eq!(result(&stage), "not-ready");
}

#[test]
fn a_quota_that_keeps_pods_away_is_named() {
    let files = format!(
        "#- app/web.yaml\n{}#- quota.yaml\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: none}}\nspec: {{hard: {{pods: '0'}}}}\n",
        deployment("web", "ready")
    );
    let stage = Stage::new(&files);
    let _node = Node::of(&stage);
    stage.kubectl("apply -f /here/quota.yaml").unwrap();
    stage.until("get resourcequota none -o jsonpath={.status.hard.pods}", |text| text == "0");
    let ran = stage.run("kelson apply app --name app --yes --timeout 10m");
    let shown = normal(&stage, &ran.shown());
    assert_eq!(ran.code, 3, "{shown}");
    has(&shown, &["Quota: ", "exceeded quota: none"]);
}

#[test]
fn a_first_failure_ends_the_wait() {
    let files = format!(
        "{}{}",
        deployment("crash", "crash"),
        deployment("web", "pending")
            .replace("progressDeadlineSeconds: 1", "progressDeadlineSeconds: 600")
    );
    let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
    let _node = Node::of(&stage);
    let ran = stage.run("kelson apply app --name app --yes --timeout 10m");
    let shown = normal(&stage, &ran.shown());
    assert_eq!(ran.code, 3, "{shown}");
    has(&shown, &["\n1 waiting, 1 failed\n", "not ready: what has failed"]);
}

#[test]
fn time_that_is_over_is_told_with_the_way_on() {
    let files = deployment("web", "pending").replace("Seconds: 1", "Seconds: 600");
    let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
    let ran = stage.run("kelson apply app --name app --yes --timeout 1s");
    let shown = normal(&stage, &ran.shown());
    assert_eq!(ran.code, 3, "{shown}");
    has(
        &shown,
        &[
            "waiting   Deployment/the-namespace/web: ",
            "\n1 waiting\n",
            "not ready after 1s; `kelson wait --name app -n the-namespace` goes on waiting\n",
        ],
    );
    assert_eq!(result(&stage), "not-ready");
    // The way on leads on, and the record is only written by who applies.
    let ran = stage.run("kelson wait --name app --timeout 1s");
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let patch = r#"{"spec":{"template":{"metadata":{"labels":{"fate":"ready"}}}}}"#;
    stage.kubectl(&format!("patch deployment web --type=merge -p {patch}")).unwrap();
    let _node = Node::of(&stage);
    let ran = stage.run("kelson wait --name app --timeout 60s");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    has(&ran.shown(), &["1 ready\n"]);
    assert_eq!(result(&stage), "not-ready");
}

#[test]
fn nobody_waits_who_does_not_want_to() {
    let stage = Stage::new(&format!("#- app/web.yaml\n{}", deployment("web", "pending")));
    stage.check(
        &["kelson apply app --name app --yes --no-wait"],
        expect![[r#"
            $ kelson apply app --name app --yes --no-wait
            created   Deployment/the-namespace/web
            1 created
        "#]],
    );
    assert_eq!(result(&stage), "applied");
}

#[test]
fn ctrl_c_leaves_the_delivery_and_says_how_to_go_on() {
    let files = deployment("web", "pending").replace("Seconds: 1", "Seconds: 600");
    for name in ["-INT", "-TERM"] {
        let stage = Stage::new(&format!("#- app/web.yaml\n{files}"));
        let mut child = stage.start("kelson apply app --name app --yes --timeout 10m");
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let waiting = lines.find(|line| line.as_ref().unwrap().starts_with("waiting"));
        assert!(waiting.is_some());
        signal(&child, name);
        let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
        assert_eq!(ran.code, 3, "{}", ran.shown());
        let said = stage.normal(&ran.err);
        let expected = "stopped waiting; what was delivered stays as it is, and \
                        `kelson wait --name app -n the-namespace` goes on waiting\n";
        assert_eq!(said, expected);
        assert_eq!(result(&stage), "applied");
    }
}

#[test]
fn what_failed_to_be_applied_is_not_waited_for() {
    let stage = Stage::new(
        "#- app/objects.yaml
apiVersion: v1
kind: Service
metadata: {name: wrong}
spec: {ports: [{port: 99999}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: right}
",
    );
    let ran = stage.run("kelson apply app --name app --yes --timeout 60s");
    assert_eq!(ran.code, 1, "{}", ran.shown());
    has(&ran.shown(), &["1 created, 1 failed\n1 ready\n"]);
    assert_eq!(result(&stage), "failed");
}

/// The requests that look at health.
fn watches(detour: &Detour) -> Vec<String> {
    detour.seen_at("GET", "watch=").iter().map(ToString::to_string).collect()
}

#[test]
fn who_became_ready_is_not_looked_at_again_when_nothing_changes() {
    let stage = Stage::new(MAPS);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    assert_eq!(result(&stage), "applied");
    // Nobody has waited yet.
    let ran = stage.run("kelson apply app --name app --yes --timeout 60s");
    assert_eq!(ran.shown(), "2 unchanged\n2 ready\n");
    assert_eq!(result(&stage), "ready");
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson apply app --name app --yes --timeout 60s");
    assert_eq!(ran.shown(), "2 unchanged\n");
    assert_eq!(watches(&detour), Vec::<String>::new());
    assert_eq!(detour.seen_at("PUT", "").len() + detour.seen_at("PATCH", "").len(), 0);
}

#[test]
fn a_wait_costs_one_watch_for_each_kind() {
    let maps: String = (0..40)
        .map(|number| {
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{number}}}\n")
        })
        .collect();
    let stage = Stage::new(&format!("#- app/maps.yaml\n{maps}"));
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson wait --name app --timeout 60s");
    assert_eq!(ran.shown(), "40 ready\n");
    let gets: Vec<String> =
        detour.seen_at("GET", "/configmaps/").iter().map(ToString::to_string).collect();
    assert_eq!(gets, Vec::<String>::new(), "a request for an object");
    assert!(watches(&detour).len() <= 2, "{:?}", watches(&detour));
}

#[test]
fn events_tell_of_health() {
    let files = format!("{MAPS}#- app/web.yaml\n{}", deployment("web", "crash"));
    let stage = Stage::new(&files);
    let _node = Node::of(&stage);
    let ran = stage.run("kelson apply app --name app --yes --json --timeout 10m");
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let events: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["event"] == name).collect()
    };
    assert_eq!(of("observing"), [&serde_json::json!({"event": "observing", "objects": 3})]);
    let ready = of("health").iter().filter(|event| event["health"] == "Current").count();
    assert_eq!(ready, 2, "{events:#?}");
    let last = of("health").into_iter().rfind(|event| event["object"]["kind"] == "Deployment");
    let last = last.unwrap();
    assert_eq!(last["health"], "Failed", "{last:#?}");
    assert!(last["reason"].is_string() && last["message"].is_string(), "{last:#?}");
    let behind = &last["because"][0];
    assert_eq!(behind["object"]["kind"], "Pod", "{last:#?}");
    assert_eq!(behind["reason"], "CrashLoop", "{last:#?}");
    assert_eq!(behind["log"][0], "starting", "{last:#?}");
    let observed = of("observed");
    assert_eq!(observed.len(), 1, "{events:#?}");
    assert_eq!(observed[0]["summary"]["current"], 2);
    assert_eq!(observed[0]["summary"]["failed"], 1);
    assert_eq!(events.last().unwrap()["event"], "observed");
}

#[test]
fn a_delivery_is_waited_for_by_name_and_objects_by_source() {
    check(
        &format!(
            "{MAPS}#- other/map.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: three}}\n\
             #- odd/odd.yaml\napiVersion: example.com/v1\nkind: Odd\nmetadata: {{name: odd}}\n"
        ),
        &[
            "kelson wait app --timeout 300ms",
            "kelson wait shop",
            "kelson apply app --name app --yes",
            "kelson wait app",
            "kelson wait ./app",
            "kelson wait --name app",
            "cat app/maps.yaml | kelson wait -",
            "kelson wait shop app",
            "kelson wait Shop.yaml",
            "kelson wait other --timeout 300ms",
            "kelson wait ./app other --timeout 300ms",
            // Whoever has made it.
            "kubectl apply -f /here/other/map.yaml",
            "kelson wait ./app other",
            // Once, without waiting.
            "kelson wait ./app --timeout 0",
            "kelson wait odd",
        ],
        expect![[r#"
            $ kelson wait app --timeout 300ms
            missing   ConfigMap/the-namespace/one: it does not exist (NotFound)
            missing   ConfigMap/the-namespace/two: it does not exist (NotFound)
            2 missing
            not ready after 300ms; the same command goes on waiting
            exit code 3
            $ kelson wait shop
            error: nothing was delivered as the-namespace/shop
            exit code 1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            2 created
            $ kelson wait app
            error: `app` is a path and the name of a delivery; write `./app` for the path, `--name app` for the delivery
            exit code 1
            $ kelson wait ./app
            2 ready
            $ kelson wait --name app
            2 ready
            $ cat app/maps.yaml | kelson wait -
            2 ready
            $ kelson wait shop app
            error: `app` is a source and `shop` is not: wait for deliveries or for sources, not for both
            exit code 64
            $ kelson wait Shop.yaml
            error: there is no file `Shop.yaml`, and `Shop.yaml` cannot be the name of a delivery: it has 1 to 50 lower-case letters, digits and dashes, with a letter or digit at both ends
            exit code 64
            $ kelson wait other --timeout 300ms
            missing   ConfigMap/the-namespace/three: it does not exist (NotFound)
            1 missing
            not ready after 300ms; the same command goes on waiting
            exit code 3
            $ kelson wait ./app other --timeout 300ms
            missing   ConfigMap/the-namespace/three: it does not exist (NotFound)
            2 ready, 1 missing
            not ready after 300ms; the same command goes on waiting
            exit code 3
            $ kubectl apply -f /here/other/map.yaml
            configmap/three created
            $ kelson wait ./app other
            3 ready
            $ kelson wait ./app --timeout 0
            2 ready
            $ kelson wait odd
            Odd/odd: the cluster has no example.com/v1 Odd, and no CustomResourceDefinition of the set brings it; install what defines it first, or add that to the set
            error: some of these objects can never be there
            exit code 1
        "#]],
    );
}

#[test]
fn what_is_to_go_is_waited_for_as_well() {
    let stage = Stage::new(MAPS);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.check(
        &["kelson wait --name app --gone --timeout 300ms"],
        expect![[r#"
        $ kelson wait --name app --gone --timeout 300ms
        waiting   ConfigMap/the-namespace/one: it is still there (Waiting)
        waiting   ConfigMap/the-namespace/two: it is still there (Waiting)
        2 waiting
        not gone after 300ms; the same command goes on waiting
        exit code 3
    "#]],
    );
    let child = stage.start("kelson wait --name app --gone --timeout 60s");
    assert_eq!(stage.run("kelson delete app --yes").code, 0);
    let ran = Ran::new(&stage.folder.path(""), &child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    stage.check(
        &["kelson wait --name app --gone"],
        expect![[r#"
        $ kelson wait --name app --gone
        nothing to wait for
    "#]],
    );
}

#[test]
fn rules_of_ones_own_decide() {
    check(
        &format!(
            "{MAPS}#- rules.yaml
- apiVersion: v1
  kind: ConfigMap
  current: has(data.mode) && data.mode == 'fast'
  failed: has(data.mode) && data.mode == 'broken'
#- wrong.yaml
- apiVersion: v1
  kind: ConfigMap
  current: data.mode ==
"
        ),
        &[
            "kelson apply app --name app --yes --timeout 60s --health wrong.yaml",
            "kelson apply app --name app --yes --timeout 60s --health nowhere.yaml",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kelson apply app --name app --yes --timeout 300ms --health rules.yaml",
            "kubectl patch configmap one --type=merge -p {\"data\":{\"mode\":\"fast\"}}",
            "kubectl patch configmap two --type=merge -p {\"data\":{\"mode\":\"fast\"}}",
            "kelson wait --name app --timeout 60s --health rules.yaml",
            "kubectl patch configmap two --type=merge -p {\"data\":{\"mode\":\"broken\"}}",
            "kelson wait --name app --timeout 10m --health rules.yaml",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes --timeout 60s --health wrong.yaml
            error[bad-expression]: `current` is no CEL expression: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
             --> wrong.yaml:3:24
              |
            3 |   current: data.mode ==
              |                        ^
              |
              = help: an example is `status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')`
            error: the rules in `wrong.yaml` cannot be used
            exit code 1
            $ kelson apply app --name app --yes --timeout 60s --health nowhere.yaml
            error: cannot read `nowhere.yaml`
            caused by: No such file or directory (os error 2)
            exit code 1
            $ kubectl get configmaps -l kelson.dev/name -o name
            $ kelson apply app --name app --yes --timeout 300ms --health rules.yaml
            created   ConfigMap/the-namespace/one
            created   ConfigMap/the-namespace/two
            2 created
            waiting   ConfigMap/the-namespace/one: `current` does not hold yet
            unknown   ConfigMap/the-namespace/two: `failed` cannot be evaluated: there is nothing called `data`
            1 waiting, 1 unknown
            not ready after 300ms; `kelson wait --name app -n the-namespace` goes on waiting
            exit code 3
            $ kubectl patch configmap one --type=merge -p {"data":{"mode":"fast"}}
            configmap/one patched
            $ kubectl patch configmap two --type=merge -p {"data":{"mode":"fast"}}
            configmap/two patched
            $ kelson wait --name app --timeout 60s --health rules.yaml
            2 ready
            $ kubectl patch configmap two --type=merge -p {"data":{"mode":"broken"}}
            configmap/two patched
            $ kelson wait --name app --timeout 10m --health rules.yaml
            failed    ConfigMap/the-namespace/two: `failed` holds
            1 ready, 1 failed
            not ready: what has failed does not come right by waiting
            exit code 3
        "#]],
    );
}

#[test]
fn what_was_approved_is_waited_for_as_well() {
    let stage = Stage::new(&format!("#- app/web.yaml\n{}", deployment("web", "ready")));
    let _node = Node::of(&stage);
    assert_eq!(stage.run("kelson plan app --name app -o plan.json").code, 2);
    let ran = stage.run("kelson apply plan.json --timeout 60s");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    has(&ran.shown(), &["1 created\n", "\n1 ready\n"]);
    assert_eq!(result(&stage), "ready");
}

#[test]
fn what_is_of_a_kind_that_is_gone_will_never_be_ready() {
    let stage = Stage::new(
        "#- kinds.yaml
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
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
#- app/widget.yaml
apiVersion: the-namespace.example/v1
kind: Widget
metadata: {name: one}
",
    );
    stage.kubectl("apply -f /here/kinds.yaml").unwrap();
    let established =
        "wait --for=condition=Established --timeout=60s crd/widgets.the-namespace.example";
    stage.kubectl(established).unwrap();
    let ran = stage.run("kelson apply app --name app --yes --timeout 60s");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    stage.kubectl("delete crd widgets.the-namespace.example").unwrap();
    // Not by asking for widgets: what kubectl says of them depends on how old its own list of kinds is.
    let group = stage.real("the-namespace.example");
    stage.until("get --raw /apis", |text| !text.contains(&group));
    for step in ["kelson wait --name app --timeout 10m", "kelson status app"] {
        let ran = stage.run(step);
        let shown = stage.normal(&ran.shown());
        assert_eq!(ran.code, 3, "{shown}");
        has(&shown, &["missing", "Widget/the-namespace/one", "NoKind"]);
    }
    let ran = stage.run("kelson wait --name app --gone --timeout 60s");
    assert_eq!(ran.code, 0, "{}", ran.shown());
}
