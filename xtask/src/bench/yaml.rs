//! Reading and writing YAML, against go-yaml.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use kelson_testkit::go::Go;
use kelson_testkit::{Error, cache};

use crate::run::{cargo, output, root, run as run_command, target};

/// How fast a program reads and writes, in bytes per second of processor time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    pub(super) read: f64,
    pub(super) write: f64,
}

/// Measures our own crate on a file of many documents.
pub(super) fn kelson(file: &Path) -> anyhow::Result<Speed> {
    measure(&speed_program()?, file)
}

/// The example program that measures our own crate; `pass FILE` only reads and writes once.
pub(super) fn speed_program() -> anyhow::Result<PathBuf> {
    let arguments =
        ["build", "--quiet", "--release", "--package", "kelson-yaml", "--example", "speed"];
    run_command(cargo().args(arguments))?;
    Ok(target().join("release/examples/speed"))
}

/// Measures go-yaml on the same file.
pub(super) fn go_yaml(file: &Path) -> anyhow::Result<Speed> {
    let folder = cache::get_or_make("tools/goyaml-v2.4.2-v3.0.3", |folder| {
        let sources = root().join("xtask/goyaml");
        Go::find()?.build("a program that measures go-yaml", "10 seconds", 70, |command| {
            command
                .current_dir(&sources)
                .args(["build", "-v", "-o"])
                .arg(folder.join("goyaml"))
                .arg(".");
        })?;
        Ok::<_, Error>(())
    })?;
    measure(&folder.join("goyaml"), file)
}

fn measure(program: &Path, file: &Path) -> anyhow::Result<Speed> {
    let text = output(Command::new(program).arg(file))?;
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|figure| figure.trim().parse().ok())
            .with_context(|| format!("`{}` printed no figure for {name}", program.display()))
    };
    Ok(Speed { read: figure("read ")?, write: figure("write ")? })
}
