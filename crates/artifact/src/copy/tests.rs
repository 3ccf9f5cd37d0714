use std::sync::Arc;

use super::*;
use crate::manifest::{Index, media};
use crate::scratch::Folder;
use crate::{Form, Metadata, Packed, pack_objects};

fn packed(text: &str) -> Packed {
    pack_objects(text, Form::Flux, &Metadata::default(), &[]).unwrap()
}

fn named(store: &Store, tag: &str) -> Reference {
    Reference { place: store.place(), tag: Some(tag.to_owned()), digest: None }
}

/// A manifest with this content that says something of another.
async fn saying(store: &Store, text: &str, subject: &Descriptor) -> Raw {
    packed(text).push(store, &["scratch".to_owned()], &Watch::default()).await.unwrap();
    let Parsed::Manifest(mut manifest) = packed(text).manifest.parse().unwrap() else { panic!() };
    manifest.subject = Some(subject.clone());
    Raw::write(&manifest)
}

/// Two artifacts under an index, one of them signed in both ways, and the signature signed again.
async fn full(store: &Store) -> Descriptor {
    let mut manifests = Vec::new();
    for text in ["a: 1\n", "b: 1\n"] {
        let pushed = packed(text).push(store, &[], &Watch::default()).await.unwrap();
        manifests.push(pushed.descriptor);
    }
    let signature = saying(store, "signature: 1\n", &manifests[0]).await;
    store.put_manifest(&signature, None).await.unwrap();
    let countersignature = saying(store, "signature: 2\n", &signature.descriptor).await;
    store.put_manifest(&countersignature, None).await.unwrap();
    let tag = format!("sha256-{}.sig", manifests[0].digest.hex());
    packed("legacy: 1\n").push(store, &[tag], &Watch::default()).await.unwrap();
    let index = Raw::write_index(&Index {
        schema_version: 2,
        media_type: Some(media::OCI_INDEX.to_owned()),
        artifact_type: None,
        manifests,
        subject: None,
        annotations: Default::default(),
    });
    store.put_manifest(&index, Some("v1")).await.unwrap();
    index.descriptor
}

#[tokio::test]
async fn everything_that_belongs_to_an_artifact_goes_with_it_once() {
    let folder = Folder::new();
    let from = folder.store("from");
    let root = full(&from).await;
    for name in ["to", "to.tar"] {
        let to = folder.store(name);
        let tags = ["v1".to_owned(), "stable".to_owned()];
        let options = CopyOptions::default();
        let copied = copy(&from, &named(&from, "v1"), &to, &tags, &options).await.unwrap();
        assert_eq!(copied.descriptor.digest, root.digest);
        // An index, two manifests, three signatures, and two blobs for each of the five manifests.
        assert_eq!((copied.sent, copied.skipped, copied.referrers), (16, 0, 3));
        let signature = format!("sha256-{}.sig", packed("a: 1\n").manifest.descriptor.digest.hex());
        assert_eq!(to.tags().await.unwrap(), [signature.as_str(), "stable", "v1"]);
        assert_eq!(
            to.manifest(&root.digest).await.unwrap().bytes,
            from.manifest(&root.digest).await.unwrap().bytes
        );
        let again = copy(&from, &named(&from, "v1"), &to, &tags, &options).await.unwrap();
        assert_eq!((again.sent, again.skipped, again.bytes), (0, 16, 0));
    }
}

#[tokio::test]
async fn signatures_stay_behind_when_told_so() {
    let folder = Folder::new();
    let (from, to) = (folder.store("from"), folder.store("to"));
    full(&from).await;
    let options = CopyOptions { referrers: false, ..CopyOptions::default() };
    let copied = copy(&from, &named(&from, "v1"), &to, &["v1".to_owned()], &options).await.unwrap();
    assert_eq!((copied.sent, copied.referrers), (7, 0));
    assert_eq!(to.tags().await.unwrap(), ["v1"]);
}

#[tokio::test]
async fn a_tag_is_not_set_when_something_is_missing() {
    let folder = Folder::new();
    let (from, to) = (folder.store("from"), folder.store("to"));
    full(&from).await;
    let layer = packed("b: 1\n").layers[0].0.digest;
    std::fs::remove_file(folder.0.join(format!("from/blobs/sha256/{}", layer.hex()))).unwrap();
    let options = CopyOptions::default();
    let failed = copy(&from, &named(&from, "v1"), &to, &["v1".to_owned()], &options).await;
    let message = failed.unwrap_err().to_string();
    assert!(message.starts_with(&format!("blob {layer}")), "{message}");
    assert!(!to.tags().await.unwrap().contains(&"v1".to_owned()));
}

#[tokio::test]
async fn whoever_watches_is_told_every_step() {
    let folder = Folder::new();
    let (from, to) = (folder.store("from"), folder.store("to"));
    packed("a: 1\n").push(&from, &["v1".to_owned()], &Watch::default()).await.unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&steps);
    let watch = Watch::new(move |step| told.lock().unwrap().push(step));
    let options = CopyOptions { watch, ..CopyOptions::default() };
    for _ in 0..2 {
        copy(&from, &named(&from, "v1"), &to, &["v1".to_owned()], &options).await.unwrap();
    }
    let layer = &packed("a: 1\n").layers[0].0;
    let (digest, size) = (layer.digest, layer.size);
    let of_layer = |step: &Transfer| match step {
        Transfer::Begun { digest, .. }
        | Transfer::Moved { digest, .. }
        | Transfer::Done { digest }
        | Transfer::There { digest } => *digest == layer.digest,
    };
    let steps: Vec<_> = steps.lock().unwrap().iter().copied().filter(of_layer).collect();
    assert_eq!(
        steps,
        [
            Transfer::Begun { digest, size },
            Transfer::Moved { digest, bytes: size },
            Transfer::Done { digest },
            Transfer::There { digest },
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_copy_to_one_new_place_at_once() {
    let folder = Arc::new(Folder::new());
    let from = folder.store("from");
    full(&from).await;
    for to in ["to", "to.tar"] {
        let copies: Vec<_> = (0..8)
            .map(|number| {
                let (folder, from) = (Arc::clone(&folder), folder.store("from"));
                tokio::spawn(async move {
                    let (to, tags) = (folder.store(to), [format!("v{number}")]);
                    copy(&from, &named(&from, "v1"), &to, &tags, &CopyOptions::default()).await
                })
            })
            .collect();
        for copied in copies {
            copied.await.unwrap().unwrap();
        }
        let tags = folder.store(to).tags().await.unwrap();
        assert_eq!(tags.iter().filter(|tag| tag.starts_with('v')).count(), 8);
    }
}
