use kelson_plan::{Action, Outcome, Step};
use kelson_testkit::Fault;

use crate::world::{World, config};

/// Objects that a plan then makes, changes, makes anew and deletes.
async fn prepare(world: &World) {
    let create = |object: &str| world.step(Action::Create, object);
    let steps = vec![
        create(&config("changed", "1")),
        create(&immutable("1")),
        create(&config("deleted", "1")),
    ];
    world.run(steps).await.unwrap();
}

fn immutable(value: &str) -> String {
    config("anew", value).replace(", data:", ", immutable: true, data:")
}

fn steps(world: &World) -> Vec<Step> {
    vec![
        world.step(Action::Create, &config("made", "2")),
        world.step(Action::Change, &config("changed", "2")),
        Step { wave: 1, ..world.step(Action::Recreate(vec!["data".to_owned()]), &immutable("2")) },
        Step { wave: 2, ..world.step(Action::Delete, &config("deleted", "2")) },
    ]
}

/// What is there and what the inventory says of it, and whether the two agree.
async fn state(world: &World) -> String {
    let collection = format!("/api/v1/namespaces/{}/configmaps", world.namespace);
    let selected = format!("{collection}?labelSelector=kelson.dev/name=shop");
    let there = world.plane.bare().unwrap().get(&selected).unwrap();
    let held = world.held().await;
    let mut state = String::new();
    for object in there["items"].as_array().unwrap() {
        let (name, uid) = (&object["metadata"]["name"], &object["metadata"]["uid"]);
        let entry = held.inventory.entries.iter().find(|entry| entry.id.name == *name);
        let is_known = entry.is_some_and(|entry| entry.uid.as_deref() == uid.as_str());
        let (name, value) = (name.as_str().unwrap(), object["data"]["key"].as_str().unwrap());
        let known = if is_known { "recorded" } else { "not recorded" };
        state.push_str(&format!("{name}={value} {known}\n"));
    }
    let listed = held.inventory.entries.len();
    state + &format!("{listed} listed")
}

const DONE: &str = "anew=2 recorded\nchanged=2 recorded\nmade=2 recorded\n3 listed";

/// How many requests an execution makes where nothing goes wrong.
async fn requests() -> usize {
    let (world, detour) = World::behind_proxy().await;
    prepare(&world).await;
    let steps = steps(&world);
    detour.forget();
    world.run(steps).await.unwrap();
    assert_eq!(state(&world).await, DONE);
    // What waits by a watch may need one more.
    detour.seen().len()
}

/// Lets one fault happen at every request of an execution in turn: it still does what it should.
async fn passes(name: &str, fault: impl Fn() -> Fault) {
    let count = requests().await;
    for number in 1..=count {
        let (world, detour) = World::behind_proxy().await;
        prepare(&world).await;
        let steps = steps(&world);
        detour.forget();
        detour.fault_at(number, "", "", fault());
        let run = world.run(steps).await;
        let seen: Vec<_> = detour.seen().iter().map(ToString::to_string).collect();
        let context = format!("{name} at request {number}: {run:?}\n{}", seen.join("\n"));
        assert_eq!(run.unwrap().summary.failed, 0, "{context}");
        assert_eq!(state(&world).await, DONE, "{context}");
        assert_eq!(world.names("leases"), [] as [&str; 0], "{context}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_before_any_request_changes_nothing() {
    passes("not delivered", || Fault::Close).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_lost_after_any_request_changes_nothing() {
    passes("not answered", || Fault::Unanswered).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_time_at_any_request_gets_it() {
    let busy = || Fault::refusal(429, "TooManyRequests", "later").with_header("retry-after", "0");
    passes("busy", busy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_trips_at_any_request_is_asked_again() {
    passes("trips", || Fault::refusal(500, "InternalError", "oops")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_that_of_one_object_and_the_next_run_does_the_rest() {
    for (code, reason) in [(403, "Forbidden"), (422, "Invalid"), (409, "Conflict")] {
        let (world, detour) = World::behind_proxy().await;
        prepare(&world).await;
        let steps = steps(&world);
        // All of one object's writes, for as long as the run takes.
        let refusal = Fault::refusal(code, reason, "no");
        detour.fault("PATCH", "/configmaps/changed", 100, refusal);
        let applied = world.run(steps).await.unwrap();
        let failed: Vec<_> = applied
            .results
            .iter()
            .filter(|result| matches!(result.outcome, Outcome::Failed(_)))
            .map(|result| result.id.name.as_str())
            .collect();
        assert_eq!(failed, ["changed"], "{code}");
        assert_eq!(applied.summary.skipped, 1, "{code}: the delete waits for what failed");
        let state_now = state(&world).await;
        assert_eq!(
            state_now,
            "anew=2 recorded\nchanged=1 recorded\ndeleted=1 recorded\nmade=2 recorded\n4 listed",
            "{code}"
        );
        detour.heal();
        let rest = vec![
            world.step(Action::Change, &config("changed", "2")),
            Step { wave: 1, ..world.step(Action::Delete, &config("deleted", "2")) },
        ];
        assert_eq!(world.run(rest).await.unwrap().summary.failed, 0);
        assert_eq!(state(&world).await, DONE, "{code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_of_which_nobody_knows_stays_pending() {
    let (world, detour) = World::behind_proxy().await;
    detour.fault("PATCH", "/configmaps/made", 100, Fault::Close);
    detour.fault("GET", "/configmaps/made", 100, Fault::Close);
    let applied = world.run(vec![world.step(Action::Create, &config("made", "1"))]).await.unwrap();
    assert_eq!(applied.summary.failed, 1);
    assert_eq!(world.listed().await, "- ConfigMap/NS/made Created Pending, no uid, no hashes\n");
}
