//! Signatures by identities, judged by a trust root of our own.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use expect_test::{Expect, expect};
use kelson_artifact::{Annotations, Digest, Pattern, Policy, SignerIdentity, TrustRoot, verify};
use kelson_testkit::sigstore::{
    Holder, LIFETIME, Logged, Sigstore, Whom, bundle, envelope, legacy_entry,
};
use serde_json::{Value, json};

use crate::workshop::{Layer, Workshop, describe};
use crate::{by, private, public};

pub(crate) const IDENTITY: &str = "https://ci.example/acme/shop/release.yaml@refs/tags/v1";
pub(crate) const ISSUER: &str = "https://token.ci.example";
/// When everything is signed: 2025-06-01.
const THEN: u64 = 1_748_736_000;
const CERTIFICATE: &str = "dev.sigstore.cosign/certificate";
const LOG: &str = "dev.sigstore.cosign/bundle";

/// A signature with all that belongs to it, in parts that can be exchanged.
struct Made {
    digest: Digest,
    /// The statement, in a bundle.
    statement: Option<String>,
    message: Vec<u8>,
    signature: Vec<u8>,
    certificate: Holder,
    /// The log's entry.
    entry: Value,
}

/// A workshop with a sigstore.
pub(crate) struct Scene {
    pub(crate) sigstore: Sigstore,
    workshop: Workshop,
    pub(crate) digest: Digest,
}

impl Scene {
    async fn new(name: &str) -> Self {
        Self::on(Workshop::new(name)).await
    }

    pub(crate) async fn on(workshop: Workshop) -> Self {
        let digest = workshop.artifact(b"one").await;
        Self { sigstore: Sigstore::new().unwrap(), workshop, digest }
    }

    fn holder(&self) -> Holder {
        let whom = Whom { identity: IDENTITY, issuer: ISSUER, since: THEN };
        self.sigstore.certify(&whom).unwrap()
    }

    fn make(&self, holder: Holder, statement: Option<String>) -> Made {
        let message = match &statement {
            Some(statement) => envelope(statement),
            None => payload(&self.digest),
        };
        let signature = holder.sign(&message).unwrap();
        let (digest, entry) = (self.digest, Value::Null);
        let mut made = Made { digest, statement, message, signature, certificate: holder, entry };
        made.log(&self.sigstore, THEN + 5);
        made
    }

    /// Signs in both forms.
    pub(crate) async fn sign(&self) {
        let layer = self.make(self.holder(), None).into_layer();
        self.workshop.put_layers(&self.digest, &[layer]).await;
        let bundle = self.make(self.holder(), Some(statement(&self.digest))).into_bundle();
        self.workshop.put_bundle(&self.digest, &[bundle.to_string().as_bytes()]).await;
    }

    pub(crate) fn policy(&self) -> Policy {
        let identity = Pattern::regex(r"https://ci\.example/acme/.*").unwrap();
        self.accept(identity, Pattern::Exact(ISSUER.to_owned()))
    }

    fn accept(&self, identity: Pattern, issuer: Pattern) -> Policy {
        Policy {
            keyless: vec![SignerIdentity { identity, issuer }],
            trust_root: Some(TrustRoot::read(self.sigstore.trusted_root().as_bytes()).unwrap()),
            ..Policy::default()
        }
    }

    pub(crate) async fn verify(&self, policy: &Policy) -> String {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(THEN + 10 * LIFETIME);
        describe(verify(&self.workshop.store, &self.digest, policy, now).await)
    }
}

fn payload(digest: &Digest) -> Vec<u8> {
    json!({
        "critical": {
            "identity": { "docker-reference": "r.example/shop" },
            "image": { "docker-manifest-digest": digest.to_string() },
            "type": "cosign container image signature",
        },
        "optional": null,
    })
    .to_string()
    .into_bytes()
}

fn statement(digest: &Digest) -> String {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "digest": { "sha256": digest.hex() } }],
        "predicateType": "https://sigstore.dev/cosign/sign/v1",
        "predicate": {},
    })
    .to_string()
}

impl Made {
    /// Has a log take it in.
    fn log(&mut self, sigstore: &Sigstore, at: u64) {
        self.entry = self.logged(sigstore, &self.signature, &self.certificate.pem(), at);
    }

    /// An entry for the same content.
    fn logged(&self, sigstore: &Sigstore, signature: &[u8], signer: &str, at: u64) -> Value {
        let what = match &self.statement {
            Some(statement) => Logged::Statement(statement.as_bytes()),
            None => Logged::Message(&self.message),
        };
        sigstore.log(&what, signature, signer, at).unwrap()
    }

    fn into_layer(self) -> Layer {
        let mut annotations = Annotations::from([(CERTIFICATE.to_owned(), self.certificate.pem())]);
        if !self.entry.is_null() {
            annotations.insert(LOG.to_owned(), legacy_entry(&self.entry).to_string());
        }
        Layer {
            media_type: "application/vnd.dev.cosign.simplesigning.v1+json".to_owned(),
            payload: self.message,
            signature: Some(STANDARD.encode(&self.signature)),
            size: None,
            annotations,
        }
    }

    fn into_bundle(self) -> Value {
        let entries: Vec<Value> = Some(self.entry).into_iter().filter(|it| !it.is_null()).collect();
        bundle(&self.statement.unwrap(), &self.signature, &self.certificate, &entries)
    }
}

/// Signs in both forms, has both changed in the same way, and verifies.
async fn check(name: &str, change: impl Fn(&Scene, &mut Made), expected: Expect) {
    let mut answers = String::new();
    for bundled in [false, true] {
        let scene = Scene::new(&format!("{name}-{bundled}")).await;
        let mut made = scene.make(scene.holder(), bundled.then(|| statement(&scene.digest)));
        change(&scene, &mut made);
        match bundled {
            false => scene.workshop.put_layers(&scene.digest, &[made.into_layer()]).await,
            true => {
                let bundle = made.into_bundle().to_string();
                scene.workshop.put_bundle(&scene.digest, &[bundle.as_bytes()]).await;
            }
        }
        let answer = scene.verify(&scene.policy()).await;
        // Logs have new keys, and so new names, in every run.
        answers += answer.split(" for log ID ").next().unwrap().trim_end();
        answers += "\n";
    }
    expected.assert_eq(&answers);
}

#[tokio::test]
async fn whoever_the_policy_names_may_sign() {
    check(
        "named",
        |_, _| {},
        expect![[r#"
        tag: https://ci.example/acme/shop/release.yaml@refs/tags/v1 by https://token.ci.example
        bundle: https://ci.example/acme/shop/release.yaml@refs/tags/v1 by https://token.ci.example
    "#]],
    )
    .await;
}

#[tokio::test]
async fn an_entry_of_another_signature_proves_nothing() {
    // The entry is genuine, and by the same holder at the same time, but for something else.
    check(
        "borrowed",
        |scene, made| {
            let other = Made {
                digest: made.digest,
                statement: made.statement.as_ref().map(|_| "{}".to_owned()),
                message: b"something else".to_vec(),
                signature: Vec::new(),
                certificate: scene.holder(),
                entry: Value::Null,
            };
            made.entry =
                other.logged(&scene.sigstore, &made.signature, &made.certificate.pem(), THEN + 5);
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: artifact mismatch: artifact hash mismatch for hashedrekord entry
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: log entry does not match the bundle: DSSE payload hash mismatch: computed 1cad24429a967331606ac45bb674a0b1500f996f8889f7763686e87a3d88682a, expected 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
        "#]],
    )
    .await;
    // The same content, signed by the same holder again.
    check(
        "again",
        |scene, made| {
            let signature = made.certificate.sign(&made.message).unwrap();
            made.entry =
                made.logged(&scene.sigstore, &signature, &made.certificate.pem(), THEN + 5);
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: log entry does not match the bundle: signature in bundle does not match signature in Rekor entry
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: log entry does not match the bundle: DSSE signature in bundle does not match any signature in Rekor entry (signature or verifier mismatch)
        "#]],
    )
    .await;
    // The same content and signature, said to be by somebody else.
    check(
        "somebody",
        |scene, made| {
            let somebody = scene.holder().pem();
            made.entry = made.logged(&scene.sigstore, &made.signature, &somebody, THEN + 5);
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: log entry does not match the bundle: certificate in bundle does not match certificate in Rekor entry
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: log entry does not match the bundle: DSSE signature in bundle does not match any signature in Rekor entry (signature or verifier mismatch)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_no_log_has_seen_is_refused() {
    check("unlogged", |_, made| made.entry = Value::Null, expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: no transparency log has taken it in
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: no transparency log has taken it in
    "#]]).await;
    check("log", |_, made| made.log(&Sigstore::new().unwrap(), THEN + 5), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: invalid inclusion promise: No log key valid at integrated time 2025-06-01T00:00:05Z
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: invalid inclusion promise: No log key valid at integrated time 2025-06-01T00:00:05Z
    "#]]).await;
    let later = json!((THEN + 6).to_string());
    check("promise", |_, made| made.entry["integratedTime"] = later.clone(), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: invalid inclusion promise: SET verification failed: Verification error: ECDSA_P256_SHA256 signature invalid
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: invalid inclusion promise: SET verification failed: Verification error: ECDSA_P256_SHA256 signature invalid
    "#]]).await;
}

#[tokio::test]
async fn a_certificate_that_did_not_hold_is_refused() {
    let late = THEN + LIFETIME + 1;
    check("late", |scene, made| made.log(&scene.sigstore, late), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: certificate chain is invalid: certificate chain validation failed: CertExpired { time: UnixTime(1748736601), not_after: UnixTime(1748736600) }
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: certificate chain is invalid: certificate chain validation failed: CertExpired { time: UnixTime(1748736601), not_after: UnixTime(1748736600) }
    "#]]).await;
    check("early", |scene, made| made.log(&scene.sigstore, THEN - 1), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: certificate chain is invalid: certificate chain validation failed: CertNotValidYet { time: UnixTime(1748735999), not_before: UnixTime(1748736000) }
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: certificate chain is invalid: certificate chain validation failed: CertNotValidYet { time: UnixTime(1748735999), not_before: UnixTime(1748736000) }
    "#]]).await;
}

#[tokio::test]
async fn a_certificate_of_others_is_refused() {
    check(
        "authority",
        |scene, made| {
            let whom = Whom { identity: IDENTITY, issuer: ISSUER, since: THEN };
            let other = Sigstore::new().unwrap().certify(&whom).unwrap();
            *made = scene.make(other, made.statement.take());
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: certificate chain is invalid: certificate chain validation failed: InvalidSignatureForPublicKey
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: certificate chain is invalid: certificate chain validation failed: InvalidSignatureForPublicKey
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_signature_that_does_not_match_is_refused() {
    check(
        "signature",
        |scene, made| made.signature = scene.holder().sign(&made.message).unwrap(),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: invalid signature: signature verification failed: Verification error: ECDSA_P256_SHA256 signature invalid
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: invalid signature: DSSE signature verification failed: Verification error: ECDSA_P256_SHA256 signature invalid
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_is_signed_in_the_future_is_refused() {
    let scene = Scene::new("future").await;
    let layer = scene.make(scene.holder(), None).into_layer();
    scene.workshop.put_layers(&scene.digest, &[layer]).await;
    let before = SystemTime::UNIX_EPOCH + Duration::from_secs(THEN);
    let answer = verify(&scene.workshop.store, &scene.digest, &scene.policy(), before).await;
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: it is said to be signed in the future
    "#]].assert_eq(&describe(answer));
}

#[tokio::test]
async fn identity_and_issuer_have_to_match_both_and_wholly() {
    let scene = Scene::new("who").await;
    scene
        .workshop
        .put_layers(&scene.digest, &[scene.make(scene.holder(), None).into_layer()])
        .await;
    let exact = |text: &str| Pattern::Exact(text.to_owned());
    let regex = |text: &str| Pattern::regex(text).unwrap();
    let good = format!("tag: {IDENTITY} by {ISSUER}\n");
    let bad = format!(
        "no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: it is signed by `{IDENTITY}`, \
         vouched for by `{ISSUER}`, who may not sign\n"
    );
    for (identity, issuer, expected) in [
        (exact(IDENTITY), exact(ISSUER), &good),
        (regex("https://ci.*"), regex(".*token.*"), &good),
        (exact("https://ci.example/acme/shop"), exact(ISSUER), &bad),
        (regex("https://ci.example/acme"), exact(ISSUER), &bad),
        (exact(IDENTITY), exact("https://token.ci.example/"), &bad),
        (exact(IDENTITY), regex("token"), &bad),
        (exact(""), exact(""), &bad),
    ] {
        let policy = scene.accept(identity, issuer);
        assert_eq!(scene.verify(&policy).await, *expected, "{policy:?}");
    }
}

#[tokio::test]
async fn keys_can_be_asked_to_be_in_a_log() {
    let scene = Scene::new("keys").await;
    let key = private("p256");
    let mut layer = scene.workshop.layer(&scene.digest, &key).await;
    let policy = Policy {
        transparency_log: true,
        ..Policy { keyless: Vec::new(), keys: vec![public("p256")], ..scene.policy() }
    };
    let answer = scene.verify(&policy).await;
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: no transparency log has taken it in
    "#]].assert_eq(&answer);
    let signature = STANDARD.decode(layer.signature.as_ref().unwrap()).unwrap();
    let entry = scene
        .sigstore
        .log(&Logged::Message(&layer.payload), &signature, &key.public().to_pem(), THEN)
        .unwrap();
    layer.annotations.insert(LOG.to_owned(), legacy_entry(&entry).to_string());
    scene.workshop.put_layers(&scene.digest, &[layer.clone()]).await;
    assert_eq!(scene.verify(&policy).await, format!("tag: key {}\n", key.public().id()));
    let other = scene
        .sigstore
        .log(&Logged::Message(b"else"), &signature, &key.public().to_pem(), THEN)
        .unwrap();
    layer.annotations.insert(LOG.to_owned(), legacy_entry(&other).to_string());
    scene.workshop.put_layers(&scene.digest, &[layer]).await;
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: artifact mismatch: artifact hash mismatch for hashedrekord entry
    "#]].assert_eq(&scene.verify(&policy).await);
    assert!(scene.verify(&by(&[&public("p256")])).await.starts_with("tag: key"));
}

#[test]
fn a_trust_root_that_cannot_be_read_says_so() {
    #[track_caller]
    fn check(json: &[u8], expected: &str) {
        let error = TrustRoot::read(json).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot read the trust root: {expected}")), "{error}");
    }
    check(b"", "");
    check(b"{}", "");
    check(&vec![b' '; 5 << 20], "it has more than 4194304 bytes");
    let root = Sigstore::new().unwrap().trusted_root();
    let mut root: Value = serde_json::from_str(&root).unwrap();
    root["certificateAuthorities"][0]["certChain"]["certificates"] = json!([]);
    check(root.to_string().as_bytes(), "");
}
