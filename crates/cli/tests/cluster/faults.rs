//! Servers, networks and rights on bad days.

use expect_test::expect;
use kelson_testkit::{Fault, Verdict, Webhook};
use serde_json::{Value, json};

use crate::ordeal::Ordeal;
use crate::{Stage, check};

const FILES: &str = "#- app/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
data: {mode: slow}
---
apiVersion: v1
kind: Service
metadata: {name: service}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2}
";

/// Several things are asked at once, and which of them is told depends on the network; the cause does not.
#[track_caller]
fn check_cause(stage: &Stage, step: &str, cause: &str) {
    let ran = stage.run(step);
    let shown = stage.normal(&ran.shown());
    assert_eq!(ran.code, 1, "{shown}");
    assert!(shown.starts_with("error: cannot ") && shown.contains(cause), "{shown}");
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let stage = Stage::new(FILES);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    let step = format!("kelson plan app --name app --server https://{address}");
    check_cause(&stage, &step, ": no answer from https://<server>: Connection refused");
}

#[test]
fn a_server_that_does_not_answer_is_not_waited_for_for_ever() {
    let stage = Stage::new(FILES);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    detour.fault("", "", usize::MAX, Fault::Stall);
    let step = "kelson plan app --name app --request-timeout 300ms";
    check_cause(&stage, step, ": no answer from https://<server> within 300ms");
}

#[test]
fn credentials_that_no_longer_hold_are_told() {
    let stage = Stage::new(FILES);
    stage.kubectl("create serviceaccount robot").unwrap();
    let token = stage.kubectl("create token robot").unwrap();
    stage.kubectl("delete serviceaccount robot").unwrap();
    let config = std::fs::read_to_string(stage.plane.kubeconfig()).unwrap();
    let config: String = config
        .lines()
        .map(|line| match line.split_once("token: ") {
            Some((before, _)) => format!("{before}token: {}\n", token.trim()),
            None => format!("{line}\n"),
        })
        .collect();
    std::fs::write(stage.folder.path("old.kubeconfig"), config).unwrap();
    let step = "kelson plan app --name app --kubeconfig old.kubeconfig";
    assert!(!stage.run(step).shown().contains(token.trim()), "the token is shown");
    check_cause(&stage, step, ": the cluster does not accept our credentials");
}

const ROLES: &str = "#- roles.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: some}
rules:
- {apiGroups: [''], resources: [configmaps], verbs: ['*']}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: ['*']}
- {apiGroups: [''], resources: [secrets], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: some}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: some}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: the-namespace-eve}]
#- v2/map.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
data: {mode: fast}
";

fn grant(stage: &Stage) {
    stage.kubectl("apply -f /here/roles.yaml").unwrap();
    let ask = "auth can-i create configmaps --as the-namespace-eve";
    stage.until(ask, |text| text.trim() == "yes");
}

#[test]
fn what_may_not_be_done_leaves_the_rest() {
    let stage = Stage::new(&format!("{FILES}{ROLES}"));
    grant(&stage);
    stage.check(
        &[
            "kelson plan app --name app --as the-namespace-eve",
            "kelson apply app --name app --yes --as the-namespace-eve",
            "kubectl get configmaps,services,secrets -l kelson.dev/name -o name",
            "kelson inventory show app --as the-namespace-eve",
        ],
        expect![[r#"
            $ kelson plan app --name app --as the-namespace-eve
            + ConfigMap/the-namespace/map
            + Secret/the-namespace/password
            ! Service/the-namespace/service: it cannot be read: services "service" is forbidden: User "the-namespace-eve" cannot get resource "services" in API group "" in the namespace "the-namespace" (403 Forbidden)
            1 change hidden as noise (server-defaults: 1); --show-all shows them
            2 to create, 1 failing
            exit code 1
            $ kelson apply app --name app --yes --as the-namespace-eve
            failed    Service/the-namespace/service: it cannot be read: services "service" is forbidden: User "the-namespace-eve" cannot get resource "services" in API group "" in the namespace "the-namespace" (403 Forbidden)
            created   ConfigMap/the-namespace/map
            created   Secret/the-namespace/password
            2 created, 1 failed
            exit code 1
            $ kubectl get configmaps,services,secrets -l kelson.dev/name -o name
            configmap/map
            secret/password
            $ kelson inventory show app --as the-namespace-eve
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT  BY                 ARTIFACT                                                                 REVISION
            <time>  failed  the-namespace-eve  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/map    v1       created  applied  <uid>
            Secret/the-namespace/password  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_not_absent() {
    let stage = Stage::new(&format!("{FILES}{ROLES}"));
    grant(&stage);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.check(
        &[
            "use v2",
            "kelson plan app --name app --as the-namespace-eve",
            "kelson apply app --name app --yes --as the-namespace-eve",
            "kubectl get services -l kelson.dev/name -o name",
            "kelson inventory show app",
            "kelson delete app --yes --as the-namespace-eve",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ use v2
            $ kelson plan app --name app --as the-namespace-eve
            ~ ConfigMap/the-namespace/map
                data.mode: slow → fast  (owner: kelson)
            ! Service/the-namespace/service: it cannot be read: services "service" is forbidden: User "the-namespace-eve" cannot get resource "services" in API group "" in the namespace "the-namespace" (403 Forbidden)
            - Secret/the-namespace/password
            1 to change, 1 to delete, 1 failing
            exit code 1
            $ kelson apply app --name app --yes --as the-namespace-eve
            failed    Service/the-namespace/service: it cannot be read: services "service" is forbidden: User "the-namespace-eve" cannot get resource "services" in API group "" in the namespace "the-namespace" (403 Forbidden)
            changed   ConfigMap/the-namespace/map
            deleted   Secret/the-namespace/password
            1 changed, 1 deleted, 1 failed
            exit code 1
            $ kubectl get services -l kelson.dev/name -o name
            service/service
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY                 ARTIFACT                                                                 REVISION
            <time>  applied  admin              sha256:<digest>
            <time>  failed   the-namespace-eve  sha256:<digest>

            OBJECT                         VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/map    v1       created  applied  <uid>
            Service/the-namespace/service  v1       created  applied  <uid>
            $ kelson delete app --yes --as the-namespace-eve
            failed    Service/the-namespace/service: it cannot be read: services "service" is forbidden: User "the-namespace-eve" cannot get resource "services" in API group "" in the namespace "the-namespace" (403 Forbidden)
            deleted   ConfigMap/the-namespace/map
            1 deleted, 1 failed
            exit code 1
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY                 ARTIFACT                                                                 REVISION
            <time>  applied  admin              sha256:<digest>
            <time>  failed   the-namespace-eve  sha256:<digest>
            <time>  failed   the-namespace-eve  -

            OBJECT                         VERSION  ORIGIN   STATE    UID
            Service/the-namespace/service  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn nothing_may_be_done() {
    check(
        FILES,
        &["kelson plan app --name app --as nobody-at-all"],
        expect![[r#"
            $ kelson plan app --name app --as nobody-at-all
            error: cannot read the inventory of the-namespace/app: secrets "kelson.app" is forbidden: User "nobody-at-all" cannot get resource "secrets" in API group "" in the namespace "the-namespace" (403 Forbidden)
            exit code 1
        "#]],
    );
}

/// Puts a webhook before the objects of one kind in the stage's own namespace, and waits until the server asks it.
pub(crate) fn install(stage: &Stage, sort: &str, client: &Value, resource: &str, policy: &str) {
    let kind = format!("{sort}WebhookConfiguration");
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "the-namespace"},
        "webhooks": [{
            "name": "test.kelson.dev", "clientConfig": client, "sideEffects": "None", "failurePolicy": policy,
            "admissionReviewVersions": ["v1"], "timeoutSeconds": 1,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "the-namespace"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": [resource]}],
        }],
    });
    let path = format!("/apis/admissionregistration.k8s.io/v1/{}s", kind.to_lowercase());
    stage.post(&path, &configuration);
    // It is in force when a request that must meet it is not as it would be without.
    let started = std::time::Instant::now();
    let singular = resource.trim_end_matches('s');
    let probe = match singular {
        "service" => {
            "create service clusterip probe --tcp=80 --dry-run=server -o jsonpath={.metadata.labels}"
        }
        _ => "create configmap probe --dry-run=server -o jsonpath={.metadata.labels}",
    };
    while matches!(stage.kubectl(probe).as_deref(), Ok("" | r#"{"app":"probe"}"#)) {
        assert!(started.elapsed() < crate::stage::PATIENCE, "the webhook is never asked");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_webhook_that_denies_is_quoted() {
    let stage = Stage::new(FILES);
    let webhook = Webhook::start(|_| Verdict::Deny("no maps on Mondays".to_owned())).unwrap();
    install(&stage, "Validating", &webhook.client_config(), "configmaps", "Fail");
    stage.check(
        &[
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get configmaps,services -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/map: admission webhook "test.kelson.dev" denied the request: no maps on Mondays (403)
            + Secret/the-namespace/password
            + Service/the-namespace/service
            9 changes hidden as noise (server-defaults: 9); --show-all shows them
            2 to create, 1 failing
            exit code 1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/map: admission webhook "test.kelson.dev" denied the request: no maps on Mondays (403)
            created   Secret/the-namespace/password
            created   Service/the-namespace/service
            2 created, 1 failed
            exit code 1
            $ kubectl get configmaps,services -l kelson.dev/name -o name
            service/service
        "#]],
    );
}

#[test]
fn a_webhook_that_says_nothing_fails_its_objects() {
    let stage = Stage::new(FILES);
    let webhook = Webhook::start(|_| Verdict::Silence).unwrap();
    install(&stage, "Validating", &webhook.client_config(), "configmaps", "Fail");
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.shown().contains("failed calling webhook"), "{}", ran.shown());
    stage.check(
        &["kubectl get configmaps,services -l kelson.dev/name -o name"],
        expect![[r#"
        $ kubectl get configmaps,services -l kelson.dev/name -o name
        service/service
    "#]],
    );
}

#[test]
fn a_webhook_that_is_down_fails_its_objects() {
    let stage = Stage::new(FILES);
    let webhook = Webhook::start(|_| Verdict::Allow).unwrap();
    let client = webhook.client_config();
    drop(webhook);
    install(&stage, "Validating", &client, "configmaps", "Fail");
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 1, "{}", ran.shown());
    assert!(ran.shown().contains("failed calling webhook"), "{}", ran.shown());
    stage.check(
        &["kubectl get configmaps,services -l kelson.dev/name -o name"],
        expect![[r#"
        $ kubectl get configmaps,services -l kelson.dev/name -o name
        service/service
    "#]],
    );
}

#[test]
fn a_webhook_that_refuses_deletes_keeps_the_record() {
    let stage = Stage::new(FILES);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let webhook = Webhook::start(|request| match request["operation"].as_str() {
        Some("DELETE") => Verdict::Deny("this map stays".to_owned()),
        _ if request["name"] == "probe" => Verdict::Deny("heard".to_owned()),
        _ => Verdict::Allow,
    })
    .unwrap();
    install(&stage, "Validating", &webhook.client_config(), "configmaps", "Fail");
    stage.check(
        &[
            "kelson delete app --yes",
            "kubectl get configmaps,services -l kelson.dev/name -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ kelson delete app --yes
            deleted   Secret/the-namespace/password
            deleted   Service/the-namespace/service
            failed    ConfigMap/the-namespace/map: admission webhook "test.kelson.dev" denied the request: this map stays (403)
            2 deleted, 1 failed
            exit code 1
            $ kubectl get configmaps,services -l kelson.dev/name -o name
            configmap/map
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  failed   admin  -

            OBJECT                       VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/map  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn a_quota_that_is_used_up_is_quoted() {
    let stage = Stage::new(FILES);
    stage.kubectl("create quota services --hard=count/services=0").unwrap();
    stage.until("get quota services -o jsonpath={.status.hard}", |text| text.contains("services"));
    stage.check(
        &[
            "kelson apply app --name app --yes",
            "kubectl get configmaps,services -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/map
            created   Secret/the-namespace/password
            failed    Service/the-namespace/service: services "service" is forbidden: exceeded quota: services, requested: count/services=1, used: count/services=0, limited: count/services=0 (403 Forbidden)
            2 created, 1 failed
            exit code 1
            $ kubectl get configmaps,services -l kelson.dev/name -o name
            configmap/map
        "#]],
    );
}

#[test]
fn a_namespace_that_is_going_is_named() {
    let stage = Stage::new(
        "#- app/map.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: map, namespace: the-namespace-going}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
#- holder.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: holder, namespace: the-namespace-going, finalizers: [example.com/never]}
",
    );
    stage.kubectl("create namespace the-namespace-going").unwrap();
    stage.kubectl("create -n the-namespace-going -f /here/holder.yaml").unwrap();
    stage.kubectl("delete namespace the-namespace-going --wait=false").unwrap();
    stage.check(
        &[
            "kelson apply app --name app --yes",
            "kubectl get configmaps -l kelson.dev/name -o name",
            "kubectl patch configmap holder -n the-namespace-going --type=merge -p {\"metadata\":{\"finalizers\":null}}",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/map
            failed    ConfigMap/the-namespace-going/map: configmaps "map" is forbidden: unable to create new content in namespace the-namespace-going because it is being terminated (403 Forbidden)
            1 created, 1 failed
            exit code 1
            $ kubectl get configmaps -l kelson.dev/name -o name
            configmap/map
            $ kubectl patch configmap holder -n the-namespace-going --type=merge -p {"metadata":{"finalizers":null}}
            configmap/holder patched
        "#]],
    );
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let stage = Stage::new(FILES);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let busy = Fault::refusal(429, "TooManyRequests", "not now").with_header("retry-after", "1");
    detour.fault("PATCH", "/configmaps/map", 1, busy);
    let ran = stage.run("kelson apply app --name app --yes");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(detour.seen_at("PATCH", "/configmaps/map").len(), 2);
}

/// What goes wrong at one request of an apply.
fn bad_answers() -> Vec<(&'static str, Fault)> {
    vec![
        ("409", Fault::refusal(409, "Conflict", "somebody was faster")),
        ("422", Fault::refusal(422, "Invalid", "it is not valid")),
        ("429", Fault::refusal(429, "TooManyRequests", "not now").with_header("retry-after", "0")),
        ("500", Fault::refusal(500, "InternalError", "etcd is tired")),
        ("503", Fault::refusal(503, "ServiceUnavailable", "one moment")),
        ("closed", Fault::Close),
        ("unanswered", Fault::Unanswered),
        ("truncated", Fault::Truncate(10)),
        ("nonsense", Fault::Status { status: 200, headers: vec![], body: "<html>".to_owned() }),
    ]
}

/// One fault at one request; afterwards the same command goes on and converges.
#[track_caller]
fn check_fault(number: usize, name: &str, fault: Fault) -> bool {
    let ordeal = Ordeal::new();
    ordeal.detour.fault_at(number, "", "", fault);
    let output = ordeal.start(1).wait_with_output().unwrap();
    let reached = ordeal.detour.seen().len() >= number;
    let what = format!("{name} at {}", ordeal.describe(number));
    let code = output.status.code();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(code, Some(0 | 1 | 4)), "{what}: {code:?} {text}");
    ordeal.converges(&what);
    reached
}

#[test]
fn a_fault_at_a_sample_of_requests_is_survived() {
    let faults = bad_answers();
    let mut number = 1;
    // Every third request with another fault each time.
    loop {
        let (name, fault) = faults[(number * 7 / 3) % faults.len()].clone();
        if !check_fault(number, name, fault) {
            break;
        }
        number += 3;
    }
}

/// One fault at every request, one after the other.
#[track_caller]
fn check_every_request(name: &str) {
    let (_, fault) = bad_answers().into_iter().find(|(known, _)| *known == name).unwrap();
    let mut number = 1;
    while check_fault(number, name, fault.clone()) {
        number += 1;
    }
    assert!(number > 10, "an apply of {number} requests does not do what it should");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_request_may_meet_a_conflict() {
    check_every_request("409");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_request_may_be_called_invalid() {
    check_every_request("422");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_request_may_come_too_soon() {
    check_every_request("429");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_request_may_break_the_server() {
    check_every_request("500");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_request_may_find_the_server_starting() {
    check_every_request("503");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_connection_may_close_before() {
    check_every_request("closed");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_connection_may_close_after() {
    check_every_request("unanswered");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_answer_may_be_cut_off() {
    check_every_request("truncated");
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn every_answer_may_be_nonsense() {
    check_every_request("nonsense");
}
