use std::time::Duration;

use expect_test::{Expect, expect};
use kelson_plan::{Action, Failure, Origin, Step};

use crate::world::{World, config};

async fn check(world: &World, steps: Vec<Step>, expected: Expect) {
    expected.assert_eq(&world.told(steps).await);
}

async fn with(names: &[&str]) -> World {
    let world = World::new().await;
    let steps = names.iter().map(|name| world.step(Action::Create, &config(name, "1"))).collect();
    world.run(steps).await.unwrap();
    world
}

fn delete(world: &World, name: &str) -> Step {
    world.step(Action::Delete, &config(name, "1"))
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_listed_and_ours_is_deleted() {
    let world = with(&["gone", "absent", "another", "unlabelled", "marked", "written"]).await;
    let names = ["gone", "absent", "another", "unlabelled", "marked", "written", "unlisted"];
    world.kubectl(&["create", "configmap", "unlisted"]);
    let steps = names.iter().map(|name| delete(&world, name)).collect();
    world.kubectl(&["delete", "configmap", "absent", "another"]);
    world.kubectl(&["create", "configmap", "another"]);
    world.kubectl(&["label", "configmap", "unlabelled", "kelson.dev/name-"]);
    world.kubectl(&["annotate", "configmap", "marked", "kelson.dev/prune=disabled"]);
    // What somebody writes is deleted all the same: nobody wants it any more.
    world.kubectl(&["annotate", "configmap", "written", "a=b"]);
    check(
        &world,
        steps,
        expect![[r#"
            ConfigMap/NS/gone: Deleted
            ConfigMap/NS/absent: Deleted
            ConfigMap/NS/another: Kept: another object has its name now
            ConfigMap/NS/unlabelled: Kept: it no longer bears our labels
            ConfigMap/NS/marked: Kept: it is marked `kelson.dev/prune: disabled`
            ConfigMap/NS/written: Deleted
            ConfigMap/NS/unlisted: Kept: the inventory does not list it
            - ConfigMap/NS/marked Created Applied
            - ConfigMap/NS/unlabelled Created Applied
        "#]],
    )
    .await;
    let mut left = world.names("configmaps");
    left.retain(|name| !name.contains("kube-root-ca"));
    assert_eq!(
        left,
        ["configmap/another", "configmap/marked", "configmap/unlabelled", "configmap/unlisted"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finalizer_that_does_not_finish_keeps_the_entry() {
    let mut world = with(&["stuck", "free"]).await;
    let finalizers = r#"{"metadata": {"finalizers": ["example.com/never"]}}"#;
    world.kubectl(&["patch", "configmap", "stuck", "--type=merge", "--patch", finalizers]);
    world.options.gone = Duration::from_secs(1);
    check(
        &world,
        vec![delete(&world, "stuck"), delete(&world, "free")],
        expect![[r#"
            ConfigMap/NS/stuck: Failed: it is being deleted, but not gone yet: it waits for its finalizers example.com/never
            ConfigMap/NS/free: Deleted
            - ConfigMap/NS/stuck Created Deleting
        "#]],
    )
    .await;
    // The next run waits for it again, and no longer than it takes.
    world.options.gone = Duration::from_secs(60);
    let (plane, namespace) = (world.plane, world.namespace.clone());
    let step = delete(&world, "stuck");
    let end = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(500));
        let none = r#"{"metadata": {"finalizers": null}}"#;
        let patch = ["patch", "configmap", "stuck", "-n", &namespace, "--type=merge", "-p", none];
        plane.kubectl(&patch).unwrap();
    });
    let (told, end) = tokio::join!(world.told(vec![step]), end);
    end.unwrap();
    assert_eq!(told, "ConfigMap/NS/stuck: Deleted\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_longer_wanted_stays_while_something_beside_it_failed() {
    let world = with(&["former", "other"]).await;
    let problem = Action::Fail(Failure::Problem("it is wrong".to_owned()));
    check(
        &world,
        vec![
            world.step(problem, &config("later", "1")),
            Step { wave: 1, ..delete(&world, "former") },
        ],
        expect![[r#"
            ConfigMap/NS/later: Failed: it is wrong
            ConfigMap/NS/former: Skipped: ConfigMap/NS/later
            - ConfigMap/NS/former Created Applied
            - ConfigMap/NS/other Created Applied
        "#]],
    )
    .await;
    // What cannot be pruned keeps nobody.
    let data = Action::Fail(Failure::Problem("it holds data".to_owned()));
    let data = Step { desired: None, body: None, ..world.step(data, &config("data", "1")) };
    check(
        &world,
        vec![data, delete(&world, "former")],
        expect![[r#"
            ConfigMap/NS/data: Failed: it holds data
            ConfigMap/NS/former: Deleted
            - ConfigMap/NS/other Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_that_is_refused_keeps_the_entry() {
    let (world, detour) = World::behind_proxy().await;
    world.run(vec![world.step(Action::Create, &config("a", "1"))]).await.unwrap();
    let denied = kelson_testkit::Fault::refusal(403, "Forbidden", "admission webhook denied it");
    detour.fault("DELETE", "/configmaps/a", 1, denied);
    check(
        &world,
        vec![delete(&world, "a")],
        expect![[r#"
            ConfigMap/NS/a: Failed: admission webhook denied it (403 Forbidden)
            - ConfigMap/NS/a Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_stays_while_something_in_it_does() {
    let mut world = World::new().await;
    let name = format!("{}-more", world.namespace);
    let namespace = format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}");
    let inside = |world: &World, action: Action| {
        let mut step = world.step(Action::Create, &config("inside", "1"));
        step.action = action;
        step.id.namespace.clone_from(&name);
        step
    };
    let text = kelson_yaml::Node::string;
    let mut made = inside(&world, Action::Create);
    let metadata = made.body.as_mut().and_then(|body| body.get_mut("metadata")).unwrap();
    metadata.as_mapping_mut().unwrap().insert(text("namespace"), text(name.as_str()));
    let steps = vec![world.step(Action::Create, &namespace), Step { wave: 1, ..made }];
    world.run(steps).await.unwrap();
    let finalizers = r#"{"metadata": {"finalizers": ["example.com/never"]}}"#;
    let patch = ["patch", "configmap", "inside", "-n", &name, "--type=merge", "--patch"];
    world.plane.kubectl(&[&patch[..], &[finalizers]].concat()).unwrap();
    world.options.gone = Duration::from_secs(1);
    let steps = |world: &World| {
        let mut first = inside(world, Action::Delete);
        (first.body, first.desired, first.origin) = (None, None, Origin::Created);
        vec![first, Step { wave: 1, ..world.step(Action::Delete, &namespace) }]
    };
    check(
        &world,
        steps(&world),
        expect![[r#"
            ConfigMap/NS-more/inside: Failed: it is being deleted, but not gone yet: it waits for its finalizers example.com/never
            Namespace/NS-more: Skipped: ConfigMap/NS-more/inside
            - ConfigMap/NS-more/inside Created Deleting
            - Namespace/NS-more Created Applied
        "#]],
    )
    .await;
    let none = r#"{"metadata": {"finalizers": null}}"#;
    world.plane.kubectl(&[&patch[..], &[none]].concat()).unwrap();
    world.options.gone = Duration::from_secs(60);
    check(
        &world,
        steps(&world),
        expect![[r#"
            ConfigMap/NS-more/inside: Deleted
            Namespace/NS-more: Deleted
        "#]],
    )
    .await;
}
