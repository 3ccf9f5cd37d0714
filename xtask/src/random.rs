//! Random overlays, built with upstream and with Kelson.

use anyhow::{Context, anyhow, bail};
use kelson_testkit::tools;

use crate::{bench, differential};

/// Compares `COUNT` random builds from seed `FIRST` on.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| -> anyhow::Result<u64> {
        arguments.get(at).map_or(Ok(default), |text| {
            text.parse().with_context(|| format!("`{text}` is not a number"))
        })
    };
    if arguments.len() > 2 {
        bail!("usage: cargo xtask random [COUNT [FIRST]]");
    }
    let (count, first) = (number(0, 1_000)?, number(1, 0)?);
    let (kustomize, kelson) = (tools::get("kustomize")?, bench::kelson()?);
    let keep = std::env::temp_dir().join("kelson-different");
    let report = differential::compare(&kustomize, &kelson, first..first + count, &keep)
        .map_err(|error| anyhow!(error))?;
    println!(
        "{} builds, {} of which upstream printed something; {} the same, {} unstable upstream, {} different",
        report.built,
        report.succeeded,
        report.same,
        report.unstable.len(),
        report.different.len()
    );
    for (seed, how) in &report.different {
        println!("seed {seed}: {how:?}");
    }
    if !report.different.is_empty() {
        bail!("there are differences; the trees are in `{}`", keep.display());
    }
    Ok(())
}
