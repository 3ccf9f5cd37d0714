//! Pushing and pulling, against flux and crane on one registry.

mod components; // many at once
mod memory; // what an artifact takes beside its objects
mod moving; // push and pull
mod rendering; // rendered and pushed in one go

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use kelson_testkit::{Registry, registry, tools};

use super::kelson;
use super::measure::{Cost, best};
use crate::run::Scratch;

/// How often each command is run; the least counts.
const ROUNDS: usize = 7;

pub(super) fn run() -> anyhow::Result<()> {
    let bench = Bench {
        kelson: kelson()?,
        flux: tools::get("flux")?,
        crane: tools::get("crane")?,
        kustomize: tools::get("kustomize")?,
        registry: Registry::start(registry::Options::default())?,
        scratch: Scratch::new("bench-artifact")?,
        names: Cell::new(0),
    };
    bench.moving()?;
    bench.sending_again()?;
    bench.rendering()?;
    bench.memory()?;
    bench.components()
}

struct Bench {
    kelson: PathBuf,
    flux: PathBuf,
    crane: PathBuf,
    kustomize: PathBuf,
    registry: Registry,
    scratch: Scratch,
    names: Cell<usize>,
}

impl Bench {
    /// The least that a command costs. `NEW` in its arguments is another name in every round, so that whatever is pushed
    /// or written was not there before.
    fn cost(&self, program: &Path, arguments: &[&str]) -> anyhow::Result<Cost> {
        best(ROUNDS, || {
            let name = self.name();
            if program == self.flux {
                // flux wants the directory to be there. Where it cannot be made, flux says so.
                self.path(&name).map(fs::create_dir_all).ok();
            }
            let mut command = Command::new(program);
            command.args(arguments.iter().map(|word| word.replace("NEW", &name)));
            command
        })
    }

    /// A name that nothing has yet.
    fn name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("n{}", self.names.get())
    }

    /// A repository of the registry.
    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.registry.address())
    }

    /// A path in the directory of this run.
    fn path(&self, name: &str) -> anyhow::Result<String> {
        utf8(&self.scratch.path().join(name))
    }
}

fn utf8(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().context("the directory for temporary files is not UTF-8")?;
    Ok(text.to_owned())
}

fn milliseconds(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
