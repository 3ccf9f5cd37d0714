//! A cluster is reached, or it is said why not.

use kelson_cluster::{Cluster, Connection, Error};
use kelson_plan::Ground;
use kelson_testkit::{ControlPlane, shared};

use crate::{admin, as_user, chain, config_map, config_maps, id, to};

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_says_which_one_it_is_and_who_we_are() {
    let (plane, cluster) = admin().await;
    let uid = plane.kubectl(&["get", "ns/kube-system", "-o", "jsonpath={.metadata.uid}"]).unwrap();
    assert_eq!(cluster.identity().await.unwrap(), uid);
    assert_eq!(cluster.default_namespace(), "default");
    assert_eq!(cluster.context(), Some("local"));
    assert!(cluster.server().starts_with("https://127.0.0.1:"), "{}", cluster.server());
    assert!(!cluster.who().await.is_empty());
    let jane = Connection {
        impersonate: Some("jane".to_owned()),
        impersonate_groups: vec!["system:masters".to_owned()],
        ..to(plane)
    };
    let jane = Cluster::connect(&jane).await.unwrap();
    assert_eq!(jane.who().await, "jane");
    assert_eq!(jane.identity().await.unwrap(), uid);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_look_at_no_namespace_is_not_kept_out() {
    let (plane, _) = admin().await;
    let nobody = as_user(plane, "nobody").await;
    assert_eq!(nobody.identity().await.unwrap(), nobody.server());
    assert_eq!(nobody.namespace("no-such-namespace").await.unwrap(), Some(Ground::default()));
    let (_, cluster) = admin().await;
    assert_eq!(cluster.namespace("no-such-namespace").await.unwrap(), None);
    assert!(cluster.namespace("default").await.unwrap().unwrap().uid.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_got_and_removed() {
    let (plane, cluster) = admin().await;
    let namespace = plane.namespace().unwrap();
    config_map(plane, &namespace, "a", false);
    let kind = config_maps();
    let id = id(&kind, &namespace, "a");
    assert_eq!(cluster.get(&kind, &id).await.unwrap().unwrap().id, id);
    for _ in 0..2 {
        cluster.remove(&kind, &id).await.unwrap();
        assert!(cluster.get(&kind, &id).await.unwrap().is_none());
    }
    let nobody = as_user(plane, "nobody").await;
    let refused = chain(&nobody.remove(&kind, &id).await.unwrap_err());
    assert!(refused.starts_with(&format!("cannot delete {id}: ")), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_certificate_is_shown() {
    let plane = ControlPlane::start().unwrap();
    let eve = plane.user("eve", "readers").unwrap();
    let connection = Connection { kubeconfig: Some(eve), ..Connection::default() };
    let cluster = Cluster::connect(&connection).await.unwrap();
    assert_eq!(cluster.who().await, "eve");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_us_from_a_cluster_is_named() {
    let plane = shared().unwrap();
    let text = |text: &str| Some(text.to_owned());
    let token = Connection { token: Some("hunter2".to_owned().into()), ..to(plane) };
    check(
        &token,
        "the cluster does not accept our credentials: they are missing, wrong or expired",
    )
    .await;
    let nobody = Connection { server: text("https://127.0.0.1:1"), ..to(plane) };
    check(&nobody, "no answer from https://127.0.0.1:1: Connection refused").await;
    let stranger = Connection { tls_server_name: text("other.example"), ..to(plane) };
    check(&stranger, "invalid peer certificate").await;
    let folder = plane.kubeconfig().parent().unwrap();
    let other = folder.join("tokens.crt");
    let authority = Connection { certificate_authority: Some(other), ..to(plane) };
    check(&authority, "invalid peer certificate").await;
    let missing = Connection { certificate_authority: Some("missing.crt".into()), ..to(plane) };
    check(&missing, "missing.crt").await;
    let context = Connection { context: text("prod"), ..to(plane) };
    check(&context, "there is no context `prod` (there are: `local`)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_can_be_left_unchecked() {
    let plane = shared().unwrap();
    let insecure = Connection {
        insecure: true,
        tls_server_name: Some("other.example".to_owned()),
        ..to(plane)
    };
    let cluster = Cluster::connect(&insecure).await.unwrap();
    cluster.identity().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_hands_out_credentials() {
    let plane = shared().unwrap();
    let text = std::fs::read_to_string(plane.kubeconfig()).unwrap();
    let (head, rest) = text.split_once("    token: ").unwrap();
    let (token, tail) = rest.split_once('\n').unwrap();
    let folder = std::env::temp_dir().join(format!("kelson-exec-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let credential = format!(
        r#"{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"{token}"}}}}"#
    );
    std::fs::write(folder.join("credential"), credential).unwrap();
    let with = |arguments: &str| {
        let exec = format!(
            "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      interactiveMode: Never\n      command: sh\n      args: {arguments}\n"
        );
        let path = folder.join("kubeconfig");
        std::fs::write(&path, format!("{head}{exec}{tail}")).unwrap();
        Connection { kubeconfig: Some(path), ..Connection::default() }
    };
    let good = with(&format!("[-c, 'cat {}/credential']", folder.display()));
    Cluster::connect(&good).await.unwrap().identity().await.unwrap();
    let bad = with("[-c, 'echo hunter2; echo no ticket >&2; exit 3']");
    check(&bad, "the program that hands out credentials failed (exit status: 3): no ticket").await;
    let silent = with("[-c, 'echo hunter2']");
    check(&silent, "the program that hands out credentials printed none").await;
    std::fs::remove_dir_all(folder).unwrap();
}

/// Connects and asks, and looks for a text in what went wrong.
async fn check(connection: &Connection, expected: &str) {
    let failed = async {
        let cluster = Cluster::connect(connection).await?;
        cluster.identity().await
    };
    let error: Error = failed.await.unwrap_err();
    let text = chain(&error);
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}
