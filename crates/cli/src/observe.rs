//! How health is waited for, as flags; and how a wait ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use kelson_cluster::{Applied, Cluster, End, ObserveOptions, Observed};
use kelson_pipeline::deliver::{self, Planned};
use kelson_plan::{Delivery, HealthRules};

use crate::commands::print;
use crate::events::Teller;
use crate::exit::Code;
use crate::runtime::Stop;
use crate::{draw, duration, health};

/// How many of the last lines of a log are shown.
const LOG_LINES: usize = 5;
/// No file of rules is larger.
const LARGEST: u64 = 1 << 20;

/// Rules about health.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Rules {
    /// A file of rules in CEL that say when objects of some kinds are ready, as Flux's healthCheckExprs.
    #[arg(long, value_name = "FILE")]
    health: Option<PathBuf>,
}

/// How health is waited for.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Flags {
    /// How long objects may take to be ready, such as 5m.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration::parse)]
    pub(crate) timeout: Duration,
    /// Wait for the others, too, when an object has failed.
    #[arg(long)]
    no_fail_fast: bool,
    #[command(flatten)]
    rules: Rules,
}

/// What follows an apply.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct After {
    /// Do not wait until what was applied is ready.
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Rules {
    /// Reads the rules. What is wrong with them is drawn.
    pub(crate) fn read(&self) -> anyhow::Result<HealthRules> {
        let Some(path) = &self.health else { return Ok(HealthRules::default()) };
        let shown = path.display().to_string();
        let size = std::fs::metadata(path).with_context(|| format!("cannot read `{shown}`"))?.len();
        if size > LARGEST {
            bail!("`{shown}` has {size} bytes, and rules about health at most {LARGEST}");
        }
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
        HealthRules::read(&shown, &text).map_err(|bad| {
            draw::diagnostics(&bad.diagnostics, &bad.sources);
            anyhow!("the rules in `{shown}` cannot be used")
        })
    }

    /// How objects are looked at by these rules, without waiting for anything.
    pub(crate) fn options(&self) -> anyhow::Result<ObserveOptions> {
        Ok(ObserveOptions {
            ready: Duration::ZERO,
            gone: Duration::ZERO,
            rules: self.read()?,
            fail_fast: false,
            log_lines: LOG_LINES,
            delivery: None,
        })
    }
}

impl Flags {
    /// How objects are waited for; those that are to go for so long.
    pub(crate) fn options(&self, gone: Duration) -> anyhow::Result<ObserveOptions> {
        let fail_fast = !self.no_fail_fast;
        Ok(ObserveOptions { ready: self.timeout, gone, fail_fast, ..self.rules.options()? })
    }
}

impl After {
    /// How objects are waited for; nothing where they are not. To be asked before anything is applied: rules that cannot
    /// be read must not come to light when it is done.
    pub(crate) fn options(&self, gone: Duration) -> anyhow::Result<Option<ObserveOptions>> {
        (!self.no_wait).then(|| self.flags.options(gone)).transpose()
    }
}

/// Waits until what was applied is well, and says how that ended.
pub(crate) async fn after(
    cluster: &Cluster,
    planned: &Planned,
    applied: &Applied,
    options: &ObserveOptions,
    stop: &Stop,
    teller: &Teller,
) -> anyhow::Result<Code> {
    let stop = stop.by_itself();
    let observing = deliver::observe(cluster, planned, applied, options, &stop, teller);
    let observed = teller.during(&[], observing).await?;
    let again = planned.plan.delivery.as_ref().map(again);
    let wait = Wait { time: options.ready, is_for_end: false, again };
    observed.map_or(Ok(Code::Done), |observed| wait.report(&observed, teller))
}

/// The command that goes on where a wait was left. It is to be right where it is read: a name that is also a path here is
/// not understood without `--name`.
pub(crate) fn again(delivery: &Delivery) -> String {
    let (name, namespace) = (delivery.name(), delivery.namespace());
    let flag = if Path::new(name).exists() { "--name " } else { "" };
    format!("kelson wait {flag}{name} -n {namespace}")
}

/// What was waited for.
pub(crate) struct Wait {
    /// For how long.
    pub(crate) time: Duration,
    /// Whether objects were to be gone.
    pub(crate) is_for_end: bool,
    /// The command that goes on where this was left; nothing where it is the same.
    pub(crate) again: Option<String>,
}

impl Wait {
    /// Says how it ended, and how to go on.
    pub(crate) fn report(&self, observed: &Observed, teller: &Teller) -> anyhow::Result<Code> {
        if !teller.is_machine() {
            let summary = health::summary(&observed.objects);
            print(&format!("{}\n", health::summary_text(&summary, self.is_for_end)))?;
        }
        let on = match &self.again {
            Some(command) => format!("`{command}` goes on waiting"),
            None => "the same command goes on waiting".to_owned(),
        };
        let wanted = if self.is_for_end { "gone" } else { "ready" };
        let time = duration::text(self.time);
        match observed.end {
            End::Ready => return Ok(Code::Done),
            End::Failed => draw::line("not ready: what has failed does not come right by waiting"),
            End::Late => draw::line(&format!("not {wanted} after {time}; {on}")),
            End::Stopped => {
                draw::line(&format!("stopped waiting; what was delivered stays as it is, and {on}"))
            }
        }
        Ok(Code::NotReady)
    }
}
