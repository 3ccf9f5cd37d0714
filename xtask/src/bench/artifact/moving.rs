//! Push and pull of plain manifests: new, and when they are there already.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use kelson_testkit::FaultProxy;

use super::super::measure::Cost;
use super::{Bench, megabytes, milliseconds, utf8};
use crate::run::output;

/// How many objects are moved.
const SIZES: [usize; 3] = [1, 100, 10_000];
/// How many of them share a file.
const PER_FILE: usize = 100;
/// What flux asks for, since it does not look for it itself.
const META: [&str; 3] =
    ["--source=https://example.com/r", "--revision=main@sha1:0", "--reproducible"];

impl Bench {
    pub(super) fn moving(&self) -> anyhow::Result<()> {
        println!("\npush and pull of plain manifests, as they are");
        println!(
            "{:<6} {:>8} {:<8} {:>12} {:>10} {:>10}",
            "act", "objects", "program", "processor", "wall", "memory"
        );
        for size in SIZES {
            let folder = self.scratch.path().join(format!("plain-{size}"));
            manifests(&folder, size)?;
            self.pushes(size, &utf8(&folder)?)?;
            self.pulls(size)?;
        }
        Ok(())
    }

    /// Everybody pushes to repositories that are new.
    fn pushes(&self, size: usize, folder: &str) -> anyhow::Result<()> {
        let to = format!("oci://{}:v1", self.at("NEW"));
        row("push", size, "kelson", &self.cost(&self.kelson, &["push", "--raw", folder, &to])?);
        row("push", size, "flux", &self.cost(&self.flux, &flux_push(folder, &to))?);
        // crane takes an archive, which somebody has to make first.
        let archive = self.path(&format!("{size}.tar.gz"))?;
        let pack = self.cost(Path::new("tar"), &["-czf", &archive, "-C", folder, "."])?;
        row("pack", size, "tar", &pack);
        let image = format!("{}:v1", self.at("NEW"));
        let arguments = ["append", "--insecure", "-f", &archive, "-t", &image];
        row("push", size, "crane", &self.cost(&self.crane, &arguments)?);
        let (kept, image) = (self.at(&format!("kept-{size}")), self.at(&format!("image-{size}")));
        let kept = format!("oci://{kept}:v1");
        output(Command::new(&self.kelson).args(["push", "--raw", folder, &kept]))?;
        output(Command::new(&self.crane).args([
            "append",
            "--insecure",
            "-f",
            &archive,
            "-t",
            &image,
        ]))?;
        Ok(())
    }

    /// Everybody pulls the same to directories that are new; crane pulls an image of the same files to a tar file.
    fn pulls(&self, size: usize) -> anyhow::Result<()> {
        let kept = format!("oci://{}:v1", self.at(&format!("kept-{size}")));
        let image = self.at(&format!("image-{size}"));
        let to = self.path("NEW")?;
        let arguments = ["pull", &kept, "--output", &to];
        row("pull", size, "kelson", &self.cost(&self.kelson, &arguments)?);
        let arguments = ["pull", "artifact", &kept, "--output", &to, "--insecure-registry"];
        row("pull", size, "flux", &self.cost(&self.flux, &arguments)?);
        let arguments = ["export", "--insecure", &image, &to];
        row("pull", size, "crane", &self.cost(&self.crane, &arguments)?);
        Ok(())
    }

    /// What goes over the wire when the same is pushed twice.
    pub(super) fn sending_again(&self) -> anyhow::Result<()> {
        println!(
            "\nthe same 10,000 objects pushed twice: requests that send a blob, and bytes in them"
        );
        let front = FaultProxy::start(self.registry.address())?;
        let folder = self.path("plain-10000")?;
        let to = |name: &str| format!("oci://{}/{name}:v1", front.address());
        let (ours, theirs) = (to("again-kelson"), to("again-flux"));
        let pushes = [
            ("kelson", &self.kelson, vec!["push", "--raw", &folder, &ours]),
            ("flux", &self.flux, flux_push(&folder, &theirs)),
        ];
        for (name, program, arguments) in pushes {
            for time in ["first", "second"] {
                front.forget();
                output(Command::new(program).args(&arguments))?;
                let uploads = front.seen_at("", "/blobs/uploads/");
                let bytes: u64 = uploads.iter().map(|seen| seen.length).sum();
                let all = front.seen().len();
                println!(
                    "{name:<8} {time:<6} {:>3} requests, {bytes:>8} bytes, of {all} requests in all",
                    uploads.len()
                );
            }
        }
        Ok(())
    }
}

pub(super) fn flux_push<'a>(path: &'a str, to: &'a str) -> Vec<&'a str> {
    [&["push", "artifact", to, "--path", path, "--insecure-registry"], &META[..]].concat()
}

/// Writes files of ConfigMaps.
fn manifests(folder: &Path, size: usize) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for first in (0..size).step_by(PER_FILE) {
        let mut text = String::new();
        for number in first..size.min(first + PER_FILE) {
            writeln!(
                text,
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{number}\ndata:\n  number: \"{number}\""
            )?;
        }
        fs::write(folder.join(format!("objects-{first}.yaml")), text)?;
    }
    Ok(())
}

fn row(act: &str, size: usize, program: &str, cost: &Cost) {
    println!(
        "{act:<6} {size:>8} {program:<8} {:>9.1} ms {:>7.1} ms {:>7.1} MB",
        milliseconds(cost.processor),
        milliseconds(cost.wall),
        megabytes(cost.memory),
    );
}
