//! Signatures by identities, by the flags that cosign has for them.

use expect_test::expect;
use kelson_artifact::manifest::media;
use kelson_artifact::registry::{Client, Options};
use kelson_artifact::{Descriptor, InMemory, Manifest, Raw, Reference, Store};
use kelson_testkit::sigstore::{Logged, Sigstore, Whom, bundle, envelope};
use serde_json::json;

use crate::program::Folder;
use crate::{SHOP, check, done};

const IDENTITY: &str = "https://ci.example/acme/shop/release.yaml@refs/tags/v1";
const ISSUER: &str = "https://token.ci.example";
/// When everything is signed: 2025-06-01. The certificate has long run out since, and the log says that it had not then.
const THEN: u64 = 1_748_736_000;
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// Signs what a tag of a layout means, as `cosign sign` does without a key.
fn sign(sigstore: &Sigstore, reference: &Reference) {
    let whom = Whom { identity: IDENTITY, issuer: ISSUER, since: THEN };
    let holder = sigstore.certify(&whom).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&reference.place, &Client::new(Options::default()).unwrap());
        let subject = store.find(reference).await.unwrap();
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{ "digest": { "sha256": subject.digest.hex() } }],
            "predicateType": "https://sigstore.dev/cosign/sign/v1",
            "predicate": {},
        })
        .to_string();
        let signature = holder.sign(&envelope(&statement)).unwrap();
        let logged = Logged::Statement(statement.as_bytes());
        let entry = sigstore.log(&logged, &signature, &holder.pem(), THEN + 5).unwrap();
        let bundle = bundle(&statement, &signature, &holder, &[entry]).to_string();
        let manifest = Manifest {
            schema_version: 2,
            media_type: Some(media::OCI_MANIFEST.to_owned()),
            artifact_type: Some(BUNDLE.to_owned()),
            config: put(&store, media::EMPTY, "{}").await,
            layers: vec![put(&store, BUNDLE, &bundle).await],
            subject: Some(Descriptor { annotations: Default::default(), ..subject }),
            annotations: Default::default(),
        };
        store.put_manifest(&Raw::write(&manifest), None).await.unwrap();
    });
}

async fn put(store: &Store, media_type: &str, content: &str) -> Descriptor {
    let descriptor = Descriptor::of(media_type, content.as_bytes());
    let content = content.to_owned().into();
    let source = InMemory { descriptor: descriptor.clone(), content };
    store.put_blob(&descriptor, &source, None).await.unwrap();
    descriptor
}

#[test]
fn an_identity_is_asked_for_by_flags() {
    let folder = Folder::new(SHOP);
    done(&folder.run(&["push", "shop", "oci-layout:out:v1"]));
    let sigstore = Sigstore::new().unwrap();
    std::fs::write(folder.path("root.json"), sigstore.trusted_root()).unwrap();
    let other = Sigstore::new().unwrap();
    std::fs::write(folder.path("other.json"), other.trusted_root()).unwrap();
    let reference = format!("oci-layout:{}:v1", folder.path("out").display());
    sign(&sigstore, &reference.parse().unwrap());
    let ways = [
        ("NAMED", "--certificate-identity https://ci.example/acme/shop/release.yaml@refs/tags/v1"),
        ("VOUCHED", "--certificate-oidc-issuer https://token.ci.example"),
        ("ROOT", "--trusted-root root.json"),
    ];
    check(
        &folder,
        &ways,
        &[
            "verify oci-layout:out:v1 NAMED VOUCHED ROOT",
            r"verify oci-layout:out:v1 --certificate-identity-regexp https://ci\.example/acme/.* --certificate-oidc-issuer-regexp https://token\..* ROOT --json",
            "verify oci-layout:out:v1 --certificate-identity-regexp https://ci VOUCHED ROOT",
            "verify oci-layout:out:v1 NAMED --certificate-oidc-issuer https://else.example ROOT",
            "verify oci-layout:out:v1 NAMED ROOT",
            "verify oci-layout:out:v1 NAMED VOUCHED",
            "verify oci-layout:out:v1 --certificate-identity-regexp ( VOUCHED ROOT",
            "verify oci-layout:out:v1 NAMED VOUCHED --trusted-root shop/web.yaml",
            "verify oci-layout:out:v1 NAMED VOUCHED ROOT --signature-annotation build=7",
            "pull oci-layout:out:v1 --verify NAMED VOUCHED ROOT",
            "pull oci-layout:out:v1 NAMED --certificate-oidc-issuer https://else.example ROOT --output refused.yaml",
            "pull oci-layout:out:v1 ROOT --output refused.yaml",
            "pull oci-layout:out:v1 --verify",
            "mirror oci-layout:out:v1 oci-layout:refused.tar NAMED --certificate-oidc-issuer https://else.example ROOT",
            "mirror oci-layout:out:v1 oci-layout:copy.tar --verify NAMED VOUCHED ROOT",
            "verify oci-layout:copy.tar:v1 NAMED VOUCHED ROOT",
        ],
        expect![[r#"
            $ kelson verify oci-layout:out:v1 NAMED VOUCHED ROOT
            oci-layout:out:v1@sha256:…
            signed by https://ci.example/acme/shop/release.yaml@refs/tags/v1, says https://token.ci.example (bundle)
            $ kelson verify oci-layout:out:v1 --certificate-identity-regexp https://ci\.example/acme/.* --certificate-oidc-issuer-regexp https://token\..* ROOT --json
            {"artifact":"oci-layout:out:v1@sha256:…","signatures":[{"form":"bundle","identity":"https://ci.example/acme/shop/release.yaml@refs/tags/v1","issuer":"https://token.ci.example","manifest":"sha256:…"}]}
            $ kelson verify oci-layout:out:v1 --certificate-identity-regexp https://ci VOUCHED ROOT
            error: no signature of sha256:… in `oci-layout:out` is accepted: bundle in sha256:…: it is signed by `https://ci.example/acme/shop/release.yaml@refs/tags/v1`, vouched for by `https://token.ci.example`, who may not sign
            exit code 1
            $ kelson verify oci-layout:out:v1 NAMED --certificate-oidc-issuer https://else.example ROOT
            error: no signature of sha256:… in `oci-layout:out` is accepted: bundle in sha256:…: it is signed by `https://ci.example/acme/shop/release.yaml@refs/tags/v1`, vouched for by `https://token.ci.example`, who may not sign
            exit code 1
            $ kelson verify oci-layout:out:v1 NAMED ROOT
            error: --certificate-identity and --certificate-oidc-issuer are given together or not at all
            exit code 1
            $ kelson verify oci-layout:out:v1 NAMED VOUCHED
            error: a keyless signature needs --trusted-root FILE to say whom to believe
            exit code 1
            $ kelson verify oci-layout:out:v1 --certificate-identity-regexp ( VOUCHED ROOT
            error: `(` is not a regular expression: regex parse error:
                (
                ^
            error: unclosed group
            exit code 1
            $ kelson verify oci-layout:out:v1 NAMED VOUCHED --trusted-root shop/web.yaml
            error: in `shop/web.yaml`
            caused by: cannot read the trust root: failed to parse JSON: expected value at line 1 column 1
            exit code 1
            $ kelson verify oci-layout:out:v1 NAMED VOUCHED ROOT --signature-annotation build=7
            error: no signature of sha256:… in `oci-layout:out` is accepted: bundle in sha256:…: it does not say `build=7`
            exit code 1
            $ kelson pull oci-layout:out:v1 --verify NAMED VOUCHED ROOT
            apiVersion: v1
            kind: Service
            metadata:
              name: shop-web
            ---
            $ kelson pull oci-layout:out:v1 NAMED --certificate-oidc-issuer https://else.example ROOT --output refused.yaml
            error: no signature of sha256:… in `oci-layout:out` is accepted: bundle in sha256:…: it is signed by `https://ci.example/acme/shop/release.yaml@refs/tags/v1`, vouched for by `https://token.ci.example`, who may not sign
            exit code 1
            $ kelson pull oci-layout:out:v1 ROOT --output refused.yaml
            error: say whose signature counts: --key FILE, or --certificate-identity with --certificate-oidc-issuer and --trusted-root
            exit code 1
            $ kelson pull oci-layout:out:v1 --verify
            error: say whose signature counts: --key FILE, or --certificate-identity with --certificate-oidc-issuer and --trusted-root
            exit code 1
            $ kelson mirror oci-layout:out:v1 oci-layout:refused.tar NAMED --certificate-oidc-issuer https://else.example ROOT
            error: no signature of sha256:… in `oci-layout:out` is accepted: bundle in sha256:…: it is signed by `https://ci.example/acme/shop/release.yaml@refs/tags/v1`, vouched for by `https://token.ci.example`, who may not sign
            exit code 1
            $ kelson mirror oci-layout:out:v1 oci-layout:copy.tar --verify NAMED VOUCHED ROOT
            oci-layout:copy.tar:v1@sha256:…
            6 sent (5.9 kB), 0 there already, 1 referrer
            $ kelson verify oci-layout:copy.tar:v1 NAMED VOUCHED ROOT
            oci-layout:copy.tar:v1@sha256:…
            signed by https://ci.example/acme/shop/release.yaml@refs/tags/v1, says https://token.ci.example (bundle)
        "#]],
    );
    for name in ["refused.yaml", "refused.tar"] {
        assert!(!folder.path(name).exists(), "{name}");
    }
    // Another root knows other authorities and other logs.
    let line = "verify oci-layout:out:v1 --trusted-root other.json";
    let mut arguments: Vec<&str> = line.split(' ').collect();
    arguments.extend(ways[..2].iter().flat_map(|(_, words)| words.split(' ')));
    let refused = folder.run(&arguments);
    assert_eq!(refused.code, 1, "{}", refused.shown());
}
