//! What must hold before a change lands.

use std::time::Instant;

use anyhow::bail;

use crate::run::{cargo, run as run_command};
use crate::{test, tidy};

/// Checks format, lints and order, then runs every test, and ends with one summary.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("unknown argument `{argument}`; `ci` takes none");
    }
    let mut times = Vec::new();
    let mut part = |name: &'static str, work: &mut dyn FnMut() -> anyhow::Result<()>| {
        eprintln!("\n=== {name}");
        let started = Instant::now();
        let result = work();
        times.push((name, started.elapsed().as_secs()));
        result
    };
    part("format", &mut || run_command(cargo().args(["fmt", "--all", "--check"])))?;
    part("clippy", &mut || {
        run_command(cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ]))
    })?;
    part("tidy", &mut || tidy::run(&[]))?;
    let mut counts = test::Counts::default();
    let result = part("test", &mut || {
        counts = test::run_all(&[], false)?;
        Ok(())
    });
    println!("\n=== summary");
    for (name, seconds) in times {
        println!("{name:<10} {seconds:>5} s");
    }
    counts.print();
    result?;
    counts.verdict()
}
