//! Components, from their file to a changed cluster and back.

mod defects; // what others got wrong
mod drift; // whether the cluster is as it was left
mod hostile; // plans, states and values that nobody should write
mod runner; // plan JSON in, result JSON out

use std::sync::atomic::Ordering;

use expect_test::expect;
use kelson_testkit::{Verdict, Webhook};

use crate::Stage;
use crate::faults::install;
use crate::node::Node;
use crate::screen::Terminal;
use crate::stage::has_secret;

/// A component of the oldest kind, as it was written for another system, and what its places are filled from.
const FILES: &str = r#"#- shop.toml
name = "Shop"
type = "kubernetes_manifest"
namespace = "{{.nuon.install.id}}"
drift_schedule = "@every 1s"
manifest = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast, owner: "{{.nuon.org.id}}", replicas: "{{.nuon.inputs.replicas}}"}
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
  replicas: {{.nuon.inputs.replicas}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, fate: "{{.nuon.inputs.fate}}"}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
"""
#- state.json
{"install": {"id": "the-namespace"}, "org": {"id": "org1"}, "inputs": {"replicas": 2, "fate": "ready"}}
#- v2.toml
name = "Shop"
type = "kubernetes_manifest"
namespace = "{{.nuon.install.id}}"
manifest = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter3}
"""
"#;

/// What follows every command about the component.
const SHOP: &str = "shop.toml --from oci-layout:out --state state.json";

/// A stage where the component is built.
fn built() -> Stage {
    let stage = Stage::new(FILES);
    assert_eq!(stage.run("kelson component build shop.toml --to oci-layout:out").code, 0);
    stage
}

/// A stage where the component is deployed.
fn deployed() -> Stage {
    let stage = built();
    let ran = stage.run(&format!("kelson component deploy {SHOP} --yes"));
    assert_eq!(ran.code, 0, "{}", ran.shown());
    stage
}

#[test]
fn a_component_goes_from_its_file_to_running_objects_and_back() {
    let stage = Stage::new(FILES);
    let _node = Node::of(&stage);
    // How a rollout goes on its way is the cluster's affair.
    let is_settled = |line: &&str| !line.starts_with("waiting ") && !line.starts_with("ready ");
    let show = |step: &&str| {
        let shown = stage.step(step);
        let lines: Vec<&str> = shown.lines().filter(is_settled).collect();
        format!("$ {step}\n{}", lines.iter().map(|line| format!("{line}\n")).collect::<String>())
    };
    let steps: &[&str] = &[
        "kelson component build shop.toml --to oci-layout:out",
        "kelson component plan shop.toml --from oci-layout:out --state state.json",
        "kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --timeout 60s",
        "kubectl get deployment web -o jsonpath={.spec.replicas}/{.status.readyReplicas}",
        "kubectl get configmap settings -o jsonpath={.data}",
        "kelson component plan shop.toml --from oci-layout:out --state state.json",
        "kelson component deploy shop.toml --from oci-layout:out --state state.json --yes",
        "kelson component plan shop.toml --from oci-layout:out --state state.json --var nuon.inputs.replicas=1",
        "kelson component teardown shop.toml --state state.json --yes",
        "kubectl get configmaps,secrets,deployments -l kelson.dev/name -o name",
        "kelson component teardown shop.toml --state state.json --yes",
    ];
    expect![[r#"
            $ kelson component build shop.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (3 objects)
            $ kelson component plan shop.toml --from oci-layout:out --state state.json
            + ConfigMap/the-namespace/settings
            + Secret/the-namespace/password
            + Deployment/the-namespace/web
            15 changes hidden as noise (server-defaults: 15); --show-all shows them
            3 to create
            exit code 2
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --timeout 60s
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 3 created, ready
            $ kubectl get deployment web -o jsonpath={.spec.replicas}/{.status.readyReplicas}
            2/2
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast","owner":"org1","replicas":"2"}
            $ kelson component plan shop.toml --from oci-layout:out --state state.json
            nothing to do: 3 objects are as they should be
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --yes
            Shop of oci-layout:/here/out@sha256:<digest>: 3 unchanged
            $ kelson component plan shop.toml --from oci-layout:out --state state.json --var nuon.inputs.replicas=1
            ~ ConfigMap/the-namespace/settings
                data.replicas: "2" → "1"  (owner: kelson)
            ~ Deployment/the-namespace/web
                spec.replicas: 2 → 1  (owner: kelson)
            2 to change, 1 unchanged
            exit code 2
            $ kelson component teardown shop.toml --state state.json --yes
            deleted   ConfigMap/the-namespace/settings
            deleted   Deployment/the-namespace/web
            deleted   Secret/the-namespace/password
            Shop: 3 deleted
            $ kubectl get configmaps,secrets,deployments -l kelson.dev/name -o name
            $ kelson component teardown shop.toml --state state.json --yes
            warning: Shop: nothing is delivered as the-namespace/shop
    "#]]
    .assert_eq(&steps.iter().map(show).collect::<String>());
}

#[test]
fn what_is_not_ready_is_a_warning_unless_it_must_be() {
    let stage = built();
    let deploy = |words: &str| {
        stage.run(&format!("kelson component deploy {SHOP} --yes --timeout 1s{words}"))
    };
    // Nothing plays the node, so that the Pods never run.
    let why = "not ready: Deployment/the-namespace/web: ";
    let warned = deploy("");
    assert_eq!(warned.code, 0, "{}", warned.shown());
    assert!(stage.normal(&warned.err).contains(&format!("warning: Shop: {why}")), "{}", warned.err);
    let blocked = deploy(" --block-deploy");
    assert_eq!(blocked.code, 3, "{}", blocked.shown());
    assert!(stage.normal(&blocked.err).contains(why), "{}", blocked.err);
    let passed_over = deploy(" --block-deploy --skip-noops");
    assert_eq!(passed_over.code, 0, "{}", passed_over.shown());
}

#[test]
fn what_was_approved_is_deployed_whatever_its_tag_says_now() {
    let stage = built();
    stage.check(
        &[
            "kelson component plan shop.toml --from oci-layout:out --state state.json -o plan.json",
            "kelson component build v2.toml --to oci-layout:out",
            "kelson component deploy shop.toml --state state.json --approved plan.json",
            "kubectl get configmap settings -o jsonpath={.data.mode}",
            "kelson component deploy shop.toml --state state.json --approved plan.json",
            "kelson component teardown shop.toml --state state.json --approved plan.json",
        ],
        expect![[r#"
            $ kelson component plan shop.toml --from oci-layout:out --state state.json -o plan.json
            + ConfigMap/the-namespace/settings
            + Secret/the-namespace/password
            + Deployment/the-namespace/web
            15 changes hidden as noise (server-defaults: 15); --show-all shows them
            3 to create
            exit code 2
            $ kelson component build v2.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (2 objects)
            $ kelson component deploy shop.toml --state state.json --approved plan.json
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 3 created
            $ kubectl get configmap settings -o jsonpath={.data.mode}
            fast
            $ kelson component deploy shop.toml --state state.json --approved plan.json
            error: the ground has moved since this was planned; nothing was done
              the inventory of the-namespace/shop exists now: something was applied since
              ConfigMap/the-namespace/settings exists now, and did not when the plan was made
              Secret/the-namespace/password exists now, and did not when the plan was made
              Deployment/the-namespace/web exists now, and did not when the plan was made
            exit code 4
            $ kelson component teardown shop.toml --state state.json --approved plan.json
            error: `plan.json` applies: kelson component deploy takes it
            exit code 64
        "#]],
    );
}

#[test]
fn a_teardown_can_be_approved_too() {
    let stage = deployed();
    stage.check(
        &[
            "kelson component plan shop.toml --state state.json --teardown -o end.json",
            "kelson component deploy shop.toml --state state.json --approved end.json",
            "kelson component teardown shop.toml --state state.json --approved end.json",
            "kubectl get configmaps,secrets,deployments -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ kelson component plan shop.toml --state state.json --teardown -o end.json
            - Deployment/the-namespace/web
            - Secret/the-namespace/password
            - ConfigMap/the-namespace/settings
            3 to delete
            exit code 2
            $ kelson component deploy shop.toml --state state.json --approved end.json
            error: `end.json` deletes: kelson component teardown takes it
            exit code 64
            $ kelson component teardown shop.toml --state state.json --approved end.json
            deleted   ConfigMap/the-namespace/settings
            deleted   Deployment/the-namespace/web
            deleted   Secret/the-namespace/password
            Shop: 3 deleted
            $ kubectl get configmaps,secrets,deployments -l kelson.dev/name -o name
        "#]],
    );
}

#[test]
fn nobody_is_asked_where_nobody_can_answer() {
    let stage = built();
    stage.check(
        &[
            "kelson component deploy shop.toml --from oci-layout:out --state state.json",
            "kelson component teardown shop.toml --state state.json",
            "kelson component deploy shop.toml --state state.json --yes",
            "kelson component plan",
        ],
        expect![[r#"
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson component teardown shop.toml --state state.json
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson component deploy shop.toml --state state.json --yes
            error: Shop: OCI artifact reference is required - this indicates a build phase issue
            exit code 1
            $ kelson component plan
            error: the following required arguments were not provided:
              <COMPONENT.TOML>

            Usage: kelson component plan --kubeconfig <FILE> --parallel <NUMBER> <COMPONENT.TOML>

            For more information, try '--help'.
            exit code 64
        "#]],
    );
}

#[test]
fn a_component_can_be_rolled_back_to_what_its_places_were_filled_with() {
    let stage = deployed();
    stage.check(
        &[
            "kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --var nuon.org.id=org2",
            "kelson component build v2.toml --to oci-layout:out",
            "kelson component deploy v2.toml --from oci-layout:out --state state.json --yes",
            "kelson history shop",
            "kelson rollback shop --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson component drift shop.toml --from oci-layout:out --state state.json",
        ],
        expect![[r#"
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --yes --var nuon.org.id=org2
            changed   ConfigMap/the-namespace/settings
            Shop of oci-layout:/here/out@sha256:<digest>: 1 changed, 2 unchanged
            $ kelson component build v2.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (2 objects)
            $ kelson component deploy v2.toml --from oci-layout:out --state state.json --yes
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   Deployment/the-namespace/web
            Shop of oci-layout:/here/out@sha256:<digest>: 2 changed, 1 deleted
            $ kelson history shop
            NUMBER  ARTIFACT             REVISION                                                                      AT                    BY     RESULT   NOW       CONTENT
            3       sha256:<short...>  -                                                                             <time>  admin  applied  deployed  kept
            2       sha256:<short...>  Shop@sha256:<digest>  <time>  admin  applied            kept
            1       sha256:<short...>  Shop@sha256:<digest>  <time>  admin  applied            kept
            $ kelson rollback shop --yes
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            created   Deployment/the-namespace/web
            1 created, 2 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast","owner":"org2","replicas":"2"}
            $ kelson component drift shop.toml --from oci-layout:out --state state.json
            <time> Shop: drifted, 3 objects
              deployed is sha256:<digest>, the artifact is sha256:<digest>
              change ConfigMap/the-namespace/settings: data.mode, data.owner, data.replicas
              change Secret/the-namespace/password: data.password
              delete Deployment/the-namespace/web
            exit code 2
        "#]],
    );
}

#[test]
fn a_failure_that_passes_is_tried_again_as_often_as_is_asked_for() {
    let stage = built();
    let left = std::sync::atomic::AtomicUsize::new(2);
    let webhook = Webhook::start(move |request| {
        let is_real = request["dryRun"] != true && request["name"] == "settings";
        let is_left = is_real
            && left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                .is_ok();
        match is_left || request["name"] == "probe" {
            true => Verdict::Deny("heard".to_owned()),
            false => Verdict::Allow,
        }
    })
    .unwrap();
    install(&stage, "Validating", &webhook.client_config(), "configmaps", "Fail");
    let line = format!("kelson component deploy {SHOP} --yes --max-auto-retries");
    let once = stage.run(&format!("{line} 0"));
    assert_eq!(once.code, 1, "{}", once.shown());
    let again = stage.run(&format!("{line} 2"));
    assert_eq!(again.code, 0, "{}", again.shown());
    assert!(again.err.contains("trying again to deploy"), "{}", again.shown());
}

#[test]
fn a_person_is_asked_before_anything_is_deployed_or_deleted() {
    let stage = built();
    let deploy = format!("component deploy {SHOP}");
    let teardown = "component teardown shop.toml --state state.json";
    let all = "get configmaps,secrets,deployments -l kelson.dev/name -o name";
    for (line, sign, answer, code, left) in [
        (deploy.as_str(), "+", "no", 1, 0),
        (&deploy, "+", "yes", 0, 3),
        (teardown, "-", "no", 1, 3),
        (teardown, "-", "yes", 0, 0),
    ] {
        let mut terminal = Terminal::start(stage.command(line), 40, 120);
        terminal.until("[y/N]");
        let screen = stage.normal(&terminal.screen());
        let shown = format!("{sign} Secret/the-namespace/password");
        assert!(screen.contains(&shown) && !has_secret(&screen), "{screen}");
        terminal.enter(answer);
        let (ended, screen) = terminal.end();
        assert_eq!(ended, code, "{screen}");
        assert_eq!(stage.kubectl(all).unwrap().lines().count(), left, "{screen}");
    }
}
