//! `kelson delete`: everything that was delivered under a name goes.

use kelson_cluster::Cluster;
use kelson_pipeline::deliver::{self, Planned, Request};
use kelson_plan::{Delivery, Options};

use super::{apply, plan};
use crate::delivery::{self, Limits, Manager, Place, Run};
use crate::events::Teller;
use crate::exit::Code;
use crate::progress::count;
use crate::runtime::Stop;
use crate::{confirm, draw, kubernetes, runtime, steps};

/// Delete what was delivered under a name.
///
/// Only what the inventory lists goes, under the rules of pruning: what others have taken over, what says that it is to
/// be kept and what holds data stays. When nothing is left, the inventory goes too. The command can be repeated.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The name of the delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: String,
    /// Print JSON: a line for everything that happens.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    manager: Manager,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    if !arguments.run.yes && (arguments.json || !confirm::is_possible()) {
        draw::line(&format!("error: {}", apply::NOBODY));
        return Ok(Code::Usage);
    }
    plan::moved(runtime::run_orderly(|stop| async move {
        let teller = Teller::new(arguments.json);
        let cluster = arguments.kubernetes.connect().await?;
        let delivery = Delivery::new(&arguments.name, &arguments.place.of(&cluster))?;
        let options = Options {
            field_manager: arguments.manager.field_manager.clone(),
            prune: arguments.limits.options(),
            key: delivery::new_key()?,
            ..Options::default()
        };
        let request = delivery::sourceless(delivery, options);
        arguments.delete(&cluster, request, &stop, &teller).await
    }))
}

impl Arguments {
    async fn delete(
        &self,
        cluster: &Cluster,
        mut request: Request,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        let mut planned = deliver::plan(cluster, Vec::new(), &request, teller).await?;
        if let Some(held) = planned.held.as_ref().filter(|held| !held.exists() && !self.json) {
            super::print(&format!("nothing is delivered as {}\n", held.delivery))?;
            return Ok(Code::Done);
        }
        if !self.run.yes {
            super::print(&plan::text(&planned, &request, false))?;
            if let Some(losses) = apply::losses(&planned.plan)
                && confirm::may_be_lost(&losses, &self.name).await?
            {
                request.options.prune.data = true;
                let shown = planned.plan;
                planned = deliver::plan(cluster, Vec::new(), &request, teller).await?;
                apply::refuse_more(&planned.plan, &shown, &losses)?;
            }
            if !planned.plan.is_empty() && !confirm::ask(&question(&planned, cluster)).await? {
                draw::line("nothing was done");
                return Ok(Code::Failed);
            }
        }
        let (execution, stop) = (self.run.execution(!self.run.yes), stop.in_order());
        let applied =
            deliver::delete(cluster, &request, &planned, &execution, &stop, teller).await?;
        apply::report(&applied, self.json)
    }
}

fn question(planned: &Planned, cluster: &Cluster) -> String {
    let objects = count(steps::writes(&planned.plan.summary()), "object");
    format!("Delete {objects} from {}?", apply::named(cluster))
}
