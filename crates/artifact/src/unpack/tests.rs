use std::collections::BTreeMap;

use bytes::Bytes;

use super::*;
use crate::InMemory;
use crate::archive::{Compression, Item, layer};
use crate::manifest::{Raw, media};
use crate::scratch::Folder;

const OCI_CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const OCI_LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// What is said of a layer.
type Said = Vec<(&'static str, &'static str)>;

/// An artifact that somebody else made.
#[derive(Default)]
struct Foreign {
    artifact_type: Option<&'static str>,
    config: &'static str,
    layers: Vec<(&'static str, Bytes, Said)>,
    annotations: Vec<(&'static str, String)>,
}

fn archive(files: &[(&str, &str)]) -> Bytes {
    let items = files.iter().map(|(path, content)| {
        let content = Some(content.as_bytes());
        Item { path, mode: 0o644, content }
    });
    layer(items, Compression::Usual).content.into()
}

fn owned<V: ToString>(pairs: Vec<(&'static str, V)>) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_string())).collect()
}

async fn put(store: &Store, media_type: &str, content: Bytes) -> Descriptor {
    let descriptor = Descriptor::of(media_type, &content);
    let source = InMemory { descriptor: descriptor.clone(), content };
    store.put_blob(&descriptor, &source, None).await.unwrap();
    descriptor
}

async fn store(foreign: Foreign, store: &Store) {
    let config = put(store, foreign.config, "{}".into()).await;
    let mut layers = Vec::new();
    for (media_type, content, annotations) in foreign.layers {
        let mut layer = put(store, media_type, content).await;
        layer.annotations = owned(annotations);
        layers.push(layer);
    }
    let manifest = Raw::write(&Manifest {
        schema_version: 2,
        media_type: Some(media::OCI_MANIFEST.to_owned()),
        artifact_type: foreign.artifact_type.map(str::to_owned),
        config,
        layers,
        subject: None,
        annotations: owned(foreign.annotations),
    });
    store.put_manifest(&manifest, Some("latest")).await.unwrap();
}

/// Files as `path=content`, or the text of objects alone, or the error.
async fn read(foreign: Foreign, options: &PullOptions) -> String {
    let folder = Folder::new();
    let layout = folder.store("layout");
    store(foreign, &layout).await;
    let reference = Reference { place: layout.place(), tag: None, digest: None };
    let pulled = pull(&layout, &reference, options).await;
    match pulled {
        Err(error) => error.to_string(),
        Ok(Pulled { producer, content: Content::Objects(text), .. }) => {
            format!("{producer}: {text}")
        }
        Ok(Pulled { producer, tree, .. }) => {
            let show = |(path, content): (&str, &Arc<[u8]>)| {
                format!("{path}={}", String::from_utf8_lossy(content))
            };
            format!("{producer}: {}", tree.files().map(show).collect::<Vec<_>>().join(" "))
        }
    }
}

async fn check(foreign: Foreign, expected: &str) {
    assert_eq!(read(foreign, &PullOptions::default()).await, expected);
}

fn image(layers: &[&[(&str, &str)]]) -> Foreign {
    let layers = layers.iter().map(|files| (OCI_LAYER, archive(files), vec![])).collect();
    Foreign { config: OCI_CONFIG, layers, ..Foreign::default() }
}

fn flux(files: &[(&str, &str)], annotations: &[(&'static str, &str)]) -> Foreign {
    Foreign {
        config: media::FLUX_CONFIG,
        layers: vec![(media::FLUX_CONTENT, archive(files), vec![])],
        annotations: annotations.iter().map(|(key, value)| (*key, value.to_string())).collect(),
        ..Foreign::default()
    }
}

#[tokio::test]
async fn layers_of_an_image_lie_one_over_the_other() {
    check(image(&[&[("a.yaml", "1"), ("b", "1")], &[("a.yaml", "2")]]), "image: /a.yaml=2 /b=1")
        .await;
    check(image(&[&[("a.yaml", "1")]]), "image: 1").await;
    let lock = image(&[&[(".imgpkg/images.yml", "x"), ("a.yaml", "1")]]);
    check(lock, "imgpkg: /.imgpkg/images.yml=x /a.yaml=1").await;
}

#[tokio::test]
async fn layers_that_contradict_each_other_are_refused() {
    let refused = |entry: &str, rule: &str| format!("archive entry `{entry}` is refused: {rule}");
    let removed = image(&[&[("d/a", "1")], &[("d/.wh.a", "")]]);
    check(removed, &refused("d/.wh.a", "it takes away what an earlier layer has")).await;
    let case = image(&[&[("A", "1")], &[("a", "1")]]);
    let rule = "`a` and `A` are one name where case or Unicode form does not count";
    check(case, &refused("a", rule)).await;
    let above = image(&[&[("a", "1")], &[("a/b", "1")]]);
    check(above, &refused("a/b", "`a` above it is a file")).await;
    check(image(&[&[]]), "archive is refused: it has no files").await;
}

#[tokio::test]
async fn orases_files_have_their_titles() {
    let title = annotation::OCI_TITLE;
    let foreign = |layers| Foreign {
        artifact_type: Some("application/vnd.acme"),
        config: media::EMPTY,
        layers,
        ..Foreign::default()
    };
    let file = |name: &'static str| ("text/plain", Bytes::from("x"), vec![(title, name)]);
    let directory = vec![(title, "d"), (annotation::ORAS_UNPACK, "true")];
    let packed = (OCI_LAYER, archive(&[("d/b.yaml", "y")]), directory);
    check(foreign(vec![file("a.yaml"), file("README.md"), packed]), "oras: /a.yaml=x /d/b.yaml=y")
        .await;
    check(foreign(vec![file("README.md")]), "archive is refused: it has no files").await;
    check(
        foreign(vec![file("../a.yaml")]),
        "archive entry `../a.yaml` is refused: its name leads out of the archive by `..`",
    )
    .await;
    check(
        foreign(vec![file("a.yaml"), file("a.yaml")]),
        "archive entry `a.yaml` is refused: its name is used twice",
    )
    .await;
}

#[tokio::test]
async fn single_files_are_texts_of_objects() {
    let raw = |config, kind| Foreign {
        config,
        layers: vec![(kind, Bytes::from("a: 1"), vec![])],
        ..Foreign::default()
    };
    check(raw("artifact/nuon", "application/x-yaml"), "nuon: a: 1").await;
    check(raw(media::FLUX_CONFIG, "application/vnd.cncf.flux.content.v1.yaml"), "flux: a: 1").await;
    check(flux(&[("a.yml", "a: 1")], &[]), "flux: a: 1").await;
    check(flux(&[("kustomization.yaml", "a: 1")], &[]), "flux: /kustomization.yaml=a: 1").await;
    check(flux(&[("notes.txt", "a: 1")], &[]), "flux: /notes.txt=a: 1").await;
}

#[tokio::test]
async fn kluctls_projects_are_refused() {
    let refused = |file: &str| {
        format!(
            "this is a kluctl project: it has `{file}`, whose templates kluctl renders; push what `kluctl render` prints instead"
        )
    };
    check(flux(&[(".kluctl.yaml", ""), ("a", "")], &[]), &refused(".kluctl.yaml")).await;
    let info = &[("io.kluctl.image.git_info", "{}")];
    check(flux(&[("deployment.yaml", "")], info), &refused("deployment.yaml")).await;
    check(flux(&[("deployment.yaml", "a: 1")], &[]), "flux: a: 1").await;
}

#[tokio::test]
async fn a_checksum_is_held_to() {
    let objects = |checksum: &str| {
        let annotations = [(annotation::VERSION, "1.0.0"), (annotation::CHECKSUM, checksum)];
        flux(&[("all.yaml", "a: 1\n---\n")], &annotations)
    };
    let right = Digest::of(b"a: 1\n---\n").hex();
    check(objects(&right), "kelson: a: 1\n---\n").await;
    let expected =
        format!("the content has the checksum {right}, but `kustomizer.dev/checksum` says 00");
    check(objects("00"), &expected).await;
}

#[tokio::test]
async fn what_says_that_it_is_encrypted_must_be() {
    let annotations =
        [(annotation::VERSION, "1.0.0"), (annotation::ENCRYPTED, "age-encryption.org/v1")];
    let key = "AGE-SECRET-KEY-1VFUSUY9RWADL2ALJ5VUEQ4RRHJKNJHG6M6WP50JGGRXZCPM2FE2S7D4MZN";
    let identities = Identity::parse_all(key).unwrap();
    let options = PullOptions { identities, ..PullOptions::default() };
    let actual = read(flux(&[("all.yaml.age", "a: 1\n")], &annotations), &options).await;
    assert_eq!(
        actual,
        "cannot decrypt the artifact: what it contains is not whole or not written by age"
    );
}

#[tokio::test]
async fn a_blob_that_is_too_long_is_not_fetched() {
    let limits = Limits { blob: 10, ..Limits::default() };
    let options = PullOptions { limits, ..PullOptions::default() };
    let actual = read(flux(&[("a.yaml", "a: 1\n")], &[]), &options).await;
    assert!(actual.starts_with("archive is refused: layer sha256:"), "{actual}");
    assert!(actual.ends_with(" bytes, more than 10"), "{actual}");
}
