//! What the real cosign signed, recorded.

use std::time::SystemTime;

use expect_test::expect;
use kelson_artifact::{Layout, Policy, Reference, Store, verify};

use crate::workshop::describe;
use crate::{KINDS, by, data, public};

/// Verifies what cosign signed with a key of this kind.
async fn recorded(kind: &str, policy: &Policy) -> String {
    let store = Store::Layout(Layout::directory(&data(kind).join("layout")));
    let reference: Reference = "oci-layout:x:v1".parse().unwrap();
    let digest = store.find(&reference).await.unwrap().digest;
    describe(verify(&store, &digest, policy, SystemTime::now()).await)
}

#[tokio::test]
async fn what_cosign_signed_is_verified() {
    for kind in KINDS {
        let key = public(kind);
        let signed = recorded(kind, &by(&[&key])).await;
        let id = key.id();
        let expected = format!("tag: key {id}\ntag: key {id} build=7\nbundle: key {id} build=7\n");
        assert_eq!(signed, expected, "{kind}");
    }
}

#[tokio::test]
async fn what_must_be_said_must_be_said() {
    let key = public("p256");
    let mut policy = by(&[&key]);
    policy.annotations.insert("build".to_owned(), "7".to_owned());
    let id = key.id();
    let expected = format!("tag: key {id} build=7\nbundle: key {id} build=7\n");
    assert_eq!(recorded("p256", &policy).await, expected);
    policy.annotations.insert("build".to_owned(), "8".to_owned());
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: it does not say `build=8`; layer 2 of DIGEST: it does not say `build=8`; bundle in DIGEST: it does not say `build=8`
    "#]].assert_eq(&recorded("p256", &policy).await);
}

#[tokio::test]
async fn what_others_signed_is_refused() {
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: none of the given keys made it; layer 2 of DIGEST: none of the given keys made it; bundle in DIGEST: none of the given keys made it
    "#]].assert_eq(&recorded("p256", &by(&[&public("rsa"), &public("p384")])).await);
}
