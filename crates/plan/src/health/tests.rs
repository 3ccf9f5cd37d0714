//! The rules, row by row, on objects of one line.

use kelson_yaml::{Dialect, Node, Span, first_document};

use super::*;

const NOW: i64 = 1_800_000_000;

pub(super) fn node(text: &str) -> Node {
    first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()
}

pub(super) fn told(verdict: &Verdict) -> String {
    let Verdict { health, reason, message } = verdict;
    format!("{health:?} {reason}: {message}")
}

/// An object of a kind with some fields, against the verdict about it.
#[track_caller]
fn check(kind: &str, fields: &str, expected: &str) {
    let (api_version, kind) = kind.rsplit_once('/').unwrap();
    let object = node(&format!("{{apiVersion: {api_version}, kind: {kind}, {fields}}}"));
    assert_eq!(told(&HealthRules::default().judge(&object, NOW)), expected);
}

/// A status after `{observedGeneration: 1}`.
#[track_caller]
fn check_status(kind: &str, spec: &str, status: &str, expected: &str) {
    let fields = format!(
        "metadata: {{generation: 1}}, spec: {{{spec}}}, status: {{observedGeneration: 1, {status}}}"
    );
    check(kind, &fields, expected);
}

#[test]
fn what_holds_for_every_kind_comes_before_the_rule_of_a_kind() {
    check(
        "v1/ConfigMap",
        "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', generation: 2}, status: {observedGeneration: 1}",
        "Terminating : Resource scheduled for deletion",
    );
    check(
        "v1/ConfigMap",
        "metadata: {generation: 2}, status: {observedGeneration: 1}",
        "InProgress LatestGenerationNotObserved: ConfigMap generation is 2, but latest observed generation is 1",
    );
    for (kind, expected) in [("Reconciling", "InProgress r: m"), ("Stalled", "Failed r: m")] {
        let condition = format!("{{type: {kind}, status: 'True', reason: r, message: m}}");
        check("v1/Secret", &format!("status: {{conditions: [{condition}]}}"), expected);
    }
}

#[test]
fn ready_decides_where_a_kind_has_no_rule() {
    let ready = |status: &str| {
        format!(
            "status: {{conditions: [{{type: Ready, status: '{status}', reason: r, message: m}}]}}"
        )
    };
    check("example.com/v1/Thing", &ready("True"), "Current : Resource is Ready");
    check("example.com/v1/Thing", &ready("False"), "InProgress r: m");
    check("example.com/v1/Thing", &ready("Unknown"), "InProgress r: m");
    check("example.com/v1/Thing", &ready("yes"), "Current : Resource is current");
    check("example.com/v1/Thing", "spec: {}", "Current : Resource is current");
}

#[test]
fn what_no_rule_can_read_is_unknown() {
    check("v1/Thing", "status: {conditions: 1}", "Unknown : `status.conditions` is no list");
    check("v1/Thing", "status: {conditions: [1]}", "Unknown : a condition is no object");
    check(
        "v1/Thing",
        "status: {conditions: [{type: {}}]}",
        "Unknown : `type` of a condition is no text",
    );
    check(
        "v1/Thing",
        "metadata: {generation: x}",
        "Unknown : `metadata.generation` is no whole number",
    );
    check("v1/Pod", "status: {phase: Odd}", "Unknown : unknown phase Odd");
    let none = HealthRules::default().judge(&node("[]"), NOW);
    assert_eq!(told(&none), "Current : Resource is current");
}

#[test]
fn others_words_lose_what_a_terminal_would_obey_and_their_end() {
    let message = format!(r#""a\eb\nc\u202ed {}""#, "x".repeat(1000));
    let fields =
        format!("status: {{conditions: [{{type: Ready, status: 'False', message: {message}}}]}}");
    let object = node(&format!("{{apiVersion: v1, kind: Thing, {fields}}}"));
    let verdict = HealthRules::default().judge(&object, NOW);
    assert!(verdict.message.starts_with("a b cd xxx"), "{}", verdict.message);
    assert!(verdict.message.ends_with("x…") && verdict.message.chars().count() < 510);
}

#[test]
fn deployments() {
    let check = |spec: &str, status: &str, expected: &str| {
        check_status("apps/v1/Deployment", spec, status, expected)
    };
    let conditions = "conditions: [{type: Progressing, status: 'True', reason: NewReplicaSetAvailable}, {type: Available, status: 'True'}]";
    let status = |replicas, updated, available, ready| {
        format!(
            "replicas: {replicas}, updatedReplicas: {updated}, availableReplicas: {available}, readyReplicas: {ready}, {conditions}"
        )
    };
    let three = "replicas: 3, progressDeadlineSeconds: 600";
    check(three, &status(3, 3, 3, 3), "Current : Deployment is available. Replicas: 3");
    check(three, &status(2, 3, 3, 3), "InProgress LessReplicas: Replicas: 2/3");
    check(three, &status(3, 2, 3, 3), "InProgress LessUpdated: Updated: 2/3");
    check(three, &status(4, 3, 3, 3), "InProgress ExtraPods: Pending termination: 1");
    check(three, &status(3, 3, 1, 3), "InProgress LessAvailable: Available: 1/3");
    check(three, &status(3, 3, 3, 2), "InProgress LessReady: Ready: 2/3");
    let all = "replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1";
    check(
        "progressDeadlineSeconds: 600",
        all,
        "InProgress ReplicaSetNotAvailable: ReplicaSet not Available",
    );
    check("", all, "InProgress DeploymentNotAvailable: Deployment not Available");
    check(
        "",
        "conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]",
        "Failed ProgressDeadlineExceeded: Progress deadline exceeded",
    );
}

#[test]
fn stateful_sets() {
    let check = |spec: &str, status: &str, expected: &str| {
        check_status("apps/v1/StatefulSet", spec, status, expected)
    };
    let status = |replicas, ready, current, updated, revision| {
        format!(
            "replicas: {replicas}, readyReplicas: {ready}, currentReplicas: {current}, updatedReplicas: {updated}, currentRevision: a, updateRevision: {revision}"
        )
    };
    let two = "replicas: 2";
    check(
        two,
        &status(2, 2, 2, 2, "a"),
        "Current : All replicas scheduled as expected. Replicas: 2",
    );
    check(two, &status(1, 2, 2, 2, "a"), "InProgress LessReplicas: Replicas: 1/2");
    check(two, &status(2, 1, 2, 2, "a"), "InProgress LessReady: Ready: 1/2");
    check(two, &status(3, 2, 2, 2, "a"), "InProgress ExtraPods: Pending termination: 1");
    check(two, &status(2, 2, 1, 2, "a"), "InProgress LessCurrent: current: 1/2");
    check(
        two,
        &status(2, 2, 2, 2, "b"),
        "InProgress RevisionMismatch: Waiting for updated revision to match current",
    );
    let partition = "replicas: 2, updateStrategy: {rollingUpdate: {partition: 1}}";
    check(partition, &status(2, 2, 1, 1, "b"), "Current : Partition rollout complete. updated: 1");
    check(partition, &status(2, 2, 2, 0, "b"), "InProgress PartitionRollout: updated: 0/1");
    check(
        "updateStrategy: {type: OnDelete}",
        "",
        "Current : StatefulSet is using the ondelete update strategy",
    );
}

#[test]
fn replica_sets_and_daemon_sets() {
    let check = |status: &str, expected: &str| {
        check_status("apps/v1/ReplicaSet", "replicas: 2", status, expected);
    };
    check(
        "conditions: [{type: ReplicaFailure, status: 'True'}]",
        "InProgress ReplicaFailure: Replica Failure condition. Check Pods",
    );
    check("fullyLabeledReplicas: 1", "InProgress LessLabelled: Labelled: 1/2");
    check("fullyLabeledReplicas: 2", "InProgress LessAvailable: Available: 0/2");
    let most = "fullyLabeledReplicas: 2, availableReplicas: 2";
    check(most, "InProgress LessReady: Ready: 0/2");
    let all = format!("{most}, readyReplicas: 2");
    check(&format!("{all}, replicas: 3"), "InProgress ExtraPods: Pending termination: 1");
    check(&format!("{all}, replicas: 2"), "Current : ReplicaSet is available. Replicas: 2");

    let check =
        |status: &str, expected: &str| check_status("apps/v1/DaemonSet", "", status, expected);
    check("", "InProgress NoDesiredNumber: Missing .status.desiredNumberScheduled");
    let mut status = "desiredNumberScheduled: 2".to_owned();
    for (field, expected) in [
        ("currentNumberScheduled", "InProgress LessCurrent: Current: 0/2"),
        ("updatedNumberScheduled", "InProgress LessUpdated: Updated: 0/2"),
        ("numberAvailable", "InProgress LessAvailable: Available: 0/2"),
        ("numberReady", "InProgress LessReady: Ready: 0/2"),
    ] {
        check(&status, expected);
        status.push_str(&format!(", {field}: 2"));
    }
    check(&status, "Current : All replicas scheduled as expected. Replicas: 2");
}

#[test]
fn a_pod_without_a_node_has_a_quarter_of_a_minute() {
    let pod = |created: &str| {
        node(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{creationTimestamp: '{created}'}}, status: {{phase: Pending, \
             conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable}}]}}}}"
        ))
    };
    let rules = HealthRules::default();
    // 1,800,000,000 is 2027-01-15T08:00:00Z.
    let fresh = pod("2027-01-15T07:59:46Z");
    assert_eq!(
        told(&rules.judge(&fresh, NOW)),
        "InProgress PodNotScheduled: Pod has not been scheduled"
    );
    assert_eq!(rules.holds_until(&fresh, NOW), Some(NOW + 1));
    assert_eq!(
        told(&rules.judge(&fresh, NOW + 1)),
        "Failed PodUnschedulable: Pod could not be scheduled"
    );
    assert_eq!(rules.holds_until(&fresh, NOW + 1), None);
    for old in ["2027-01-15T07:59:45Z", "", "yesterday"] {
        assert_eq!(
            told(&rules.judge(&pod(old), NOW)),
            "Failed PodUnschedulable: Pod could not be scheduled"
        );
    }
}

/// A StatefulSet or another kind with one of two Pods ready, and some Pods.
#[track_caller]
fn check_pods(kind: &str, pods: &[&str], expected: &str) {
    let owner = node(&format!(
        "{{apiVersion: apps/v1, kind: {kind}, spec: {{replicas: 2}}, status: {{replicas: 2, fullyLabeledReplicas: 2, \
         updatedReplicas: 2, availableReplicas: 1, readyReplicas: 1}}}}"
    ));
    let pods: Vec<Node> =
        pods.iter().map(|pod| node(&format!("{{apiVersion: v1, kind: Pod, {pod}}}"))).collect();
    let below: Vec<&Node> = pods.iter().collect();
    assert_eq!(told(&HealthRules::default().judge_with(&owner, &below, NOW)), expected);
}

#[test]
fn a_set_fails_with_its_pods() {
    let crashing = "status: {phase: Running, containerStatuses: [{name: a, state: {waiting: {reason: CrashLoopBackOff}}}]}";
    let leaving = format!("metadata: {{deletionTimestamp: '2026-01-01T00:00:00Z'}}, {crashing}");
    let homeless = "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}";
    check_pods(
        "StatefulSet",
        &[crashing, crashing, homeless],
        "Failed PodsFailed: 2 pods have failed",
    );
    check_pods("ReplicaSet", &[crashing], "Failed PodsFailed: 1 pods have failed");
    check_pods("StatefulSet", &[&leaving, homeless], "InProgress LessReady: Ready: 1/2");
    check_pods("Deployment", &[crashing], "InProgress LessAvailable: Available: 1/2");
}
