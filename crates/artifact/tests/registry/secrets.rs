use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_artifact::Store;
use kelson_artifact::credentials::Keychain;
use kelson_artifact::registry::{Client, Given, Options, Proxies};
use kelson_model::Secret;
use kelson_testkit::registry::{self, Auth, PASSWORD, REFRESH_TOKEN, Tls, USER};
use kelson_testkit::{Fault, FaultProxy, Registry};

use crate::support::*;

fn guarded(auth: Auth) -> (Registry, FaultProxy) {
    let registry = Registry::start(registry::Options { auth, tls: Tls::Off }).expect("a registry");
    let proxy = FaultProxy::start(registry.address()).expect("a proxy");
    (registry, proxy)
}

fn with_password(password: &str) -> Options {
    let given = Given { host: None, user: USER.to_owned(), password: Secret::new(password) };
    Options { credentials: vec![given], ..Options::default() }
}

/// Nothing that proves who we are may be in what people see.
#[track_caller]
fn check_silent(text: &str) {
    let encoded = STANDARD.encode(format!("{USER}:{PASSWORD}"));
    for secret in [PASSWORD, REFRESH_TOKEN, &encoded, "eyJ", "wrong-password"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_host() {
    for auth in [Auth::Basic, Auth::Bearer] {
        let (_registry, proxy) = guarded(auth);
        let elsewhere = FaultProxy::start(shared().address()).expect("a proxy");
        let store = open(&client(with_password(PASSWORD)), proxy.address(), "moved");
        let artifact = Artifact::new("moved");
        artifact.store(&store, Some("v1")).await.expect("stored");
        artifact
            .store(&open(&client(Options::default()), elsewhere.address(), "moved"), None)
            .await
            .expect("stored");
        elsewhere.forget();
        let to = format!("http://{}", elsewhere.address());
        for status in [301, 302, 303, 307, 308] {
            proxy.fault("GET", "/blobs/", 1, Fault::Redirect { status, to: to.clone() });
            artifact.check(&store, "v1").await;
        }
        // Nor when the other one leads back, or asks who we are.
        let back = format!("http://{}", proxy.address());
        proxy.fault("GET", "/blobs/", 1, Fault::Redirect { status: 307, to: to.clone() });
        elsewhere.fault("GET", "/blobs/", 1, Fault::Redirect { status: 307, to: back });
        // Back home we may be asked again and then say who we are, there.
        store.blob(&artifact.layer).await.map(drop).ok();
        let asks = Fault::Status {
            status: 401,
            headers: vec![("WWW-Authenticate".to_owned(), "Basic realm=\"give me\"".to_owned())],
            body: String::new(),
        };
        proxy.fault("GET", "/blobs/", 1, Fault::Redirect { status: 307, to });
        elsewhere.fault("GET", "/blobs/", 1, asks);
        let error =
            store.blob(&artifact.layer).await.map(|_| ()).expect_err("nobody may read that");
        check_silent(&shown(&error));
        let seen = elsewhere.seen();
        assert_eq!(seen.len(), 7);
        assert!(seen.iter().all(|seen| !seen.is_authorized()), "{seen:?}");
    }
}

#[tokio::test]
async fn an_upload_that_is_sent_elsewhere_goes_without_credentials() {
    let (_registry, proxy) = guarded(Auth::Basic);
    let elsewhere = FaultProxy::start(shared().address()).expect("a proxy");
    let store = open(&client(with_password(PASSWORD)), proxy.address(), "upload");
    let place = format!("http://{}/upload/here?state=1", elsewhere.address());
    let artifact = Artifact::new("upload");
    proxy.fault("POST", "/blobs/uploads/", 2, Fault::Header("location".to_owned(), Some(place)));
    elsewhere.fault("PUT", "/upload/here?state=1&digest=", 2, status(201));
    // The other one took them, but the registry has seen nothing.
    artifact.store(&store, Some("v1")).await.expect_err("the manifest names what is not there");
    assert_eq!(elsewhere.seen().len(), 2);
    assert!(elsewhere.seen().iter().all(|seen| !seen.is_authorized()));
}

#[tokio::test]
async fn a_wrong_password_is_named_by_its_user_alone() {
    for (auth, status) in [(Auth::Basic, 401), (Auth::Bearer, 401)] {
        let (_registry, proxy) = guarded(auth);
        let store = open(&client(with_password("wrong-password")), proxy.address(), "wrong");
        let error = shown(&store.tags().await.expect_err("refused"));
        check_silent(&error);
        assert!(error.contains(&format!("answered {status}")), "{error}");
        assert!(error.contains("user `kelson` of the command line was refused"), "{error}");
    }
}

#[tokio::test]
async fn a_registry_that_repeats_what_it_was_told_is_not_quoted() {
    let (_registry, proxy) = guarded(Auth::Basic);
    let store = open(&client(with_password(PASSWORD)), proxy.address(), "echo");
    store.tags().await.expect_err("no such repository");
    let encoded = STANDARD.encode(format!("{USER}:{PASSWORD}"));
    let body = format!(r#"{{"errors":[{{"code":"DENIED","message":"{PASSWORD} {encoded}"}}]}}"#);
    proxy.fault("GET", "", 1, Fault::Status { status: 403, headers: Vec::new(), body });
    let error = shown(&store.tags().await.expect_err("refused"));
    check_silent(&error);
    assert!(error.contains("(DENIED: *** ***)"), "{error}");
}

#[tokio::test]
async fn one_token_serves_until_it_ends() {
    let (registry, proxy) = guarded(Auth::Bearer);
    let clock = Arc::<Patient>::default();
    let store = open(&client_with(with_password(PASSWORD), &clock), proxy.address(), "tokens");
    let artifact = Artifact::new("tokens");
    artifact.store(&store, Some("v1")).await.expect("stored");
    artifact.check(&store, "v1").await;
    let asked = || registry.tokens().expect("tokens").asked();
    let (pull, push) =
        ("GET kelson repository:tokens:pull", "GET kelson repository:tokens:pull,push");
    assert_eq!(asked(), [push, pull]);
    // Only the first request of all was made without one.
    assert_eq!(proxy.seen().iter().filter(|seen| !seen.is_authorized()).count(), 1);
    clock.turn(Duration::from_secs(299));
    store.tags().await.expect("tags");
    assert_eq!(asked(), [push, pull, pull]);
    // A registry that no longer takes a token is shown a new one.
    let headers = {
        let realm = registry.tokens().expect("tokens").realm();
        let more = "repository:other:pull";
        vec![(
            "WWW-Authenticate".to_owned(),
            format!("Bearer realm=\"{realm}\",service=\"kelson-testkit\",scope=\"{more}\""),
        )]
    };
    proxy.fault("GET", "/tags/", 1, Fault::Status { status: 401, headers, body: String::new() });
    store.tags().await.expect("tags");
    assert_eq!(asked()[3..], ["GET kelson repository:other:pull repository:tokens:pull"]);
    // Many who come at once share one.
    clock.turn(Duration::from_secs(299));
    let many = futures_util::future::join_all((0..10).map(|_| store.tags())).await;
    assert!(many.into_iter().all(|tags| tags.is_ok()));
    assert_eq!(asked()[4..], [pull]);
}

#[tokio::test]
async fn nobody_in_particular_may_read_what_is_public() {
    let (registry, proxy) = guarded(Auth::Bearer);
    let artifact = Artifact::new("public");
    let known = open(&client(with_password(PASSWORD)), proxy.address(), "public/shop");
    artifact.store(&known, Some("v1")).await.expect("stored");
    let unknown = open(&client(Options::default()), proxy.address(), "public/shop");
    artifact.check(&unknown, "v1").await;
    let error = shown(&artifact.store(&unknown, Some("v2")).await.expect_err("read only"));
    assert!(error.contains("no credentials were found for it"), "{error}");
    let asked = registry.tokens().expect("tokens").asked();
    assert!(asked.contains(&"GET nobody repository:public/shop:pull".to_owned()), "{asked:?}");
}

/// A file as Docker writes it, and a client that reads it.
fn keychain(name: &str, entry: &str, address: SocketAddr) -> (PathBuf, Client) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("keychain-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("config.json");
    std::fs::write(&path, format!(r#"{{"auths":{{"{address}":{entry}}}}}"#)).expect("a file");
    let keychain = Keychain::from_file(&path);
    (path, client(Options { keychain, ..Options::default() }))
}

#[tokio::test]
async fn a_login_of_docker_is_used() {
    let (_registry, proxy) = guarded(Auth::Basic);
    let auth = STANDARD.encode(format!("{USER}:{PASSWORD}"));
    let entry = format!(r#"{{"auth":"{auth}"}}"#);
    let (_, client) = keychain("docker", &entry, proxy.address());
    Artifact::new("docker")
        .store(&open(&client, proxy.address(), "docker"), Some("v1"))
        .await
        .expect("stored");
    let wrong = STANDARD.encode(format!("{USER}:wrong-password"));
    let (path, client) = keychain("wrong", &format!(r#"{{"auth":"{wrong}"}}"#), proxy.address());
    let error = shown(&open(&client, proxy.address(), "docker").tags().await.expect_err("refused"));
    assert!(
        error.contains(&format!("user `kelson` of `{}` was refused", path.display())),
        "{error}"
    );
    check_silent(&error);
    let (path, client) = keychain("broken", r#"{"auth": 12}"#, proxy.address());
    let error = shown(&open(&client, proxy.address(), "docker").tags().await.expect_err("broken"));
    assert!(error.contains(&format!("`{}`: line 1, column", path.display())), "{error}");
}

#[tokio::test]
async fn a_refresh_token_stands_for_a_login() {
    let (registry, proxy) = guarded(Auth::Bearer);
    let entry = format!(r#"{{"identitytoken":"{REFRESH_TOKEN}"}}"#);
    let (_, client) = keychain("identity", &entry, proxy.address());
    let store = open(&client, proxy.address(), "identity");
    Artifact::new("identity").store(&store, Some("v1")).await.expect("stored");
    let asked = || registry.tokens().expect("tokens").asked();
    assert_eq!(asked(), ["POST kelson repository:identity:pull,push"]);
    // Who gives tokens may not know that way; then we are nobody in particular.
    registry.tokens().expect("tokens").take_refresh_tokens(false);
    let (_, client) = keychain("identity", &entry, proxy.address());
    let error =
        shown(&open(&client, proxy.address(), "identity").tags().await.expect_err("refused"));
    check_silent(&error);
    assert_eq!(asked()[1..], ["GET nobody repository:identity:pull"]);
}

#[tokio::test]
async fn a_token_for_the_registry_is_shown_as_it_is() {
    let (_registry, proxy) = guarded(Auth::Bearer);
    let (_, client) =
        keychain("registry", r#"{"registrytoken":"not-a-good-one"}"#, proxy.address());
    let error = shown(&open(&client, proxy.address(), "a").tags().await.expect_err("refused"));
    assert!(error.contains("the token of `") && !error.contains("not-a-good-one"), "{error}");
    assert_eq!(proxy.seen()[1].header("authorization"), Some("Bearer not-a-good-one"));
}

#[tokio::test]
async fn a_registry_out_in_the_world_cannot_send_us_into_a_private_network() {
    let (_registry, proxy) = guarded(Auth::Nobody);
    // Through a forwarder, a name that means nothing here is a registry like any other.
    let forwarded = Options {
        plain_http: true,
        proxies: Proxies {
            http: Some(Secret::new(format!("http://{}", proxy.address()))),
            ..Proxies::default()
        },
        ..with_password(PASSWORD)
    };
    let store = Store::Repository(client(forwarded).repository("registry.example", "a"));
    let spy = FaultProxy::start(shared().address()).expect("a proxy");
    for realm in [
        format!("http://{}/token", spy.address()),
        format!("http://localhost:{}/token", spy.address().port()),
        "http://169.254.169.254/latest".to_owned(),
        "ftp://registry.example/".to_owned(),
    ] {
        let headers = vec![(
            "WWW-Authenticate".to_owned(),
            format!("Bearer realm=\"{realm}\",service=\"s\""),
        )];
        proxy.fault(
            "GET",
            "/tags/",
            1,
            Fault::Status { status: 401, headers, body: String::new() },
        );
        let error = shown(&store.tags().await.expect_err("refused"));
        assert!(error.contains("to ask for it, but"), "{error}");
        check_silent(&error);
    }
    assert!(spy.seen().is_empty(), "{:?}", spy.seen());
    assert!(proxy.seen().iter().all(|seen| seen.target.starts_with("http://registry.example/v2/")));
}

#[tokio::test]
async fn an_encrypted_connection_does_not_lead_to_one_that_is_not() {
    let set_up = registry::Options { auth: Auth::Basic, tls: Tls::Server };
    let registry = Registry::start(set_up).expect("a registry");
    let (certificate, key) = registry.server_certificate();
    let proxy = FaultProxy::start_tls(registry.address(), registry.authority(), certificate, key)
        .expect("a proxy");
    let spy = FaultProxy::start(shared().address()).expect("a proxy");
    let authorities = vec![registry.authority().as_bytes().to_vec()];
    let client = client(Options { authorities, ..with_password(PASSWORD) });
    let store = open(&client, proxy.address(), "encrypted");
    let artifact = Artifact::new("encrypted");
    artifact.store(&store, Some("v1")).await.expect("stored");
    artifact.check(&store, "v1").await;
    let to = format!("http://{}", spy.address());
    proxy.fault("GET", "/blobs/", 1, Fault::Redirect { status: 307, to });
    let error = shown(&store.blob(&artifact.layer).await.map(drop).expect_err("led astray"));
    assert!(error.contains("without encryption"), "{error}");
    check_silent(&error);
    assert!(spy.seen().is_empty());
}
