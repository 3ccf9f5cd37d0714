use std::sync::{Arc, Mutex};
use std::time::Duration;

use kelson_cluster::{Branch, End, Target};
use kelson_testkit::Fate;
use tokio::sync::watch;

use crate::stage::{Heard, Stage, config, crash, deployment, shown, workload};

/// A tree, for people: the parts of names that controllers make up are left out.
fn drawn(branches: &[Branch], depth: usize) -> String {
    let mut text = String::new();
    for branch in branches {
        let line = shown(std::slice::from_ref(&branch.object));
        let object = &branch.object;
        let name = object.id.name.split('-').next().unwrap();
        let because: Vec<_> = object
            .because
            .iter()
            .map(|blame| format!(" {}{:?}", blame.reason, blame.log))
            .collect();
        let health = object.verdict.health;
        text.push_str(&format!(
            "{}{}/{name} {health:?}{}\n",
            "  ".repeat(depth),
            object.id.kind,
            because.concat()
        ));
        assert!(!line.is_empty());
        text.push_str(&drawn(&branch.children, depth + 1));
    }
    text
}

async fn check(stage: &Stage, targets: &[Target], expected: &str) {
    let heard = Heard::default();
    let mut last = String::new();
    // What controllers do takes its time.
    for _ in 0..600 {
        let family = kelson_cluster::family(&stage.cluster, targets, &stage.options, &heard).await;
        last = drawn(&family.unwrap(), 0);
        if last == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(last, expected, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_goes_down_to_the_pods() {
    let stage = Stage::new().await;
    stage.fate("bad", crash("no luck\n"));
    let set = workload("apps/v1", "StatefulSet", "data", "replicas: 1, serviceName: data", "");
    let targets = [
        stage.apply(&deployment("web", 2)),
        stage.apply(&set),
        stage.apply(&config("settings")),
        stage.apply(&deployment("bad", 1)),
        stage.target(&config("nowhere")),
    ];
    stage.apply(&deployment("theirs", 1));
    let expected = "Deployment/web Current\n  ReplicaSet/web Current\n    Pod/web Current\n    Pod/web Current\n\
                    StatefulSet/data Current\n  Pod/data Current\n\
                    ConfigMap/settings Current\n\
                    Deployment/bad InProgress CrashLoop[\"no luck\"]\n  ReplicaSet/bad InProgress\n    Pod/bad Failed CrashLoop[\"no luck\"]\n\
                    ConfigMap/nowhere NotFound\n";
    check(&stage, &targets, expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replica_sets_of_the_past_are_left_out() {
    let stage = Stage::new().await;
    let web = deployment("web", 1);
    let targets = [stage.apply(&web)];
    let expected = "Deployment/web Current\n  ReplicaSet/web Current\n    Pod/web Current\n";
    check(&stage, &targets, expected).await;
    stage.apply(&web.replace("web:1", "web:2"));
    stage.check(&targets, End::Ready, &[]).await;
    check(&stage, &targets, expected).await;
    let sets = stage.kubectl(&["get", "replicasets", "-o", "name"]);
    assert_eq!(sets.lines().count(), 2, "{sets}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_jobs_of_a_cron_job_are_below_it() {
    let stage = Stage::new().await;
    stage.fate("tick", Fate::Succeeded);
    let cron = "{apiVersion: batch/v1, kind: CronJob, metadata: {name: tick}, spec: {schedule: '0 0 1 1 *', \
                suspend: true, jobTemplate: {spec: {template: {metadata: {labels: {app: tick}}, \
                spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}}}";
    let targets = [stage.apply(cron)];
    stage.kubectl(&["create", "job", "tick-1", "--from=cronjob/tick"]);
    check(&stage, &targets, "CronJob/tick Current\n  Job/tick Current\n    Pod/tick Current\n")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_is_followed() {
    let stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    let trees: Arc<Mutex<Vec<String>>> = Arc::default();
    let (stopper, stop) = watch::channel(false);
    let has = async |expected: &str| {
        for _ in 0..1200 {
            if trees.lock().unwrap().last().is_some_and(|tree| tree == expected) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{expected} is not the last of {:#?}", trees.lock().unwrap());
    };
    let heard = Heard::default();
    let kept = trees.clone();
    let mut changed = move |tree: &[Branch]| kept.lock().unwrap().push(drawn(tree, 0));
    let followed = kelson_cluster::follow_family(
        &stage.cluster,
        &targets,
        &stage.options,
        &stop,
        &heard,
        &mut changed,
    );
    let changes = async {
        let waiting = "Deployment/web InProgress\n  ReplicaSet/web InProgress\n    Pod/web InProgress\nConfigMap/settings Current\n";
        has(waiting).await;
        stage.fate("web", Fate::Ready);
        let well = "Deployment/web Current\n  ReplicaSet/web Current\n    Pod/web Current\n";
        has(&format!("{well}ConfigMap/settings Current\n")).await;
        stage.delete(&targets[1]);
        has(&format!("{well}ConfigMap/settings NotFound\n")).await;
        stopper.send_replace(true);
    };
    let (followed, ()) = tokio::join!(followed, changes);
    followed.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_says_how_objects_are_and_reads_nothing_else() {
    let mut stage = Stage::new().await;
    stage.fate("bad", crash("no luck\n"));
    let targets = [
        stage.apply(&deployment("web", 1)),
        stage.apply(&deployment("bad", 1)),
        stage.apply(&config("settings")),
        stage.target(&config("nowhere")),
    ];
    stage.check(&targets[..1], End::Ready, &[]).await;
    let detour = stage.plane.behind_proxy().unwrap();
    stage.cluster = crate::stage::connect(detour.kubeconfig()).await;
    let heard = Heard::default();
    let objects = kelson_cluster::look(&stage.cluster, &targets, &stage.options, &heard).await;
    let text = shown(&objects.unwrap());
    for expected in [
        "Deployment/web Current",
        "Deployment/bad InProgress",
        "ConfigMap/settings Current",
        "ConfigMap/nowhere NotFound",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let seen: Vec<_> = detour.seen().iter().map(ToString::to_string).collect();
    // A list for each kind and, since nothing here has labels, a question for each object.
    assert_eq!(seen.len(), 6, "{seen:#?}");
    assert!(seen.iter().all(|seen| !seen.contains("watch=1")), "{seen:#?}");
}
