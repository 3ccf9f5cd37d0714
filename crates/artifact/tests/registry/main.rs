//! The registry client against a real registry, on good days and bad ones.

mod faults; // what networks and servers do on bad days
mod secrets; // what proves who we are, and who gets to see it
mod support; // what the tests share

use kelson_artifact::manifest::media;
use kelson_artifact::registry::{Given, Options};
use kelson_artifact::{Descriptor, Error, Selector};
use kelson_model::Secret;
use kelson_testkit::registry::{self, Auth, PASSWORD, Tls, USER};
use kelson_testkit::{Fault, Registry};
use support::*;

/// Stores an artifact, reads it back, and finds it by tag and digest.
async fn check(set_up: registry::Options, options: impl FnOnce(&Registry) -> Options) {
    let registry = Registry::start(set_up).expect("a registry");
    let client = client(options(&registry));
    let store = open(&client, registry.address(), "public/shop");
    let artifact = Artifact::new("round trip");
    artifact.store(&store, Some("v1")).await.expect("stored");
    artifact.check(&store, "v1").await;
    assert_eq!(store.tags().await.expect("tags"), ["v1"]);
    // The same again, under another tag.
    artifact.store(&store, Some("v2")).await.expect("stored again");
    assert_eq!(store.tags().await.expect("tags"), ["v1", "v2"]);
    // From one repository to another of the same registry.
    let other = open(&client, registry.address(), "public/other");
    other.put_blob(&artifact.layer, &Unreadable, Some(&store)).await.expect("mounted");
    assert!(other.has_blob(&artifact.layer.digest).await.expect("asked"));
    let missing = store.resolve(&Selector::Tag("v9".to_owned())).await.expect_err("no such tag");
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
}

fn with_password(_: &Registry) -> Options {
    let given = Given { host: None, user: USER.to_owned(), password: Secret::new(PASSWORD) };
    Options { credentials: vec![given], ..Options::default() }
}

#[tokio::test]
async fn anybody_can_use_an_open_registry() {
    check(registry::Options::default(), |_| Options::default()).await;
}

#[tokio::test]
async fn a_password_opens_a_registry() {
    check(registry::Options { auth: Auth::Basic, tls: Tls::Off }, with_password).await;
}

#[tokio::test]
async fn a_password_is_exchanged_for_a_token() {
    check(registry::Options { auth: Auth::Bearer, tls: Tls::Off }, with_password).await;
}

#[tokio::test]
async fn an_authority_of_ones_own_is_believed() {
    check(registry::Options { auth: Auth::Basic, tls: Tls::Server }, |registry| Options {
        authorities: vec![registry.authority().as_bytes().to_vec()],
        ..with_password(registry)
    })
    .await;
}

#[tokio::test]
async fn any_certificate_is_believed_if_that_is_wanted() {
    check(registry::Options { auth: Auth::Nobody, tls: Tls::Server }, |_| Options {
        insecure_tls: true,
        ..Options::default()
    })
    .await;
}

#[tokio::test]
async fn a_client_shows_its_certificate() {
    check(registry::Options { auth: Auth::Nobody, tls: Tls::Mutual }, |registry| {
        let (certificate, key) = registry.client_certificate();
        Options {
            authorities: vec![registry.authority().as_bytes().to_vec()],
            certificate: Some((certificate.as_bytes().to_vec(), Secret::new(key))),
            ..Options::default()
        }
    })
    .await;
}

#[tokio::test]
async fn tags_come_in_pages() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "pages");
    let artifact = Artifact::new("pages");
    for tag in ["a", "b", "c", "d", "e"] {
        artifact.store(&store, Some(tag)).await.expect("stored");
    }
    // The registry cuts pages as it is asked, so that the first answer asks it to.
    let first = |next: &str| Fault::Status {
        status: 200,
        headers: vec![("Link".to_owned(), format!("<{next}>; rel=\"next\""))],
        body: r#"{"name":"pages","tags":["a"]}"#.to_owned(),
    };
    proxy.fault("GET", "/tags/list", 1, first("/v2/pages/tags/list?n=2&last=a"));
    assert_eq!(store.tags().await.expect("tags"), ["a", "b", "c", "d", "e"]);
    assert!(proxy.seen_at("GET", "/tags/list").len() > 2);
    proxy.fault("GET", "/tags/list", 1, first("https://elsewhere.example/v2/pages/tags/list"));
    let error = shown(&store.tags().await.expect_err("led elsewhere"));
    assert!(error.contains("another server"), "{error}");
    // A list that leads to itself has an end all the same.
    proxy.fault("GET", "/tags/list", usize::MAX, first("/v2/pages/tags/list?n=1"));
    let error = shown(&store.tags().await.expect_err("no end"));
    assert!(error.contains("does not end"), "{error}");
}

#[tokio::test]
async fn referrers_are_listed_by_us_where_the_registry_does_not() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "referrers");
    let artifact = Artifact::new("referrers");
    artifact.store(&store, Some("v1")).await.expect("stored");
    assert_eq!(store.referrers(&artifact.raw.descriptor.digest).await.expect("none"), []);
    let signature = artifact.signature("signature");
    let another = artifact.signature("another");
    let both = tokio::join!(signature.store(&store, None), another.store(&store, None));
    both.0.and(both.1).expect("stored");
    signature.store(&store, None).await.expect("stored again");
    let found = store.referrers(&artifact.raw.descriptor.digest).await.expect("listed");
    let mut digests: Vec<_> = found.iter().map(|it| it.digest).collect();
    digests.sort();
    let mut expected = [signature.raw.descriptor.digest, another.raw.descriptor.digest];
    expected.sort();
    assert_eq!(digests, expected);
    assert_eq!(found[0].artifact_type.as_deref(), Some("application/vnd.example.signature"));
    assert!(store.tags().await.expect("tags")[0].starts_with("sha256-"));
}

#[tokio::test]
async fn referrers_are_read_from_a_registry_that_lists_them() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "listed");
    let artifact = Artifact::new("listed");
    let entry = Descriptor::of(media::OCI_MANIFEST, b"{}");
    let page = |next: &str| Fault::Status {
        status: 200,
        headers: vec![
            ("Content-Type".to_owned(), media::OCI_INDEX.to_owned()),
            ("Link".to_owned(), next.to_owned()),
        ],
        body: format!(
            r#"{{"schemaVersion":2,"mediaType":"{}","manifests":[{{"mediaType":"{}","size":2,"digest":"{}"}}]}}"#,
            media::OCI_INDEX,
            media::OCI_MANIFEST,
            entry.digest
        ),
    };
    proxy.fault("GET", "/referrers/", 1, page("<?n=2>; rel=\"next\""));
    proxy.fault("GET", "/referrers/", 1, page(""));
    let found = store.referrers(&artifact.raw.descriptor.digest).await.expect("listed");
    assert_eq!(found, [entry.clone(), entry]);
    // A registry that says that it has listed a referrer is believed.
    let subject = artifact.raw.descriptor.digest.to_string();
    proxy.fault("PUT", "/manifests/", 1, Fault::Header("oci-subject".to_owned(), Some(subject)));
    artifact.store(&store, Some("v1")).await.expect("stored");
    proxy.heal();
    let signature = artifact.signature("believed");
    proxy.fault(
        "PUT",
        "/manifests/",
        1,
        Fault::Header("oci-subject".to_owned(), Some("x".to_owned())),
    );
    signature.store(&store, None).await.expect("stored");
    assert_eq!(store.tags().await.expect("tags"), ["v1"]);
}

#[tokio::test]
async fn what_is_there_is_not_sent_again() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "again");
    let artifact = Artifact::new("again");
    artifact.store(&store, Some("v1")).await.expect("stored");
    proxy.forget();
    artifact.store(&store, Some("v1")).await.expect("stored again");
    let blobs = proxy.seen().into_iter().filter(|seen| seen.target.contains("/blobs/"));
    assert!(blobs.clone().count() > 0 && blobs.clone().all(|seen| seen.method == "HEAD"));
}

#[tokio::test]
async fn a_registry_that_takes_little_at_once_gets_parts() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "parts");
    let artifact = Artifact::large("parts", 10 << 20);
    Artifact::new("small").store(&store, None).await.expect("stored");
    proxy.fault("PUT", "/blobs/uploads/", 1, status(413));
    artifact.store(&store, Some("v1")).await.expect("stored");
    artifact.check(&store, "v1").await;
    let parts = proxy.seen_at("PATCH", "/blobs/uploads/");
    assert_eq!(
        parts.iter().map(|seen| seen.length).collect::<Vec<_>>(),
        [4 << 20, 4 << 20, 2 << 20]
    );
    assert_eq!(parts[1].header("content-range"), Some("4194304-8388607"));
}

#[tokio::test]
async fn what_a_registry_may_mean_is_the_same_whether_it_says_so_or_not() {
    let proxy = proxy();
    let store = open(&client(Options::default()), proxy.address(), "silent");
    let artifact = Artifact::new("silent");
    artifact.store(&store, Some("v1")).await.expect("stored");
    for fault in [
        Fault::Header("docker-content-digest".to_owned(), None),
        Fault::Header("content-type".to_owned(), Some("application/octet-stream".to_owned())),
        status(405),
    ] {
        proxy.fault("HEAD", "/manifests/", 1, fault);
        let found = store.resolve(&Selector::Tag("v1".to_owned())).await.expect("resolved");
        assert_eq!(found, artifact.raw.descriptor);
    }
    proxy.fault("GET", "/manifests/", 1, Fault::Header("content-type".to_owned(), None));
    let raw = store.manifest(&artifact.raw.descriptor.digest).await.expect("read");
    assert_eq!(raw, artifact.raw);
}
