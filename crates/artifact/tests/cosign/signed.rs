//! What we sign.

use std::time::SystemTime;

use kelson_artifact::{
    Annotations, Digest, Pattern, Policy, Reference, SignatureForm, SignerIdentity, sign, verify,
    verify_before,
};

use crate::workshop::{Workshop, describe};
use crate::{BOTH, KINDS, by, private, public};

#[tokio::test]
async fn what_is_signed_is_verified_in_both_forms_with_every_kind_of_key() {
    let workshop = Workshop::new("every-kind");
    let digest = workshop.artifact(b"one").await;
    let said = Annotations::from([("who".to_owned(), "me & <you>".to_owned())]);
    let mut expected = String::new();
    for form in BOTH {
        for kind in KINDS {
            let signed =
                sign(&workshop.store, &digest, "r.example/shop", &private(kind), form, &said)
                    .await
                    .unwrap();
            assert!(!signed.already);
            let name = if form == SignatureForm::Legacy { "tag" } else { "bundle" };
            expected += &format!("{name}: key {} who=me & <you>\n", public(kind).id());
        }
    }
    let keys = KINDS.map(public);
    let policy = by(&[&keys[0], &keys[1], &keys[2]]);
    assert_eq!(
        describe(verify(&workshop.store, &digest, &policy, SystemTime::now()).await),
        expected
    );
}

#[tokio::test]
async fn signing_the_same_again_writes_nothing() {
    let workshop = Workshop::new("again");
    let digest = workshop.artifact(b"one").await;
    let none = Annotations::new();
    for (form, kind) in [(BOTH[0], "p256"), (BOTH[1], "p256"), (BOTH[0], "rsa"), (BOTH[1], "rsa")] {
        let first = sign(&workshop.store, &digest, "r", &private(kind), form, &none).await.unwrap();
        let second =
            sign(&workshop.store, &digest, "r", &private(kind), form, &none).await.unwrap();
        assert_eq!((first.already, second.already), (false, true), "{kind}");
        assert_eq!(second.manifest, first.manifest, "{kind}");
    }
    assert_eq!(
        workshop.store.tags().await.unwrap(),
        [format!("sha256-{}.sig", digest.hex()), "v1".to_owned()]
    );
}

#[tokio::test]
async fn what_is_not_there_is_not_signed() {
    let workshop = Workshop::new("absent");
    workshop.artifact(b"one").await;
    let absent = Digest::of(b"something else");
    let error = sign(&workshop.store, &absent, "r", &private("p256"), BOTH[1], &Annotations::new())
        .await
        .unwrap_err();
    assert!(error.to_string().contains(&absent.to_string()), "{error}");
}

#[tokio::test]
async fn a_tag_is_resolved_once_and_its_digest_verified() {
    let workshop = Workshop::new("before");
    let digest = workshop.artifact(b"one").await;
    let reference: Reference = "oci-layout:x:v1".parse().unwrap();
    let (key, policy) = (private("p256"), by(&[&public("p256")]));
    let before = async || {
        let found = verify_before(&workshop.store, &reference, &policy, SystemTime::now()).await;
        found.map(|found| found.digest).map_err(|error| error.to_string())
    };
    assert_eq!(
        before().await,
        Err(format!("no signatures found for {digest} in `{}`", workshop.store.place()))
    );
    sign(&workshop.store, &digest, "r", &key, SignatureForm::Bundle, &Annotations::new())
        .await
        .unwrap();
    assert_eq!(before().await, Ok(digest));
    let other = workshop.artifact(b"two").await;
    assert_eq!(
        before().await,
        Err(format!("no signatures found for {other} in `{}`", workshop.store.place()))
    );
}

#[tokio::test]
async fn a_policy_that_can_accept_nothing_is_an_error() {
    let workshop = Workshop::new("policy");
    let digest = workshop.artifact(b"one").await;
    let check = async |policy: Policy, expected: &str| {
        let error = verify(&workshop.store, &digest, &policy, SystemTime::now()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the policy can accept no signature: {expected}"));
    };
    check(Policy::default(), "it names neither a key nor an identity").await;
    let anybody = SignerIdentity {
        issuer: Pattern::Exact("a".to_owned()),
        identity: Pattern::Exact("b".to_owned()),
    };
    let keyless = Policy { keyless: vec![anybody], ..Policy::default() };
    check(keyless, "an identity needs a trust root, from a file `trusted_root.json`").await;
    let logged = Policy { transparency_log: true, ..by(&[&public("p256")]) };
    check(logged, "a transparency log needs a trust root, from a file `trusted_root.json`").await;
}
