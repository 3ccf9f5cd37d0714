use super::*;
use crate::{Identity, read_archive};

const OBJECTS: &str =
    "apiVersion: v1\ndata:\n  key: value\nkind: ConfigMap\nmetadata:\n  name: my-config\n---\n";

fn metadata() -> Metadata {
    Metadata {
        source: Some("https://user:secret@git.example.com/shop.git".to_owned()),
        revision: Some("main@sha1:0123456789abcdef0123456789abcdef01234567".to_owned()),
        ..Metadata::default()
    }
}

fn manifest(packed: &Packed) -> String {
    String::from_utf8(packed.manifest.bytes.to_vec()).unwrap()
}

fn expanded(packed: &Packed) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut decoder = flate2::bufread::GzDecoder::new(&packed.layers[0].1[..]);
    std::io::Read::read_to_end(&mut decoder, &mut archive).unwrap();
    archive
}

#[test]
fn kustomizers_form_is_kustomizers_to_the_byte() {
    let packed = pack_objects(OBJECTS, Form::Kustomizer, &Metadata::default(), &[]).unwrap();
    let archive = expanded(&packed);
    assert_eq!(archive.len(), 2048);
    assert_eq!(
        Digest::of(&archive).to_string(),
        "sha256:d8c204f99b8fdcd39c9646234c52045a03f6d1968fb87a8390db34cb3f38ed3c"
    );
    assert_eq!(
        packed.config.0.digest.to_string(),
        "sha256:3d26372fd3b445c54df220e8eadacf306c28fdda82f037c37eb9a3bc48a3f17f"
    );
    assert_eq!(packed.config.0.size, 233);
    assert_eq!(packed.layers[0].1[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
    let text = manifest(&packed);
    let begins = r#"{"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json","config":{"mediaType":"application/vnd.docker.container.image.v1+json","size":233,"digest":"sha256:3d26"#;
    assert!(text.starts_with(begins), "{text}");
    let ends = r#""annotations":{"kustomizer.dev/checksum":"4b6d8d12f4c8bde013dbe4d2f8106f04652e3d1f47ef6857d955493c4cd6e07f","kustomizer.dev/created":"1970-01-01T00:00:00Z","kustomizer.dev/version":"1.0.0","org.opencontainers.image.created":"1970-01-01T00:00:00Z"}}"#;
    assert!(text.ends_with(ends), "{text}");
}

/// Another digest here means that everybody's artifacts change with the next push of what has not changed.
#[test]
fn digests_of_fixed_input_are_recorded() {
    let tree = [
        ("b.yaml".to_owned(), Arc::from(&b"b: 1\n"[..])),
        ("a/c.yaml".to_owned(), Arc::from(&b"c: 1\n"[..])),
    ];
    let many: String = (0..500).map(|number| OBJECTS.replace("my", &number.to_string())).collect();
    let packed = [
        pack_objects(OBJECTS, Form::Flux, &metadata(), &[]),
        pack_objects(OBJECTS, Form::Kustomizer, &metadata(), &[]),
        pack_objects(&many, Form::Flux, &metadata(), &[]),
        pack_tree(&tree, &metadata()),
    ];
    let digests = packed.map(|packed| format!("{}\n", packed.unwrap().manifest.descriptor.digest));
    expect_test::expect![[r#"
        sha256:fa61f5562a34a8d5be33d61d23d89e22e50f9ea4417a63accf06b6d55be7c312
        sha256:c65057f7bf1613b7444e38966d6750ea7f59db85033228aa2adb34a034ec149c
        sha256:ddaae27945a9185ae71b1693b6dac85c0b9d44c81bce2401a965b41d1041b0dc
        sha256:3f8a7b757620d626b644ec35692796ec8944fe501356f788c4dd4961d6e58eb2
    "#]]
    .assert_eq(&digests.concat());
}

#[test]
fn what_is_said_of_an_artifact_has_both_names_and_no_credentials() {
    let packed = pack_objects(OBJECTS, Form::Flux, &metadata(), &[]).unwrap();
    let text = manifest(&packed);
    for part in [
        r#""mediaType":"application/vnd.cncf.flux.content.v1.tar+gzip""#,
        r#""org.opencontainers.image.source":"https://git.example.com/shop.git""#,
        r#""org.opencontainers.image.revision":"main@sha1:0123"#,
        r#""kustomizer.dev/checksum":"4b6d"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("secret"));
    let own = BTreeMap::from([(annotation::CHECKSUM.to_owned(), "0".to_owned())]);
    let refused = pack_objects("", Form::Flux, &Metadata { annotations: own, ..metadata() }, &[]);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "cannot pack: the annotation `kustomizer.dev/checksum` is the format's own"
    );
}

#[test]
fn encrypted_artifacts_say_their_checksum_only_in_kustomizers_form() {
    let identity = "AGE-SECRET-KEY-1VFUSUY9RWADL2ALJ5VUEQ4RRHJKNJHG6M6WP50JGGRXZCPM2FE2S7D4MZN";
    let recipient = Identity::parse_all(identity).unwrap()[0].recipient();
    for (form, says) in [(Form::Flux, false), (Form::Kustomizer, true)] {
        let packed =
            pack_objects(OBJECTS, form, &metadata(), std::slice::from_ref(&recipient)).unwrap();
        let text = manifest(&packed);
        assert!(text.contains(r#""kustomizer.dev/encrypted":"age-encryption.org/v1""#));
        assert_eq!(text.contains(annotation::CHECKSUM), says);
        let archive = expanded(&packed);
        assert!(archive.starts_with(b"all.yaml.age\0"));
        assert!(!archive.windows(9).any(|window| window == b"my-config"));
    }
}

#[test]
fn a_tree_has_one_digest_in_every_order() {
    let file = |path: &str| (path.to_owned(), Arc::from(path.as_bytes()));
    let mut files = ["a-b", "a/b", "a/b.yaml", "a.yaml", "z/y/x"].map(file);
    let first = pack_tree(&files, &metadata()).unwrap();
    files.reverse();
    let second = pack_tree(&files, &metadata()).unwrap();
    assert_eq!(first.manifest, second.manifest);
    let tree = read_archive(&first.layers[0].1, &Limits::default()).unwrap();
    assert_eq!(tree.files().count(), 5);
    let archive = expanded(&first);
    let names: Vec<&str> = archive
        .chunks(512)
        .filter(|block| &block[257..262] == b"ustar")
        .map(|block| std::str::from_utf8(block.split(|byte| *byte == 0).next().unwrap()).unwrap())
        .collect();
    assert_eq!(names, [".", "a", "a/b", "a/b.yaml", "a-b", "a.yaml", "z", "z/y", "z/y/x"]);
}

#[test]
fn what_could_not_be_read_back_is_not_packed() {
    let pack = |paths: &[&str]| {
        let files: Vec<_> =
            paths.iter().map(|path| (path.to_string(), Arc::from(&b""[..]))).collect();
        pack_tree(&files, &Metadata::default()).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(pack(&["/a", "b"]), Ok(()));
    for (paths, rule) in [
        (&["../a"][..], "`../a` is refused: its name leads out"),
        (&["a", "A"], "`A` is refused: `A` and `a` are one name"),
        (&["a", "a"], "`a` is refused: its name is used twice"),
        (&["./a"], "`./a` is refused: its path is not in its shortest form"),
    ] {
        let message = pack(paths).unwrap_err();
        assert!(message.starts_with(&format!("archive entry {rule}")), "{message}");
    }
}
