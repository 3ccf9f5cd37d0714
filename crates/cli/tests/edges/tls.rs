//! Whom we believe: authorities of one's own, certificates on both sides, plain HTTP.

use expect_test::expect;
use kelson_testkit::registry::{self, Auth, Tls};
use kelson_testkit::{Fault, FaultProxy, Registry};

use crate::program::Folder;
use crate::{SHOP, check, done};

/// A registry over TLS, and a folder with the files that are needed to use it.
fn scene(tls: Tls) -> (Registry, Folder) {
    let registry = Registry::start(registry::Options { auth: Auth::Nobody, tls }).unwrap();
    let folder = Folder::new(SHOP);
    let (certificate, key) = registry.client_certificate();
    std::fs::write(folder.path("ca.crt"), registry.authority()).unwrap();
    std::fs::write(folder.path("client.crt"), certificate).unwrap();
    std::fs::write(folder.path("client.key"), key).unwrap();
    (registry, folder)
}

#[test]
fn an_authority_of_ones_own_is_believed_where_it_is_given() {
    let (registry, folder) = scene(Tls::Server);
    let other =
        Registry::start(registry::Options { auth: Auth::Nobody, tls: Tls::Server }).unwrap();
    std::fs::write(folder.path("other.crt"), other.authority()).unwrap();
    let address = registry.address().to_string();
    check(
        &folder,
        &[("HOST", &address)],
        &[
            "push shop oci://HOST/shop:v1 --retries 0",
            "push shop oci://HOST/shop:v1 --retries 0 --ca-file other.crt",
            "push shop oci://HOST/shop:v1 --ca-file missing.crt",
            "push shop oci://HOST/shop:v1 --ca-file shop/web.yaml",
            "push shop oci://HOST/shop:v1 --ca-file ca.crt",
            "list oci://HOST/shop --ca-file other.crt --ca-file ca.crt --json",
            "pull oci://HOST/shop:v1 --skip-registry-tls-verify",
        ],
        expect![[r#"
            $ kelson push shop oci://HOST/shop:v1 --retries 0
            error: cannot look for blob sha256:… in `oci://HOST/shop`: HOST answered 400 Bad Request; if it speaks HTTPS, leave out `--plain-http`, or on the loopback interface give `--ca-file`
            exit code 1
            $ kelson push shop oci://HOST/shop:v1 --retries 0 --ca-file other.crt
            error: cannot look for blob sha256:… in `oci://HOST/shop`: no connection to HOST that holds; if the certificate is right, give the authority that signed it with `--ca-file`
            caused by: error sending request
            caused by: client error (Connect)
            caused by: invalid peer certificate: BadSignature
            exit code 1
            $ kelson push shop oci://HOST/shop:v1 --ca-file missing.crt
            error: cannot read `missing.crt`
            caused by: No such file or directory (os error 2)
            exit code 1
            $ kelson push shop oci://HOST/shop:v1 --ca-file shop/web.yaml
            error: cannot use the certificate of the authority: there is none in the file
            exit code 1
            $ kelson push shop oci://HOST/shop:v1 --ca-file ca.crt
            oci://HOST/shop:v1@sha256:…
            1 object; 2 blobs sent (381 B), 0 there already
            $ kelson list oci://HOST/shop --ca-file other.crt --ca-file ca.crt --json
            [{"artifact":"oci://HOST/shop:v1","created":"1970-01-01T00:00:00Z","digest":"sha256:…","tag":"v1"}]
            $ kelson pull oci://HOST/shop:v1 --skip-registry-tls-verify
            apiVersion: v1
            kind: Service
            metadata:
              name: shop-web
            ---
        "#]],
    );
}

#[test]
fn a_registry_may_ask_for_our_certificate() {
    let (registry, folder) = scene(Tls::Mutual);
    let address = registry.address().to_string();
    check(
        &folder,
        &[("HOST", &address)],
        &[
            "push shop oci://HOST/shop:v1 --retries 0 --ca-file ca.crt --cert-file client.crt --key-file client.key",
            "pull oci://HOST/shop:v1 --ca-file ca.crt --cert-file client.crt",
            "pull oci://HOST/shop:v1 --ca-file ca.crt --cert-file client.crt --key-file ca.crt",
        ],
        expect![[r#"
            $ kelson push shop oci://HOST/shop:v1 --retries 0 --ca-file ca.crt --cert-file client.crt --key-file client.key
            oci://HOST/shop:v1@sha256:…
            1 object; 2 blobs sent (381 B), 0 there already
            $ kelson pull oci://HOST/shop:v1 --ca-file ca.crt --cert-file client.crt
            error: the following required arguments were not provided:
              --key-file <FILE>

            Usage: kelson pull --cert-file <FILE> --key-file <FILE> --ca-file <FILE> <ARTIFACT>

            For more information, try '--help'.
            exit code 64
            $ kelson pull oci://HOST/shop:v1 --ca-file ca.crt --cert-file client.crt --key-file ca.crt
            error: cannot use the client certificate: a certificate and its unencrypted key are expected, both as PEM
            exit code 1
        "#]],
    );
    let refused = folder.run(&[
        "pull",
        &format!("oci://{address}/shop:v1"),
        "--retries=0",
        "--ca-file=ca.crt",
    ]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    let key = std::fs::read_to_string(folder.path("client.key")).unwrap();
    let line = key.lines().nth(1).unwrap();
    assert!(!refused.shown().contains(line), "{}", refused.shown());
}

#[test]
fn other_machines_are_asked_by_plain_http_only_where_somebody_says_so() {
    let folder = Folder::new(SHOP);
    let forwarder = FaultProxy::start(([127, 0, 0, 1], 9).into()).unwrap();
    let refusal = Fault::Status { status: 403, headers: Vec::new(), body: String::new() };
    forwarder.fault("", "", usize::MAX, refusal);
    let url = format!("http://{}", forwarder.address());
    let ask = |more: &[&str]| {
        forwarder.forget();
        let arguments = ["list", "oci://registry.example/shop", "--retries=0"];
        let ran = folder.run_with(
            &[("http_proxy", &url), ("https_proxy", &url), ("no_proxy", "")],
            &[&arguments, more].concat(),
        );
        assert_eq!(ran.code, 1, "{}", ran.shown());
        let seen = forwarder.seen();
        seen.iter().map(|seen| format!("{} {}", seen.method, seen.target)).collect::<Vec<_>>()
    };
    let secure = ask(&[]);
    assert!(secure.iter().all(|seen| seen == "CONNECT registry.example:443"), "{secure:?}");
    assert!(!secure.is_empty());
    let plain = ask(&["--plain-http"]);
    assert!(
        plain.iter().all(|seen| seen.starts_with("GET http://registry.example/v2/")),
        "{plain:?}"
    );
    assert!(!plain.is_empty());
}

#[test]
fn a_repository_is_believed_by_the_same_authorities() {
    use kelson_testkit::{GitServer, cannot_run};
    let test = "a_repository_is_believed_by_the_same_authorities";
    let server = match GitServer::start_private("ann", "hunter2") {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let files = [
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
    ];
    let repository = server.repository("shop", &files).unwrap();
    let (front, authority) = FaultProxy::start_encrypting(server.address()).unwrap();
    let url = repository.url.replace("http://", "https://");
    let url = url.replace(&server.address().to_string(), &front.address().to_string());
    let folder = Folder::new(&format!(
        "#- shop.toml\nname = \"shop\"\ntype = \"kubernetes_manifest\"\nnamespace = \"x\"\n\
         [connected_repo]\nrepo = \"{url}\"\nbranch = \"main\"\n[kustomize]\npath = \".\"\n\
         #- git.txt\n127.0.0.1 ann hunter2\n"
    ));
    std::fs::write(folder.path("ca.crt"), authority).unwrap();
    let address = front.address().to_string();
    check(
        &folder,
        &[("HOST", &address)],
        &[
            "component build shop.toml --to oci-layout:out --git-credentials git.txt",
            "component build shop.toml --to oci-layout:out --ca-file ca.crt",
            "component build shop.toml --to oci-layout:out --ca-file ca.crt --git-credentials git.txt",
        ],
        expect![[r#"
            $ kelson component build shop.toml --to oci-layout:out --git-credentials git.txt
            error: shop: cannot fetch `refs/heads/main` from `https://HOST/shop.git`: Transport handshake failed: An IO error occurred when talking to the server: error sending request for url (https://HOST/shop.git/info/refs?service=git-upload-pack): client error (Connect): invalid peer certificate: UnknownIssuer; if the certificate is right, give the authority that signed it with `--ca-file`
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --ca-file ca.crt
            error: shop: the repository `https://HOST/shop.git` asks for credentials, and none were given
            exit code 1
            $ kelson component build shop.toml --to oci-layout:out --ca-file ca.crt --git-credentials git.txt
            shop: oci-layout:out:shop@sha256:… (1 object)
        "#]],
    );
    let out = folder.run(&["pull", "oci-layout:out:shop"]);
    assert!(done(&out).contains("name: web"), "{}", out.shown());
    // Nobody is told a password before the certificate is known to be good.
    assert!(front.seen().iter().all(|seen| seen.target.starts_with("/shop.git/")));
}
