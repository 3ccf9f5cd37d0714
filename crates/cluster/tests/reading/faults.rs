//! What networks and servers do on bad days.

use std::time::Duration;

use kelson_cluster::{Cluster, Connection, Error};
use kelson_testkit::{Fault, shared};

use crate::{Heard, chain, config_map, wanted, word};

/// Reads an object that exists, and one that does not, while something goes wrong; says what was heard of it.
async fn check(
    times: usize,
    fault: Fault,
    timeout: Option<Duration>,
) -> Result<Vec<String>, Error> {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    config_map(plane, &namespace, "a", false);
    let detour = plane.behind_proxy().unwrap();
    detour.fault("GET", "/configmaps/a", times, fault);
    let connection = Connection {
        kubeconfig: Some(detour.kubeconfig().to_owned()),
        request_timeout: timeout,
        ..Connection::default()
    };
    let cluster = Cluster::connect(&connection).await.unwrap();
    let heard = Heard::default();
    let wanted = wanted(&namespace, &["a", "b"]);
    let live = cluster.read(&wanted, None, false, "kelson", &heard).await?;
    let words: Vec<_> = wanted.iter().map(|wanted| word(&live[&wanted.id])).collect();
    assert_eq!(words, ["found", "absent"]);
    Ok(heard.retries())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_is_waited_for_and_told() {
    let slow = Fault::refusal(429, "TooManyRequests", "later").with_header("retry-after", "1");
    let begun = std::time::Instant::now();
    let heard = check(2, slow, None).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(2), "the server asked for two pauses");
    assert_eq!(heard.len(), 2);
    assert!(heard[0].ends_with("/configmaps/a: later (429 TooManyRequests)"), "{heard:?}");
    for (times, fault) in [
        (3, Fault::Close),
        (1, Fault::Unanswered),
        (2, Fault::Truncate(20)),
        (2, Fault::refusal(500, "InternalError", "etcdserver: leader changed")),
        (3, Fault::refusal(503, "ServiceUnavailable", "not now")),
        (1, Fault::Status { status: 502, headers: vec![], body: "<html>".to_owned() }),
        (3, Fault::refusal(504, "Timeout", "slow")),
    ] {
        let heard = check(times, fault.clone(), None).await;
        assert_eq!(heard.unwrap().len(), times, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_nothing_is_not_waited_for_without_end() {
    // Long enough for what is answered, on a machine that has much else to do.
    let limit = Some(Duration::from_secs(4));
    for fault in [Fault::Stall, Fault::StallAfter(30)] {
        let heard = check(1, fault, limit).await.unwrap();
        let is_told = heard
            .iter()
            .any(|text| text.contains("/configmaps/a: ") && text.ends_with("within 4s"));
        assert!(is_told, "{heard:?}");
    }
    let error = check(100, Fault::Stall, Some(Duration::from_millis(100))).await.unwrap_err();
    let text = chain(&error);
    assert!(text.starts_with("cannot read what is in the cluster: no answer from"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_pass_ends_it() {
    let error = check(100, Fault::Close, None).await.unwrap_err();
    assert!(chain(&error).starts_with("cannot read what is in the cluster: no answer from"));
    let expired = Fault::refusal(401, "Unauthorized", "Unauthorized");
    let error = check(1, expired, None).await.unwrap_err();
    let expected = "cannot read what is in the cluster: the cluster does not accept our credentials: they are missing, wrong or expired (401 Unauthorized)";
    assert_eq!(chain(&error), expected);
    let nonsense = Fault::Status { status: 200, headers: vec![], body: "<html>".to_owned() };
    let error = check(1, nonsense, None).await.unwrap_err();
    assert!(chain(&error).contains("cannot be read; is it an API server?"), "{}", chain(&error));
}
