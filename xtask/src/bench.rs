//! Peers and Kelson in one run, as ratios.
//!
//! Processor time and peak memory come from the operating system's account of each finished process, so a
//! busy machine changes them little. Each figure is the best of several runs.

mod apply; // applying and planning, against kubectl
mod artifact; // pushing and pulling, against flux and crane
mod build; // rendering, against kustomize
mod measure; // a program's processor time and peak memory
mod observe; // waiting, against kubectl
mod yaml; // reading and writing YAML, against go-yaml

use std::path::PathBuf;

use anyhow::bail;

use crate::run::{cargo, run as run_command, target};

/// Runs the named bench.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    match arguments {
        [] => {
            println!(
                "apply [--quick]  applying and planning, against kubectl; --quick leaves 10,000 objects out"
            );
            println!("artifact         pushing and pulling, against flux and crane");
            println!(
                "build [--quick]  rendering, against kustomize; --quick leaves the slowest out"
            );
            println!("observe          waiting until all is ready, against kubectl");
            Ok(())
        }
        [name, rest @ ..] if name == measure::ACCOUNT => measure::account(rest),
        [name, rest @ ..] if name == "apply" => apply::run(is_quick(rest)?),
        [name, rest @ ..] if name == "build" => build::run(is_quick(rest)?),
        [name] if name == "artifact" => artifact::run(),
        [name] if name == "observe" => observe::run(),
        [other, ..] => {
            bail!("there is no bench `{other}`; there are apply, artifact, build and observe")
        }
    }
}

fn is_quick(arguments: &[String]) -> anyhow::Result<bool> {
    match arguments {
        [] => Ok(false),
        [flag] if flag == "--quick" => Ok(true),
        _ => bail!("this bench takes only --quick"),
    }
}

/// Builds the program as users get it and returns where it is.
pub(crate) fn kelson() -> anyhow::Result<PathBuf> {
    run_command(cargo().args(["build", "--quiet", "--release", "--package", "kelson-cli"]))?;
    Ok(target().join("release/kelson"))
}
