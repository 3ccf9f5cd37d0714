//! `kelson apply`: objects become a changed cluster.

mod carry; // a plan is shown, asked about, executed and waited for

use kelson_pipeline::deliver::{self, DeliverError, Keep, Request};
use kelson_plan::file::Approved;
use kelson_plan::{Event, Listener};

pub(super) use self::carry::{Carry, NOBODY, losses, named, refuse_more, report};
use super::plan::{self, Sources};
use crate::delivery::{self, Run, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::observe::After;
use crate::runtime::Stop;
use crate::source::{self, Source};
use crate::{confirm, draw, gather, kubernetes, local, runtime};

/// Apply sources, or a plan that was made before.
///
/// Everything that may come to exist is entered in the inventory of the delivery first; what is no longer wanted is
/// pruned. On a terminal the plan is shown and asked about; elsewhere --yes says that it is wanted.
/// A plan file is applied as it is: rendered again from the digest it names, and refused with 4 where anything has moved.
/// Then it is waited for until all is ready; Ctrl-C breaks that off and leaves what was applied as it is. Where nothing was
/// to be done and this very artifact became ready before, nobody looks again: `kelson wait` does.
/// Ends with 0 where all went well, 1 where something failed to be applied, 3 where all was applied but is not ready.
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
    after: After,
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
    let health = arguments.after.options(arguments.run.delete_timeout)?;
    plan::moved(runtime::run_orderly(|stop| async move {
        let teller = Teller::new(arguments.json);
        let Arguments { run, view, json, .. } = arguments;
        let carry = Carry { run, view, health: health.as_ref(), json: *json };
        match approved {
            Some(approved) => arguments.approved(approved, &carry, &stop, &teller).await,
            None => arguments.fresh(&carry, &stop, &teller).await,
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
    async fn fresh(&self, carry: &Carry<'_>, stop: &Stop, teller: &Teller) -> anyhow::Result<Code> {
        let Self { sources: names, gather, delivery, kubernetes, .. } = self;
        let sources = Sources { names, gather, delivery, kubernetes };
        // Whoever looks at the plan first has the time to let the server look at it, too.
        let (cluster, ask) = sources.ask(self.name.as_deref(), !self.run.yes, teller).await?;
        let keep = ask.keep().await?;
        carry.asked(&cluster, ask.objects, Request { keep, ..ask.request }, stop, teller).await
    }

    /// Applies what was approved, and nothing else.
    async fn approved(
        &self,
        approved: Approved,
        carry: &Carry<'_>,
        stop: &Stop,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        let (source, keep) = self.planned_source(&approved).await?;
        let objects = gather::of_plan(&source)?;
        let source = approved.request.sources.join(", ");
        teller.hear(&Event::Read { source, objects: objects.len() });
        let cluster = &self.kubernetes.connect().await?;
        let Approved { plan, options, request: asked, .. } = &approved;
        let mut options = options.clone();
        options.key = delivery::new_key()?;
        let delivery = plan.delivery.clone();
        let mut request = delivery::request(delivery, &plan.artifact, asked, options)?;
        request.create_namespace |= self.delivery.create_namespace;
        request.keep = keep;
        let identity = cluster.identity().await?;
        if identity != plan.cluster {
            let what =
                format!("this is the cluster {identity}, and the plan is for {}", plan.cluster);
            return Err(DeliverError::Moved(vec![what]).into());
        }
        if self.replan {
            return carry.asked(cluster, objects, request, stop, teller).await;
        }
        let planned = deliver::approved(cluster, objects, &request, &approved, teller).await?;
        carry.execute(cluster, &request, &planned, true, stop, teller).await
    }

    /// The artifact that a plan was made from, and how it can be had again.
    async fn planned_source(&self, approved: &Approved) -> anyhow::Result<(Source, Keep)> {
        let keys = &self.gather.keys;
        match &approved.request.reference {
            Some(name) => {
                let client = source::client(&self.gather.registry, &[name])?;
                let source = Source::open(name, &client, keys).await?;
                Ok((source, gather::of_name(name).await?))
            }
            None => {
                let reference = self.store.reference(&approved.plan.artifact)?;
                let client = self.gather.registry.client(&[])?;
                let source = Source::pull(&reference, "", &client, keys).await?;
                Ok((source, gather::of_reference(&reference, "").await?))
            }
        }
    }
}
