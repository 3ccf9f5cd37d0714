use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kelson_artifact::manifest::media;
use kelson_artifact::registry::Options;
use kelson_artifact::{Descriptor, Digest, Error, InMemory, Raw, Selector};
use kelson_testkit::Fault;

use crate::support::*;

/// Stores and reads an artifact while something goes wrong now and then; all is well in the end.
async fn check(method: &str, path: &str, fault: Fault) {
    let (proxy, clock) = (proxy(), Arc::<Patient>::default());
    let client = client_with(Options::default(), &clock);
    let name =
        format!("faults/{}", Digest::of(format!("{method}{path}{fault:?}").as_bytes()).hex());
    let store = open(&client, proxy.address(), &name);
    let artifact = Artifact::large(&name, 300_000);
    proxy.fault(method, path, 2, fault.clone());
    artifact.store(&store, Some("v1")).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
    artifact.check(&store, "v1").await;
    assert_eq!(clock.waits().len(), 2, "{method} {path} {fault:?}");
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    for code in [408, 429, 499, 500, 502, 503, 504, 522] {
        check("PUT", "/manifests/", status(code)).await;
    }
    for (method, path) in [
        ("HEAD", "/blobs/"),
        ("POST", "/blobs/uploads/"),
        ("PUT", "/blobs/uploads/"),
        ("HEAD", "/manifests/"),
        ("GET", "/manifests/"),
        ("GET", "/blobs/"),
    ] {
        check(method, path, status(503)).await;
        check(method, path, Fault::Close).await;
    }
}

#[tokio::test]
async fn content_that_breaks_off_is_read_again_from_there() {
    check("GET", "/manifests/", Fault::Truncate(10)).await;
    check("GET", "/blobs/", Fault::Truncate(100_000)).await;
    check("GET", "/blobs/", Fault::HalfClose(100_000)).await;
    check("GET", "/blobs/", Fault::Truncate(0)).await;
}

#[tokio::test]
async fn reading_goes_on_where_it_stopped() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "resume");
    let artifact = Artifact::large("resume", 300_000);
    artifact.store(&store, Some("v1")).await.expect("stored");
    proxy.fault("GET", "/blobs/", 1, Fault::Truncate(200_000));
    artifact.check(&store, "v1").await;
    let ranges: Vec<_> = proxy
        .seen_at("GET", "/blobs/")
        .iter()
        .map(|it| it.header("range").map(str::to_owned))
        .collect();
    assert_eq!(ranges, [None, Some("bytes=200000-".to_owned())]);
    // A server that does not know parts sends everything again, and none of it is taken twice.
    let body = "resume".bytes().cycle().take(300_000).map(char::from).collect();
    proxy.fault("GET", "/blobs/", 1, Fault::Truncate(200_000));
    proxy.fault("GET", "/blobs/", 1, Fault::Status { status: 200, headers: Vec::new(), body });
    artifact.check(&store, "v1").await;
}

#[tokio::test]
async fn a_registry_that_says_nothing_is_given_up() {
    let proxy = proxy();
    let options =
        Options { stall_timeout: Duration::from_millis(200), retries: 1, ..Options::default() };
    let store = open(&client(options), proxy.address(), "stall");
    let artifact = Artifact::large("stall", 300_000);
    artifact.store(&store, Some("v1")).await.expect("stored");
    proxy.fault("HEAD", "/manifests/", 2, Fault::Stall);
    let error = store.resolve(&Selector::Tag("v1".to_owned())).await.expect_err("stalled");
    assert!(shown(&error).contains("nothing was heard for 0.2 s"), "{}", shown(&error));
    // What comes at all is taken, and asked for from there on.
    proxy.fault("GET", "/blobs/", 1, Fault::StallAfter(1000));
    proxy.fault("GET", "/blobs/", usize::MAX, Fault::StallAfter(0));
    let blob = store.blob(&artifact.layer).await.expect("begun");
    let error = blob.bytes().await.map(drop).expect_err("stalled");
    assert!(shown(&error).contains("nothing was heard"), "{}", shown(&error));
    proxy.heal();
    artifact.check(&store, "v1").await;
}

#[tokio::test]
async fn nothing_is_tried_for_ever() {
    let (proxy, clock) = (proxy(), Arc::<Patient>::default());
    let client = client_with(Options { retries: 3, ..Options::default() }, &clock);
    let store = open(&client, proxy.address(), "for-ever");
    proxy.fault("", "", usize::MAX, status(503));
    let error = store.tags().await.expect_err("refused");
    assert!(matches!(&error, Error::Denied(refusal) if refusal.status == 503), "{error}");
    assert_eq!((proxy.seen().len(), clock.waits().len()), (4, 3));
    // Each wait is about twice the one before, with some chance in it.
    let waits = clock.waits();
    assert!(waits.windows(2).all(|pair| pair[1] > pair[0]), "{waits:?}");
}

#[tokio::test]
async fn the_registry_says_how_long_to_wait() {
    let (proxy, clock) = (proxy(), Arc::<Patient>::default());
    let store = open(&client_with(Options::default(), &clock), proxy.address(), "wait");
    let artifact = Artifact::new("wait");
    artifact.store(&store, Some("v1")).await.expect("stored");
    for told in ["7", "3600", "Fri, 15 Jan 2027 08:00:11 GMT"] {
        let headers = vec![("Retry-After".to_owned(), told.to_owned())];
        proxy.fault(
            "GET",
            "/tags/",
            1,
            Fault::Status { status: 429, headers, body: String::new() },
        );
        store.tags().await.expect("tags");
    }
    assert_eq!(clock.waits(), [7, 60, 11].map(Duration::from_secs));
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    let (proxy, clock) = (proxy(), Arc::<Patient>::default());
    let store = open(&client_with(Options::default(), &clock), proxy.address(), "final");
    let body = r#"{"errors":[{"code":"DENIED","message":"not\u0007 today"}]}"#.to_owned();
    for (status, expected) in [
        (400, "answered 400 Bad Request (DENIED: not today)"),
        (
            401,
            "answered 401 Unauthorized (DENIED: not today); no credentials were found for it: log in",
        ),
        (403, "answered 403 Forbidden (DENIED: not today); no credentials were found for it"),
        (429, "answered 429 Too Many Requests (DENIED: not today); the registry limits"),
    ] {
        let (headers, body) = (Vec::new(), body.clone());
        proxy.fault("GET", "/tags/", 10, Fault::Status { status, headers, body });
        let error = store.tags().await.expect_err("refused").to_string();
        assert!(error.contains(expected), "{error}");
        proxy.heal();
    }
    assert_eq!(clock.waits().len(), 4, "429 alone is tried again");
    let missing = store.tags().await.expect_err("no such repository");
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
}

#[tokio::test]
async fn content_that_is_not_what_was_asked_for_is_an_error() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "lies");
    let artifact = Artifact::new("lies");
    artifact.store(&store, Some("v1")).await.expect("stored");
    proxy.fault("GET", "/blobs/", 1, Fault::Corrupt(2));
    let error = store.blob(&artifact.layer).await.expect("begun").bytes().await;
    assert!(matches!(error, Err(Error::Mismatch { .. })), "{error:?}");
    proxy.fault("GET", "/blobs/", 1, Fault::Length(1_000_000));
    let error = store.blob(&artifact.layer).await.map(|_| ()).expect_err("too long");
    assert!(matches!(error, Error::Size { actual: 1_000_000, .. }), "{error:?}");
    proxy.fault("GET", "/manifests/", 1, Fault::Corrupt(2));
    let error = store.manifest(&artifact.raw.descriptor.digest).await.expect_err("another one");
    assert!(matches!(error, Error::Mismatch { .. }), "{error:?}");
    let other = Digest::of(b"something else").to_string();
    let lie = Fault::Header("docker-content-digest".to_owned(), Some(other));
    proxy.fault("HEAD", "/manifests/", 1, lie.clone());
    let asked = Selector::Digest(artifact.raw.descriptor.digest);
    let error = store.resolve(&asked).await.expect_err("another one");
    assert!(matches!(error, Error::Mismatch { .. }), "{error:?}");
    // A registry that stored something else is not asked to do so again.
    proxy.forget();
    proxy.fault("PUT", "/manifests/", 1, lie);
    let error = store.put_manifest(&artifact.raw, Some("v1")).await.expect_err("another one");
    assert!(matches!(error, Error::Mismatch { .. }), "{error:?}");
    assert_eq!(proxy.seen_at("PUT", "/manifests/").len(), 1);
}

#[tokio::test]
async fn a_manifest_of_five_megabytes_is_refused() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "long");
    let raw = Raw::new(media::OCI_MANIFEST, vec![b' '; 5 << 20]);
    let body = " ".repeat(5 << 20);
    proxy.fault("GET", "/manifests/", 1, Fault::Status { status: 200, headers: Vec::new(), body });
    let error = store.manifest(&raw.descriptor.digest).await.expect_err("too long").to_string();
    assert!(error.contains("longer than 4194304 bytes"), "{error}");
}

#[tokio::test]
async fn a_source_that_lies_is_blamed_and_not_the_registry() {
    let (proxy, clock) = (proxy(), Arc::<Patient>::default());
    let store = open(&client_with(Options::default(), &clock), proxy.address(), "source");
    let descriptor = Descriptor::of("text/plain", b"abc");
    let source = InMemory { descriptor: descriptor.clone(), content: "abd".into() };
    let error = store.put_blob(&descriptor, &source, None).await.expect_err("another content");
    assert!(matches!(error, Error::Mismatch { .. }), "{error:?}");
    assert!(clock.waits().is_empty());
    assert!(!store.has_blob(&descriptor.digest).await.expect("asked"));
}

#[tokio::test]
async fn nobody_there_is_said_at_once() {
    let clock = Arc::<Patient>::default();
    let client = client_with(Options::default(), &clock);
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = shown(&open(&client, free, "a").tags().await.expect_err("nobody"));
    assert!(error.contains(&format!("no connection to {free}")), "{error}");
    assert!(clock.waits().is_empty());
}

#[tokio::test]
async fn http_and_https_are_told_apart() {
    let plain = shared().address();
    let authority = kelson_testkit::Registry::start(kelson_testkit::registry::Options {
        tls: kelson_testkit::registry::Tls::Server,
        ..Default::default()
    })
    .expect("a registry");
    let explain = async |options: Options, at: SocketAddr| {
        shown(&open(&client(options), at, "a").tags().await.expect_err("refused"))
    };
    let with_tls = Options { insecure_tls: true, ..Options::default() };
    let error = explain(with_tls, plain).await;
    assert!(error.contains("allow that with `--plain-http`"), "{error}");
    let error = explain(Options::default(), authority.address()).await;
    assert!(error.contains("it speaks HTTPS: leave out `--plain-http`"), "{error}");
    let other = shared().authority().as_bytes().to_vec();
    let error =
        explain(Options { authorities: vec![other], ..Options::default() }, authority.address())
            .await;
    assert!(error.contains("give the authority that signed it with `--ca-file`"), "{error}");
}

#[tokio::test]
async fn a_registry_that_passes_us_on_and_on_is_left() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "loop");
    let to = format!("http://{}", proxy.address());
    proxy.fault("GET", "/tags/", usize::MAX, Fault::Redirect { status: 307, to });
    let error = store.tags().await.expect_err("no end").to_string();
    assert!(error.contains("passed us on more than 5 times"), "{error}");
    assert_eq!(proxy.seen().len(), 6);
}
