//! `kelson component teardown`: all that a component has delivered goes.

use std::path::PathBuf;
use std::sync::Arc;

use kelson_pipeline::component::Operation;

use super::super::apply;
use super::deploy::{Approved, Report, ask, finish};
use super::target::{self, Wanted};
use crate::delivery::Run;
use crate::events::Teller;
use crate::exit::Code;
use crate::{confirm, draw, runtime};

/// Delete what a component has delivered.
///
/// Only what its inventory lists goes, under the rules of pruning: what others have taken over, what says that it is to be
/// kept and what holds data stays. What is gone already is no failure, so that the command can be repeated. No artifact is
/// needed. With --approved a plan of `component plan --teardown --output` is executed, and nothing else.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    target: target::Flags,
    /// Do what this file says, which `component plan --teardown --output` wrote, and nothing else.
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    approved: Option<PathBuf>,
    #[command(flatten)]
    report: Report,
    #[command(flatten)]
    run: Run,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let approved = arguments.approved.as_deref().map(Approved::read).transpose()?;
    if let Some(approved) = approved.as_ref().filter(|approved| !approved.deletes()) {
        draw::line(&format!(
            "error: `{}` applies: kelson component deploy takes it",
            approved.path()
        ));
        return Ok(Code::Usage);
    }
    let mut target = match arguments.target.target(None)? {
        Wanted::Target(target) => target,
        Wanted::Ended(code) => return Ok(code),
    };
    let operation = match &approved {
        Some(approved) => {
            target.plan.apply_plan_contents = approved.contents();
            Operation::ApplyPlan
        }
        None => Operation::Exec,
    };
    let json = arguments.report.json;
    let asks = target.component.is_some() && operation == Operation::Exec && !arguments.run.yes;
    if asks && (json || !confirm::is_possible()) {
        draw::line(&format!("error: {}", apply::NOBODY));
        return Ok(Code::Usage);
    }
    let result = runtime::run_orderly(|stop| async {
        let world = arguments.target.world(json)?;
        let mut options = arguments.target.options(&target)?;
        (options.operation, options.teardown) = (operation, true);
        options.execution = arguments.run.execution(true);
        options.approve = asks.then(|| ask::shown(ask::About::Teardown, false));
        options.stop = Arc::new(move || stop.in_order());
        let teller = Teller::new(json);
        Ok(target::deploy(&target, &world, &options, &teller).await)
    });
    let result = arguments.report.recorded(result, operation)?;
    finish(&target.name, &result, json)
}
