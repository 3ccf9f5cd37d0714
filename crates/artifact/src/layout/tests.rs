use std::fs;

use super::*;
use crate::scratch::Folder;
use crate::{
    CopyOptions, Form, InMemory, Metadata, Packed, PullOptions, Reference, Store, Watch, copy,
    pack_objects, pull,
};

const OBJECTS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\n";

fn both(folder: &Folder) -> [Store; 2] {
    ["layout", "layout.tar"].map(|name| folder.store(name))
}

fn packed(objects: &str) -> Packed {
    pack_objects(objects, Form::Flux, &Metadata::default(), &[]).unwrap()
}

fn reference(store: &Store, tag: &str) -> Reference {
    Reference { place: store.place(), tag: Some(tag.to_owned()), digest: None }
}

async fn push(store: &Store, objects: &str, tags: &[&str]) -> Descriptor {
    let tags: Vec<String> = tags.iter().map(|tag| tag.to_string()).collect();
    packed(objects).push(store, &tags, &Watch::default()).await.unwrap().descriptor
}

async fn text(store: &Store, tag: &str) -> String {
    match pull(store, &reference(store, tag), &PullOptions::default()).await {
        Ok(crate::Pulled { content: crate::Content::Objects(text), .. }) => text.to_string(),
        Ok(_) => "a tree".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn what_came_last_is_kept_with_all_it_names() {
    let folder = Folder::new();
    let path = folder.0.join("layout");
    let (layout, store) = (Layout::directory(&path), folder.store("layout"));
    for name in ["a", "b", "c"] {
        push(&store, &format!("kind: {name}\n"), &[name]).await;
    }
    // Put again, it counts as new.
    push(&store, "kind: a\n", &["a"]).await;
    layout.keep_newest(2).await.unwrap();
    assert_eq!(store.tags().await.unwrap(), ["a", "c"]);
    assert_eq!(text(&store, "a").await, "kind: a\n");
    assert_eq!(text(&store, "c").await, "kind: c\n");
    assert_eq!(fs::read_dir(path.join("blobs/sha256")).unwrap().count(), 6);
    layout.keep_newest(2).await.unwrap();
    assert_eq!(store.tags().await.unwrap(), ["a", "c"]);
}

#[tokio::test]
async fn what_is_pushed_is_pulled() {
    let folder = Folder::new();
    for store in both(&folder) {
        assert_eq!(store.tags().await.unwrap(), Vec::<String>::new());
        let first = push(&store, OBJECTS, &["v1", "latest"]).await;
        assert_eq!(text(&store, "v1").await, OBJECTS);
        assert_eq!(store.tags().await.unwrap(), ["latest", "v1"]);

        let again =
            packed(OBJECTS).push(&store, &["v2".to_owned()], &Watch::default()).await.unwrap();
        assert_eq!((again.sent, again.skipped, again.bytes), (0, 2, 0));

        let second = push(&store, "kind: Other\n", &["latest"]).await;
        assert_eq!(text(&store, "latest").await, "kind: Other\n");
        assert_eq!(
            store.resolve(&Selector::Tag("v1".to_owned())).await.unwrap().digest,
            first.digest
        );
        assert_eq!(store.manifest(&second.digest).await.unwrap().descriptor.digest, second.digest);
        let missing = text(&store, "v9").await;
        assert!(missing.starts_with("tag `v9` is not in `oci-layout:"), "{missing}");
    }
}

#[tokio::test]
async fn a_layout_is_what_others_read() {
    let folder = Folder::new();
    let path = folder.0.join("layout");
    push(&Store::Layout(Layout::directory(&path)), OBJECTS, &["v1"]).await;
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#);
    let index = read("index.json");
    assert!(
        index.contains(r#""annotations":{"org.opencontainers.image.ref.name":"v1"}"#),
        "{index}"
    );
    let blobs = fs::read_dir(path.join("blobs/sha256")).unwrap();
    for blob in blobs.map(|blob| blob.unwrap()) {
        let digest = Digest::of(&fs::read(blob.path()).unwrap());
        assert_eq!(blob.file_name().to_string_lossy(), digest.hex());
    }
}

#[tokio::test]
async fn the_same_content_gives_the_same_tar_file() {
    let folder = Folder::new();
    let [one, other] = ["one.tar", "other.tar"].map(|name| folder.0.join(name));
    let store = Store::Layout(Layout::tar(&one));
    push(&store, OBJECTS, &["v1"]).await;
    push(&store, "b: 1\n", &["v2"]).await;
    for tag in ["v1", "v2"] {
        let other = Store::Layout(Layout::tar(&other));
        let tags = [tag.to_owned()];
        copy(&store, &reference(&store, tag), &other, &tags, &CopyOptions::default())
            .await
            .unwrap();
    }
    assert!(fs::read(one).unwrap() == fs::read(other).unwrap());
    drop(store);
    let left = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_push_at_once_and_nothing_is_lost() {
    let folder = Folder::new();
    let [shared, tar] = [folder.0.join("layout"), folder.0.join("layout.tar")];
    // Every task opens the layout for itself, as another program would.
    let open = |number: usize| match number % 2 {
        0 => Layout::directory(&shared),
        _ => Layout::tar(&tar),
    };
    let pushes: Vec<_> = (0..16)
        .map(|number| {
            let store = Store::Layout(open(number));
            tokio::spawn(async move {
                push(&store, &format!("a: {number}\n"), &[&format!("v{number}"), "last"]).await
            })
        })
        .collect();
    for pushed in pushes {
        pushed.await.unwrap();
    }
    for number in 0..16 {
        let store = Store::Layout(open(number));
        assert_eq!(text(&store, &format!("v{number}")).await, format!("a: {number}\n"));
        assert_eq!(store.tags().await.unwrap().len(), 9);
    }
}

#[tokio::test]
async fn content_is_checked_when_it_is_written_and_read() {
    let folder = Folder::new();
    for store in both(&folder) {
        let descriptor = Descriptor::of("text/plain", b"right");
        let source = InMemory { descriptor: descriptor.clone(), content: "wrong".into() };
        let refused = store.put_blob(&descriptor, &source, None).await.unwrap_err().to_string();
        assert!(refused.contains("has the digest"), "{refused}");
        assert!(!store.has_blob(&descriptor.digest).await.unwrap());
    }
    let path = folder.0.join("layout");
    let store = Store::Layout(Layout::directory(&path));
    push(&store, OBJECTS, &["v1"]).await;
    let layer = &packed(OBJECTS).layers[0].0;
    let file = path.join(blob_path(&layer.digest));
    let mut content = fs::read(&file).unwrap();
    content[20] ^= 1;
    fs::write(&file, &content).unwrap();
    let changed = text(&store, "v1").await;
    assert!(changed.contains("has the digest"), "{changed}");
    content.push(0);
    fs::write(&file, &content).unwrap();
    let longer = text(&store, "v1").await;
    assert!(
        longer.ends_with(&format!("has {} bytes, not {}", layer.size + 1, layer.size)),
        "{longer}"
    );
    fs::remove_file(&file).unwrap();
    let missing = text(&store, "v1").await;
    assert!(missing.starts_with(&format!("blob {} is not in", layer.digest)), "{missing}");
}

/// Spoils a good layout and says what comes of it.
async fn spoiled(spoil: impl FnOnce(&std::path::Path)) -> String {
    let folder = Folder::new();
    let path = folder.0.join("layout");
    let store = Store::Layout(Layout::directory(&path));
    push(&store, OBJECTS, &["v1"]).await;
    spoil(&path);
    let message = text(&store, "v1").await;
    let shown = path.display().to_string();
    message.replace(&shown, "DIR")
}

#[tokio::test]
async fn hostile_layouts_are_refused() {
    let refused = |reason: &str| format!("image layout `DIR` cannot be used: {reason}");
    let write = |name: &'static str, content: Vec<u8>| {
        move |path: &std::path::Path| fs::write(path.join(name), content).unwrap()
    };
    assert_eq!(
        spoiled(write("index.json", vec![b' '; 5 << 20])).await,
        refused("its `index.json` is longer than 4194304 bytes")
    );
    let message = spoiled(write("index.json", b"[1".to_vec())).await;
    assert!(message.starts_with(&refused("its `index.json`: ")), "{message}");
    assert_eq!(
        spoiled(write("oci-layout", br#"{"imageLayoutVersion":"2.0"}"#.to_vec())).await,
        refused("its version `2.0` is unknown")
    );
    let remove = |name: &'static str| {
        move |path: &std::path::Path| fs::remove_file(path.join(name)).unwrap()
    };
    assert_eq!(spoiled(remove("oci-layout")).await, refused("it has no `oci-layout`"));
    assert_eq!(spoiled(remove("index.json")).await, refused("it has no `index.json`"));
}

#[cfg(unix)]
#[tokio::test]
async fn links_in_a_layout_are_not_followed() {
    let layer = packed(OBJECTS).layers[0].0.digest;
    let name = blob_path(&layer);
    let to_link = |name: String| {
        move |path: &std::path::Path| {
            let moved = path.with_file_name("moved");
            fs::rename(path.join(&name), &moved).unwrap();
            std::os::unix::fs::symlink(moved, path.join(&name)).unwrap();
        }
    };
    for (link, shown) in [
        (name.clone(), name.clone()),
        ("blobs".to_owned(), String::new()),
        ("index.json".to_owned(), "index.json".to_owned()),
    ] {
        let message = spoiled(to_link(link)).await;
        assert!(message.starts_with("image layout `DIR` cannot be used: its `"), "{message}");
        assert!(message.contains(&shown) && message.ends_with("` is a link"), "{message}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_lock_that_is_a_link_is_not_followed() {
    let folder = Folder::new();
    let (path, elsewhere) = (folder.0.join("layout"), folder.0.join("elsewhere"));
    fs::create_dir(&path).unwrap();
    std::os::unix::fs::symlink(&elsewhere, path.join("index.json.lock")).unwrap();
    let store = Store::Layout(Layout::directory(&path));
    let refused = packed(OBJECTS).push(&store, &[], &Watch::default()).await.unwrap_err();
    assert!(refused.to_string().ends_with("its lock is not a regular file"), "{refused}");
    assert!(!elsewhere.exists());
}

#[tokio::test]
async fn a_directory_with_something_else_is_not_made_a_layout() {
    let folder = Folder::new();
    fs::write(folder.0.join("thesis.txt"), "x").unwrap();
    let store = Store::Layout(Layout::directory(&folder.0));
    let refused = packed(OBJECTS).push(&store, &[], &Watch::default()).await.unwrap_err();
    assert!(refused.to_string().ends_with("it is neither empty nor an image layout"), "{refused}");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[tokio::test]
async fn broken_tar_files_are_refused_and_stay_as_they_are() {
    let folder = Folder::new();
    let path = folder.0.join("layout.tar");
    for (content, reason) in [
        (&b"not a tar"[..], "archive is refused: it is cut short"),
        (&[0; 1024], "it has no `oci-layout`"),
    ] {
        fs::write(&path, content).unwrap();
        let store = Store::Layout(Layout::tar(&path));
        let message = text(&store, "v1").await;
        assert!(message.ends_with(&format!("cannot be used: {reason}")), "{message}");
        let pushed = packed(OBJECTS).push(&store, &["v1".to_owned()], &Watch::default()).await;
        assert!(pushed.is_err());
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[tokio::test]
async fn referrers_are_found_by_subject_and_by_tag() {
    let folder = Folder::new();
    for store in both(&folder) {
        let subject = push(&store, OBJECTS, &["v1"]).await;
        let say = |text: &str| {
            let mut manifest = match packed(text).manifest.parse().unwrap() {
                Parsed::Manifest(manifest) => manifest,
                Parsed::Index(_) => unreachable!(),
            };
            manifest.subject = Some(subject.clone());
            manifest.artifact_type = Some("application/x-saying".to_owned());
            Raw::write(&manifest)
        };
        push(&store, "b: 1\n", &["other"]).await;
        let saying = say("b: 1\n");
        store.put_manifest(&saying, None).await.unwrap();
        let found = store.referrers(&subject.digest).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].digest, saying.descriptor.digest);
        assert_eq!(found[0].artifact_type.as_deref(), Some("application/x-saying"));

        let mut list = index::empty();
        list.manifests = vec![saying.descriptor.clone(), Descriptor::of("a/b", b"listed")];
        let tag = format!("sha256-{}", subject.digest.hex());
        store.put_manifest(&Raw::write_index(&list), Some(&tag)).await.unwrap();
        assert_eq!(store.referrers(&subject.digest).await.unwrap().len(), 2);
        assert_eq!(store.referrers(&Digest::of(b"")).await.unwrap(), []);
    }
}
