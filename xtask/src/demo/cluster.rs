//! The second half of the demo: from rendered objects to a changed cluster, and back.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use kelson_testkit::Programs;

use super::step;
use crate::run::{Scratch, output, root, run as run_command, target};

/// The example's component when it is delivered; a copy, so that it can be changed.
const COMPONENT: &str = "shop/component.toml";
/// The value of the place in its namespace.
const INSTALL: &str = "nuon.install.id=shop";

/// A cluster, and the program that delivers to it.
pub(super) struct Cluster<'a> {
    pub(super) kubeconfig: PathBuf,
    pub(super) context: Option<String>,
    /// Whether it is a control plane of our own, which has no nodes.
    pub(super) is_own: bool,
    pub(super) kelson: &'a Path,
    pub(super) scratch: &'a Scratch,
}

impl Cluster<'_> {
    /// Plans, approves, deploys, breaks, rolls back, deletes.
    pub(super) fn deliver(&self) -> anyhow::Result<()> {
        copy(&root().join("examples/shop"), &self.scratch.path().join("shop"))?;
        let _node = self.is_own.then(|| self.node()).transpose()?;
        let component = |verb: &'static str, more: &[&'static str]| {
            let words = ["component", verb, COMPONENT, "--var", INSTALL];
            [&words[..], more].concat()
        };
        let built = ["--from", "oci-layout:out"];
        step("What would happen? A plan reads the cluster and writes nothing; it becomes a file");
        let approve = [&built[..], &["--output", "first.plan"]].concat();
        self.kelson(&component("plan", &approve), &[2])?;
        step("That plan is deployed: nothing else than what was shown, until all of it is ready");
        let approved = [&built[..], &["--approved", "first.plan"]].concat();
        self.kelson(&component("deploy", &approved), &[0])?;
        step("What is there now, down to the Pods");
        self.kelson(&["status", "shop", "-n", "shop"], &[0, 3])?;
        step("Once more: nothing has changed, so nothing is sent");
        let again = [&built[..], &["--yes"]].concat();
        self.kelson(&component("deploy", &again), &[0])?;
        step("A new version that does not start: Kelson names the Pod and shows its last words");
        self.new_image("1.0.4", "broken")?;
        self.run(&["component", "build", COMPONENT, "--to", "oci-layout:out:next"], &[0])?;
        let next = ["--artifact", "oci-layout:out:next", "--timeout", "10s", "--yes"];
        self.kelson(&component("deploy", &next), &[0, 3])?;
        self.kelson(&["status", "shop", "-n", "shop"], &[3])?;
        step("Back to what was there before; the cluster has kept it");
        self.kelson(&["history", "shop", "-n", "shop"], &[0])?;
        self.kelson(&["rollback", "shop", "-n", "shop", "--yes"], &[0])?;
        step("Somebody changes the cluster by hand: that is drift");
        self.kubectl(&["scale", "--namespace=shop", "deployment/web", "--replicas=7"])?;
        self.kelson(&component("drift", &built), &[2])?;
        step("All of it goes again");
        self.kelson(&component("teardown", &again), &[0])?;
        self.kelson(&["status", "-A"], &[0])
    }

    /// Plays the node: without one, no Pod ever runs.
    fn node(&self) -> anyhow::Result<Node> {
        let mut command = Command::new(target().join("debug/examples/node"));
        command.arg(&self.kubeconfig).arg("shop").stdin(Stdio::piped());
        Ok(Node(command.spawn().context("cannot run the node")?))
    }

    /// Runs the program on the cluster with one of these exit codes.
    fn kelson(&self, arguments: &[&str], codes: &[i32]) -> anyhow::Result<()> {
        let mut command = Command::new(self.kelson);
        command.args(arguments).arg("--kubeconfig").arg(&self.kubeconfig);
        if let Some(context) = &self.context {
            command.args(["--context", context]);
        }
        self.shown(command, arguments, codes)
    }

    /// Runs the program where no cluster is needed.
    fn run(&self, arguments: &[&str], codes: &[i32]) -> anyhow::Result<()> {
        let mut command = Command::new(self.kelson);
        command.args(arguments);
        self.shown(command, arguments, codes)
    }

    fn shown(&self, mut command: Command, arguments: &[&str], codes: &[i32]) -> anyhow::Result<()> {
        println!("$ kelson {}", arguments.join(" "));
        command.current_dir(self.scratch.path());
        command.env("KELSON_STORE", self.scratch.path().join("store"));
        let status = command.status().context("cannot run kelson")?;
        match status.code() {
            Some(code) if codes.contains(&code) => Ok(()),
            _ => bail!("`kelson {}` ended with {status}", arguments.join(" ")),
        }
    }

    fn kubectl(&self, arguments: &[&str]) -> anyhow::Result<()> {
        println!("$ kubectl {}", arguments.join(" "));
        let mut command = Command::new(Programs::get()?.path("kubectl"));
        command.stderr(Stdio::inherit()).arg("--kubeconfig").arg(&self.kubeconfig).args(arguments);
        if let Some(context) = &self.context {
            command.args(["--context", context]);
        }
        print!("{}", output(&mut command)?);
        Ok(())
    }

    fn new_image(&self, from: &str, to: &str) -> anyhow::Result<()> {
        let file = self.scratch.path().join("shop/overlays/production/kustomization.yaml");
        let text = std::fs::read_to_string(&file).context("cannot read the overlay")?;
        let text = text.replace(&format!("newTag: {from}"), &format!("newTag: {to}"));
        std::fs::write(&file, text).context("cannot change the overlay")?;
        run_command(Command::new("tail").args(["-n", "3"]).arg(&file))
    }
}

/// A node that is played until nobody needs it.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        // It ends when its standard input closes; whether it did so well is of no interest.
        drop(self.0.stdin.take());
        self.0.wait().ok();
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make `{}`", to.display()))?;
    let entries = std::fs::read_dir(from);
    for entry in entries.with_context(|| format!("cannot list `{}`", from.display()))? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copy(&from, &to)?,
            false => {
                std::fs::copy(&from, &to)
                    .with_context(|| format!("cannot copy `{}`", from.display()))?;
            }
        }
    }
    Ok(())
}
