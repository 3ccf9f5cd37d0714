//! The second half of the demo: from rendered objects to a changed cluster, and back.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use kelson_testkit::Programs;

use super::step;
use crate::run::{Scratch, output, root, run as run_command};

/// Where the example is when it is delivered; a copy, so that it can be changed.
const SHOP: &str = "shop/overlays/staging";

/// A cluster, and the program that delivers to it.
pub(super) struct Cluster<'a> {
    pub(super) kubeconfig: PathBuf,
    pub(super) context: Option<String>,
    pub(super) kelson: &'a Path,
    pub(super) scratch: &'a Scratch,
}

impl Cluster<'_> {
    /// Plans, applies, changes an image, applies that, deletes.
    pub(super) fn deliver(&self) -> anyhow::Result<()> {
        copy(&root().join("examples/shop"), &self.scratch.path().join("shop"))?;
        step("What would happen? A plan reads the cluster and writes nothing; it becomes a file");
        self.kelson(&["plan", SHOP, "--name", "shop", "--output", "first.plan"], &[2])?;
        step("That plan is applied: nothing else than what was shown, or nothing at all");
        self.kelson(&["apply", "first.plan"], &[0])?;
        step("What is there now, and what Kelson remembers of it");
        self.kubectl(&["get", "--namespace=shop-staging", "deployments,services,configmaps"])?;
        self.kelson(&["inventory", "show", "shop"], &[0])?;
        step("Once more: nothing has changed, so nothing is sent");
        self.kelson(&["apply", SHOP, "--name", "shop", "--yes"], &[0])?;
        step("A new image in the overlay: a small plan");
        self.new_image()?;
        self.kelson(&["plan", SHOP, "--name", "shop"], &[2])?;
        step("It is applied without a file in between (on a terminal, without --yes, Kelson asks)");
        self.kelson(&["apply", SHOP, "--name", "shop", "--yes"], &[0])?;
        step("Somebody changes the cluster by hand: Kelson names the field and who owns it now");
        let drift = ["scale", "--namespace=shop-staging", "deployment/web", "--replicas=7"];
        self.kubectl(&drift)?;
        self.kelson(&["diff", SHOP, "--name", "shop"], &[1])?;
        step("The field is taken back, since somebody says so");
        let take = ["--take", ".spec.replicas", "--yes"];
        self.kelson(&[&["apply", SHOP, "--name", "shop"], &take[..]].concat(), &[0])?;
        step("All of it goes again");
        self.kelson(&["delete", "shop", "--yes"], &[0])?;
        self.kelson(&["inventory", "show"], &[0])
    }

    /// Runs the program with one of these exit codes.
    fn kelson(&self, arguments: &[&str], codes: &[i32]) -> anyhow::Result<()> {
        println!("$ kelson {}", arguments.join(" "));
        let mut command = Command::new(self.kelson);
        command.current_dir(self.scratch.path()).args(arguments);
        command.arg("--kubeconfig").arg(&self.kubeconfig);
        command.env("KELSON_STORE", self.scratch.path().join("store"));
        if let Some(context) = &self.context {
            command.args(["--context", context]);
        }
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

    fn new_image(&self) -> anyhow::Result<()> {
        let file = self.scratch.path().join(SHOP).join("kustomization.yaml");
        let text = std::fs::read_to_string(&file).context("cannot read the overlay")?;
        let text = text.replace("newTag: 1.1.0-rc.2", "newTag: 1.1.0");
        std::fs::write(&file, text).context("cannot change the overlay")?;
        run_command(Command::new("tail").args(["-n", "3"]).arg(&file))
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
