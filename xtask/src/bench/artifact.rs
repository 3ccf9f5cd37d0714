//! Pushing and pulling, against flux and crane on one registry.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use kelson_testkit::{Registry, registry, tools};

use super::kelson;
use super::measure::{Cost, best};
use crate::overlays::{Shape, bench};
use crate::run::{Scratch, run as run_command};

/// How many objects are pushed and pulled.
const SIZES: [usize; 3] = [1, 100, 10_000];
/// How many objects are rendered before they are pushed; kustomize takes seconds for the last.
const RENDERED: [usize; 2] = [100, 1_000];
/// How many components are built in one run.
const COMPONENTS: usize = 100;

pub(super) fn run() -> anyhow::Result<()> {
    let registry = Registry::start(registry::Options::default())?;
    let bench = Bench {
        kelson: kelson()?,
        flux: tools::get("flux")?,
        crane: tools::get("crane")?,
        kustomize: tools::get("kustomize")?,
        host: registry.address().to_string(),
        scratch: Scratch::new("bench-artifact")?,
    };
    bench.moving()?;
    bench.rendering()?;
    bench.components()
}

struct Bench {
    kelson: PathBuf,
    flux: PathBuf,
    crane: PathBuf,
    kustomize: PathBuf,
    host: String,
    scratch: Scratch,
}

impl Bench {
    /// A repository of its own for each round would measure the registry; the best of several pushes of the same content
    /// to one measures the program.
    fn cost(&self, program: &Path, arguments: &[&str]) -> anyhow::Result<Cost> {
        best(5, || {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        })
    }

    fn moving(&self) -> anyhow::Result<()> {
        println!(
            "\npush and pull of plain manifests (processor time, time on the wall, peak memory)"
        );
        println!(
            "{:<8} {:>8} {:<8} {:>11} {:>10} {:>10}",
            "act", "objects", "program", "processor", "wall", "memory"
        );
        for size in SIZES {
            let folder = self.manifests(size)?;
            let path = folder.to_str().context("the directory for temporary files is not UTF-8")?;
            let of = |name: &str| format!("oci://{}/{name}-{size}:v1", self.host);
            let (ours, theirs) = (of("kelson"), of("flux"));
            let push = self.cost(&self.kelson, &["push", "--raw", path, &ours])?;
            row("push", size, "kelson", &push);
            let meta =
                ["--source=https://example.com/r", "--revision=main@sha1:0", "--reproducible"];
            let arguments =
                [&["push", "artifact", &theirs, "--path", path, "--insecure-registry"], &meta[..]]
                    .concat();
            row("push", size, "flux", &self.cost(&self.flux, &arguments)?);
            let tar = self.scratch.path().join(format!("{size}.tar.gz"));
            let archive = tar.to_str().context("the directory for temporary files is not UTF-8")?;
            run_command(Command::new("tar").args(["-czf", archive, "-C", path, "."]))?;
            let image = format!("{}/crane-{size}:v1", self.host);
            let arguments = ["append", "--insecure", "-f", archive, "-t", &image];
            row("push", size, "crane", &self.cost(&self.crane, &arguments)?);
            row("pull", size, "kelson", &self.cost(&self.kelson, &["pull", &ours])?);
            let out = self.scratch.path().join("flux-out");
            std::fs::create_dir_all(&out)?;
            let out = out.to_str().context("the directory for temporary files is not UTF-8")?;
            let arguments = ["pull", "artifact", &theirs, "--output", out, "--insecure-registry"];
            row("pull", size, "flux", &self.cost(&self.flux, &arguments)?);
            let arguments = ["export", "--insecure", &image, "-"];
            row("pull", size, "crane", &self.cost(&self.crane, &arguments)?);
        }
        Ok(())
    }

    /// A directory with one file of ConfigMaps.
    fn manifests(&self, size: usize) -> anyhow::Result<PathBuf> {
        let folder = self.scratch.path().join(format!("plain-{size}"));
        std::fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for number in 0..size {
            writeln!(
                text,
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{number}\ndata:\n  number: \"{number}\""
            )?;
        }
        std::fs::write(folder.join("objects.yaml"), text)?;
        Ok(folder)
    }

    fn rendering(&self) -> anyhow::Result<()> {
        println!(
            "\nan overlay rendered and pushed: kelson push, against kustomize build and flux push"
        );
        for size in RENDERED {
            let folder = self.scratch.path().join(format!("overlay-{size}"));
            let tree = bench(Shape::Overlay, size, &folder)?;
            let tree = tree.to_str().context("the directory for temporary files is not UTF-8")?;
            let ours = format!("oci://{}/rendered-{size}:v1", self.host);
            let push = self.cost(&self.kelson, &["push", tree, &ours])?;
            let file = self.scratch.path().join(format!("rendered-{size}.yaml"));
            let out = file.to_str().context("the directory for temporary files is not UTF-8")?;
            let build = self.cost(&self.kustomize, &["build", tree, "-o", out])?;
            let theirs = format!("oci://{}/flux-rendered-{size}:v1", self.host);
            let arguments = [
                "push",
                "artifact",
                &theirs,
                "--path",
                out,
                "--insecure-registry",
                "--source=https://example.com/r",
                "--revision=main@sha1:0",
                "--reproducible",
            ];
            let send = self.cost(&self.flux, &arguments)?;
            let peer = build.processor + send.processor;
            println!(
                "{size:>8} kelson {:>8.1} ms, kustomize and flux {:>8.1} ms: {:.1}x",
                push.processor.as_secs_f64() * 1e3,
                peer.as_secs_f64() * 1e3,
                peer.as_secs_f64() / push.processor.as_secs_f64(),
            );
        }
        Ok(())
    }

    fn components(&self) -> anyhow::Result<()> {
        let folder = self.scratch.path().join("components");
        std::fs::create_dir_all(&folder)?;
        let tree = bench(Shape::Overlay, 1_000, &folder.join("tree"))?;
        let inside = tree.strip_prefix(&folder).unwrap_or(&tree).display().to_string();
        let mut files = Vec::new();
        for number in 0..COMPONENTS {
            let file = folder.join(format!("c{number}.toml"));
            let text = format!(
                "name = \"c{number}\"\ntype = \"kubernetes_manifest\"\nnamespace = \"a\"\n[kustomize]\npath = \"{inside}\"\n"
            );
            std::fs::write(&file, text)?;
            files.push(file);
        }
        let layout = format!("oci-layout:{}", folder.join("out").display());
        let cost = best(2, || {
            let mut command = Command::new(&self.kelson);
            command.args(["component", "build", "--to", &layout]).args(&files);
            command
        })?;
        println!(
            "\n{COMPONENTS} components of 1,000 resources in one run: {:.1} s on the wall, {:.1} s of processor time: \
             {:.2} processors busy",
            cost.wall.as_secs_f64(),
            cost.processor.as_secs_f64(),
            cost.processor.as_secs_f64() / cost.wall.as_secs_f64(),
        );
        Ok(())
    }
}

fn row(act: &str, size: usize, program: &str, cost: &Cost) {
    println!(
        "{act:<8} {size:>8} {program:<8} {:>8.1} ms {:>7.1} ms {:>7.1} MB",
        cost.processor.as_secs_f64() * 1e3,
        cost.wall.as_secs_f64() * 1e3,
        cost.memory as f64 / 1e6,
    );
}
