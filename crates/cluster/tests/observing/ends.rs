use std::time::Duration;

use kelson_cluster::{End, Target};
use kelson_plan::Delivery;
use kelson_testkit::Fate;

use crate::stage::{Heard, Stage, config, crash, deployment, job, workload};

#[tokio::test(flavor = "multi_thread")]
async fn rollouts_and_jobs_that_finish_are_ready() {
    let stage = Stage::new().await;
    stage.fate("work", Fate::Succeeded);
    let set = workload("apps/v1", "StatefulSet", "data", "replicas: 2, serviceName: data", "");
    let targets = [
        stage.apply(&deployment("web", 3)),
        stage.apply(&set),
        stage.apply(&workload("apps/v1", "ReplicaSet", "few", "replicas: 2", "")),
        stage.apply(&daemons(&stage)),
        stage.apply(&job("work", "")),
        stage.apply(&config("settings")),
        stage.apply("{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {a: hidden}}"),
        stage.apply("{apiVersion: v1, kind: Pod, metadata: {name: bare, labels: {app: bare}}, spec: {containers: [{name: a, image: a}]}}"),
    ];
    let expected = [
        "Deployment/web Current",
        "StatefulSet/data Current",
        "Job/work Current",
        "ReplicaSet/few Current",
        "DaemonSet/all Current",
        "Secret/key Current",
        "Pod/bare Current",
    ];
    stage.check(&targets, End::Ready, &expected).await;
}

/// A DaemonSet for the node of the stage alone: others have nodes, too.
fn daemons(stage: &Stage) -> String {
    let label = format!("only={}", stage.namespace);
    stage.kubectl(&["label", "node", &format!("node-{}", stage.namespace), &label]);
    let selector = format!(", nodeSelector: {{only: {}}}", stage.namespace);
    workload("apps/v1", "DaemonSet", "all", "minReadySeconds: 0", &selector)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_ends_the_wait_when_it_is_done() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 2)), stage.apply(&config("settings"))];
    let heard = Heard::default();
    let ready = async {
        heard.has("Deployment/web InProgress").await;
        heard.has("ConfigMap/settings Current").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    let told = heard.told();
    assert!(told.contains("Deployment/web Current"), "{told}");
    assert_eq!(told.matches("ConfigMap/settings").count(), 1, "told once only:\n{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_that_stalls_has_failed() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Unschedulable);
    let stalls = workload("apps/v1", "Deployment", "web", "progressDeadlineSeconds: 1", "");
    let targets = [stage.apply(&stalls), stage.apply(&config("settings"))];
    let expected = [
        "Deployment/web Failed",
        "Unschedulable",
        "Insufficient cpu",
        "ConfigMap/settings Current",
    ];
    stage.check(&targets, End::Failed, &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_that_is_taken_back_has_not_failed() {
    let mut stage = Stage::new().await;
    let good = workload("apps/v1", "Deployment", "web", "progressDeadlineSeconds: 2", "");
    let targets = [stage.apply(&good)];
    stage.check(&targets, End::Ready, &[]).await;
    stage.fate("broken", Fate::ImagePull);
    let broken = good.replace("labels: {app: web}", "labels: {app: web, variant: broken}");
    assert_ne!(good, broken);
    stage.apply(&broken);
    stage.check(&targets, End::Failed, &["Deployment/web Failed", "ImagePull"]).await;
    // As it was: for a moment it still says that its deadline was exceeded.
    stage.apply(&good);
    stage.options.ready = Duration::from_secs(120);
    stage.check(&targets, End::Ready, &["Deployment/web Current"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateful_set_whose_pod_crashes_has_failed() {
    let stage = Stage::new().await;
    stage.fate("data", crash("no disk\n"));
    let set = workload("apps/v1", "StatefulSet", "data", "replicas: 2, serviceName: data", "");
    let targets = [stage.apply(&set)];
    let expected = ["StatefulSet/data Failed", "Pod/data-0 main CrashLoop", "no disk"];
    stage.check(&targets, End::Failed, &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_has_failed() {
    let stage = Stage::new().await;
    stage.fate("work", Fate::Failed);
    let targets = [stage.apply(&job("work", ""))];
    stage.check(&targets, End::Failed, &["Job/work Failed", "Exited"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_ends_a_wait_at_once_or_when_nothing_else_is_left() {
    let mut stage = Stage::new().await;
    stage.fate("work", Fate::Failed);
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&job("work", "")), stage.apply(&deployment("web", 1))];
    stage.check(&targets, End::Failed, &["Job/work Failed", "Deployment/web InProgress"]).await;
    stage.options.fail_fast = false;
    let heard = Heard::default();
    let later = async {
        heard.has("Job/work Failed").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), later);
    assert_eq!(observed.end, End::Failed);
    assert!(heard.told().contains("Deployment/web Current"), "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_while_it_is_waited_for_has_failed() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    let heard = Heard::default();
    let deleted = async {
        heard.has("ConfigMap/settings Current").await;
        stage.delete(&targets[1]);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), deleted);
    assert_eq!(observed.end, End::Failed, "{}", heard.told());
    let verdict = &observed.objects[1].verdict;
    assert_eq!(verdict.reason, "Deleted", "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_replaced_while_it_is_waited_for_is_judged_anew() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let web = deployment("web", 1);
    let targets = [stage.apply(&web)];
    let heard = Heard::default();
    let replaced = async {
        heard.has("Deployment/web InProgress").await;
        stage.delete(&targets[0]);
        stage.apply(&web);
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), replaced);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_object_of_the_name_does_not_do_where_one_is_meant() {
    let stage = Stage::new().await;
    let target = stage.apply(&config("settings"));
    let pinned = [stage.pinned(&target)];
    stage.check(&pinned, End::Ready, &[]).await;
    stage.delete(&target);
    stage.check(&pinned, End::Failed, &["ConfigMap/settings NotFound Deleted"]).await;
    stage.apply(&config("settings"));
    stage.check(&pinned, End::Failed, &["ConfigMap/settings NotFound Replaced"]).await;
    let gone = [Target { gone: true, ..pinned[0].clone() }];
    stage.check(&gone, End::Ready, &["ConfigMap/settings NotFound Gone"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_never_there_is_late() {
    let mut stage = Stage::new().await;
    stage.options.ready = Duration::from_secs(1);
    let targets = [stage.target(&config("nowhere"))];
    stage.check(&targets, End::Late, &["ConfigMap/nowhere NotFound NotFound"]).await;
    let of_no_kind = config("nowhere").replace("v1", "no.example/v1");
    let targets = [stage.target(&of_no_kind)];
    stage.check(&targets, End::Late, &["ConfigMap/nowhere NotFound NotFound"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_later_is_waited_for() {
    let stage = Stage::new().await;
    let targets = [stage.target(&config("later")), stage.apply(&config("here"))];
    let heard = Heard::default();
    let later = async {
        heard.has("ConfigMap/later NotFound").await;
        stage.apply(&config("later"));
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), later);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

const HELD: &str =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.com/hold]}}";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_gone_is_waited_for_until_it_is() {
    let stage = Stage::new().await;
    let target = stage.apply(HELD);
    let gone = [Target { gone: true, ..stage.pinned(&target) }];
    let heard = Heard::default();
    let freed = async {
        heard.has("ConfigMap/held InProgress Waiting: it is still there").await;
        stage.delete(&target);
        heard.has("it waits for its finalizers example.com/hold").await;
        stage.apply(&HELD.replace("example.com/hold", ""));
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&gone, &heard), freed);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert!(heard.told().contains("current: 1"), "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn being_ready_and_being_gone_have_times_of_their_own() {
    let mut stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    stage.options.gone = Duration::from_secs(1);
    let target = stage.apply(HELD);
    let targets = [stage.apply(&deployment("web", 1)), Target { gone: true, ..target }];
    stage.check(&targets, End::Late, &["ConfigMap/held InProgress"]).await;
    (stage.options.gone, stage.options.ready) = (stage.options.ready, stage.options.gone);
    stage.check(&targets, End::Late, &["Deployment/web InProgress"]).await;
    stage.options.ready = Duration::MAX;
    let heard = Heard::until(&["Deployment/web InProgress"]);
    assert_eq!(stage.observe_with(&targets, &heard).await.end, End::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_to_wait_for_is_ready() {
    let stage = Stage::new().await;
    stage.check(&[], End::Ready, &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_spare_reading_what_others_have_but_hide_nothing() {
    let mut stage = Stage::new().await;
    stage.options.delivery = Some(Delivery::new("shop", &stage.namespace).unwrap());
    let labelled = |name: &str| {
        let labels =
            format!("labels: {{kelson.dev/name: shop, kelson.dev/namespace: {}}}", stage.namespace);
        config(name).replace(&format!("name: {name}}}"), &format!("name: {name}, {labels}}}"))
    };
    let targets =
        [stage.apply(&labelled("a")), stage.apply(&labelled("b")), stage.apply(&labelled("c"))];
    stage.check(&targets, End::Ready, &[]).await;
    // One without labels is found all the same, and one that loses them is not taken for deleted.
    stage.fate("web", Fate::Pending);
    let targets =
        [targets.to_vec(), vec![stage.apply(&config("d")), stage.apply(&deployment("web", 1))]]
            .concat();
    let heard = Heard::default();
    let changed = async {
        heard.has("ConfigMap/d Current").await;
        stage.kubectl(&["label", "configmap", "b", "kelson.dev/name-"]);
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), changed);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert!(!heard.told().contains("Deleted"), "{}", heard.told());
    let of_labelled = &targets[..3];
    stage.kubectl(&["label", "configmap", "c", "kelson.dev/name-"]);
    stage.check(of_labelled, End::Ready, &["ConfigMap/c Current"]).await;
}
