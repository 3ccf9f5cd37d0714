use std::time::Duration;

use kelson_cluster::{Error, Lease, LeaseOptions};
use kelson_plan::{Event, Silent};
use kelson_testkit::Fault;

use crate::world::{Heard, World};

fn options(duration: u64, patience: u64) -> LeaseOptions {
    LeaseOptions {
        duration: Duration::from_secs(duration),
        patience: Duration::from_secs(patience),
    }
}

async fn take(world: &World, duration: u64, patience: u64) -> Result<Lease, Error> {
    let options = options(duration, patience);
    Lease::take(&world.cluster, &world.delivery, &options, &Silent).await
}

fn holder(world: &World) -> String {
    world.kubectl(&["get", "lease", "kelson.shop", "-o", "jsonpath={.spec.holderIdentity}"])
}

fn set(world: &World, spec: &str) {
    let patch = format!("{{\"spec\": {spec}}}");
    world.kubectl(&["patch", "lease", "kelson.shop", "--type=merge", "--patch", &patch]);
}

#[track_caller]
fn is_held(taken: Result<Lease, Error>) -> String {
    match taken {
        Err(Error::Held { holder, .. }) => holder,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was taken"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_at_a_time_holds_a_lease_and_nothing_is_left_of_it() {
    let world = World::new().await;
    let first = take(&world, 15, 0).await.unwrap();
    let by = is_held(take(&world, 15, 0).await);
    assert!(by.contains(&format!("(process {})", std::process::id())), "{by}");
    first.check().await.unwrap();
    first.release().await;
    assert_eq!(world.names("leases"), [] as [&str; 0]);
    take(&world, 15, 0).await.unwrap().release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_gets_it_when_it_is_given_back() {
    let world = World::new().await;
    let first = take(&world, 15, 0).await.unwrap();
    let heard = Heard::default();
    let patient = options(15, 60);
    let second = Lease::take(&world.cluster, &world.delivery, &patient, &heard);
    let release = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        first.release().await;
    };
    let (second, ()) = tokio::join!(second, release);
    second.unwrap().check().await.unwrap();
    let heard = heard.0.into_inner().unwrap();
    assert!(
        matches!(&heard[..], [Event::Lease(text)] if text.contains("is applying")),
        "{heard:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_is_renewed_is_never_stale() {
    let world = World::new().await;
    let first = take(&world, 1, 0).await.unwrap();
    is_held(take(&world, 1, 4).await);
    first.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_nobody_renews_is_taken_over_by_our_own_watch() {
    let world = World::new().await;
    drop(take(&world, 15, 0).await.unwrap());
    // Another machine, whose clock is a year ahead.
    set(
        &world,
        r#"{"holderIdentity": "elsewhere", "leaseDurationSeconds": 2, "renewTime": "2100-01-01T00:00:00.000000Z"}"#,
    );
    is_held(take(&world, 15, 0).await);
    let taken = take(&world, 15, 60).await.unwrap();
    taken.check().await.unwrap();
    let transitions = ["get", "lease", "kelson.shop", "-o", "jsonpath={.spec.leaseTransitions}"];
    assert_eq!(world.kubectl(&transitions), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_of_a_process_that_has_ended_here_is_taken_over_at_once() {
    let world = World::new().await;
    drop(take(&world, 3600, 0).await.unwrap());
    let ours = holder(&world);
    is_held(take(&world, 15, 0).await);
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let process = format!("/{}/", std::process::id());
    let dead = ours.replace(&process, &format!("/{}/", child.id()));
    assert_ne!(dead, ours);
    set(&world, &format!(r#"{{"holderIdentity": "{dead}"}}"#));
    take(&world, 15, 0).await.unwrap().check().await.unwrap();
    // The same process of another boot is somebody else's.
    let boot = ours.split(['/', ' ']).nth(2).unwrap();
    let elsewhere = dead.replace(boot, "00000000-0000-0000-0000-000000000000");
    set(&world, &format!(r#"{{"holderIdentity": "{elsewhere}"}}"#));
    is_held(take(&world, 15, 0).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_went_to_somebody_else_is_lost_and_left_to_them() {
    let world = World::new().await;
    let lease = take(&world, 1, 0).await.unwrap();
    // A label is no reason to lose it.
    world.kubectl(&["label", "lease", "kelson.shop", "a=b"]);
    tokio::time::sleep(Duration::from_secs(2)).await;
    lease.check().await.unwrap();
    set(&world, r#"{"holderIdentity": "elsewhere"}"#);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(matches!(lease.check().await, Err(Error::LeaseLost(_))));
    lease.release().await;
    assert_eq!(holder(&world), "elsewhere");

    world.kubectl(&["delete", "lease", "kelson.shop"]);
    let lease = take(&world, 15, 0).await.unwrap();
    world.kubectl(&["delete", "lease", "kelson.shop"]);
    assert!(matches!(lease.check().await, Err(Error::LeaseLost(_))));
    lease.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_ours_although_nobody_said_so() {
    let (world, detour) = World::behind_proxy().await;
    detour.fault("PATCH", "/leases/", 1, Fault::Unanswered);
    let lease = take(&world, 1, 0).await.unwrap();
    lease.check().await.unwrap();
    // Nor did anybody say so of a renewal, or of the end.
    detour.fault("PATCH", "/leases/", 1, Fault::Unanswered);
    tokio::time::sleep(Duration::from_secs(2)).await;
    lease.check().await.unwrap();
    detour.fault("DELETE", "/leases/", 1, Fault::Unanswered);
    lease.release().await;
    assert_eq!(world.names("leases"), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_is_missing_is_named_with_the_remedy() {
    let world = World::new().await;
    let missing = kelson_plan::Delivery::new("shop", "no-such-namespace").unwrap();
    let taken = Lease::take(&world.cluster, &missing, &options(15, 0), &Silent).await;
    let error = taken.err().unwrap().to_string();
    assert!(
        error.contains("`no-such-namespace`") && error.contains("--create-namespace"),
        "{error}"
    );
}
