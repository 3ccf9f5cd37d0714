use std::time::Duration;

use kelson_cluster::End;
use kelson_testkit::Fate;

use crate::stage::{Heard, Stage, config, crash, deployment, workload};

/// The Pod of a Deployment with one replica, as soon as it is there.
async fn pod_of(stage: &Stage, app: &str) -> String {
    for _ in 0..2400 {
        let label = format!("app={app}");
        let names = stage.kubectl(&[
            "get",
            "pods",
            "-l",
            &label,
            "-o",
            "jsonpath={.items[*].metadata.name}",
        ]);
        if let Some(name) = names.split_whitespace().next() {
            return name.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no Pod of {app}");
}

/// A Deployment with one replica of this fate is not ready for a reason.
async fn check(fate: Fate, expected: &[&str]) {
    let stage = Stage::new().await;
    stage.fate("web", fate);
    let targets = [stage.apply(&deployment("web", 1))];
    let expected = [&["Deployment/web InProgress", "Pod/web-"], expected].concat();
    stage.until_told(&targets, &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_without_a_node_is_the_reason() {
    check(Fate::Unschedulable, &["Unschedulable", "Insufficient cpu"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_cannot_be_pulled_is_the_reason() {
    check(Fate::ImagePull, &["ImagePull", "main"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_that_fails_is_the_reason() {
    check(Fate::Unready, &["Probe", "Readiness probe failed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_shows_the_last_lines_of_the_log() {
    let log = "one\ntwo\nthree\nfour\nfive\nsix\n\u{1b}[31mno database\u{7}\n";
    check(crash(log), &["CrashLoop", r#"["three", "four", "five", "six", "no database"]"#]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_container_said_before_it_crashed_is_shown() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 1))];
    let pod = pod_of(&stage, "web").await;
    stage.kubelet.set_previous_log(&stage.namespace, &pod, "the reason\nwithout an end");
    stage.fate("web", crash("starting\n"));
    stage.until_told(&targets, &["CrashLoop", r#"["the reason", "without an end"]"#]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_never_comes_delays_nothing() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    let pod = pod_of(&stage, "web").await;
    stage.kubelet.hang_log(&stage.namespace, &pod);
    stage.fate("web", crash("never seen\n"));
    let told = stage.until_told(&targets, &["Deployment/web InProgress", "CrashLoop"]).await;
    assert!(!told.contains("never seen"), "{told}");
    // While it is being asked for, what is otherwise is heard.
    let heard = Heard::default();
    let healed = async {
        heard.has("CrashLoop").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), healed);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert!(observed.objects[0].because.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_without_a_log_has_none() {
    check(crash(""), &["CrashLoop", "[]"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_is_the_reason() {
    let stage = Stage::new().await;
    stage.apply(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: {pods: '0'}}}",
    );
    let quota = stage.target("{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}}");
    // A quota holds once its status was written.
    for _ in 0..2400 {
        if stage.live(&quota).unwrap()["status"]["hard"]["pods"] == "0" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let targets = [stage.apply(&deployment("web", 1))];
    stage.until_told(&targets, &["Deployment/web InProgress", "Quota", "exceeded quota"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_without_a_volume_is_pending() {
    let stage = Stage::new().await;
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: disk}, spec: \
                 {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}";
    let targets = [stage.apply(claim)];
    stage.until_told(&targets, &["PersistentVolumeClaim/disk InProgress"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_pod_is_its_own_reason() {
    let stage = Stage::new().await;
    stage.fate("bare", crash("alone\n"));
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: bare, labels: {app: bare}}, spec: {containers: [{name: main, image: a}]}}";
    let targets = [stage.apply(pod)];
    stage
        .check(&targets, End::Failed, &["Pod/bare Failed", "Pod/bare main CrashLoop", "alone"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_late_says_why() {
    let mut stage = Stage::new().await;
    stage.fate("web", crash("no database\n"));
    let targets = [stage.apply(&deployment("web", 1))];
    pod_of(&stage, "web").await;
    stage.until_told(&targets, &["CrashLoop"]).await;
    // Too short to have looked for reasons on the way.
    stage.options.ready = Duration::from_millis(300);
    stage
        .check(&targets, End::Late, &["Deployment/web InProgress", "CrashLoop", "no database"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reasons_go_when_they_are_over() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::ImagePull);
    let targets = [stage.apply(&deployment("web", 2))];
    let heard = Heard::default();
    let healed = async {
        heard.has("ImagePull").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), healed);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert!(observed.objects[0].because.is_empty());
    let last =
        heard.told().lines().rfind(|line| line.starts_with("Deployment/web")).unwrap().to_owned();
    assert!(last.starts_with("Deployment/web Current") && !last.contains('|'), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_of_others_are_no_reason() {
    let stage = Stage::new().await;
    stage.fate("theirs", crash("not ours\n"));
    stage.fate("web", Fate::Unschedulable);
    stage.apply(&deployment("theirs", 2));
    pod_of(&stage, "theirs").await;
    let targets = [stage.apply(&deployment("web", 1))];
    let told = stage.until_told(&targets, &["Pod/web-", "Unschedulable"]).await;
    assert!(!told.contains("theirs"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_jobs_pod_says_why_it_failed() {
    let stage = Stage::new().await;
    stage.fate("work", Fate::Pending);
    let work = workload("batch/v1", "Job", "work", "backoffLimit: 0", ", restartPolicy: Never");
    let targets = [stage.apply(&work)];
    let pod = pod_of(&stage, "work").await;
    stage.kubelet.set_log(&stage.namespace, &pod, "cannot migrate\n");
    stage.fate("work", Fate::Failed);
    stage.check(&targets, End::Failed, &["Job/work Failed", "Exited", "cannot migrate"]).await;
}
