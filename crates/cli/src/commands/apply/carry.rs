//! A plan is shown, asked about, executed and waited for: what every command does that changes a cluster by sources.

use std::collections::BTreeSet;

use kelson_cluster::{Applied, Cluster, ObserveOptions};
use kelson_model::{Object, ObjectId};
use kelson_pipeline::deliver::{self, DeliverError, Planned, Request};
use kelson_plan::{Action, DataLoss, Plan};

use super::super::{plan, print};
use crate::delivery::{Run, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::runtime::Stop;
use crate::steps::{self, Tense};
use crate::{confirm, draw, observe};

/// How it is done.
pub(crate) struct Carry<'a> {
    pub(crate) run: &'a Run,
    pub(crate) view: &'a View,
    /// How what was applied is waited for, if it is.
    pub(crate) health: Option<&'a ObserveOptions>,
    pub(crate) json: bool,
}

impl Carry<'_> {
    /// Plans, shows and asks, where that is wanted; executes, waits and says what came of it.
    pub(crate) async fn asked(
        &self,
        cluster: &Cluster,
        objects: Vec<Object>,
        mut request: Request,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        if self.run.yes {
            let planned = deliver::plan(cluster, objects, &request, teller).await?;
            // Nobody has seen this plan, so whatever the objects have become meanwhile is as good.
            return self.execute(cluster, &request, &planned, false, stop, teller).await;
        }
        let mut planned = deliver::plan(cluster, objects.clone(), &request, teller).await?;
        print(&plan::text(&planned, &request, self.view.show_all))?;
        if let Some(losses) = losses(&planned.plan)
            && let Some(delivery) = &request.delivery
            && confirm::may_be_lost(&losses, delivery.name()).await?
        {
            request.options.prune.data = true;
            let shown = planned.plan;
            planned = deliver::plan(cluster, objects, &request, teller).await?;
            refuse_more(&planned.plan, &shown, &losses)?;
        }
        if !planned.plan.is_empty() && !confirm::ask(&question(&planned.plan, cluster)).await? {
            draw::line("nothing was done");
            return Ok(Code::Failed);
        }
        self.execute(cluster, &request, &planned, true, stop, teller).await
    }

    /// Executes a plan, waits and says what came of it. `bound` is whether somebody has seen it.
    pub(crate) async fn execute(
        &self,
        cluster: &Cluster,
        request: &Request,
        planned: &Planned,
        bound: bool,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        let (mut execution, in_order) = (self.run.execution(bound), stop.in_order());
        // What others depend on is to be ready before they are sent.
        execution.apply.ready = self.health.cloned();
        let applied =
            deliver::execute(cluster, request, planned, &execution, &in_order, teller).await?;
        let code = report(&applied, self.json)?;
        let Some(options) = self.health else { return Ok(code) };
        let ready = observe::after(cluster, planned, &applied, options, stop, teller).await?;
        // That something was not applied is worse than that the rest is not ready.
        Ok(if code == Code::Done { ready } else { code })
    }
}

pub(crate) const NOBODY: &str = "this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes";

/// What would be lost with what cannot go unless somebody says so.
pub(crate) fn losses(plan: &Plan) -> Option<Vec<DataLoss>> {
    let losses: Vec<DataLoss> = plan.data_losses().into_iter().cloned().collect();
    (!losses.is_empty()).then_some(losses)
}

/// What a person was shown is all that is deleted.
pub(crate) fn refuse_more(
    plan: &Plan,
    shown: &Plan,
    agreed: &[DataLoss],
) -> Result<(), DeliverError> {
    let deleted = |plan: &Plan| -> BTreeSet<ObjectId> {
        let steps = plan.steps.iter().filter(|step| step.action == Action::Delete);
        steps.map(|step| step.id.clone()).collect()
    };
    let mut allowed = deleted(shown);
    allowed.extend(agreed.iter().map(|loss| loss.id.clone()));
    let more: Vec<String> = deleted(plan)
        .difference(&allowed)
        .map(|id| format!("{id} would be deleted, too"))
        .collect();
    if more.is_empty() { Ok(()) } else { Err(DeliverError::Moved(more)) }
}

fn question(plan: &Plan, cluster: &Cluster) -> String {
    let changes = match steps::writes(&plan.summary()) {
        1 => "this change".to_owned(),
        number => format!("these {number} changes"),
    };
    format!("Apply {changes} to {}?", named(cluster))
}

/// A cluster as a person knows it.
pub(crate) fn named(cluster: &Cluster) -> String {
    match cluster.context() {
        Some(context) => format!("cluster {} (context {context})", cluster.server()),
        None => format!("cluster {}", cluster.server()),
    }
}

/// Says what came of it.
pub(crate) fn report(applied: &Applied, json: bool) -> anyhow::Result<Code> {
    if !json {
        print(&format!("{}\n", steps::summary(&applied.summary, Tense::Done)))?;
    }
    let failed = applied.summary.failed + applied.summary.skipped;
    Ok(if failed == 0 { Code::Done } else { Code::Failed })
}
