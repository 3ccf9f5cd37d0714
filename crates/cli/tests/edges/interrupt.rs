//! Ctrl-C while the other side stalls.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kelson_testkit::{Fault, FaultProxy, Registry, registry};

use crate::program::Folder;
use crate::{SHOP, done};

/// Starts the program, waits until the stalled request has come, sends it a signal, and returns what it said.
fn interrupt(folder: &Folder, front: &FaultProxy, signal: &str, arguments: &[&str]) -> String {
    front.forget();
    let mut command = folder.command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(front);
    send(&child, signal);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Waits until something is asked for that stalls.
fn wait_for(front: &FaultProxy) {
    while front.seen_at("", "/blobs/").iter().filter(|seen| seen.method != "HEAD").count() == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(child: &Child, signal: &str) {
    let line = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => names.extend(files(&path)),
            false => names.push(path.display().to_string()),
        }
    }
    names.sort();
    names
}

#[test]
fn a_transfer_that_stalls_ends_with_ctrl_c_and_leaves_nothing() {
    let registry = Registry::start(registry::Options::default()).unwrap();
    let front = FaultProxy::start(registry.address()).unwrap();
    let folder = Folder::new(SHOP);
    let direct = format!("oci://{}/shop:v1", registry.address());
    done(&folder.run(&["push", "shop", &direct]));
    let before = files(&folder.path(""));
    let artifact = format!("oci://{}/shop:v1", front.address());
    let upload = format!("oci://{}/other:v1", front.address());

    front.fault("GET", "/blobs/", usize::MAX, Fault::StallAfter(10));
    front.fault("PUT", "/blobs/uploads/", usize::MAX, Fault::Stall);
    front.fault("POST", "/blobs/uploads/", usize::MAX, Fault::Stall);
    for signal in ["INT", "TERM"] {
        for arguments in [
            &["pull", &artifact, "--output=objects.yaml"][..],
            &["mirror", &artifact, "oci-layout:copy.tar"],
            &["bundle", &artifact, "oci-layout:bundle.tar"],
            &["push", "shop", &upload],
        ] {
            let said = interrupt(&folder, &front, signal, arguments);
            assert_eq!(said, "error: interrupted\n", "{arguments:?}");
            assert_eq!(files(&folder.path("")), before, "{arguments:?}");
        }
    }
    // A layout that is a directory is begun by then, and has neither blobs nor names.
    let said = interrupt(&folder, &front, "INT", &["mirror", &artifact, "oci-layout:copy"]);
    assert_eq!(said, "error: interrupted\n");
    let blobs = files(&folder.path("copy/blobs"));
    assert!(blobs.is_empty(), "{blobs:?}");
    let listed =
        folder.run(&["list", &format!("oci://{}/other", registry.address()), "--retries=0"]);
    assert_eq!(listed.code, 1, "{}", listed.shown());
}

#[test]
fn a_build_that_is_interrupted_says_so_in_its_result() {
    let registry = Registry::start(registry::Options::default()).unwrap();
    let front = FaultProxy::start(registry.address()).unwrap();
    front.fault("POST", "/blobs/uploads/", usize::MAX, Fault::Stall);
    let to = format!("oci://{}/shop:v1", front.address());
    let folder = Folder::new(&format!(
        "{SHOP}#- shop.toml\nname = \"shop\"\ntype = \"kubernetes_manifest\"\nnamespace = \"x\"\n\
         [kustomize]\npath = \"shop\"\n"
    ));
    let arguments =
        ["component", "build", "shop.toml", "--json", "--result=result.json", "--to", &to];
    let said = interrupt(&folder, &front, "INT", &arguments);
    assert!(said.ends_with("error: interrupted\n"), "{said}");
    let end = "{\"name\":\"shop\",\"step\":null,\"status\":\"cancelled\"}";
    assert!(said.contains(end) && said.contains("\"step\":\"cleanup\""), "{said}");
    let result = std::fs::read_to_string(folder.path("result.json")).unwrap();
    assert!(result.contains("\"status\": \"cancelled\""), "{result}");
}

#[test]
fn what_is_printed_to_a_reader_who_stalls_ends_with_ctrl_c_too() {
    // More than a pipe holds.
    let mut text = String::from("#- objects.yaml\n");
    for number in 0..2_000 {
        text.push_str(&format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings-{number}}}\ndata: {{a: {number}}}\n"
        ));
    }
    let folder = Folder::new(&text);
    done(&folder.run(&["push", "objects.yaml", "oci-layout:out:v1"]));
    let mut command = folder.command(&["pull", "oci-layout:out:v1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    // Once something comes, all was pulled and is being printed.
    std::io::Read::read_exact(&mut out, &mut [0]).unwrap();
    send(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: interrupted\n");
    drop(out);
}
