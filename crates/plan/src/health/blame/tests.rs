//! What is said of Pods, their owners and Events, as the kubelet and the controllers write them.

use expect_test::{Expect, expect};
use kelson_yaml::{Dialect, Node, Span, documents};

use super::blame;

/// A Deployment of three Pods, with objects below it and Events, each a document.
const DEPLOYMENT: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3}}";

fn nodes(text: &str) -> Vec<Node> {
    documents(text, Span::NONE, Dialect::V3).unwrap()
}

/// The first document is the object; Events are told apart by their kind. The answer has one line for each reason.
#[track_caller]
fn check(texts: &str, expected: Expect) {
    let nodes = nodes(texts);
    let is_event = |node: &&Node| node.get("kind").and_then(Node::as_str) == Some("Event");
    let (events, objects): (Vec<&Node>, Vec<&Node>) = nodes.iter().partition(is_event);
    let lines: Vec<String> = blame(objects[0], &objects[1..], &events)
        .iter()
        .map(|it| {
            let container =
                it.container.as_ref().map_or(String::new(), |name| format!(" [{name}]"));
            let end = if it.is_final { " (final)" } else { "" };
            format!("{} {}: {}{container}{end}\n", it.object, it.reason, it.message)
        })
        .collect();
    expected.assert_eq(&lines.concat());
}

fn pod(name: &str, rest: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: shop, uid: u-{name}}}, {rest}}}"
    )
}

fn waiting(name: &str, phase: &str, container: &str) -> String {
    pod(name, &format!("status: {{phase: {phase}, containerStatuses: [{container}]}}"))
}

fn event(about: &str, name: &str, reason: &str, message: &str, rest: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: Event, type: Warning, reason: {reason}, message: \"{message}\", \
         involvedObject: {{kind: {about}, namespace: shop, name: {name}, {rest}}}, lastTimestamp: '2026-01-01T00:00:00Z'}}"
    )
}

#[test]
fn a_pod_that_no_node_takes() {
    let status = |message: &str| {
        format!(
            "status: {{phase: Pending, conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable, message: '{message}'}}]}}"
        )
    };
    let why = "0/3 nodes are available: 3 Insufficient cpu.";
    check(
        &[DEPLOYMENT, &pod("web-b", &status(why)), &pod("web-a", &status(why))].concat(),
        expect![[r#"
            Pod/shop/web-a Unschedulable: 2 of 3 Pods: 0/3 nodes are available: 3 Insufficient cpu.
        "#]],
    );
    check(
        &[DEPLOYMENT, &pod("web-a", &status(""))].concat(),
        expect![[r#"
            Pod/shop/web-a Unschedulable: no node is found for it
        "#]],
    );
}

#[test]
fn images_that_cannot_be_pulled() {
    let container = |reason: &str, message: &str| {
        format!(
            "{{name: app, image: 'ghcr.io/a/b:1', state: {{waiting: {{reason: {reason}, message: '{message}'}}}}}}"
        )
    };
    check(
        &[DEPLOYMENT, &waiting("web-a", "Pending", &container("ErrImagePull", "not found"))]
            .concat(),
        expect![[r#"
            Pod/shop/web-a ImagePull: container `app` cannot get its image `ghcr.io/a/b:1`: ErrImagePull: not found
        "#]],
    );
    check(
        &[
            DEPLOYMENT,
            &waiting("web-a", "Pending", &container("ImagePullBackOff", "Back-off pulling image")),
            &event(
                "Pod",
                "web-a",
                "Failed",
                "Failed to pull image ghcr.io/a/b:1: denied",
                "fieldPath: 'spec.containers{app}'",
            ),
            &event(
                "Pod",
                "web-a",
                "Failed",
                "Failed to pull image of another",
                "fieldPath: 'spec.containers{other}'",
            ),
        ]
        .concat(),
        expect![[r#"
            Pod/shop/web-a ImagePull: container `app` cannot get its image `ghcr.io/a/b:1`: ImagePullBackOff: Failed to pull image ghcr.io/a/b:1: denied
        "#]],
    );
    check(
        &[DEPLOYMENT, &waiting("web-a", "Pending", &container("InvalidImageName", ""))].concat(),
        expect![[r#"
            Pod/shop/web-a ImagePull: container `app` cannot get its image `ghcr.io/a/b:1`: InvalidImageName (final)
        "#]],
    );
}

#[test]
fn containers_that_crash() {
    let container = |restarts: usize, ended: &str| {
        format!(
            "{{name: app, restartCount: {restarts}, state: {{waiting: {{reason: CrashLoopBackOff}}}}, lastState: {{terminated: {{{ended}}}}}}}"
        )
    };
    let killed = "exitCode: 137, reason: OOMKilled";
    check(
        &[
            DEPLOYMENT,
            &waiting("web-a", "Running", &container(7, killed)),
            &waiting("web-b", "Running", &container(5, killed)),
            &waiting(
                "web-c",
                "Running",
                &container(1, "exitCode: 1, reason: Error, message: no config"),
            ),
        ]
        .concat(),
        expect![[r#"
            Pod/shop/web-a CrashLoop: 2 of 3 Pods: container `app` exited with code 137 (OOMKilled); restarted 7 times [app]
            Pod/shop/web-c CrashLoop: container `app` exited with code 1: no config; restarted once [app]
        "#]],
    );
}

#[test]
fn containers_that_cannot_be_made() {
    for reason in ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"] {
        let container = format!(
            "{{name: app, state: {{waiting: {{reason: {reason}, message: 'secret \"x\" not found'}}}}}}"
        );
        let texts = [DEPLOYMENT, &waiting("web-a", "Pending", &container)].concat();
        let all = nodes(&texts);
        let said = blame(&all[0], &[&all[1]], &[]);
        assert_eq!(said[0].reason, "ContainerConfig");
        assert_eq!(
            said[0].message,
            format!("container `app` cannot be made: {reason}: secret \"x\" not found")
        );
    }
}

#[test]
fn init_containers_come_before_the_others() {
    let status = "status: {phase: Pending, \
        initContainerStatuses: [{name: wait, state: {terminated: {exitCode: 0}}}, {name: migrate, restartCount: 2, \
            state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3}}}], \
        containerStatuses: [{name: app, state: {waiting: {reason: PodInitializing}}}]}";
    check(
        &[DEPLOYMENT, &pod("web-a", status)].concat(),
        expect![[r#"
            Pod/shop/web-a CrashLoop: init container `migrate` exited with code 3; restarted 2 times [migrate]
        "#]],
    );
}

#[test]
fn probes_that_fail() {
    let running = |name: &str, ip: &str| {
        pod(
            name,
            &format!(
                "spec: {{containers: [{{name: app, readinessProbe: {{}}}}]}}, status: {{phase: Running, podIP: {ip}, \
                 containerStatuses: [{{name: app, ready: false, started: true, state: {{running: {{}}}}}}]}}"
            ),
        )
    };
    check(
        &[DEPLOYMENT, &running("web-a", "10.0.0.1")].concat(),
        expect![[r#"
            Pod/shop/web-a Probe: container `app` runs, but its readiness probe has not succeeded yet [app]
        "#]],
    );
    let unhealthy = |name: &str, ip: &str| {
        event(
            "Pod",
            name,
            "Unhealthy",
            &format!("Readiness probe failed: Get http://{ip}:80/: 503"),
            "fieldPath: 'spec.containers{app}'",
        )
    };
    check(
        &[
            DEPLOYMENT,
            &running("web-a", "10.0.0.1"),
            &running("web-b", "10.0.0.2"),
            &unhealthy("web-a", "10.0.0.1"),
            &unhealthy("web-b", "10.0.0.2"),
        ]
        .concat(),
        expect![[r#"
            Pod/shop/web-a Probe: 2 of 3 Pods: container `app` is not ready: Readiness probe failed: Get http://10.0.0.1:80/: 503 [app]
        "#]],
    );
    check(
        &[
            DEPLOYMENT,
            &waiting("web-a", "Running", "{name: app, ready: false, state: {running: {}}}"),
        ]
        .concat(),
        expect![[r#"
            Pod/shop/web-a Starting: container `app` runs, but is not ready yet
        "#]],
    );
}

#[test]
fn pods_that_are_not_even_made() {
    let quota = "pods web-1-x is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2";
    let replica_set = |rest: &str| {
        format!(
            "\n---\n{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web-1, namespace: shop}}, spec: {{replicas: 3}}, status: {{{rest}}}}}"
        )
    };
    let condition = format!(
        "conditions: [{{type: ReplicaFailure, status: 'True', reason: FailedCreate, message: '{quota}'}}]"
    );
    let deployment = DEPLOYMENT.replace("spec:", &format!("status: {{{condition}}}, spec:"));
    check(
        &[deployment.as_str(), &replica_set(&condition)].concat(),
        expect![[r#"
            ReplicaSet/shop/web-1 Quota: pods web-1-x is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2
        "#]],
    );
    let denied = event(
        "ReplicaSet",
        "web-1",
        "FailedCreate",
        "admission webhook x denied the request: no",
        "",
    );
    check(
        &[DEPLOYMENT, &replica_set("replicas: 2"), &denied].concat(),
        expect![[r#"
            ReplicaSet/shop/web-1 FailedCreate: admission webhook x denied the request: no
        "#]],
    );
    // All Pods are there: that was before.
    let crashing = "{name: app, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}}";
    check(
        &[DEPLOYMENT, &replica_set("replicas: 3"), &denied, &waiting("web-a", "Running", crashing)]
            .concat(),
        expect![[r#"
            Pod/shop/web-a CrashLoop: container `app` keeps ending; restarted 2 times [app]
        "#]],
    );
}

#[test]
fn volumes_that_are_not_there() {
    let creating = "{name: app, state: {waiting: {reason: ContainerCreating}}}";
    check(
        &[
            DEPLOYMENT,
            &waiting("web-a", "Pending", creating),
            &event(
                "Pod",
                "web-a",
                "FailedMount",
                "MountVolume.SetUp failed for volume \\\"x\\\": configmap not found",
                "uid: u-web-a",
            ),
            &event(
                "Pod",
                "web-a",
                "FailedMount",
                "of a Pod that had this name before",
                "uid: other",
            ),
        ]
        .concat(),
        expect![[r#"
            Pod/shop/web-a Volume: MountVolume.SetUp failed for volume "x": configmap not found
        "#]],
    );
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, status: {phase: Pending}}";
    check(
        &[
            claim,
            &event("PersistentVolumeClaim", "data", "ProvisioningFailed", "no such class", ""),
        ]
        .concat(),
        expect![[r#"
            PersistentVolumeClaim/shop/data NotBound: ProvisioningFailed: no such class
        "#]],
    );
    check(&claim.replace("Pending", "Bound"), expect![""]);
}

#[test]
fn pods_that_have_come_to_a_bad_end() {
    let job = "{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: shop}, spec: {parallelism: 1}}";
    let ended = "status: {phase: Failed, containerStatuses: [{name: app, state: {terminated: {exitCode: 2, reason: Error}}}]}";
    let evicted = "status: {phase: Failed, reason: Evicted, message: The node was low on memory}";
    check(
        &[job, &pod("once-a", ended), &pod("once-b", ended), &pod("once-c", evicted)].concat(),
        expect![[r#"
            Pod/shop/once-a Exited: 2 Pods: container `app` exited with code 2 [app] (final)
            Pod/shop/once-c Evicted: Evicted: The node was low on memory (final)
        "#]],
    );
    let done = "status: {phase: Succeeded, containerStatuses: [{name: app, state: {terminated: {exitCode: 0}}}]}";
    check(&[job, &pod("once-a", done)].concat(), expect![""]);
}

#[test]
fn the_last_warning_where_nothing_else_is_known() {
    let late = event("Pod", "web-a", "FailedCreatePodSandBox", "no network", "")
        .replace("2026-01-01", "2026-01-02");
    let new_form = "\n---\n{apiVersion: events.k8s.io/v1, kind: Event, type: Warning, reason: Odd, note: another thing, \
        regarding: {kind: Deployment, namespace: shop, name: web}, eventTime: '2026-01-03T00:00:00.000000Z'}";
    let texts = [DEPLOYMENT, &pod("web-a", "status: {phase: Pending}"), &late].concat();
    check(
        &texts,
        expect![[r#"
            Pod/shop/web-a Event: FailedCreatePodSandBox: no network
        "#]],
    );
    check(
        &[texts.as_str(), new_form].concat(),
        expect![[r#"
            Deployment/shop/web Event: Odd: another thing
        "#]],
    );
    check(&[DEPLOYMENT, &event("Pod", "stranger", "Odd", "not ours", "")].concat(), expect![""]);
}

#[test]
fn a_pod_can_be_asked_about_by_itself() {
    let gated = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, status: {phase: Running, conditions: \
        [{type: Ready, status: 'False', reason: ReadinessGatesNotReady, message: 'corresponding condition of pod readiness gate \"x\" does not exist.'}], \
        containerStatuses: [{name: app, ready: true, state: {running: {}}}]}}";
    check(
        gated,
        expect![[r#"
            Pod/shop/p Starting: corresponding condition of pod readiness gate "x" does not exist.
        "#]],
    );
}

#[test]
fn pods_that_are_well_or_leaving_are_nobodys_fault() {
    let crashing = "status: {phase: Running, containerStatuses: [{name: app, state: {waiting: {reason: CrashLoopBackOff}}}]}";
    let leaving =
        pod("web-a", crashing).replace("uid: u-web-a", "deletionTimestamp: '2026-01-01T00:00:00Z'");
    let ready =
        pod("web-b", "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}");
    check(&[DEPLOYMENT, &leaving, &ready].concat(), expect![""]);
}

#[test]
fn many_pods_with_many_reasons_make_a_short_answer() {
    let mut texts = DEPLOYMENT.to_owned();
    for number in 0..40 {
        let container = format!(
            "{{name: c{}, restartCount: {number}, state: {{waiting: {{reason: CrashLoopBackOff}}}}, lastState: {{terminated: {{exitCode: 1, message: \"{}\"}}}}}}",
            number % 10,
            "x\\e[2J\\n".repeat(2000),
        );
        texts.push_str(&waiting(&format!("web-{number:02}"), "Running", &container));
    }
    let all = nodes(&texts);
    let below: Vec<&Node> = all[1..].iter().collect();
    let said = blame(&all[0], &below, &[]);
    assert_eq!(said.len(), 5);
    for (index, it) in said.iter().enumerate() {
        assert!(
            it.message.starts_with(&format!("4 Pods: container `c{index}` exited")),
            "{}",
            it.message
        );
        assert!(it.message.len() < 1000 && !it.message.contains(char::is_control));
    }
}

#[test]
fn statuses_of_any_shape_are_taken() {
    for status in [
        "1",
        "{phase: Running, containerStatuses: 1}",
        "{phase: Running, containerStatuses: [1, {}, {name: 1}, {name: a, state: 1}, {name: a, state: {waiting: {}}}]}",
        "{phase: Running, containerStatuses: [{name: a, restartCount: x, state: {terminated: {exitCode: x}}}]}",
        "{phase: Failed, containerStatuses: [{name: a, state: {terminated: 1}}]}",
        "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: 1}]}",
    ] {
        let all = nodes(&[DEPLOYMENT, &pod("web-a", &format!("status: {status}"))].concat());
        blame(&all[0], &[&all[1], &all[0]], &[&all[1]]);
    }
}
