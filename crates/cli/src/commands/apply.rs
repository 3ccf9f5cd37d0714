//! `kelson apply`: objects become a changed cluster.

use std::collections::BTreeSet;

use kelson_cluster::{Applied, Cluster};
use kelson_model::{Object, ObjectId};
use kelson_pipeline::deliver::{self, DeliverError, Planned, Request};
use kelson_plan::file::Approved;
use kelson_plan::{Action, DataLoss, Event, Listener, Plan};

use super::plan::{self, Sources};
use crate::delivery::{self, Run, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::runtime::Stop;
use crate::source::{self, Source};
use crate::steps::{self, Tense};
use crate::{confirm, draw, gather, kubernetes, local, runtime};

/// Apply sources, or a plan that was made before.
///
/// Everything that may come to exist is entered in the inventory of the delivery first; what is no longer wanted is
/// pruned. On a terminal the plan is shown and asked about; elsewhere --yes says that it is wanted.
/// A plan file is applied as it is: rendered again from the digest it names, and refused with 4 where anything has moved.
/// Ends with 0 where all went well, 1 where something failed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Directories, files, - for standard input, or artifacts; or one file that `kelson plan --output` wrote.
    #[arg(value_name = "SOURCE|PLAN", required_unless_present = "show_rules")]
    sources: Vec<String>,
    /// The name of the delivery.
    #[arg(long, value_name = "NAME", value_parser = delivery::name)]
    name: Option<String>,
    /// Plan anew what a plan file names, and ask again.
    #[arg(long)]
    replan: bool,
    /// Print JSON: a line for everything that happens.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    store: local::Flags,
    #[command(flatten)]
    gather: gather::Flags,
    #[command(flatten)]
    delivery: delivery::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    if arguments.view.show_rules {
        super::print(&delivery::rules())?;
        return Ok(Code::Done);
    }
    let approved = match arguments.sources.as_slice() {
        [only] => plan::read(only)?,
        _ => None,
    };
    if let Some(misuse) = arguments.misuse(approved.as_ref()) {
        draw::line(&format!("error: {misuse}"));
        return Ok(Code::Usage);
    }
    plan::moved(runtime::run_orderly(|stop| async move {
        let teller = Teller::new(arguments.json);
        match approved {
            Some(approved) => arguments.approved(approved, &stop, &teller).await,
            None => arguments.fresh(&stop, &teller).await,
        }
    }))
}

impl Arguments {
    /// What is wrong with the words of the command line.
    fn misuse(&self, approved: Option<&Approved>) -> Option<String> {
        let asks = approved.is_none() || self.replan;
        if asks && !self.run.yes && (self.json || !confirm::is_possible()) {
            return Some(NOBODY.to_owned());
        }
        match approved {
            None if self.replan => Some("--replan is for plan files".to_owned()),
            None if self.name.is_none() => Some(
                "what is applied needs a name: say --name NAME; it is never guessed".to_owned(),
            ),
            None => None,
            Some(approved) => {
                let name = approved.plan.delivery.as_ref().map(|delivery| delivery.name());
                let other = self.name.as_deref().filter(|given| Some(*given) != name);
                let said = other.map(|_| "--name").or_else(|| self.delivery.said_by_a_plan());
                said.map(|flag| format!("{flag}: the plan file says that itself; leave it out"))
            }
        }
    }

    /// Plans, asks, applies.
    async fn fresh(&self, stop: &Stop, teller: &Teller) -> anyhow::Result<Code> {
        let Self { sources: names, gather, delivery, kubernetes, .. } = self;
        let sources = Sources { names, gather, delivery, kubernetes };
        // Whoever looks at the plan first has the time to let the server look at it, too.
        let (cluster, ask) = sources.ask(self.name.as_deref(), !self.run.yes, teller).await?;
        self.asked(&cluster, ask.objects, ask.request, stop, teller).await
    }

    /// Applies what was approved, and nothing else.
    async fn approved(
        &self,
        approved: Approved,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        let objects = gather::of_plan(&self.planned_source(&approved).await?)?;
        let source = approved.request.sources.join(", ");
        teller.hear(&Event::Read { source, objects: objects.len() });
        let cluster = &self.kubernetes.connect().await?;
        let Approved { plan, options, request: asked, .. } = &approved;
        let mut options = options.clone();
        options.key = delivery::new_key()?;
        let delivery = plan.delivery.clone();
        let mut request = delivery::request(delivery, &plan.artifact, asked, options)?;
        request.create_namespace |= self.delivery.create_namespace;
        let identity = cluster.identity().await?;
        if identity != plan.cluster {
            let what =
                format!("this is the cluster {identity}, and the plan is for {}", plan.cluster);
            return Err(DeliverError::Moved(vec![what]).into());
        }
        if self.replan {
            return self.asked(cluster, objects, request, stop, teller).await;
        }
        let planned = deliver::approved(cluster, objects, &request, &approved, teller).await?;
        self.execute(cluster, &request, planned, true, stop, teller).await
    }

    /// The artifact that a plan was made from.
    async fn planned_source(&self, approved: &Approved) -> anyhow::Result<Source> {
        let keys = &self.gather.keys;
        match &approved.request.reference {
            Some(reference) => {
                let client = source::client(&self.gather.registry, &[reference])?;
                Source::open(reference, &client, keys).await
            }
            None => {
                let reference = self.store.reference(&approved.plan.artifact)?;
                let client = self.gather.registry.client(&[])?;
                Source::pull(&reference, "", &client, keys).await
            }
        }
    }

    async fn asked(
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
            return self.execute(cluster, &request, planned, false, stop, teller).await;
        }
        let mut planned = deliver::plan(cluster, objects.clone(), &request, teller).await?;
        super::print(&plan::text(&planned, &request, self.view.show_all))?;
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
        self.execute(cluster, &request, planned, true, stop, teller).await
    }

    async fn execute(
        &self,
        cluster: &Cluster,
        request: &Request,
        planned: Planned,
        bound: bool,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        let (execution, stop) = (self.run.execution(bound), stop.in_order());
        let applied =
            deliver::execute(cluster, request, planned, &execution, &stop, teller).await?;
        report(&applied, self.json)
    }
}

pub(super) const NOBODY: &str = "this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes";

/// What would be lost with what cannot go unless somebody says so.
pub(super) fn losses(plan: &Plan) -> Option<Vec<DataLoss>> {
    let losses: Vec<DataLoss> = plan.data_losses().into_iter().cloned().collect();
    (!losses.is_empty()).then_some(losses)
}

/// What a person was shown is all that is deleted.
pub(super) fn refuse_more(
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
pub(super) fn named(cluster: &Cluster) -> String {
    match cluster.context() {
        Some(context) => format!("cluster {} (context {context})", cluster.server()),
        None => format!("cluster {}", cluster.server()),
    }
}

/// Says what came of it.
pub(super) fn report(applied: &Applied, json: bool) -> anyhow::Result<Code> {
    if !json {
        super::print(&format!("{}\n", steps::summary(&applied.summary, Tense::Done)))?;
    }
    let failed = applied.summary.failed + applied.summary.skipped;
    Ok(if failed == 0 { Code::Done } else { Code::Failed })
}
