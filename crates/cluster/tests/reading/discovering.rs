//! The kinds that a cluster has.

use std::time::Duration;

use kelson_cluster::{Cluster, Connection};
use kelson_plan::Catalog;
use kelson_testkit::{ControlPlane, Fault, Shared};

use crate::{admin, apply};

/// Makes a definition whose kind no other test has, and waits until it is served.
pub(crate) fn define(plane: &Shared, group: &str) {
    let body = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"things.{group}"}},
        "spec":{{"group":"{group}","scope":"Namespaced","names":{{"plural":"things","kind":"Thing"}},"versions":[
        {{"name":"v1alpha1","served":true,"storage":false,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}},
        {{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}}"#
    );
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.{group}");
    apply(plane, &path, "kelson", &body);
    let name = format!("crd/things.{group}");
    plane.kubectl(&["wait", "--for=condition=Established", &name, "--timeout=60s"]).unwrap();
}

/// The catalog, once it has the kind: discovery follows a definition with a delay.
pub(crate) async fn with_kind(cluster: &Cluster, group: &str) -> Catalog {
    for _ in 0..1000 {
        let catalog = cluster.catalog().await.unwrap();
        if catalog.versions(group, "Thing").len() == 2 {
            return catalog;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the kind of {group} is not served");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_requests_tell_all_kinds() {
    let (plane, cluster) = admin().await;
    define(plane, "found.example");
    check(&with_kind(&cluster, "found.example").await);
    let detour = plane.behind_proxy().unwrap();
    let kubeconfig = Some(detour.kubeconfig().to_owned());
    let cluster = Cluster::connect(&Connection { kubeconfig, ..Connection::default() }).await;
    check(&cluster.unwrap().catalog().await.unwrap());
    assert_eq!(detour.seen().len(), 2, "{:?}", detour.seen());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_aggregated_discovery_is_asked_group_by_group() {
    let (plane, cluster) = admin().await;
    define(plane, "found.example");
    let modern = with_kind(&cluster, "found.example").await;
    let detour = plane.behind_proxy().unwrap();
    let mut bare = plane.bare().unwrap();
    // Both addresses contain the shorter one: it comes last.
    for path in ["/apis", "/api"] {
        let old = bare.get(path).unwrap();
        assert_ne!(old["kind"], "APIGroupDiscoveryList");
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let fault = Fault::Status { status: 200, headers, body: old.to_string() };
        detour.fault_at(1, "GET", path, fault);
    }
    let kubeconfig = Some(detour.kubeconfig().to_owned());
    let cluster = Cluster::connect(&Connection { kubeconfig, ..Connection::default() }).await;
    let legacy = cluster.unwrap().catalog().await.unwrap();
    check(&legacy);
    let names = |catalog: &Catalog| {
        let foreign = |group: &str| group.ends_with(".example");
        let kinds = catalog.kinds().filter(|kind| !foreign(&kind.group));
        let mut names: Vec<_> = kinds.map(|kind| format!("{kind:?}")).collect();
        names.sort();
        names
    };
    assert_eq!(names(&legacy), names(&modern));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_whose_server_is_down_is_noted_and_the_rest_is_there() {
    let plane = ControlPlane::start().unwrap();
    let service = r#"{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.gone.example"},
        "spec":{"group":"gone.example","version":"v1","groupPriorityMinimum":100,"versionPriority":100,
        "insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"nobody"}}}"#;
    let file = plane.directory().join("service.json");
    std::fs::write(&file, service).unwrap();
    plane.kubectl(&["create", "-f", file.to_str().unwrap()]).unwrap();
    let kubeconfig = Some(plane.kubeconfig().to_owned());
    let cluster =
        Cluster::connect(&Connection { kubeconfig, ..Connection::default() }).await.unwrap();
    for _ in 0..1000 {
        let catalog = cluster.catalog().await.unwrap();
        assert!(catalog.find("apps", "v1", "Deployment").is_some());
        if let Some((group, why)) = catalog.unreadable.first() {
            assert_eq!(group, "gone.example");
            assert_eq!(why, "the server of gone.example/v1 does not answer");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the group is not noted");
}

#[track_caller]
fn check(catalog: &Catalog) {
    assert_eq!(catalog.unreadable, []);
    let deployment = catalog.find("apps", "v1", "Deployment").unwrap();
    assert!(deployment.namespaced && deployment.plural == "deployments");
    let namespace = catalog.find("", "v1", "Namespace").unwrap();
    assert!(!namespace.namespaced && namespace.plural == "namespaces");
    let versions = catalog.versions("found.example", "Thing").iter().map(|kind| &kind.version);
    assert_eq!(versions.collect::<Vec<_>>(), ["v1", "v1alpha1"]);
    assert!(catalog.find("authentication.k8s.io", "v1", "TokenReview").is_none());
    assert!(catalog.kinds().all(|kind| !kind.plural.contains('/')));
    assert!(catalog.find("autoscaling", "v1", "Scale").is_none());
}
