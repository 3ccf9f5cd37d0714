//! Artifacts on their way through a real registry and layouts, and in the hands of other programs.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod offline; // bundles
mod programs; // crane and flux read ours, we read theirs
mod support; // what the tests share

use kelson_artifact::{
    Content, CopyOptions, Form, Identity, PullOptions, Raw, Store, Watch, copy, pack_objects, pull,
};
use support::*;

#[tokio::test]
async fn what_is_pushed_to_a_registry_is_pulled_from_it() {
    let client = client();
    let identity = identity();
    for (form, name) in [(Form::Flux, "push/flux"), (Form::Kustomizer, "push/kustomizer")] {
        for recipients in [vec![], vec![identity.recipient()]] {
            let store = repository(&client, name);
            let packed = pack_objects(OBJECTS, form, &metadata(), &recipients).unwrap();
            let pushed =
                packed.push(&store, &tags(&["v1", "v2"]), &Watch::default()).await.unwrap();
            assert_eq!((pushed.sent, pushed.skipped), (2, 0));
            let again = packed.push(&store, &tags(&["v3"]), &Watch::default()).await.unwrap();
            assert_eq!((again.sent, again.skipped, again.bytes), (0, 2, 0));
            let options =
                PullOptions { identities: vec![identity.clone()], ..PullOptions::default() };
            for tag in ["v1", "v2", "v3"] {
                let pulled = pull(&store, &named(&store, tag), &options).await.unwrap();
                assert_eq!(pulled.content, Content::Objects(OBJECTS.into()));
                assert_eq!(pulled.descriptor, pushed.descriptor);
            }
        }
    }
}

#[tokio::test]
async fn a_copy_keeps_digests_and_signatures_wherever_it_goes() {
    let (client, folder) = (client(), Folder::new());
    let first = repository(&client, "copy/first");
    let packed = pack_objects(OBJECTS, Form::Flux, &metadata(), &[]).unwrap();
    let subject = packed.push(&first, &tags(&["v1"]), &Watch::default()).await.unwrap().descriptor;
    let signature = signature(&first, &subject).await;
    let legacy = format!("sha256-{}.sig", subject.digest.hex());
    packed.push(&first, std::slice::from_ref(&legacy), &Watch::default()).await.unwrap();

    let stations = [
        first,
        folder.store("layout"),
        repository(&client, "copy/second"),
        folder.store("layout.tar"),
        repository(&client, "copy/third"),
    ];
    for pair in stations.windows(2) {
        let [from, to] = pair else { unreachable!() };
        let copied = mirror(from, to).await;
        assert_eq!(copied.descriptor.digest, subject.digest);
        assert_eq!(copied.referrers, 2);
        let referrers = to.referrers(&subject.digest).await.unwrap();
        assert_eq!(
            referrers.iter().map(|found| found.digest).collect::<Vec<_>>(),
            [signature.descriptor.digest]
        );
        // A registry that does not list referrers has them listed under this tag.
        let list = format!("sha256-{}", subject.digest.hex());
        let tags = to.tags().await.unwrap().into_iter().filter(|tag| *tag != list);
        assert_eq!(tags.collect::<Vec<_>>(), [legacy.as_str(), "v1"]);
        let again = mirror(from, to).await;
        assert_eq!((again.sent, again.bytes), (0, 0));
    }
}

#[tokio::test]
async fn inside_one_registry_no_blob_moves() {
    let client = client();
    let (from, to) = (repository(&client, "mount/from"), repository(&client, "mount/to"));
    let packed = pack_objects(OBJECTS, Form::Flux, &metadata(), &[]).unwrap();
    packed.push(&from, &tags(&["v1"]), &Watch::default()).await.unwrap();
    let copied = mirror(&from, &to).await;
    assert_eq!((copied.sent, copied.bytes), (3, packed.manifest.descriptor.size));
}

async fn mirror(from: &Store, to: &Store) -> kelson_artifact::Copied {
    copy(from, &named(from, "v1"), to, &tags(&["v1"]), &CopyOptions::default()).await.unwrap()
}

/// Stores a manifest that says something of another.
async fn signature(store: &Store, subject: &kelson_artifact::Descriptor) -> Raw {
    let packed = pack_objects("signature: 1\n", Form::Flux, &metadata(), &[]).unwrap();
    packed.push(store, &[], &Watch::default()).await.unwrap();
    let kelson_artifact::Parsed::Manifest(mut manifest) = packed.manifest.parse().unwrap() else {
        unreachable!()
    };
    manifest.subject = Some(subject.clone());
    let raw = Raw::write(&manifest);
    store.put_manifest(&raw, None).await.unwrap();
    raw
}

fn identity() -> Identity {
    let key = "AGE-SECRET-KEY-1VFUSUY9RWADL2ALJ5VUEQ4RRHJKNJHG6M6WP50JGGRXZCPM2FE2S7D4MZN";
    Identity::parse_all(key).unwrap().remove(0)
}
