use kelson_cluster::{Cluster, Connection, End};
use kelson_plan::Delivery;
use kelson_testkit::Fate;

use crate::stage::{Heard, Stage, config, crash, deployment};

/// A user who may do something with some resources of the namespace, and nothing else.
async fn user(stage: &Stage, name: &str, grants: &[(&str, &str)]) -> Cluster {
    for (number, (verbs, resources)) in grants.iter().enumerate() {
        let (verbs, resources) = (format!("--verb={verbs}"), format!("--resource={resources}"));
        let (role, role_flag) = (format!("{name}-{number}"), format!("--role={name}-{number}"));
        let user = format!("--user={name}");
        stage.kubectl(&["create", "role", &role, &verbs, &resources]);
        stage.kubectl(&["create", "rolebinding", &role, &role_flag, &user]);
    }
    let (verbs, resources) = grants.last().unwrap();
    let asked = [verbs.split(',').next().unwrap(), resources.split(',').next().unwrap()];
    for _ in 0..600 {
        let arguments = ["auth", "can-i", asked[0], asked[1], "-n", &stage.namespace, "--as", name];
        if stage.plane.kubectl(&arguments).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let kubeconfig = Some(stage.plane.kubeconfig().to_owned());
    let impersonate = Some(name.to_owned());
    Cluster::connect(&Connection { kubeconfig, impersonate, ..Connection::default() })
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_rights_on_pods_there_are_fewer_reasons() {
    let mut stage = Stage::new().await;
    stage.fate("web", crash("not for everybody\n"));
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    let grants = [("get,list,watch", "deployments.apps,configmaps")];
    stage.cluster = user(&stage, "seer", &grants).await;
    let heard = Heard::default();
    let ready = async {
        for kind in ["replicasets", "pods", "events"] {
            heard.has(&format!("the {kind} of namespace")).await;
        }
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert_eq!(heard.told().matches("warning").count(), 3, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_rights_on_logs_there_are_none() {
    let mut stage = Stage::new().await;
    stage.fate("web", crash("not for everybody\n"));
    let targets = [stage.apply(&deployment("web", 1))];
    let grants = [("get,list,watch", "deployments.apps,replicasets.apps,pods,events")];
    stage.cluster = user(&stage, "deaf", &grants).await;
    let told = stage.until_told(&targets, &["warning: logs cannot be read"]).await;
    assert!(told.contains("CrashLoop") && !told.contains("not for everybody"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_get_asks_for_each() {
    let mut stage = Stage::new().await;
    stage.fate("web", Fate::Pending);
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    stage.cluster = user(&stage, "getter", &[("get", "deployments.apps,configmaps")]).await;
    let heard = Heard::default();
    let ready = async {
        heard.has("`deployments.apps` cannot be listed").await;
        heard.has("Deployment/web InProgress").await;
        stage.fate("web", Fate::Ready);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_see_the_whole_cluster_looks_into_namespaces() {
    let (mut stage, other) = (Stage::new().await, Stage::new().await);
    stage.options.delivery = Some(Delivery::new("shop", &stage.namespace).unwrap());
    let labels =
        format!(", labels: {{kelson.dev/name: shop, kelson.dev/namespace: {}}}}}", stage.namespace);
    let labelled = |name: &str| config(name).replace("}, data", &format!("{labels}, data"));
    let mut targets = Vec::new();
    for name in ["a", "b"] {
        targets.extend([stage.apply(&labelled(name)), other.apply(&labelled(name))]);
    }
    let grants = [("get,list,watch", "configmaps")];
    user(&other, "neighbour", &grants).await;
    stage.cluster = user(&stage, "neighbour", &grants).await;
    let (observed, heard) = stage.observe(&targets).await;
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    assert_eq!(heard.told().matches("warning").count(), 0, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_see_nothing_knows_nothing() {
    let mut stage = Stage::new().await;
    let targets = [stage.apply(&deployment("web", 1)), stage.apply(&config("settings"))];
    stage.cluster = user(&stage, "blind", &[("get", "secrets")]).await;
    stage.options.ready = std::time::Duration::from_secs(1);
    let expected = [
        "Deployment/web Unknown Unreadable",
        "ConfigMap/settings Unknown Unreadable",
        "cannot get resource",
    ];
    stage.check(&targets, End::Late, &expected).await;
}
