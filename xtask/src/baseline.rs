//! Records what an oracle prints for our own test inputs, so that the tests need no oracle.

use anyhow::{anyhow, bail};
use kelson_testkit::tools;

use crate::run::root;
use crate::{baseline_cosign, baseline_kustomize};

/// Records the named oracle's answers; further arguments select cases.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let [oracle, only @ ..] = arguments else {
        println!("cosign             crates/artifact/tests/data/cosign, from cosign v3.1.3");
        println!("kustomize [CASE…]  crates/kustomize/tests/cases, from kustomize v5.8.1");
        return Ok(());
    };
    match oracle.as_str() {
        "cosign" => cosign(),
        "kustomize" => kustomize(only),
        _ => bail!("there is no oracle `{oracle}`; there are cosign, kustomize"),
    }
}

fn cosign() -> anyhow::Result<()> {
    let recorded = baseline_cosign::record(&root().join("crates/artifact/tests/data/cosign"))?;
    println!("recorded: {}", recorded.join(", "));
    Ok(())
}

fn kustomize(only: &[String]) -> anyhow::Result<()> {
    let program = tools::get("kustomize")?;
    let cases = root().join("crates/kustomize/tests/cases");
    let summary =
        baseline_kustomize::record(&program, &cases, only).map_err(|error| anyhow!(error))?;
    println!("{} cases recorded, {} changed", summary.recorded, summary.changed.len());
    summary.changed.iter().for_each(|case| println!("changed: {case}"));
    if !summary.unstable.is_empty() {
        bail!("upstream answered differently from run to run: {}", summary.unstable.join(", "));
    }
    Ok(())
}
