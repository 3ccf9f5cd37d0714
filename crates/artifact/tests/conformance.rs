//! Artifacts that other programs made are read, or refused by name.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::{Path, PathBuf};

use kelson_artifact::{
    Content, Identity, Layout, Metadata, PullOptions, Pulled, Reference, Store, describe,
    pack_tree, pull,
};
use kelson_testkit::conformance;

async fn read(folder: &Path, layout: &str, identities: &[Identity]) -> Result<Pulled, String> {
    let path = folder.join("layouts").join(layout);
    let store = Store::Layout(Layout::directory(&path));
    let reference = Reference { place: store.place(), tag: None, digest: None };
    let options = PullOptions { identities: identities.to_vec(), ..PullOptions::default() };
    pull(&store, &reference, &options).await.map_err(|error| error.to_string())
}

fn objects(pulled: Pulled) -> String {
    match pulled.content {
        Content::Objects(text) => text.to_string(),
        Content::Tree => panic!("a tree of {} files", pulled.tree.files().count()),
    }
}

/// kustomizer prints what it pulls with one more line feed.
fn expected(folder: &Path, name: &str) -> String {
    let text = fs::read_to_string(folder.join("expected").join(name)).unwrap();
    text.strip_suffix('\n').unwrap().to_owned()
}

#[tokio::test]
async fn kustomizers_artifacts_are_read() {
    let Some(folder) = conformance("kustomizers_artifacts_are_read", "artifacts") else { return };
    for name in ["kustomizer-plain", "kustomizer-overlay"] {
        let pulled = read(&folder, name, &[]).await.unwrap();
        assert_eq!(pulled.producer.to_string(), "kustomizer");
        assert_eq!(objects(pulled), expected(&folder, &format!("{name}.yaml")));
    }
    let refused = read(&folder, "kustomizer-encrypted", &[]).await.unwrap_err();
    assert_eq!(refused, "this is an encrypted artifact: an age identity is needed to read it");
    let key = fs::read_to_string(folder.join("age.key")).unwrap();
    let identities = Identity::parse_all(&key).unwrap();
    let pulled = read(&folder, "kustomizer-encrypted", &identities).await.unwrap();
    assert_eq!(objects(pulled), expected(&folder, "kustomizer-encrypted.yaml"));
}

#[tokio::test]
async fn flux_and_plain_artifacts_are_read() {
    let Some(folder) = conformance("flux_and_plain_artifacts_are_read", "artifacts") else {
        return;
    };
    let plain = fs::read_to_string(folder.join("plain/objects.yaml")).unwrap();
    for (name, producer) in [("flux-file", "flux"), ("crane-image", "image")] {
        let pulled = read(&folder, name, &[]).await.unwrap();
        assert_eq!(pulled.producer.to_string(), producer);
        assert_eq!(objects(pulled), plain);
    }
    let tree = files(&folder.join("tree"));
    for name in ["flux-tree", "index-single"] {
        let pulled = read(&folder, name, &[]).await.unwrap();
        assert_eq!(pulled.content, Content::Tree);
        let files = pulled.tree.files();
        let actual: Vec<_> =
            files.map(|(path, file)| (path[1..].to_owned(), file.clone())).collect();
        assert_eq!(actual, tree);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_by_name() {
    let Some(folder) = conformance("what_cannot_be_read_is_refused_by_name", "artifacts") else {
        return;
    };
    let helm = read(&folder, "helm-demo", &[]).await.unwrap_err();
    assert!(helm.starts_with("this is a Helm chart: "), "{helm}");
    let two = read(&folder, "index-two", &[]).await.unwrap_err();
    assert_eq!(
        two,
        "this is an index of 2 manifests: name one of them by its digest: \
         sha256:421c41b04baf62686155cda3cb699d7ba8f28a1d9f040d0cb479f9e3d4aabaa4, \
         sha256:9c1d893f5f7ce57d5b0f597c76601e2cfe7ba3be689ee65b16a7261e8059358f"
    );
}

#[tokio::test]
async fn what_is_said_of_an_artifact_is_known_even_if_it_is_refused() {
    let test = "what_is_said_of_an_artifact_is_known_even_if_it_is_refused";
    let Some(folder) = conformance(test, "artifacts") else { return };
    for (name, producer, created) in [
        ("kustomizer-encrypted", Some("kustomizer"), Some("2026-11-15T22:25:03Z")),
        ("flux-tree", Some("flux"), Some("1970-01-01T00:00:00Z")),
        ("helm-demo", None, Some("2026-11-15T22:25:03Z")),
        ("index-two", None, None),
    ] {
        let store = Store::Layout(Layout::directory(&folder.join("layouts").join(name)));
        let reference = Reference { place: store.place(), tag: None, digest: None };
        let description = describe(&store, &reference).await.unwrap();
        let actual = description.producer.ok().map(|producer| producer.to_string());
        assert_eq!(actual.as_deref(), producer, "{name}");
        assert_eq!(description.created.as_deref(), created, "{name}");
    }
}

#[tokio::test]
async fn our_archive_of_a_tree_is_that_of_flux() {
    let Some(folder) = conformance("our_archive_of_a_tree_is_that_of_flux", "artifacts") else {
        return;
    };
    let packed = pack_tree(&files(&folder.join("tree")), &Metadata::default()).unwrap();
    let theirs = folder.join("layouts/flux-tree/blobs/sha256/7e19b2858703028287e392aca0df6900bf2f9ae7f25720232cd47da5e3c17227");
    assert!(expand(&packed.layers[0].1) == expand(&fs::read(theirs).unwrap()));
}

fn expand(content: &[u8]) -> Vec<u8> {
    let mut expanded = Vec::new();
    let mut decoder = flate2::bufread::GzDecoder::new(content);
    std::io::Read::read_to_end(&mut decoder, &mut expanded).unwrap();
    expanded
}

/// All files below a directory, by their paths in it.
fn files(root: &Path) -> Vec<(String, std::sync::Arc<[u8]>)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read(&path).unwrap().into()));
        }
    }
    found.sort();
    found
}
