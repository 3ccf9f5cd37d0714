//! The real cosign and we, on one registry: what either signs, the other verifies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use kelson_artifact::registry::{Client, Options};
use kelson_artifact::{
    Annotations, Digest, Place, Policy, PrivateKey, PublicKey, SignatureForm, Store, sign, verify,
};
use kelson_model::Secret;
use kelson_testkit::registry::{self, Registry};

use crate::keyless::{IDENTITY, ISSUER, Scene};
use crate::keys::ED25519;
use crate::workshop::{Folder, Workshop, artifact, describe};
use crate::{BOTH, by, data, public};

const PASSWORD: &str = "correct horse";

struct Bench {
    cosign: PathBuf,
    registry: Registry,
    folder: Folder,
}

impl Bench {
    fn new(test: &str) -> Option<Self> {
        let cosign = kelson_testkit::tool(test, "cosign")?;
        let registry = Registry::start(registry::Options::default()).unwrap();
        Some(Self { cosign, registry, folder: Folder::new(test) })
    }

    fn host(&self) -> String {
        self.registry.address().to_string()
    }

    fn store(&self, name: &str) -> Store {
        let place = Place::Repository { host: self.host(), name: name.to_owned() };
        Store::open(&place, &Client::new(Options::default()).unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(&self.cosign)
            .args(arguments)
            .env("HOME", &self.folder.0)
            .env("COSIGN_PASSWORD", PASSWORD)
            .output()
            .unwrap()
    }

    /// What cosign says: its answer, or its last line where it refuses.
    fn verify(
        &self,
        key: &Path,
        form: SignatureForm,
        image: &str,
        more: &[&str],
    ) -> Result<String, String> {
        let mut arguments =
            vec!["verify", "--key", text(key), "--insecure-ignore-tlog", bundles(form)];
        arguments.extend(more);
        arguments.push(image);
        let output = self.run(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(errors.lines().last().unwrap_or_default().to_owned()),
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn bundles(form: SignatureForm) -> &'static str {
    match form {
        SignatureForm::Legacy => "--new-bundle-format=false",
        SignatureForm::Bundle => "--new-bundle-format=true",
    }
}

/// A key as cosign keeps it, beside what else is said to `cosign verify` for keys of its kind: there it does not choose
/// the hash by the key, as `cosign sign` does.
const KEYS: [(&str, &[&str]); 3] =
    [("p256", &[]), ("p384", &["--signature-digest-algorithm=sha384"]), ("rsa", &[])];

fn sealed(kind: &str) -> PathBuf {
    data(kind).join("cosign.key")
}

fn opened(kind: &str) -> PrivateKey {
    let text = std::fs::read(sealed(kind)).unwrap();
    PrivateKey::read(&text, Some(&Secret::new(PASSWORD))).unwrap()
}

async fn ours(store: &Store, digest: &Digest, policy: &Policy) -> String {
    describe(verify(store, digest, policy, SystemTime::now()).await)
}

#[tokio::test]
async fn what_we_sign_cosign_verifies() {
    let Some(bench) = Bench::new("what_we_sign_cosign_verifies") else { return };
    let said = Annotations::from([("build".to_owned(), "7".to_owned())]);
    for (kind, more) in KEYS {
        let store = bench.store(kind);
        let digest = artifact(&store, kind.as_bytes()).await;
        let name = format!("{}/{kind}", bench.host());
        let image = format!("{name}@{digest}");
        for form in BOTH {
            sign(&store, &digest, &name, &opened(kind), form, &said).await.unwrap();
            let answer = bench.verify(&data(kind).join("cosign.pub"), form, &image, more).unwrap();
            assert!(answer.contains(&digest.to_string()), "{answer}");
            assert!(answer.contains(r#""optional":{"build":"7"}"#), "{answer}");
            let other = if kind == "rsa" { "p256" } else { "rsa" };
            let refused = bench.verify(&data(other).join("cosign.pub"), form, &image, &[]);
            assert!(refused.is_err(), "{refused:?}");
        }
        // The tag says the same as the digest.
        bench.verify(&data(kind).join("cosign.pub"), BOTH[1], &format!("{name}:v1"), more).unwrap();
    }
}

#[tokio::test]
async fn what_cosign_signs_we_verify() {
    let Some(bench) = Bench::new("what_cosign_signs_we_verify") else { return };
    for (kind, _) in KEYS {
        let store = bench.store(kind);
        let digest = artifact(&store, kind.as_bytes()).await;
        let image = format!("{}/{kind}@{digest}", bench.host());
        let mut expected = String::new();
        for (form, name) in BOTH.into_iter().zip(["tag", "bundle"]) {
            let key = sealed(kind);
            let offline = ["--use-signing-config=false", "--tlog-upload=false", "--yes"];
            let mut arguments = vec!["sign", "--key", text(&key), bundles(form), "-a", "build=7"];
            arguments.extend(offline);
            arguments.push(&image);
            let output = bench.run(&arguments);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            expected += &format!("{name}: key {} build=7\n", public(kind).id());
        }
        assert_eq!(ours(&store, &digest, &by(&[&public(kind)])).await, expected, "{kind}");
    }
}

#[tokio::test]
async fn signatures_of_cosign_and_ours_stand_beside_each_other() {
    let Some(bench) = Bench::new("signatures_of_cosign_and_ours_stand_beside_each_other") else {
        return;
    };
    let store = bench.store("both");
    let digest = artifact(&store, b"both").await;
    let name = format!("{}/both", bench.host());
    let image = format!("{name}@{digest}");
    let none = Annotations::new();
    for form in BOTH {
        sign(&store, &digest, &name, &opened("rsa"), form, &none).await.unwrap();
        let key = sealed("p256");
        let offline = ["--use-signing-config=false", "--tlog-upload=false", "--yes"];
        let mut arguments = vec!["sign", "--key", text(&key), bundles(form)];
        arguments.extend(offline);
        arguments.push(&image);
        assert!(bench.run(&arguments).status.success());
        sign(&store, &digest, &name, &opened("p384"), form, &none).await.unwrap();
    }
    for form in BOTH {
        for (kind, more) in KEYS {
            let answer = bench.verify(&data(kind).join("cosign.pub"), form, &image, more);
            assert!(answer.is_ok(), "{kind} {form:?}: {answer:?}");
        }
    }
    let keys: Vec<PublicKey> = KEYS.iter().map(|(kind, _)| public(kind)).collect();
    let answer = ours(&store, &digest, &by(&keys.iter().collect::<Vec<_>>())).await;
    assert_eq!(answer.lines().count(), 6, "{answer}");
}

#[tokio::test]
async fn a_key_of_ours_serves_cosign() {
    let Some(bench) = Bench::new("a_key_of_ours_serves_cosign") else { return };
    let (key, text_of_key) = PrivateKey::generate(&Secret::new(PASSWORD)).unwrap();
    let (private, public) = (bench.folder.0.join("new.key"), bench.folder.0.join("new.pub"));
    std::fs::write(&private, text_of_key).unwrap();
    std::fs::write(&public, key.public().to_pem()).unwrap();
    let output = bench.run(&["public-key", "--key", text(&private)]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), key.public().to_pem());
    let store = bench.store("new");
    let digest = artifact(&store, b"new").await;
    let image = format!("{}/new@{digest}", bench.host());
    sign(&store, &digest, "new", &key, SignatureForm::Bundle, &Annotations::new()).await.unwrap();
    bench.verify(&public, SignatureForm::Bundle, &image, &[]).unwrap();
}

#[tokio::test]
async fn a_signature_with_ed25519_serves_cosign() {
    let Some(bench) = Bench::new("a_signature_with_ed25519_serves_cosign") else { return };
    let key = PrivateKey::read(ED25519.as_bytes(), None).unwrap();
    let public = bench.folder.0.join("ed25519.pub");
    std::fs::write(&public, key.public().to_pem()).unwrap();
    let store = bench.store("ed25519");
    let digest = artifact(&store, b"ed25519").await;
    let image = format!("{}/ed25519@{digest}", bench.host());
    let id = key.public().id();
    for form in BOTH {
        sign(&store, &digest, "ed25519", &key, form, &Annotations::new()).await.unwrap();
        bench.verify(&public, form, &image, &[]).unwrap();
    }
    let answer = ours(&store, &digest, &by(&[key.public()])).await;
    assert_eq!(answer, format!("tag: key {id}\nbundle: key {id}\n"));
}

#[tokio::test]
async fn what_cosign_signs_with_ed25519_we_verify() {
    let Some(bench) = Bench::new("what_cosign_signs_with_ed25519_we_verify") else { return };
    let plain = bench.folder.0.join("plain.pem");
    std::fs::write(&plain, ED25519).unwrap();
    let prefix = bench.folder.0.join("imported");
    let import = ["import-key-pair", "--key", text(&plain), "--output-key-prefix", text(&prefix)];
    assert!(bench.run(&import).status.success());
    let key = prefix.with_extension("key");
    let public = PublicKey::read(&std::fs::read(prefix.with_extension("pub")).unwrap()).unwrap();
    let store = bench.store("prehashed");
    let digest = artifact(&store, b"prehashed").await;
    let image = format!("{}/prehashed@{digest}", bench.host());
    for form in BOTH {
        let mut arguments = vec!["sign", "--key", text(&key), bundles(form)];
        arguments.extend(["--use-signing-config=false", "--tlog-upload=false", "--yes", &image]);
        assert!(bench.run(&arguments).status.success());
        // Signed by one variant, verified by the other: the day this changes, COMPAT.md has to.
        let itself = bench.verify(&prefix.with_extension("pub"), form, &image, &[]);
        assert!(itself.is_err(), "{itself:?}");
    }
    let id = public.id();
    let answer = ours(&store, &digest, &by(&[&public])).await;
    assert_eq!(answer, format!("tag: key {id}\nbundle: key {id}\n"));
}

#[tokio::test]
async fn cosign_judges_identities_as_we_do() {
    let Some(bench) = Bench::new("cosign_judges_identities_as_we_do") else { return };
    let scene = Scene::on(Workshop::on(bench.store("keyless"))).await;
    scene.sign().await;
    let expected = format!("tag: {IDENTITY} by {ISSUER}\nbundle: {IDENTITY} by {ISSUER}\n");
    assert_eq!(scene.verify(&scene.policy()).await, expected);
    let root = bench.folder.0.join("trusted_root.json");
    std::fs::write(&root, scene.sigstore.trusted_root()).unwrap();
    let image = format!("{}/keyless@{}", bench.host(), scene.digest);
    let other = "https://ci.example/acme/shop/other.yaml";
    for (form, identity, fine) in [
        (BOTH[0], IDENTITY, true),
        (BOTH[1], IDENTITY, true),
        (BOTH[0], other, false),
        (BOTH[1], other, false),
    ] {
        let identity = format!("--certificate-identity={identity}");
        let issuer = format!("--certificate-oidc-issuer={ISSUER}");
        let root = format!("--trusted-root={}", text(&root));
        let output = bench.run(&["verify", &root, &identity, &issuer, bundles(form), &image]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), fine, "{form:?} {identity}: {errors}");
    }
}
