//! `kelson component plan`: what a deploy would do.

use std::path::PathBuf;

use kelson_pipeline::component::{DeployResult, Operation};

use super::super::plan as plans;
use super::deploy::{Report, finish};
use super::target::{self, Wanted};
use crate::events::Teller;
use crate::exit::Code;
use crate::steps::{self, Detail};
use crate::{runtime, whole};

/// Show what a deploy of a component would do.
///
/// The artifact is pulled, its places are filled, and the objects are held against the cluster and against what the
/// component has delivered before. Nothing is written. With --output the plan becomes a file that `component deploy
/// --approved` takes, and refuses where anything has moved since. With --plan the job of a runner is done: plan JSON in,
/// result JSON out. Ends with 0 where nothing is to be done, 2 where something is, 1 where something cannot be done.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    target: target::Flags,
    /// Plan the end of the component: all of it goes.
    #[arg(long)]
    teardown: bool,
    /// Write the plan to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show the changes, too, that rules hide as noise.
    #[arg(long)]
    show_all: bool,
    #[command(flatten)]
    report: Report,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let target = match arguments.target.target(None)? {
        Wanted::Target(target) => target,
        Wanted::Ended(code) => return Ok(code),
    };
    let operation = match arguments.teardown {
        true => Operation::CreateTeardownPlan,
        false => Operation::CreateApplyPlan,
    };
    let json = arguments.report.json;
    let result = runtime::run(async {
        let world = arguments.target.world(json)?;
        let mut options = arguments.target.options(&target)?;
        options.operation = operation;
        let teller = Teller::new(json);
        Ok(target::deploy(&target, &world, &options, &teller).await)
    });
    let result = arguments.report.recorded(result, operation)?;
    if let (Some(path), Some(text)) = (&arguments.output, &result.plan_file) {
        whole::write(path, text)?;
    }
    if !json {
        show(&result, arguments.show_all)?;
    }
    let code = finish(&target.name, &result, json)?;
    let planned = result.plan.as_ref().map_or(Code::Done, plans::code);
    Ok(if code == Code::Done { planned } else { code })
}

/// Draws the plan.
pub(super) fn show(result: &DeployResult, all: bool) -> anyhow::Result<()> {
    match &result.plan {
        Some(plan) => super::super::print(&steps::text(plan, Detail { all })),
        None => Ok(()),
    }
}
