//! Artifacts, by the real program: into layouts and a real registry, and back.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "program/run.rs"]
mod program;

use expect_test::{Expect, expect};
use kelson_testkit::{Registry, registry};

use program::Folder;

const FILES: &str = "#- v1/kustomization.yaml
resources: [web.yaml]
configMapGenerator:
- name: settings
  literals: [mode=slow]
secretGenerator:
- name: password
  literals: [password=hunter2]
  options: {disableNameSuffixHash: true}
#- v1/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - {name: web, image: registry.example/web:v1, envFrom: [{configMapRef: {name: settings}}]}
#- v2/kustomization.yaml
resources: [../v1]
images: [{name: registry.example/web, newTag: v2}]
configMapGenerator:
- name: settings
  behavior: merge
  literals: [mode=fast]
secretGenerator:
- name: password
  behavior: merge
  literals: [password=correct-horse]
";

/// Runs the program for each line of arguments and compares what it printed; `/here` is the folder.
#[track_caller]
fn check(folder: &Folder, lines: &[&str], expected: Expect) {
    let mut text = String::new();
    for line in lines {
        let arguments: Vec<&str> = line.split(' ').collect();
        text.push_str(&format!("$ kelson {line}\n{}", folder.run(&arguments).shown()));
    }
    expected.assert_eq(&text);
}

#[test]
fn what_is_pushed_is_listed_inspected_and_pulled() {
    let folder = Folder::new(FILES);
    check(
        &folder,
        &[
            "push v1 oci-layout:out:v1 --source-url https://me:secret@git.example/shop --revision main@sha1:1",
            "push v1 oci-layout:out:v1.0.1",
            "push v1 oci-layout:out:v1",
            "tag oci-layout:out:v1 v1.1.0 stable",
            "list oci-layout:out",
            "list oci-layout:out --semver >=1.0.1",
            "inspect oci-layout:out:v1",
            "inspect oci-layout:out:v1 --images",
            "pull oci-layout:out:v1",
            "build oci-layout:out:v1",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:out:v1 --source-url https://me:secret@git.example/shop --revision main@sha1:1
            oci-layout:out:v1@sha256:1c8a5ec0b84b5a6a898340b5b6830ba72033b63669ba24ee02ab722fed45097d
            3 objects; 2 blobs sent (546 B), 0 there already
            $ kelson push v1 oci-layout:out:v1.0.1
            oci-layout:out:v1.0.1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 0 blobs sent (0 B), 2 there already
            $ kelson push v1 oci-layout:out:v1
            oci-layout:out:v1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 0 blobs sent (0 B), 2 there already
            $ kelson tag oci-layout:out:v1 v1.1.0 stable
            oci-layout:out:v1.1.0@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            oci-layout:out:stable@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            $ kelson list oci-layout:out
            ARTIFACT               DIGEST                                                                   SOURCE  REVISION
            oci-layout:out:stable  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            oci-layout:out:v1      sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            oci-layout:out:v1.0.1  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            oci-layout:out:v1.1.0  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            $ kelson list oci-layout:out --semver >=1.0.1
            ARTIFACT               DIGEST                                                                   SOURCE  REVISION
            oci-layout:out:v1.1.0  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            oci-layout:out:v1.0.1  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            $ kelson inspect oci-layout:out:v1
            Artifact:   oci-layout:out:v1
            Digest:     sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            Made by:    kelson
            Created:    1970-01-01T00:00:00Z
            Checksum:   84372f94508b680b83abfecfaddfd46cf580427a0990d76612b1142b6263e983
            Objects (3):
              ConfigMap/settings-md9b6k94g2
              Secret/password
              Deployment/web
            Images (1):
              registry.example/web:v1
            $ kelson inspect oci-layout:out:v1 --images
            registry.example/web:v1
            $ kelson pull oci-layout:out:v1
            apiVersion: v1
            data:
              mode: slow
            kind: ConfigMap
            metadata:
              name: settings-md9b6k94g2
            ---
            apiVersion: v1
            data:
              password: aHVudGVyMg==
            kind: Secret
            metadata:
              name: password
            type: Opaque
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 1
              template:
                spec:
                  containers:
                  - envFrom:
                    - configMapRef:
                        name: settings-md9b6k94g2
                    image: registry.example/web:v1
                    name: web
            ---
            $ kelson build oci-layout:out:v1
            apiVersion: v1
            data:
              mode: slow
            kind: ConfigMap
            metadata:
              name: settings-md9b6k94g2
            ---
            apiVersion: v1
            data:
              password: aHVudGVyMg==
            kind: Secret
            metadata:
              name: password
            type: Opaque
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 1
              template:
                spec:
                  containers:
                  - envFrom:
                    - configMapRef:
                        name: settings-md9b6k94g2
                    image: registry.example/web:v1
                    name: web
        "#]],
    );
}

#[test]
fn one_tree_has_one_digest_wherever_it_is() {
    let digest = |folder: &Folder| {
        let ran = folder.run(&["push", "v2", "oci-layout:out:v1", "--json"]);
        let text = ran.out.split("\"digest\":\"").nth(1).map(|rest| rest[..71].to_owned());
        text.unwrap_or_else(|| ran.shown())
    };
    let (one, other) = (Folder::new(FILES), Folder::new(FILES));
    assert_eq!(digest(&one), digest(&other));
    // The recorded digest pins compressor and format: whoever changes them changes everybody's digests.
    expect!["sha256:0e238adf3568a8c1f9ed7830748272ba79e29b129cf412ab2a2567893cf17683"]
        .assert_eq(&digest(&one));
}

#[test]
fn files_have_one_digest_in_whatever_order_and_whenever_they_were_written() {
    let push =
        |folder: &Folder| folder.run(&["push", "--raw", ".", "oci-layout:../out:v1"]).shown();
    let one = Folder::new(FILES);
    let other = Folder::new("");
    let mut files: Vec<&str> = FILES.split("#- ").skip(1).collect();
    files.reverse();
    for file in files {
        let (path, text) = file.split_once('\n').unwrap();
        let path = other.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        // Another clock, and another user's umask.
        let file = std::fs::File::open(&path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
    }
    let digest = |text: &str| text.split('@').nth(1).map(|rest| rest[..71].to_owned());
    let (one, other) = (push(&one), push(&other));
    assert!(digest(&one).is_some(), "{one}");
    assert_eq!(digest(&one), digest(&other), "{one}{other}");
}

#[test]
fn two_sources_differ_by_objects_and_fields() {
    let folder = Folder::new(FILES);
    check(
        &folder,
        &[
            "push v1 oci-layout:out:v1",
            "diff oci-layout:out:v1 v2",
            "diff v1 oci-layout:out:v1",
            "diff v1 missing",
            "diff oci-layout:out:v1 v2 --json",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:out:v1
            oci-layout:out:v1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 2 blobs sent (546 B), 0 there already
            $ kelson diff oci-layout:out:v1 v2
            ~ ConfigMap/settings-t82mkhg8fd (was ConfigMap/settings-md9b6k94g2)
                data.mode: slow → fast
                metadata.name: settings-md9b6k94g2 → settings-t82mkhg8fd
            ~ Secret/password
                data.password: *** (changed)
            ~ Deployment/web
                spec.template.spec.containers[name=web].envFrom[0].configMapRef.name: settings-md9b6k94g2 → settings-t82mkhg8fd
                spec.template.spec.containers[name=web].image: registry.example/web:v1 → registry.example/web:v2
            0 added, 0 removed, 3 changed, 0 unchanged
            exit code 2
            $ kelson diff v1 oci-layout:out:v1
            0 added, 0 removed, 0 changed, 3 unchanged
            $ kelson diff v1 missing
            error[unreadable]: cannot read `/here/missing`: no such file or directory
            error: `/here/missing` cannot be rendered
            exit code 1
            $ kelson diff oci-layout:out:v1 v2 --json
            {"added":[],"changed":[{"after":{"group":"","kind":"ConfigMap","name":"settings-t82mkhg8fd"},"before":{"group":"","kind":"ConfigMap","name":"settings-md9b6k94g2"},"fields":[{"after":"fast","before":"slow","path":"data.mode"},{"after":"settings-t82mkhg8fd","before":"settings-md9b6k94g2","path":"metadata.name"}]},{"after":{"group":"","kind":"Secret","name":"password"},"before":{"group":"","kind":"Secret","name":"password"},"fields":[{"after":"***","before":"***","path":"data.password"}]},{"after":{"group":"apps","kind":"Deployment","name":"web"},"before":{"group":"apps","kind":"Deployment","name":"web"},"fields":[{"after":"settings-t82mkhg8fd","before":"settings-md9b6k94g2","path":"spec.template.spec.containers[name=web].envFrom[0].configMapRef.name"},{"after":"registry.example/web:v2","before":"registry.example/web:v1","path":"spec.template.spec.containers[name=web].image"}]}],"removed":[],"unchanged":0}
            exit code 2
        "#]],
    );
}

#[test]
fn encrypted_content_is_read_with_its_key_and_not_published_without_one() {
    let folder = Folder::new(FILES);
    std::fs::write(
        folder.path("key"),
        "# a key of this test alone\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n",
    )
    .unwrap();
    let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
    let push = format!("push v1 oci-layout:out:v1 --age-recipient {recipient} --json");
    let pushed = folder.run(&push.split(' ').collect::<Vec<_>>());
    assert_eq!(pushed.code, 0, "{}", pushed.shown());
    check(
        &folder,
        &[
            "pull oci-layout:out:v1",
            "pull oci-layout:out:v1 --age-identity key",
            "push oci-layout:out:v1 oci-layout:out:plain --age-identity key",
        ],
        expect![[r#"
            $ kelson pull oci-layout:out:v1
            error: this is an encrypted artifact: an age identity is needed to read it
            exit code 1
            $ kelson pull oci-layout:out:v1 --age-identity key
            apiVersion: v1
            data:
              mode: slow
            kind: ConfigMap
            metadata:
              name: settings-md9b6k94g2
            ---
            apiVersion: v1
            data:
              password: aHVudGVyMg==
            kind: Secret
            metadata:
              name: password
            type: Opaque
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 1
              template:
                spec:
                  containers:
                  - envFrom:
                    - configMapRef:
                        name: settings-md9b6k94g2
                    image: registry.example/web:v1
                    name: web
            ---
            $ kelson push oci-layout:out:v1 oci-layout:out:plain --age-identity key
            error: this content was decrypted on the way, so that anybody could read it in the artifact; encrypt the artifact for its readers with --age-recipient, or leave the content encrypted
            exit code 1
        "#]],
    );
}

#[test]
fn files_are_pushed_as_they_are_and_a_directory_of_them_is_built() {
    let folder = Folder::new(FILES);
    check(
        &folder,
        &[
            "push --raw . oci-layout:out:raw",
            "inspect oci-layout:out:raw",
            "build oci-layout:out:raw//v2",
            "pull oci-layout:out:raw --output tree",
            "diff tree/v2 v2",
            "pull oci-layout:out:raw --output tree",
        ],
        expect![[r#"
            $ kelson push --raw . oci-layout:out:raw
            oci-layout:out:raw@sha256:7d501f9625586e8e4a843278e71897cf252157eb36abdc3452fd952e1823b236
            files as they are; 2 blobs sent (745 B), 0 there already
            $ kelson inspect oci-layout:out:raw
            Artifact:   oci-layout:out:raw
            Digest:     sha256:7d501f9625586e8e4a843278e71897cf252157eb36abdc3452fd952e1823b236
            Made by:    flux
            Created:    1970-01-01T00:00:00Z
            Objects:    the Deployment `web` is there twice
            $ kelson build oci-layout:out:raw//v2
            apiVersion: v1
            data:
              mode: fast
            kind: ConfigMap
            metadata:
              name: settings-t82mkhg8fd
            ---
            apiVersion: v1
            data:
              password: Y29ycmVjdC1ob3JzZQ==
            kind: Secret
            metadata:
              name: password
            type: Opaque
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 1
              template:
                spec:
                  containers:
                  - envFrom:
                    - configMapRef:
                        name: settings-t82mkhg8fd
                    image: registry.example/web:v2
                    name: web
            $ kelson pull oci-layout:out:raw --output tree
            sha256:7d501f9625586e8e4a843278e71897cf252157eb36abdc3452fd952e1823b236
            3 files in tree
            $ kelson diff tree/v2 v2
            0 added, 0 removed, 0 changed, 3 unchanged
            $ kelson pull oci-layout:out:raw --output tree
            error: `tree` is not empty: name a new directory
            exit code 1
        "#]],
    );
}

#[test]
fn what_is_signed_is_verified_and_copied_with_its_signature() {
    let folder = Folder::new(FILES);
    let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/../artifact/tests/data/cosign/p256");
    for name in ["plain.pem", "cosign.pub"] {
        std::fs::copy(format!("{keys}/{name}"), folder.path(name)).unwrap();
    }
    check(
        &folder,
        &[
            "push v1 oci-layout:out:v1",
            "verify oci-layout:out:v1 --key cosign.pub",
            "verify oci-layout:out:v1",
            "mirror oci-layout:out:v1 oci-layout:copy.tar --verify --key cosign.pub",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:out:v1
            oci-layout:out:v1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 2 blobs sent (546 B), 0 there already
            $ kelson verify oci-layout:out:v1 --key cosign.pub
            error: no signatures found for sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7 in `oci-layout:out`
            exit code 1
            $ kelson verify oci-layout:out:v1
            error: say whose signature counts: --key FILE, or --certificate-identity with --certificate-oidc-issuer and --trusted-root
            exit code 1
            $ kelson mirror oci-layout:out:v1 oci-layout:copy.tar --verify --key cosign.pub
            error: no signatures found for sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7 in `oci-layout:out`
            exit code 1
        "#]],
    );
    for form in ["bundle", "tag"] {
        let sign = format!("sign oci-layout:out:v1 --key plain.pem --form {form} --json");
        let signed = folder.run(&sign.split(' ').collect::<Vec<_>>());
        assert_eq!(signed.code, 0, "{}", signed.shown());
        for line in [
            "verify oci-layout:out:v1 --key cosign.pub",
            "mirror oci-layout:out:v1 oci-layout:copy.tar --verify --key cosign.pub",
            "verify oci-layout:copy.tar:v1 --key cosign.pub",
            "pull oci-layout:copy.tar:v1 --verify --key cosign.pub --json",
        ] {
            let ran = folder.run(&line.split(' ').collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "{line}: {}", ran.shown());
        }
    }
}

#[test]
fn three_kinds_of_component_become_artifacts() {
    let folder = Folder::new(
        &(FILES.to_owned()
            + "#- inline.toml
name = \"inline\"
type = \"kubernetes_manifest\"
namespace = \"{{.nuon.install.id}}\"
manifest = \"\"\"
apiVersion: v1
kind: ConfigMap
metadata: {name: inline}
data: {id: {{.nuon.install.id}}}
\"\"\"
#- shop.toml
name = \"shop\"
type = \"kubernetes_manifest\"
namespace = \"shop\"
[kustomize]
path = \"v2\"
#- vendor.toml
name = \"vendor\"
type = \"kubernetes_manifest\"
namespace = \"vendor\"
[oci_artifact]
url = \"oci-layout:theirs\"
tag = \"v1\"
#- wrong.toml
name = \"wrong\"
type = \"kubernetes_manifest\"
namespaze = \"a\"
"),
    );
    check(
        &folder,
        &[
            "push v1 oci-layout:theirs:v1",
            "component build inline.toml shop.toml vendor.toml --to oci-layout:out",
            "list oci-layout:out",
            "pull oci-layout:out:inline",
            "component build wrong.toml --to oci-layout:out",
            "component build inline.toml --to oci-layout:out:a --emit-plan plan.json",
            "component build --plan plan.json --result result.json",
            "component build inline.toml",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:theirs:v1
            oci-layout:theirs:v1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 2 blobs sent (546 B), 0 there already
            $ kelson component build inline.toml shop.toml vendor.toml --to oci-layout:out
            inline: oci-layout:out:inline@sha256:4a1fa1ad0a8393daedfd1be1d579163de990bb5bcc759edeb361f5ce6f645dcc (1 object)
            shop: oci-layout:out:shop@sha256:0e238adf3568a8c1f9ed7830748272ba79e29b129cf412ab2a2567893cf17683 (3 objects)
            vendor: oci-layout:out:vendor@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7 (copied)
            $ kelson list oci-layout:out
            ARTIFACT               DIGEST                                                                   SOURCE  REVISION
            oci-layout:out:inline  sha256:4a1fa1ad0a8393daedfd1be1d579163de990bb5bcc759edeb361f5ce6f645dcc  -       -
            oci-layout:out:shop    sha256:0e238adf3568a8c1f9ed7830748272ba79e29b129cf412ab2a2567893cf17683  -       -
            oci-layout:out:vendor  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            $ kelson pull oci-layout:out:inline
            apiVersion: v1
            data:
              id: {{.nuon.install.id}}
            kind: ConfigMap
            metadata:
              name: inline
            ---
            $ kelson component build wrong.toml --to oci-layout:out
            error[missing-field]: namespace is required
             --> wrong.toml:1:1
              |
            1 | name = "wrong"
              | ^^^^
            error[no-source]: one of 'manifest', 'kustomize', or 'oci_artifact' must be specified
             --> wrong.toml:1:1
              |
            1 | name = "wrong"
              | ^^^^
            error[unknown-key]: `namespaze` is not a field of a component
             --> wrong.toml:3:1
              |
            3 | namespaze = "a"
              | ^^^^^^^^^
              |
              = help: did you mean `namespace`?
            exit code 1
            $ kelson component build inline.toml --to oci-layout:out:a --emit-plan plan.json
            $ kelson component build --plan plan.json --result result.json
            inline: oci-layout:out:a@sha256:4a1fa1ad0a8393daedfd1be1d579163de990bb5bcc759edeb361f5ce6f645dcc (1 object)
            $ kelson component build inline.toml
            error: the following required arguments were not provided:
              --to <PLACE>

            Usage: kelson component build --to <PLACE> <COMPONENT.TOML|--plan <FILE>>

            For more information, try '--help'.
            exit code 64
        "#]],
    );
    expect![[r#"
        {
          "status": "finished",
          "oci_artifact": {
            "url": "oci-layout:out",
            "tag": "a",
            "digest": "sha256:4a1fa1ad0a8393daedfd1be1d579163de990bb5bcc759edeb361f5ce6f645dcc"
          },
          "descriptor": {
            "tag": "a",
            "repository": "oci-layout:out",
            "media_type": "application/vnd.oci.image.manifest.v1+json",
            "digest": "sha256:4a1fa1ad0a8393daedfd1be1d579163de990bb5bcc759edeb361f5ce6f645dcc",
            "size": 651,
            "urls": [],
            "annotations": {},
            "artifact_type": "",
            "platform": null
          },
          "objects": 1
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(folder.path("result.json")).unwrap());
}

#[test]
fn a_registry_with_a_password_is_pushed_to_and_no_message_has_it() {
    let options = registry::Options { auth: registry::Auth::Basic, ..Default::default() };
    let registry = Registry::start(options).unwrap();
    let folder = Folder::new(FILES);
    let artifact = format!("oci://{}/shop:v1", registry.address());
    let creds = format!("{}:{}", registry::USER, registry::PASSWORD);
    let seen = std::cell::RefCell::new(String::new());
    let run = |arguments: &[&str]| {
        let ran = folder.run(arguments);
        seen.borrow_mut().push_str(&ran.shown());
        ran.code
    };
    assert_eq!(run(&["push", "v1", &artifact]), 1);
    assert_eq!(run(&["push", "v1", &artifact, "--creds", "kelson:wrong-guess"]), 1);
    assert_eq!(run(&["push", "v1", &artifact, "--creds", "wrong-guess"]), 1);
    assert_eq!(run(&["push", "v1", &artifact, "--creds", &creds]), 0);
    assert_eq!(run(&["push", "v1", &artifact, "--creds", &creds]), 0);
    let twice = "0 blobs sent (0 B), 2 there already";
    assert!(seen.borrow().contains(twice), "{}", seen.borrow());
    assert_eq!(run(&["pull", &artifact, "--creds", &creds, "--output", "out.yaml"]), 0);
    assert_eq!(run(&["mirror", &artifact, "oci-layout:copy", "--creds", &creds]), 0);
    assert_eq!(run(&["diff", "v1", "oci-layout:copy:v1"]), 0);
    assert_eq!(run(&["list", &artifact.replace(":v1", ""), "--creds", &creds]), 0);
    // Credentials are for the registry that is named first, and no other one sees them.
    let other = Registry::start(options).unwrap();
    let elsewhere = format!("oci://{}/shop:v1", other.address());
    assert_eq!(run(&["mirror", &artifact, &elsewhere, "--creds", &creds]), 1);
    assert_eq!(run(&["mirror", &artifact, &elsewhere, "--creds", &creds, "--to-creds", &creds]), 0);
    for secret in [registry::PASSWORD, "wrong-guess", "hunter2", "aHVudGVyMg"] {
        assert!(!seen.borrow().contains(secret), "{}", seen.borrow());
    }
}

#[test]
fn a_bundle_takes_images_along_and_restores_them_elsewhere() {
    let registry = Registry::start(registry::Options::default()).unwrap();
    let host = registry.address().to_string();
    let folder = Folder::new(&FILES.replace("registry.example", &format!("{host}/theirs")));
    let check = |line: &str| {
        let line = line.replace("HOST", &host);
        let ran = folder.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{line}: {}", ran.shown());
        ran.out.replace(&host, "HOST")
    };
    // What an image is made of is nobody's business here: any artifact will do.
    check("push v2 oci://HOST/theirs/web:v1");
    check("push v1 oci://HOST/ours/shop:v1");
    let bundled = check("bundle oci://HOST/ours/shop:v1 oci-layout:shop.tar --images --json");
    assert!(bundled.contains(r#""image":"HOST/theirs/web:v1""#), "{bundled}");
    let there = "bundle --restore oci-layout:shop.tar:v1 oci://HOST/there/shop:v1";
    let restored = check(&format!("{there} --images-to HOST/there --rewrite"));
    assert!(restored.contains("HOST/theirs/web:v1 → HOST/there/theirs/web:v1"), "{restored}");
    let images = check("inspect oci://HOST/there/shop:v1 --images");
    assert_eq!(images, "HOST/there/theirs/web:v1\n");
    assert_eq!(
        check("pull oci://HOST/there/theirs/web:v1"),
        check("pull oci://HOST/theirs/web:v1")
    );
    let same = check(&format!("{there}-as-it-was --images-to HOST/there"));
    let digest = |text: &str| text.split("sha256:").nth(1).map(|rest| rest[..64].to_owned());
    assert_eq!(digest(&same), digest(&check("list oci://HOST/ours/shop --json")));
}

#[test]
fn a_built_component_is_copied_as_a_plan_says() {
    let folder = Folder::new(FILES);
    let plan = r#"{"src_registry": {"registry_type": "public_oci", "repository": "oci-layout:from"}, "src_tag": "v1",
        "dst_registry": {"registry_type": "public_oci", "repository": "oci-layout:to"}, "dst_tag": "deploy-1"}"#;
    std::fs::write(folder.path("plan.json"), plan).unwrap();
    check(
        &folder,
        &[
            "push v1 oci-layout:from:v1",
            "component sync --plan plan.json",
            "list oci-layout:to",
            "component sync --plan v1/web.yaml",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:from:v1
            oci-layout:from:v1@sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7
            3 objects; 2 blobs sent (546 B), 0 there already
            $ kelson component sync --plan plan.json
            {
              "tag": "deploy-1",
              "repository": "oci-layout:to",
              "media_type": "application/vnd.oci.image.manifest.v1+json",
              "digest": "sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7",
              "size": 651,
              "urls": [],
              "annotations": {},
              "artifact_type": "",
              "platform": null
            }
            $ kelson list oci-layout:to
            ARTIFACT                DIGEST                                                                   SOURCE  REVISION
            oci-layout:to:deploy-1  sha256:e970ad5360b9ba208dc0929b42382b4b977df907d838cf55cc2a82ebda13dda7  -       -
            $ kelson component sync --plan v1/web.yaml
            error: `v1/web.yaml` is not a plan
            caused by: it is not JSON: expected value at line 1 column 1
            exit code 1
        "#]],
    );
}
