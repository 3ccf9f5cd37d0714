use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use kelson_cluster::ObserveOptions;
use kelson_plan::{Action, Event, HealthRules, Listener, Step};
use kelson_testkit::{Fate, Kubelet};
use tokio::sync::watch;

use crate::world::{World, config};

const WEB: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, \
                   selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, \
                   spec: {containers: [{name: web, image: 'example.com/web:1'}]}}}}";

/// A world with a node, on which Pods are as is decided.
async fn world(ready: Duration) -> (World, Kubelet, Arc<Mutex<Fate>>) {
    let mut world = World::new().await;
    world.options.ready = Some(ObserveOptions {
        ready,
        gone: ready,
        rules: HealthRules::default(),
        fail_fast: true,
        log_lines: 5,
        delivery: Some(world.delivery.clone()),
    });
    let fate = Arc::new(Mutex::new(Fate::Pending));
    let decided = fate.clone();
    let decide = move |_: &_| decided.lock().unwrap().clone();
    let client = Kubelet::client(world.plane.kubeconfig()).await.unwrap();
    let node = format!("node-{}", world.namespace);
    let kubelet = Kubelet::start(client, &node, &world.namespace, decide).await.unwrap();
    (world, kubelet, fate)
}

/// A Deployment, what depends on it, what depends on that, and something else.
fn steps(world: &World, web: Action) -> Vec<Step> {
    let web = world.step(web, WEB);
    let step = |name: &str| world.step(Action::Create, &config(name, "1"));
    let first = Step { wave: 1, depends_on: vec![web.id.clone()], ..step("first") };
    let second = Step { wave: 2, depends_on: vec![first.id.clone()], ..step("second") };
    vec![web, first, second, Step { wave: 1, ..step("other") }]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_depends_on_something_that_does_not_become_ready_is_not_tried() {
    let (world, kubelet, fate) = world(Duration::from_secs(1)).await;
    let told = world.told(steps(&world, Action::Create)).await;
    expect![[r#"
        Deployment/NS/web: Created
        ConfigMap/NS/first: Skipped: Deployment/NS/web
        ConfigMap/NS/second: Skipped: ConfigMap/NS/first
        ConfigMap/NS/other: Created
        - ConfigMap/NS/other Created Applied
        - Deployment/NS/web Created Applied
    "#]]
    .assert_eq(&told);
    // What is unchanged counts as much as what was just made.
    *fate.lock().unwrap() = Fate::Ready;
    kubelet.look_again();
    let (world, steps) = (World { options: long(&world), ..world }, 3);
    let again: Vec<_> = self::steps(&world, Action::Keep(None)).into_iter().take(steps).collect();
    let told = world.told(again).await;
    assert!(told.contains("first: Created") && told.contains("second: Created"), "{told}");
}

fn long(world: &World) -> kelson_cluster::ApplyOptions {
    let mut options = world.options.clone();
    options.ready.as_mut().unwrap().ready = Duration::from_secs(180);
    options
}

/// Lets Pods become ready as soon as somebody waits for them.
struct Helper<'a>(&'a Kubelet, &'a Mutex<Fate>, Mutex<Vec<String>>);

impl Listener for Helper<'_> {
    fn hear(&self, event: &Event) {
        let word = match event {
            Event::Waiting { id, until } => format!("{} {until}", id.name),
            Event::Step { id, .. } => id.name.clone(),
            _ => return,
        };
        if word == "web ready" {
            *self.1.lock().unwrap() = Fate::Ready;
            self.0.look_again();
        }
        self.2.lock().unwrap().push(word);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_depended_on_is_ready_before_anything_that_depends_on_it_is_sent() {
    let (world, kubelet, fate) = world(Duration::from_secs(180)).await;
    let helper = Helper(&kubelet, &fate, Mutex::default());
    let (_keep, stop) = watch::channel(false);
    let mut steps = steps(&world, Action::Create);
    steps.truncate(3);
    let applied = world.run_until(steps, &stop, &helper).await.unwrap();
    assert_eq!(applied.summary.created, 3, "{applied:?}");
    let order = helper.2.into_inner().unwrap();
    assert_eq!(order, ["web", "web ready", "first", "first ready", "second"]);
}
