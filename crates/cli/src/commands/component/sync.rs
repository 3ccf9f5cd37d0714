//! `kelson component sync`.

use std::path::PathBuf;

use anyhow::Context;
use kelson_artifact::CopyOptions;
use kelson_pipeline::component;

use crate::exit::Code;
use crate::progress::Progress;
use crate::{registry, runtime, whole};

/// Copy a built artifact from one registry to another, as a plan says, and describe it.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The plan, with src_registry, src_tag, dst_registry and dst_tag.
    #[arg(long, value_name = "FILE")]
    plan: PathBuf,
    /// Write the description to this file instead of printing it.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let shown = arguments.plan.display();
    let plan = super::read_plan(&arguments.plan)?
        .sync_oci_plan
        .with_context(|| format!("`{shown}` is not a plan to copy anything"))?;
    let artifact = runtime::run(async {
        let world = super::world(&arguments.registry, &[], None)?;
        let progress = Progress::new();
        let options = CopyOptions { watch: progress.watch(), ..CopyOptions::default() };
        Ok(component::sync(&plan, &world, &options).await?)
    })?;
    let text = serde_json::to_string_pretty(&artifact)? + "\n";
    match &arguments.result {
        Some(path) => whole::write(path, &text)?,
        None => super::super::print(&text)?,
    }
    Ok(Code::Done)
}
