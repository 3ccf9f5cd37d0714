//! What is there, in how many requests.

use kelson_cluster::{Cluster, Connection};
use kelson_plan::{Delivery, Live, Recorded, Silent, Wanted};
use kelson_testkit::{Fault, FaultProxy, shared};

use crate::{as_user, config_map, grant, wanted, word};

/// A cluster behind a proxy that counts.
async fn counted() -> (impl std::ops::Deref<Target = FaultProxy>, Cluster) {
    let detour = shared().unwrap().behind_proxy().unwrap();
    let kubeconfig = Some(detour.kubeconfig().to_owned());
    let cluster =
        Cluster::connect(&Connection { kubeconfig, ..Connection::default() }).await.unwrap();
    (detour, cluster)
}

/// Reads, and compares what is found and how often was asked: `words` of the objects in order.
async fn check(
    cluster: &Cluster,
    wanted: &[Wanted],
    labelled: Option<&Delivery>,
    words: &str,
) -> Vec<Live> {
    let live = cluster.read(wanted, labelled, labelled.is_some(), "kelson", &Silent).await.unwrap();
    assert_eq!(live.len(), wanted.len());
    let live: Vec<_> = wanted.iter().map(|wanted| live[&wanted.id].clone()).collect();
    let actual: Vec<_> = live.iter().map(word).collect();
    assert_eq!(actual.join(" "), words);
    live
}

fn requests(proxy: &FaultProxy) -> Vec<String> {
    let seen = proxy.seen().iter().map(|seen| format!("{} {}", seen.method, seen.target)).collect();
    proxy.forget();
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn few_objects_are_asked_for_one_by_one() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    config_map(plane, &namespace, "a", false);
    let (proxy, cluster) = counted().await;
    let live = check(&cluster, &wanted(&namespace, &["a", "b"]), None, "found absent").await;
    assert_eq!(requests(&proxy).len(), 2);
    let Live::Found(packed) = &live[0] else { panic!("{live:?}") };
    let found = packed.open();
    assert!(!found.uid.is_empty() && !found.resource_version.is_empty());
    assert_eq!(found.object.version, "v1");
    check(&cluster, &wanted("no-such-namespace", &["a"]), None, "absent").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_none_can_have_is_not_asked_for() {
    let (proxy, cluster) = counted().await;
    check(&cluster, &wanted("default", &["a/status"]), None, "unreadable").await;
    assert_eq!(requests(&proxy), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_it_is_first_learnt_which_exist() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let names: Vec<_> = (0..20).map(|number| format!("map-{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let (proxy, cluster) = counted().await;
    check(&cluster, &wanted(&namespace, &names), None, &["absent"; 20].join(" ")).await;
    let asked = requests(&proxy);
    assert_eq!(asked.len(), 1, "{asked:?}");
    config_map(plane, &namespace, "map-3", false);
    let expected: Vec<_> =
        names.iter().map(|name| if *name == "map-3" { "found" } else { "absent" }).collect();
    check(&cluster, &wanted(&namespace, &names), None, &expected.join(" ")).await;
    let asked = requests(&proxy);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].ends_with("/configmaps/map-3"), "{asked:?}");
    for name in &names[..15] {
        config_map(plane, &namespace, name, false);
    }
    let expected = [["found"; 15].join(" "), ["absent"; 5].join(" ")].join(" ");
    check(&cluster, &wanted(&namespace, &names), None, &expected).await;
    let asked = requests(&proxy);
    assert_eq!(asked.len(), 2, "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_labelled_comes_with_one_list_and_is_dropped_where_it_is_as_recorded() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let delivery = Delivery::new("shop", &namespace).unwrap();
    for name in ["a", "b", "c"] {
        config_map(plane, &namespace, name, true);
    }
    config_map(plane, &namespace, "plain", false);
    let (proxy, cluster) = counted().await;
    let mut wanted = wanted(&namespace, &["a", "b", "c"]);
    let live = check(&cluster, &wanted, Some(&delivery), "found found found").await;
    assert_eq!(requests(&proxy).len(), 1);
    for (wanted, live) in wanted.iter_mut().zip(&live) {
        let Live::Found(packed) = live else { panic!("{live:?}") };
        let found = packed.open();
        assert_eq!(found.object.id, wanted.id);
        wanted.recorded = Some(Recorded { uid: found.uid.clone(), owned: found.owned.clone() });
    }
    // What others write beside our fields is no change of them.
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/a");
    let other =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"theirs":"c"}}"#;
    crate::apply(plane, &path, "other", other);
    check(&cluster, &wanted, Some(&delivery), "recorded recorded recorded").await;
    assert_eq!(requests(&proxy).len(), 1);
    // Somebody takes a field from us: it is another now.
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/b");
    let other =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"a":"z"}}"#;
    crate::apply(plane, &path, "other", other);
    check(&cluster, &wanted, Some(&delivery), "recorded found recorded").await;
    // What has lost its labels is asked for by name.
    wanted.push(crate::wanted(&namespace, &["plain"]).remove(0));
    requests(&proxy);
    check(&cluster, &wanted, Some(&delivery), "recorded found recorded found").await;
    assert_eq!(requests(&proxy).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn large_lists_come_in_pages_and_begin_again_where_a_server_forgets() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let delivery = Delivery::new("shop", &namespace).unwrap();
    let names: Vec<_> = (0..1100).map(|number| format!("map-{number:04}")).collect();
    std::thread::scope(|scope| {
        for part in names.chunks(275) {
            let namespace = &namespace;
            scope.spawn(move || {
                let labels =
                    format!(r#"{{"kelson.dev/name":"shop","kelson.dev/namespace":"{namespace}"}}"#);
                let mut bare = plane.bare().unwrap();
                for name in part {
                    let body = format!(
                        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","labels":{labels}}}}}"#
                    );
                    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
                    let answer = bare.send("POST", &path, "application/json", &body).unwrap();
                    assert_eq!(answer.status, 201, "{}", answer.body);
                }
            });
        }
    });
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let wanted = wanted(&namespace, &names);
    let words = vec!["found"; names.len()].join(" ");
    let (proxy, cluster) = counted().await;
    check(&cluster, &wanted, Some(&delivery), &words).await;
    assert_eq!(requests(&proxy).len(), 3);
    let expired = || Fault::refusal(410, "Expired", "the provided continue parameter is too old");
    proxy.fault("GET", "continue=", 1, expired());
    check(&cluster, &wanted, Some(&delivery), &words).await;
    assert_eq!(requests(&proxy).len(), 5);
    proxy.fault("GET", "continue=", 100, expired());
    check(&cluster, &wanted, Some(&delivery), &words).await;
    let asked = requests(&proxy);
    assert_eq!(asked.len(), 7, "{asked:?}");
    assert!(!asked[6].contains("limit="), "{asked:?}");
    proxy.heal();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_list_asks_more_narrowly() {
    let plane = shared().unwrap();
    let (one, two) = (plane.namespace().unwrap(), plane.namespace().unwrap());
    let delivery = Delivery::new("shop", &one).unwrap();
    for name in ["a", "b"] {
        config_map(plane, &one, name, true);
        config_map(plane, &two, name, false);
    }
    let both = [wanted(&one, &["a", "b", "c"]), wanted(&two, &["a", "c"])].concat();
    let words = "found found absent found absent";
    let lister = format!("lister-{one}");
    grant(plane, &one, &lister, "get,list");
    grant(plane, &two, &lister, "get,list");
    check(&as_user(plane, &lister).await, &both, Some(&delivery), words).await;
    let getter = format!("getter-{one}");
    grant(plane, &one, &getter, "get");
    grant(plane, &two, &getter, "get");
    check(&as_user(plane, &getter).await, &both, Some(&delivery), words).await;
    check(&as_user(plane, &getter).await, &both, None, words).await;
    // What may not be read at all is not known to be absent.
    let half = format!("half-{one}");
    grant(plane, &one, &half, "get");
    let half = as_user(plane, &half).await;
    let words = "found found absent unreadable unreadable";
    let live = check(&half, &both, Some(&delivery), words).await;
    let Live::Unreadable(why) = &live[3] else { panic!("{live:?}") };
    assert!(why.contains("cannot get resource \"configmaps\""), "{why}");
    // Nor many.
    let names: Vec<_> = (0..20).map(|number| format!("map-{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    check(&half, &wanted(&two, &names), None, &["unreadable"; 20].join(" ")).await;
}
