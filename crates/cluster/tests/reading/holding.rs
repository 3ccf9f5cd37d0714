//! What would go with something, and whom autoscalers scale.

use kelson_cluster::Cluster;
use kelson_model::ObjectId;
use kelson_plan::Delivery;

use crate::discovering::{define, with_kind};
use crate::{admin, apply, as_user, config_map, eventually};

fn object(group: &str, kind: &str, name: &str) -> ObjectId {
    ObjectId {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: String::new(),
        name: name.to_owned(),
    }
}

async fn check(cluster: &Cluster, container: &ObjectId, delivery: &Delivery, expected: &[&str]) {
    let catalog = cluster.catalog().await.unwrap();
    assert_eq!(cluster.contents(container, &catalog, delivery).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_holds_what_is_not_of_the_delivery() {
    let (plane, cluster) = admin().await;
    let name = plane.namespace().unwrap();
    let delivery = Delivery::new("shop", &name).unwrap();
    let namespace = object("", "Namespace", &name);
    let root = ["get", "configmap/kube-root-ca.crt", "-n", &name];
    eventually("the namespace has what each has", || plane.kubectl(&root).is_ok());
    config_map(plane, &name, "ours", true);
    let web = format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web","labels":{{"kelson.dev/name":"shop","kelson.dev/namespace":"{name}"}}}},
        "spec":{{"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"a","image":"a"}}]}}}}}}}}"#
    );
    apply(plane, &format!("/apis/apps/v1/namespaces/{name}/deployments/web"), "kelson", &web);
    let service = format!(
        r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"web","labels":{{"kelson.dev/name":"shop","kelson.dev/namespace":"{name}"}}}},
        "spec":{{"selector":{{"app":"web"}},"ports":[{{"port":80}}]}}}}"#
    );
    apply(plane, &format!("/api/v1/namespaces/{name}/services/web"), "kelson", &service);
    let made = ["get", "pods,replicasets,endpointslices", "-n", &name, "-o", "name"];
    eventually("controllers have made theirs", || {
        plane.kubectl(&made).is_ok_and(|text| text.lines().count() == 3)
    });
    check(&cluster, &namespace, &delivery, &[]).await;
    config_map(plane, &name, "theirs", false);
    let theirs = format!("ConfigMap/{name}/theirs");
    check(&cluster, &namespace, &delivery, &[&theirs]).await;
    // What is of another delivery is foreign too.
    let other = Delivery::new("other", &name).unwrap();
    let ours = format!("ConfigMap/{name}/ours");
    let (service, web) = (format!("Service/{name}/web"), format!("Deployment/{name}/web"));
    check(&cluster, &namespace, &other, &[&ours, &theirs, &service, &web]).await;
    // Whoever may not look cannot say that there is nothing.
    let nobody = as_user(plane, "nobody").await;
    let catalog = cluster.catalog().await.unwrap();
    let held = nobody.contents(&namespace, &catalog, &delivery).await;
    assert_eq!(held.len(), 5, "{held:?}");
    assert!(held[0].starts_with("whatever there is of "), "{held:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_holds_its_instances() {
    let (plane, cluster) = admin().await;
    let name = plane.namespace().unwrap();
    let domain = format!("{name}.example");
    define(plane, &domain);
    with_kind(&cluster, &domain).await;
    let delivery = Delivery::new("shop", &name).unwrap();
    let group = "apiextensions.k8s.io";
    let definition = object(group, "CustomResourceDefinition", &format!("things.{domain}"));
    check(&cluster, &definition, &delivery, &[]).await;
    for number in 0..7 {
        let body = format!(
            r#"{{"apiVersion":"{domain}/v1","kind":"Thing","metadata":{{"name":"t{number}"}}}}"#
        );
        let path = format!("/apis/{domain}/v1/namespaces/{name}/things/t{number}");
        apply(plane, &path, "kelson", &body);
    }
    let names: Vec<_> = (0..5).map(|number| format!("Thing/{name}/t{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    check(&cluster, &definition, &delivery, &names).await;
    let unknown = object(group, "CustomResourceDefinition", "things.none.example");
    let expected = "whatever instances there are (the cluster does not serve the kind)";
    check(&cluster, &unknown, &delivery, &[expected]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn autoscalers_say_whom_they_scale() {
    let (plane, cluster) = admin().await;
    let name = plane.namespace().unwrap();
    let scaler = |name: &str, api_version: &str, kind: &str| {
        format!(
            r#"{{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{{"name":"{name}"}},
            "spec":{{"maxReplicas":3,"scaleTargetRef":{{"apiVersion":"{api_version}","kind":"{kind}","name":"{name}"}}}}}}"#
        )
    };
    for (target, version, kind) in
        [("web", "apps/v1", "Deployment"), ("old", "v1", "ReplicationController")]
    {
        let path =
            format!("/apis/autoscaling/v2/namespaces/{name}/horizontalpodautoscalers/{target}");
        apply(plane, &path, "kelson", &scaler(target, version, kind));
    }
    let check = async |cluster: &Cluster, namespaces: &[&str], expected: usize| {
        let namespaces: Vec<_> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        let mut targets = cluster.scaled(&namespaces).await;
        targets.sort();
        assert_eq!(targets.len(), expected, "{targets:?}");
        targets
    };
    let targets = check(&cluster, &[&name], 2).await;
    assert_eq!(targets[0].to_string(), format!("ReplicationController/{name}/old"));
    assert_eq!((targets[0].group.as_str(), targets[1].group.as_str()), ("", "apps"));
    check(&cluster, &[&name, "a", "b", "c", "d"], 2).await;
    check(&cluster, &["a"], 0).await;
    check(&as_user(plane, "nobody").await, &[&name], 0).await;
}
