//! `kelson component deploy`: the artifact of a component becomes a changed cluster.

mod approved; // what was approved before
pub(super) mod ask; // somebody is asked

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kelson_pipeline::component::{DeployOptions, DeployResult, Error, Operation};
use kelson_pipeline::deliver::DeliverError;
use kelson_plan::Summary;

use super::super::{apply, plan as plans};
use super::plan;
use super::target::{self, Target, Wanted};
use crate::delivery::Run;
use crate::events::Teller;
use crate::exit::Code;
use crate::runtime::Stop;
use crate::steps::{self, Tense};
use crate::{confirm, draw, duration, observe, runtime, whole};

pub(super) use approved::Approved;

/// Deploy the artifact of a component.
///
/// The artifact is pulled by its digest, its places are filled, and its objects are applied; what the component had
/// before and has no longer is pruned. Fields that others own are taken, and named. On a terminal the plan is shown and
/// asked about; elsewhere --yes says that it is wanted, or --approved names a plan that somebody has seen. With --plan the
/// job of a runner is done: plan JSON in, result JSON out. Ends with 0 where all went well, 1 where something failed, 3
/// where it must be ready and is not, 4 where what was approved is no longer what would be done.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    target: target::Flags,
    /// What the runner's job is.
    #[arg(
        long,
        value_enum,
        value_name = "OPERATION",
        requires = "plan",
        conflicts_with = "approved"
    )]
    operation: Option<Asked>,
    /// Do what this file says, which `component plan --output` wrote, and nothing else.
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    approved: Option<PathBuf>,
    /// Show the changes, too, that rules hide as noise.
    #[arg(long)]
    show_all: bool,
    #[command(flatten)]
    report: Report,
    #[command(flatten)]
    after: After,
    #[command(flatten)]
    run: Run,
}

/// The operations of runners, as they are spelt.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Asked {
    CreateApplyPlan,
    CreateTeardownPlan,
    ApplyPlan,
    Exec,
}

/// Where what came of it goes.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Report {
    /// Write the result as JSON to this file, however it ends.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Print JSON: a line for every step and everything that happens, and one for the result.
    #[arg(long)]
    pub(super) json: bool,
}

/// What follows the apply.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct After {
    /// Do not wait until it is ready.
    #[arg(long)]
    no_wait: bool,
    /// How long it may take to be ready, such as 5m; by default the component's health.stabilization_window, 3m.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Fail where it is not ready, as health.block_deploy does.
    #[arg(long)]
    block_deploy: bool,
    /// Do not look at the health of what has not changed, as skip_noops does.
    #[arg(long)]
    skip_noops: bool,
    /// How often to try again after a failure; by default the component's max_auto_retries, 0.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=100))]
    max_auto_retries: Option<u32>,
    #[command(flatten)]
    rules: observe::Rules,
}

/// How long a component may take to be ready where nobody says.
const READY: Duration = Duration::from_secs(180);

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let approved = arguments.approved.as_deref().map(Approved::read).transpose()?;
    if let Some(approved) = approved.as_ref().filter(|approved| approved.deletes()) {
        draw::line(&format!(
            "error: `{}` deletes: kelson component teardown takes it",
            approved.path()
        ));
        return Ok(Code::Usage);
    }
    let reference = approved.as_ref().and_then(Approved::reference);
    let mut target = match arguments.target.target(reference)? {
        Wanted::Target(target) => target,
        Wanted::Ended(code) => return Ok(code),
    };
    let mut operation = arguments.operation();
    if let Some(approved) = &approved {
        operation = Operation::ApplyPlan;
        target.plan.apply_plan_contents = approved.contents();
    }
    let asks = target.component.is_some() && operation == Operation::Exec && !arguments.run.yes;
    if asks && (arguments.report.json || !confirm::is_possible()) {
        draw::line(&format!("error: {}", apply::NOBODY));
        return Ok(Code::Usage);
    }
    let result = runtime::run_orderly(|stop| async {
        let mut options = arguments.options(&target, operation)?;
        if asks {
            options.approve = Some(ask::shown(ask::About::Deploy, arguments.show_all));
        }
        arguments.deploy(&target, options, stop).await
    });
    let result = arguments.report.recorded(result, operation)?;
    if operation == Operation::CreateApplyPlan && !arguments.report.json {
        plan::show(&result, arguments.show_all)?;
    }
    finish(&target.name, &result, arguments.report.json)
}

impl Arguments {
    fn operation(&self) -> Operation {
        match self.operation {
            Some(Asked::CreateApplyPlan) => Operation::CreateApplyPlan,
            Some(Asked::CreateTeardownPlan) => Operation::CreateTeardownPlan,
            Some(Asked::ApplyPlan) => Operation::ApplyPlan,
            Some(Asked::Exec) | None => Operation::Exec,
        }
    }

    fn options(&self, target: &Target, operation: Operation) -> anyhow::Result<DeployOptions> {
        let mut options = self.target.options(target)?;
        options.operation = operation;
        // Whoever looks at the plan first has the time to let the server look at it, too.
        options.plan.check_creates = operation != Operation::Exec || !self.run.yes;
        options.execution = self.run.execution(true);
        self.after.lay_over(&mut options, target, self.run.delete_timeout)?;
        Ok(options)
    }

    async fn deploy(
        &self,
        target: &Target,
        mut options: DeployOptions,
        stop: Stop,
    ) -> anyhow::Result<DeployResult> {
        options.stop = Arc::new(move || stop.in_order());
        let world = self.target.world(self.report.json)?;
        let teller = Teller::new(self.report.json);
        Ok(target::deploy(target, &world, &options, &teller).await)
    }
}

impl After {
    /// What the flags say, over what the component does.
    fn lay_over(
        &self,
        options: &mut DeployOptions,
        target: &Target,
        gone: Duration,
    ) -> anyhow::Result<()> {
        let health = target.component.as_ref().map(|component| &component.health);
        let ready = self.timeout.or(health.map(|health| health.stabilization_window));
        let is_wanted = !self.no_wait && health.is_none_or(|health| health.enabled);
        if let Some(health) = health.filter(|health| is_wanted && !health.probes.is_empty()) {
            let probes = health.probes.len();
            draw::line(&format!(
                "warning: {probes} of health.probes are not asked here; the objects' own health is"
            ));
        }
        options.observe = is_wanted.then(|| self.rules.options()).transpose()?.map(|it| {
            kelson_cluster::ObserveOptions {
                ready: ready.unwrap_or(READY),
                gone,
                fail_fast: true,
                ..it
            }
        });
        options.block_deploy =
            self.block_deploy || health.is_some_and(|health| health.block_deploy);
        options.skip_noops |= self.skip_noops;
        options.retries = self.max_auto_retries.unwrap_or(options.retries);
        Ok(())
    }
}

impl Report {
    /// Writes the result where it was asked for. A job that was given up has one, too.
    pub(super) fn recorded(
        &self,
        result: anyhow::Result<DeployResult>,
        operation: Operation,
    ) -> anyhow::Result<DeployResult> {
        match result {
            Ok(result) => self.write(&result).map(|()| result),
            Err(error) => {
                let why = format!("{error:#}");
                self.write(&DeployResult::cancelled(operation, &why))?;
                Err(error)
            }
        }
    }

    fn write(&self, result: &DeployResult) -> anyhow::Result<()> {
        let Some(path) = &self.result else { return Ok(()) };
        whole::write(path, &(serde_json::to_string_pretty(result)? + "\n"))
    }
}

/// Says what came of it.
pub(super) fn finish(name: &str, result: &DeployResult, json: bool) -> anyhow::Result<Code> {
    if json {
        super::super::print(&(serde_json::to_string(result)? + "\n"))?;
    } else {
        show(name, result)?;
    }
    match &result.failure {
        None => Ok(Code::Done),
        Some(Error::Deliver(DeliverError::Moved(list))) => {
            plans::moved(Err(DeliverError::Moved(list.clone()).into()))
        }
        Some(Error::Declined) => {
            draw::line("nothing was done");
            Ok(Code::Failed)
        }
        // Each object that failed was told as it did.
        Some(Error::Objects(_)) if result.summary.is_some() && !json => Ok(Code::Failed),
        Some(error) => {
            super::draw_error(name, error);
            let is_applied = matches!(error, Error::NotReady(_));
            Ok(if is_applied { Code::NotReady } else { Code::Failed })
        }
    }
}

/// Prints what there is to say of a deploy besides its failure.
fn show(name: &str, result: &DeployResult) -> anyhow::Result<()> {
    for warning in &result.warnings {
        draw::line(&format!("warning: {name}: {warning}"));
    }
    let Some(summary) = &result.summary.filter(|summary| *summary != Summary::default()) else {
        return Ok(());
    };
    let (artifact, ready) = (result.oci_artifact.as_ref(), result.ready);
    let digest = artifact.map(|it| format!(" of {}@{}", it.url, it.digest)).unwrap_or_default();
    let ready = match ready {
        Some(true) => ", ready",
        Some(false) => ", not ready",
        None => "",
    };
    let summary = steps::summary(summary, Tense::Done);
    super::super::print(&format!("{name}{digest}: {summary}{ready}\n"))
}
