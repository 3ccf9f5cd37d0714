//! Spoiled signatures, each refused with its reason.

use std::time::SystemTime;

use expect_test::{Expect, expect};
use kelson_artifact::verify;
use serde_json::{Value, json};

use crate::workshop::{Layer, Workshop, describe, rewrite};
use crate::{by, private, public};

/// Signs in the older form, has the layer spoiled and verifies.
async fn spoil_layer(name: &str, spoil: impl Fn(&mut Layer), expected: Expect) {
    let workshop = Workshop::new(name);
    let digest = workshop.artifact(b"one").await;
    let mut layer = workshop.layer(&digest, &private("p256")).await;
    spoil(&mut layer);
    workshop.put_layers(&digest, &[layer]).await;
    expected.assert_eq(&describe(
        verify(&workshop.store, &digest, &by(&[&public("p256")]), SystemTime::now()).await,
    ));
}

#[tokio::test]
async fn a_spoiled_layer_is_refused_with_its_reason() {
    let signature =
        |layer: &mut Layer, change: fn(&mut String)| change(layer.signature.as_mut().unwrap());
    spoil_layer(
        "whole",
        |_| {},
        expect![[r#"
            tag: key XY24FwbEAS6cS7tnE0acSWC395It33MmvU/63Pb51Tk=
        "#]],
    )
    .await;
    spoil_layer("type", |layer| layer.media_type = "text/plain".to_owned(), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: it is a `text/plain`, not a signature
    "#]]).await;
    spoil_layer(
        "none",
        |layer| layer.signature = None,
        expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: its signature is missing
    "#]],
    )
    .await;
    spoil_layer("line", |layer| signature(layer, |text| text.push('\n')), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: its signature is not base64
    "#]]).await;
    spoil_layer(
        "bits",
        |layer| signature(layer, |text| text.push('=')),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: its signature is not base64
        "#]],
    )
    .await;
    spoil_layer("cut", |layer| signature(layer, |text| text.truncate(8)), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: none of the given keys made it
    "#]]).await;
    spoil_layer("empty", |layer| signature(layer, String::clear), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: none of the given keys made it
    "#]]).await;
    spoil_layer("payload", |layer| layer.payload.push(b' '), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: none of the given keys made it
    "#]]).await;
    spoil_layer("not-json", |layer| layer.payload = b"\x1b[2J".to_vec(), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: its payload is not one of cosign's: expected value at line 1 column 1
    "#]]).await;
    spoil_layer("size", |layer| layer.size = Some(2 << 20), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: it has 2097152 bytes, and 1048576 at most are read
    "#]]).await;
    spoil_layer("lie", |layer| layer.size = Some(3), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: layer 1 of DIGEST: blob DIGEST has 230 bytes, not 3
    "#]]).await;
}

#[tokio::test]
async fn a_signature_of_something_else_proves_nothing() {
    let workshop = Workshop::new("else");
    let other = workshop.artifact(b"other").await;
    let layer = workshop.layer(&other, &private("p256")).await;
    let digest = workshop.artifact(b"one").await;
    workshop.put_layers(&digest, &[layer]).await;
    let error = verify(&workshop.store, &digest, &by(&[&public("p256")]), SystemTime::now())
        .await
        .unwrap_err();
    assert!(error.to_string().ends_with(&format!("it is a signature of `{other}`")), "{error}");
}

#[tokio::test]
async fn no_more_signatures_are_looked_at_than_anybody_needs() {
    let workshop = Workshop::new("many");
    let digest = workshop.artifact(b"one").await;
    let mut layer = workshop.layer(&digest, &private("p256")).await;
    let good = layer.clone();
    layer.signature = Some("AAAA".to_owned());
    let mut layers = vec![layer; 300];
    layers.push(good);
    workshop.put_layers(&digest, &layers).await;
    let error = verify(&workshop.store, &digest, &by(&[&public("p256")]), SystemTime::now())
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with("; and 191 more"), "{text}");
    assert!(text.contains("further signatures: no more than 200 are looked at"), "{text}");
}

/// Signs as a bundle, has the bundle spoiled and verifies.
async fn spoil_bundle(name: &str, spoil: impl Fn(&mut Value), expected: Expect) {
    let workshop = Workshop::new(name);
    let digest = workshop.artifact(b"one").await;
    let mut bundle = workshop.bundle(&digest, &private("p256")).await;
    spoil(&mut bundle);
    let workshop = Workshop::new(&format!("{name}-spoiled"));
    let digest = workshop.artifact(b"one").await;
    workshop.put_bundle(&digest, &[bundle.to_string().as_bytes()]).await;
    expected.assert_eq(&describe(
        verify(&workshop.store, &digest, &by(&[&public("p256")]), SystemTime::now()).await,
    ));
}

#[tokio::test]
async fn a_spoiled_bundle_is_refused_with_its_reason() {
    spoil_bundle(
        "b-whole",
        |_| {},
        expect![[r#"
        bundle: key XY24FwbEAS6cS7tnE0acSWC395It33MmvU/63Pb51Tk=
    "#]],
    )
    .await;
    spoil_bundle("b-type", |bundle| bundle["mediaType"] = json!("application/json"), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it is not a bundle: JSON error: Invalid media type: application/json at line 1 column 512
    "#]])
        .await;
    spoil_bundle("b-empty", |bundle| *bundle = json!({}), expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it is not a bundle: JSON error: missing field `verificationMaterial` at line 1 column 2
    "#]]).await;
    spoil_bundle(
        "b-kind",
        |bundle| bundle["dsseEnvelope"]["payloadType"] = json!("text/plain"),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it signs a `text/plain`, not a `application/vnd.in-toto+json`
        "#]],
    )
    .await;
    spoil_bundle(
        "b-cut",
        |bundle| bundle["dsseEnvelope"]["payload"] = json!("e30="),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it signs no in-toto statement: missing field `_type` at line 1 column 2
        "#]],
    )
    .await;
    spoil_bundle(
        "b-none",
        |bundle| bundle["dsseEnvelope"]["signatures"] = json!([]),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it is not a bundle: JSON error: DSSE envelope must contain exactly one signature, found 0 at line 1 column 529
        "#]],
    )
    .await;
    spoil_bundle(
        "b-two",
        |bundle| {
            let one = bundle["dsseEnvelope"]["signatures"][0].clone();
            bundle["dsseEnvelope"]["signatures"] = json!([one, one]);
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it is not a bundle: JSON error: DSSE envelope must contain exactly one signature, found 2 at line 1 column 742
        "#]],
    )
    .await;
    spoil_bundle(
        "b-predicate",
        |bundle| {
            rewrite(bundle, "https://sigstore.dev/cosign/sign/v1", "https://slsa.dev/provenance/v1")
        },
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it is an attestation of the type `https://slsa.dev/provenance/v1`, not a signature
        "#]],
    )
    .await;
    spoil_bundle(
        "b-statement",
        |bundle| rewrite(bundle, "Statement/v1", "Statement/v9"),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: it signs a statement of the kind `https://in-toto.io/Statement/v9`
        "#]],
    )
    .await;
    spoil_bundle(
        "b-annotations",
        |bundle| rewrite(bundle, "\"predicate\":{}", "\"predicate\":{ }"),
        expect![[r#"
            no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: none of the given keys made it
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_manifest_holds_one_bundle() {
    let workshop = Workshop::new("refers");
    let digest = workshop.artifact(b"one").await;
    let bundle = workshop.bundle(&digest, &private("p256")).await.to_string();
    let workshop = Workshop::new("refers-twice");
    let digest = workshop.artifact(b"one").await;
    workshop.put_bundle(&digest, &[bundle.as_bytes(), bundle.as_bytes()]).await;
    expect![[r#"
        no signature of DIGEST in `PLACE` is accepted: bundle in DIGEST: its manifest has 2 layers, not 1
    "#]].assert_eq(&describe(
        verify(&workshop.store, &digest, &by(&[&public("p256")]), SystemTime::now()).await,
    ));
}
