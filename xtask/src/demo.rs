//! The main job, end to end, as a newcomer would see it.

mod cluster; // from rendered objects to a changed cluster

use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, anyhow, bail};
use kelson_testkit::ControlPlane;

use cluster::Cluster;

use crate::run::{Scratch, cargo, root, run as run_command, target};

const STAGING: &str = "examples/shop/overlays/staging";
const PRODUCTION: &str = "examples/shop/overlays/production";
const INLINE: &str = "examples/components/settings.toml";
const OVERLAY: &str = "examples/shop/component.toml";

/// Delivers the example application to the given cluster, or to a control plane of its own.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let (mut given, mut context) = (None, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = rest.next();
        match (argument.as_str(), value) {
            ("--kubeconfig", Some(path)) => given = Some(PathBuf::from(path)),
            ("--context", Some(name)) => context = Some(name.clone()),
            _ => bail!("usage: cargo xtask demo [--kubeconfig FILE] [--context NAME]"),
        }
    }
    if context.is_some() && given.is_none() {
        given = Some(usual_kubeconfig()?);
    }
    // What needs no cluster is shown while the control plane is made ready.
    let plane = match &given {
        Some(_) => None,
        None => Some(thread::spawn(ControlPlane::start_with_workers)),
    };
    step("The example application: one base, two overlays");
    for file in files("examples/shop")? {
        println!("  {file}");
    }
    // With the features that the whole workspace asks for, so that the tests need not build everything anew.
    let built = ["build", "--quiet", "--workspace", "--bin", "kelson", "--example", "node"];
    run_command(cargo().args(built))?;
    let kelson = || {
        let mut command = Command::new(target().join("debug/kelson"));
        command.current_dir(root());
        command
    };
    step("kelson build examples/shop/overlays/staging");
    run_command(kelson().args(["build", STAGING]))?;
    step("kelson explain examples/shop/overlays/production Deployment/web spec.replicas");
    run_command(kelson().args(["explain", PRODUCTION, "Deployment/web", "spec.replicas"]))?;
    step("kelson build of both overlays at once, one file each");
    let scratch = Scratch::new("demo")?;
    run_command(kelson().args(["build", STAGING, PRODUCTION, "--output"]).arg(scratch.path()))?;
    components(&scratch, &kelson)?;
    let plane = match plane {
        Some(thread) => {
            step("Starting a local Kubernetes control plane");
            Some(thread.join().map_err(|_| anyhow!("the control plane's start broke off"))??)
        }
        None => None,
    };
    let kubeconfig = match (&given, &plane) {
        (Some(given), _) => given.clone(),
        (None, Some(plane)) => plane.kubeconfig().to_owned(),
        (None, None) => bail!("there is no cluster"),
    };
    let kelson = target().join("debug/kelson");
    let is_own = plane.is_some();
    Cluster { kubeconfig, context, is_own, kelson: &kelson, scratch: &scratch }.deliver()
}

/// The kubeconfig that kubectl would take.
fn usual_kubeconfig() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("KUBECONFIG").filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let home = std::env::var_os("HOME").context("there is no HOME; name a --kubeconfig")?;
    Ok(PathBuf::from(home).join(".kube/config"))
}

/// The three kinds of component become artifacts in one layout, which needs no registry.
fn components(scratch: &Scratch, kelson: &dyn Fn() -> Command) -> anyhow::Result<()> {
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let theirs = format!("oci-layout:{}", path("theirs"));
    step("kelson push examples/shop/overlays/staging oci-layout:theirs:v1");
    run_command(kelson().args(["push", STAGING, &format!("{theirs}:v1")]))?;
    let vendor = format!(
        "name = \"vendor\"\ntype = \"kubernetes_manifest\"\nnamespace = \"vendor\"\n\n\
         [oci_artifact]\nurl = \"{theirs}\"\ntag = \"v1\"\n"
    );
    std::fs::write(path("vendor.toml"), vendor).context("cannot write a component")?;
    let layout = format!("oci-layout:{}", path("out"));
    step("kelson component build: an inline manifest, an overlay and somebody else's artifact");
    run_command(kelson().args([
        "component",
        "build",
        INLINE,
        OVERLAY,
        &path("vendor.toml"),
        "--to",
        &layout,
    ]))?;
    step("kelson list oci-layout:out");
    run_command(kelson().args(["list", &layout]))
}

fn step(title: &str) {
    println!("\n== {title}");
}

/// The files below a folder of the repository, in order.
fn files(folder: &str) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(path) = open.pop() {
        let entries = std::fs::read_dir(root().join(&path));
        for entry in entries.with_context(|| format!("cannot list `{}`", path.display()))? {
            let entry = entry?;
            let path = path.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    Ok(found)
}
