use std::time::Duration;

use kelson_cluster::{End, Target};
use kelson_testkit::{Detour, Fate, Fault};

use crate::stage::{Heard, Stage, config, connect, deployment};

/// A stage whose wait goes through a proxy, with a Deployment that is not ready yet.
async fn behind_proxy() -> (Stage, Detour, Vec<Target>) {
    let mut stage = Stage::new().await;
    let detour = stage.plane.behind_proxy().unwrap();
    stage.cluster = connect(detour.kubeconfig()).await;
    // So short that a watch lasts some seconds only.
    stage.options.ready = Duration::from_secs(60);
    stage.fate("web", Fate::Pending);
    let targets = vec![stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    (stage, detour, targets)
}

const WATCH: &str = "/deployments?watch=1";

/// Waits while something happens to the first watches; the Deployment becomes ready when `count` of them were seen.
async fn passes(fault: Fault, times: usize, count: usize, expected: &str) {
    let (stage, detour, targets) = behind_proxy().await;
    detour.fault("GET", WATCH, times, fault);
    let heard = Heard::default();
    let ready = async {
        heard.has("Deployment/web InProgress").await;
        for _ in 0..2400 {
            if detour.seen_at("GET", WATCH).len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    let seen: Vec<_> = detour.seen().iter().map(ToString::to_string).collect();
    let context = format!("{}\n{}", heard.told(), seen.join("\n"));
    assert_eq!(observed.end, End::Ready, "{context}");
    assert!(detour.seen_at("GET", WATCH).len() >= count, "{context}");
    assert!(heard.told().contains(expected), "{expected} is not in {context}");
}

fn answer(body: &str) -> Fault {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Fault::Status { status: 200, headers, body: body.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_ends_is_begun_again() {
    passes(answer(""), 3, 4, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_cut_off_is_begun_again() {
    passes(Fault::Close, 3, 4, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_breaks_off_is_no_news() {
    passes(answer(r#"{"type":"MODIFIED","object":{"kind":"Depl"#), 3, 4, "").await;
    passes(answer("{\"type\":\"MODIFIED\",\"object\":7}\n"), 3, 4, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_version_is_listed_again() {
    passes(Fault::refusal(410, "Expired", "too old resource version"), 2, 3, "").await;
    let event = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n";
    passes(answer(event), 2, 3, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_trouble_is_asked_again() {
    passes(Fault::refusal(503, "ServiceUnavailable", "later"), 3, 4, "").await;
    passes(Fault::refusal(429, "TooManyRequests", "later"), 3, 4, "").await;
    let event = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500}}\n";
    passes(answer(event), 5, 6, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_stalls_is_begun_again() {
    // The second one is begun only when the first was taken for dead.
    passes(Fault::StallAfter(0), 1, 2, "").await;
    passes(Fault::Stall, 1, 2, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_watched_is_listed_again_and_again_and_that_is_said_once() {
    for (code, reason) in [(403, "Forbidden"), (405, "MethodNotAllowed")] {
        let (stage, detour, targets) = behind_proxy().await;
        detour.fault("GET", WATCH, 1000, Fault::refusal(code, reason, "no watching"));
        let heard = Heard::default();
        let ready = async {
            heard.has("`deployments.apps` cannot be watched: no watching").await;
            stage.fate("web", Fate::Ready);
        };
        let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
        assert_eq!(observed.end, End::Ready, "{}", heard.told());
        assert_eq!(heard.told().matches("cannot be watched").count(), 1, "{}", heard.told());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_listed_is_asked_for_one_by_one() {
    let (stage, detour, targets) = behind_proxy().await;
    for path in ["/deployments?", "/configmaps?"] {
        detour.fault("GET", path, 1000, Fault::refusal(403, "Forbidden", "no lists"));
    }
    let heard = Heard::default();
    let ready = async {
        heard.has("`configmaps` cannot be listed: no lists").await;
        heard.has("Deployment/web InProgress").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_for_a_while_is_waited_for() {
    let (stage, detour, targets) = behind_proxy().await;
    let heard = Heard::default();
    let away = async {
        heard.has("Deployment/web InProgress").await;
        heard.has("ConfigMap/settings Current").await;
        // Every connection is lost, and no new one is made for a while.
        detour.fault("", "", 40, Fault::Close);
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), away);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_from_the_beginning_is_an_error() {
    let (stage, detour, targets) = behind_proxy().await;
    detour.fault("", "", 10_000, Fault::Close);
    let heard = Heard::default();
    let (_keep, stop) = tokio::sync::watch::channel(false);
    let observed = kelson_cluster::observe(&stage.cluster, &targets, &stage.options, &stop, &heard);
    let error = observed.await.unwrap_err().to_string();
    assert!(error.starts_with("cannot see how the objects are: no answer"), "{error}");
    detour.heal();
    detour.fault("", "", 10_000, Fault::refusal(401, "Unauthorized", "who?"));
    let observed = kelson_cluster::observe(&stage.cluster, &targets, &stage.options, &stop, &heard);
    let error = observed.await.unwrap_err().to_string();
    assert!(error.contains("does not accept our credentials"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_expire_on_the_way_are_an_error() {
    let (stage, detour, targets) = behind_proxy().await;
    let heard = Heard::default();
    let (_keep, stop) = tokio::sync::watch::channel(false);
    let observed = kelson_cluster::observe(&stage.cluster, &targets, &stage.options, &stop, &heard);
    let expired = async {
        heard.has("Deployment/web InProgress").await;
        detour.fault("", "", 10_000, Fault::refusal(401, "Unauthorized", "who?"));
    };
    let (observed, ()) = tokio::join!(observed, expired);
    let error = observed.unwrap_err().to_string();
    assert!(error.contains("does not accept our credentials"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_objects_cost_one_watch_a_kind_and_no_request_each() {
    let (mut stage, detour, mut targets) = behind_proxy().await;
    stage.options.ready = Duration::from_secs(600);
    stage.fate("web", Fate::Unschedulable);
    targets.extend((0..300).map(|number| stage.apply(&config(&format!("c{number}")))));
    let idle = (0..20).map(|number| stage.apply(&deployment(&format!("d{number}"), 0)));
    targets.extend(idle);
    detour.forget();
    let heard = Heard::default();
    let ready = async {
        heard.has("Deployment/web InProgress").await;
        heard.has("Pod/web-").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    let seen: Vec<_> = detour.seen().iter().map(ToString::to_string).collect();
    let count = |text: &str| seen.iter().filter(|seen| seen.contains(text)).count();
    for kind in ["configmaps", "deployments", "replicasets", "pods", "events"] {
        assert_eq!(count(&format!("/{kind}?watch=1")), 1, "{kind}: {seen:#?}");
        assert_eq!(count(&format!("/{kind}?")), 2, "{kind}: {seen:#?}");
        assert_eq!(count(&format!("/{kind}/")), 0, "{kind}: {seen:#?}");
    }
    assert_eq!(seen.len(), 10, "{seen:#?}");
}
