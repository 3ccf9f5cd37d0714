//! `kelson component drift`: whether the cluster is as it was left.

use kelson_pipeline::component::{self, Cron, Drift, DriftStatus, Operation, Turn, Watchman};
use kelson_plan::Silent;
use tokio::sync::watch;

use super::super::print;
use super::target::{self, Target, Wanted};
use crate::exit::Code;
use crate::progress::count;
use crate::{draw, runtime};

/// Tell whether a component is deployed as its artifact says.
///
/// The digest of what was deployed is compared with that of the artifact, and the objects of the artifact with what is
/// live. Nothing is written. Ends with 0 where all is as it should be, 2 where something differs, 1 where nobody can tell.
/// With --schedule or --scheduled it goes on until Ctrl-C and prints a line each time that it has looked.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    target: target::Flags,
    /// Look at the times that cron would, in UTC, such as "0 2 * * *" or "@every 10m".
    #[arg(long, value_name = "CRON", value_parser = schedule)]
    schedule: Option<Cron>,
    /// Look at the times that the component's drift_schedule says.
    #[arg(long, conflicts_with_all = ["schedule", "plan"])]
    scheduled: bool,
    /// Print JSON: a line each time.
    #[arg(long)]
    json: bool,
}

fn schedule(text: &str) -> Result<Cron, String> {
    Cron::parse(text).map_err(|error| error.to_string())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let target = match arguments.target.target(None)? {
        Wanted::Target(target) => target,
        Wanted::Ended(code) => return Ok(code),
    };
    let cron = match arguments.cron(&target) {
        Ok(cron) => cron,
        Err(misuse) => {
            draw::line(&format!("error: {misuse}"));
            return Ok(Code::Usage);
        }
    };
    runtime::run_orderly(|stop| async move {
        match cron {
            None => arguments.once(&target).await,
            Some(cron) => arguments.watch(&target, cron, stop.by_itself()).await,
        }
    })
}

impl Arguments {
    /// The schedule that is meant; nothing for a single look.
    fn cron(&self, target: &Target) -> Result<Option<Cron>, String> {
        if !self.scheduled {
            return Ok(self.schedule.clone());
        }
        let component = target.component.as_ref();
        let text = component.and_then(|component| component.drift_schedule.as_deref());
        match text.filter(|text| !text.is_empty()) {
            Some(text) => schedule(text).map(Some),
            None => Err("the component has no drift_schedule; give one with --schedule".to_owned()),
        }
    }

    async fn once(&self, target: &Target) -> anyhow::Result<Code> {
        let drift = self.look(target).await?;
        self.tell(&drift)?;
        Ok(match drift.status {
            DriftStatus::NoDrift => Code::Done,
            DriftStatus::Drifted => Code::Differs,
            DriftStatus::Failed => Code::Failed,
        })
    }

    /// Looks at the times of a schedule until somebody has had enough.
    async fn watch(
        &self,
        target: &Target,
        cron: Cron,
        mut stop: watch::Receiver<bool>,
    ) -> anyhow::Result<Code> {
        let mut watchman = Watchman::new(cron, seconds());
        loop {
            let turn = watchman.at(seconds());
            let looked = async {
                match turn {
                    Turn::Now => self.tell(&self.look(target).await?).map(|()| true),
                    Turn::Wait(time) => {
                        tokio::time::sleep(time).await;
                        Ok(true)
                    }
                    Turn::Never => Ok(false),
                }
            };
            tokio::select! {
                goes_on = looked => if !goes_on? { return Ok(Code::Done) },
                _ = stop.wait_for(|is_wanted| *is_wanted) => return Ok(Code::Done),
            }
        }
    }

    async fn look(&self, target: &Target) -> anyhow::Result<Drift> {
        let world = self.target.world(false)?;
        let mut options = self.target.options(target)?;
        options.operation = Operation::CreateApplyPlan;
        let result = target::deploy(target, &world, &options, &Silent).await;
        Ok(component::drift(&target.name, &result, super::now()))
    }

    fn tell(&self, drift: &Drift) -> anyhow::Result<()> {
        if self.json {
            return print(&(serde_json::to_string(drift)? + "\n"));
        }
        print(&text(drift))
    }
}

/// What was found, for people.
fn text(drift: &Drift) -> String {
    let Drift { component, time, .. } = drift;
    if let (DriftStatus::Failed, Some(error)) = (drift.status, &drift.error) {
        return format!("{time} {component}: nobody can tell: {error}\n");
    }
    if drift.status == DriftStatus::NoDrift {
        let digest = drift.digest.as_deref().unwrap_or_default();
        return format!("{time} {component}: no drift from {digest}\n");
    }
    let mut text =
        format!("{time} {component}: drifted, {}\n", count(drift.changes.len(), "object"));
    let digest = drift.digest.as_deref().unwrap_or_default();
    match drift.deployed.as_deref() {
        None => text.push_str("  nothing is deployed\n"),
        Some(deployed) if deployed != digest => {
            text.push_str(&format!("  deployed is {deployed}, the artifact is {digest}\n"));
        }
        Some(_) => {}
    }
    for change in &drift.changes {
        let namespace = match change.namespace.as_str() {
            "" => String::new(),
            namespace => format!("{namespace}/"),
        };
        let fields = match change.fields.is_empty() {
            true => String::new(),
            false => format!(": {}", change.fields.join(", ")),
        };
        let (kind, name, action) = (&change.kind, &change.name, change.action);
        text.push_str(&format!("  {action} {kind}/{namespace}{name}{fields}\n"));
    }
    text
}

/// Now, in seconds since 1970.
fn seconds() -> i64 {
    jiff::Timestamp::now().as_second()
}
