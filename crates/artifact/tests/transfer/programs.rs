//! What crane and flux make is read, and what is made here they read.

use std::fs;
use std::path::Path;
use std::process::Command;

use kelson_artifact::{Content, Form, PullOptions, Watch, pack_objects, pull};
use kelson_testkit::tool;

use super::support::*;

fn run(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn crane_reads_our_layouts_and_we_read_those_of_crane() {
    let test = "crane_reads_our_layouts_and_we_read_those_of_crane";
    let Some(crane) = tool(test, "crane") else { return };
    let folder = Folder::new();
    for (form, name) in [(Form::Flux, "crane/flux"), (Form::Kustomizer, "crane/kustomizer")] {
        let packed = pack_objects(OBJECTS, form, &metadata(), &[]).unwrap();
        let ours = folder.0.join(name);
        packed.push(&folder.store(name), &tags(&["v1"]), &Watch::default()).await.unwrap();
        let target = format!("{}/{name}:v1", host());
        run(&crane, &["push", ours.to_str().unwrap(), &target]);
        let digest = packed.manifest.descriptor.digest.to_string();
        assert_eq!(run(&crane, &["digest", &target]).trim(), digest);
        run(&crane, &["validate", "--remote", &target]);

        let theirs = format!("{name}-of-crane");
        let path = folder.0.join(&theirs);
        run(&crane, &["pull", "--format=oci", &target, path.to_str().unwrap()]);
        let store = folder.store(&theirs);
        let pulled = pull(&store, &named(&store, "latest"), &PullOptions::default()).await.unwrap();
        assert_eq!(pulled.descriptor.digest.to_string(), digest);
        assert_eq!(pulled.content, Content::Objects(OBJECTS.into()));
    }
}

#[tokio::test]
async fn flux_reads_our_artifacts_and_we_read_those_of_flux() {
    let test = "flux_reads_our_artifacts_and_we_read_those_of_flux";
    let Some(flux) = tool(test, "flux") else { return };
    let (client, folder) = (client(), Folder::new());
    for (form, name) in [(Form::Flux, "flux/flux"), (Form::Kustomizer, "flux/kustomizer")] {
        let store = repository(&client, name);
        let packed = pack_objects(OBJECTS, form, &metadata(), &[]).unwrap();
        packed.push(&store, &tags(&["v1"]), &Watch::default()).await.unwrap();
        let (target, output) = (format!("oci://{}/{name}:v1", host()), folder.0.join(name));
        fs::create_dir_all(&output).unwrap();
        let output = output.to_str().unwrap();
        run(&flux, &["pull", "artifact", &target, "-o", output, "--insecure-registry"]);
        assert_eq!(fs::read_to_string(Path::new(output).join("all.yaml")).unwrap(), OBJECTS);
    }
    let tree = folder.0.join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("a.yaml"), OBJECTS).unwrap();
    fs::write(tree.join("kustomization.yaml"), "resources: [a.yaml]\n").unwrap();
    let target = format!("oci://{}/flux/theirs:v1", host());
    let said =
        ["--source=https://git.example.com/shop.git", "--revision=main@sha1:00", "--reproducible"];
    let path = format!("--path={}", tree.to_str().unwrap());
    run(&flux, &[&["push", "artifact", &target, &path, "--insecure-registry"], &said[..]].concat());
    let store = repository(&client, "flux/theirs");
    let pulled = pull(&store, &named(&store, "v1"), &PullOptions::default()).await.unwrap();
    assert_eq!(pulled.content, Content::Tree);
    let paths: Vec<&str> = pulled.tree.files().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/a.yaml", "/kustomization.yaml"]);
}
