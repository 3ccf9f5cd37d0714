//! How the real program meets the world: certificates, credentials, signatures, interruptions.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod components; // where components come from and go to
mod credentials; // who we say we are
mod files; // trees as they are
mod interrupt; // Ctrl-C
mod keyless; // signatures by identities
#[path = "../program/run.rs"]
mod program;
mod tls; // whom we believe

use expect_test::Expect;
use kelson_testkit::Registry;
use kelson_testkit::registry::{self, Auth, Tls};

use program::{Folder, Ran};

/// A small overlay.
const SHOP: &str = "#- shop/kustomization.yaml
resources: [web.yaml]
namePrefix: shop-
#- shop/web.yaml
apiVersion: v1
kind: Service
metadata: {name: web}
";

/// Runs the program for each line of arguments and compares what a person sees. Words in capitals are exchanged for what
/// stands beside them, there and back; digests that change with every run are not shown.
#[track_caller]
fn check(folder: &Folder, words: &[(&str, &str)], lines: &[&str], expected: Expect) {
    let mut text = String::new();
    for line in lines {
        let told = words.iter().fold((*line).to_owned(), |line, (word, it)| line.replace(word, it));
        let ran = folder.run(&told.split(' ').collect::<Vec<_>>());
        let shown = words.iter().fold(ran.shown(), |shown, (word, it)| shown.replace(it, word));
        text.push_str(&format!("$ kelson {line}\n{}", without_digests(&shown)));
    }
    expected.assert_eq(&text);
}

fn without_digests(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "sha256:…" + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit())
    })
}

/// What was printed, of a run that must have succeeded.
#[track_caller]
fn done(ran: &Ran) -> &str {
    assert_eq!(ran.code, 0, "{}", ran.shown());
    &ran.out
}

/// A registry that asks for a password, over plain HTTP.
fn private_registry() -> Registry {
    Registry::start(registry::Options { auth: Auth::Basic, tls: Tls::Off }).unwrap()
}
