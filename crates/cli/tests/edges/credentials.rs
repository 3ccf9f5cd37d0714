//! Who we say we are: to registries and repositories, by files and by other programs.

use expect_test::expect;
use kelson_testkit::registry::{PASSWORD, USER};
use kelson_testkit::{GitServer, cannot_run};

use crate::program::Folder;
use crate::{SHOP, check, done, private_registry};

/// Puts a program on a search path of its own, before the usual one.
fn program(folder: &Folder, name: &str, text: &str) -> String {
    let directory = folder.path("programs");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default())
}

#[test]
fn a_credential_helper_is_asked_for_the_registry_it_keeps() {
    let registry = private_registry();
    let folder = Folder::new(SHOP);
    let address = registry.address().to_string();
    let artifact = format!("oci://{address}/shop:v1");
    let config = |helper: &str| {
        let text = format!("{{\"credHelpers\": {{\"{address}\": \"{helper}\"}}}}");
        std::fs::write(folder.path("config.json"), text).unwrap();
    };
    let path = program(
        &folder,
        "docker-credential-shop",
        &format!(
            "#!/bin/sh\nread server\necho \"$1 $server\" >> asked\n\
             printf '{{\"ServerURL\":\"%s\",\"Username\":\"{USER}\",\"Secret\":\"{PASSWORD}\"}}' \"$server\"\n"
        ),
    );
    program(
        &folder,
        "docker-credential-locked",
        "#!/bin/sh\necho 'the keychain is locked: hunter2' >&2\nexit 1\n",
    );
    let run = |arguments: &[&str]| folder.run_with(&[("PATH", &path)], arguments);
    config("shop");
    let pushed = run(&["push", "shop", &artifact]);
    assert!(done(&pushed).contains("1 object; 2 blobs sent"), "{}", pushed.shown());
    let asked = std::fs::read_to_string(folder.path("asked")).unwrap();
    assert_eq!(asked, format!("get {address}\n"), "it is asked once a run");

    // A registry that was not named is not asked for.
    let other = private_registry();
    let elsewhere = format!("oci://{}/shop:v1", other.address());
    let mirrored = run(&["mirror", &artifact, &elsewhere, "--retries=0"]);
    assert_eq!(mirrored.code, 1, "{}", mirrored.shown());
    assert!(mirrored.shown().contains("no credentials were found for it"), "{}", mirrored.shown());
    assert!(
        !std::fs::read_to_string(folder.path("asked"))
            .unwrap()
            .contains(&other.address().to_string())
    );

    let mut shown = mirrored.shown();
    for helper in ["locked", "missing", "../shop"] {
        config(helper);
        let ran = run(&["pull", &artifact]);
        assert_eq!(ran.code, 1, "{}", ran.shown());
        shown.push_str(&ran.shown());
    }
    for secret in [PASSWORD, "hunter2"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    let shown = shown.replace(&address, "HOST").replace(&other.address().to_string(), "OTHER");
    expect![[r#"
        error: cannot read manifest sha256:54c5b388926107e2ed70adc7d42d0f25b23ee69b467e0f38a4b8c8eee913bb07 in `oci://OTHER/shop`: OTHER answered 401 Unauthorized; no credentials were found for it: log in, as with `docker login OTHER`, or give them with `--creds`
        exit code 1
        error: cannot use the credentials of `/here/config.json`: `docker-credential-locked` failed
        exit code 1
        error: cannot use the credentials of `/here/config.json`: it names the helper `docker-credential-missing`, which is not on the path: install it, or log in again
        exit code 1
        error: cannot use the credentials of `/here/config.json`: the name of a helper must be a bare word
        exit code 1
    "#]].assert_eq(&shown);
}

#[test]
fn credentials_that_a_component_names_come_from_a_file() {
    let registry = private_registry();
    let address = registry.address().to_string();
    let folder = Folder::new(&format!(
        "{SHOP}#- vendor.toml\nname = \"vendor\"\ntype = \"kubernetes_manifest\"\nnamespace = \"x\"\n\
         [oci_artifact]\nurl = \"oci://{address}/vendor/shop\"\ntag = \"v1\"\ncredentials_ref = \"vendor-pull\"\n\
         #- good.txt\n# who may pull\nvendor-pull {USER} {PASSWORD}\n\
         #- wrong.txt\nvendor-pull {USER} wrong-guess\n\
         #- broken.txt\n\nvendor-pull wrong-guess\n"
    ));
    let artifact = format!("oci://{address}/vendor/shop:v1");
    let creds = format!("{USER}:{PASSWORD}");
    done(&folder.run(&["push", "shop", &artifact, "--creds", &creds]));
    check(
        &folder,
        &[("HOST", &address)],
        &[
            "component build vendor.toml --to oci-layout:out",
            "component build vendor.toml --to oci-layout:out --credentials missing.txt",
            "component build vendor.toml --to oci-layout:out --credentials broken.txt",
            "component build vendor.toml --to oci-layout:out --credentials wrong.txt",
            "component build vendor.toml --to oci-layout:out --credentials good.txt",
            "list oci-layout:out",
        ],
        expect![[r#"
            $ kelson component build vendor.toml --to oci-layout:out
            error: vendor: no credentials named `vendor-pull` were given
            exit code 1
            $ kelson component build vendor.toml --to oci-layout:out --credentials missing.txt
            error: cannot read `missing.txt`
            caused by: No such file or directory (os error 2)
            exit code 1
            $ kelson component build vendor.toml --to oci-layout:out --credentials broken.txt
            error: broken.txt:2: NAME USER PASSWORD is expected
            exit code 1
            $ kelson component build vendor.toml --to oci-layout:out --credentials wrong.txt
            error: vendor: cannot read tag `v1` in `oci://HOST/vendor/shop`: HOST answered 401 Unauthorized; user `kelson` of the command line was refused: are user and password right?
            exit code 1
            $ kelson component build vendor.toml --to oci-layout:out --credentials good.txt
            vendor: oci-layout:out:vendor@sha256:… (copied)
            $ kelson list oci-layout:out
            ARTIFACT               DIGEST                                                                   SOURCE  REVISION
            oci-layout:out:vendor  sha256:…  -       -
        "#]],
    );
}

#[test]
fn credentials_for_repositories_come_from_a_file_by_host() {
    let test = "credentials_for_repositories_come_from_a_file_by_host";
    let server = match GitServer::start_private("ann", "hunter2") {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let files = [
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
    ];
    let repository = server.repository("shop", &files).unwrap();
    let folder = Folder::new(&format!(
        "#- shop.toml\nname = \"shop\"\ntype = \"kubernetes_manifest\"\nnamespace = \"x\"\n\
         [connected_repo]\nrepo = \"{}\"\nbranch = \"main\"\n[kustomize]\npath = \".\"\n\
         #- good.txt\n127.0.0.1 ann hunter2\n#- wrong.txt\n127.0.0.1 ann wrong-guess\n\
         #- other.txt\ngit.example ann hunter2\n#- broken.txt\n127.0.0.1 ann hunter2 more\n",
        repository.url
    ));
    let address = server.address().to_string();
    check(
        &folder,
        &[("HOST", &address)],
        &[
            "component build shop.toml --to oci-layout:out",
            "component build shop.toml --to oci-layout:out --git-credentials other.txt",
            "component build shop.toml --to oci-layout:out --git-credentials wrong.txt",
            "component build shop.toml --to oci-layout:out --git-credentials broken.txt",
            "component build shop.toml --to oci-layout:out --git-credentials good.txt",
        ],
        expect![[r#"
            $ kelson component build shop.toml --to oci-layout:out
            error: shop: the repository `http://HOST/shop.git` asks for credentials, and none were given
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --git-credentials other.txt
            error: shop: the repository `http://HOST/shop.git` asks for credentials, and none were given
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --git-credentials wrong.txt
            error: shop: the repository `http://HOST/shop.git` asks for credentials, and those given were not accepted
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --git-credentials broken.txt
            error: broken.txt:1: HOST USER PASSWORD is expected
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --git-credentials good.txt
            shop: oci-layout:out:shop@sha256:… (1 object)
        "#]],
    );
}

#[test]
fn a_repository_is_fetched_by_ssh_with_the_program_of_that_name() {
    let test = "a_repository_is_fetched_by_ssh_with_the_program_of_that_name";
    let server = match GitServer::start() {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let files = [
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
    ];
    let repository = server.repository("shop", &files).unwrap();
    let path = repository.path().display();
    let folder = Folder::new(&format!(
        "#- shop.toml\nname = \"shop\"\ntype = \"kubernetes_manifest\"\nnamespace = \"x\"\n\
         [connected_repo]\nrepo = \"ssh://git@git.example{path}\"\nbranch = \"main\"\n[kustomize]\npath = \".\"\n"
    ));
    let build = ["component", "build", "shop.toml", "--to=oci-layout:out"];
    // What stands where `ssh` would runs here what it was to run there.
    let search = program(
        &folder,
        "ssh",
        "#!/bin/sh\necho \"$@\" >> asked\ncase \"$*\" in *-G*) exit 0;; esac\n\
         while [ \"$1\" != git@git.example ]; do shift; done\nshift\nexec sh -c \"$*\"\n",
    );
    let ran = folder.run_with(&[("PATH", &search)], &build);
    assert!(done(&ran).contains("(1 object)"), "{}", ran.shown());
    let asked = std::fs::read_to_string(folder.path("asked")).unwrap();
    assert!(asked.contains("BatchMode=yes") && asked.contains("git@git.example"), "{asked}");

    program(
        &folder,
        "ssh",
        "#!/bin/sh\necho 'git@git.example: Permission denied (publickey).' >&2\nexit 255\n",
    );
    let refused = folder.run_with(&[("PATH", &search)], &build);
    std::fs::remove_file(folder.path("programs/ssh")).unwrap();
    let bare = folder.path("programs").display().to_string();
    let missing = folder.run_with(&[("PATH", &bare)], &build);
    // What the shell says of a program that is not there differs from shell to shell.
    let shown = [refused.shown(), missing.shown()].concat().replace(&path.to_string(), "/PATH");
    let lines = shown.lines().filter(|line| !line.starts_with("sh:"));
    expect![[r#"
        error: shop: the repository `ssh://git@git.example/PATH` asks for credentials, and `ssh` has no key that it accepts: add one to its agent or configuration
        exit code 1
        error: shop: cannot fetch `refs/heads/main` from `ssh://git@git.example/PATH`: the program `ssh` ended without an answer, and says why on standard error
        exit code 1
    "#]].assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}
