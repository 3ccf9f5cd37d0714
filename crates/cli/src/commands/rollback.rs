//! `kelson rollback`: what was delivered before is delivered again.

use std::path::PathBuf;

use kelson_cluster::{Cluster, Held};
use kelson_model::Object;
use kelson_pipeline::deliver::{self, Request};
use kelson_plan::file::Asked;
use kelson_plan::inventory::Applied;
use kelson_plan::{Event, Listener};

use super::apply::{self, Carry};
use super::{history, plan, print};
use crate::delivery::{self, Place, Rules, Run, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::observe::After;
use crate::past::{self, Past};
use crate::{confirm, draw, gather, kubernetes, runtime, whole};

/// Go back to what was delivered before.
///
/// An ordinary plan from the earlier artifact: what that does not have is pruned. On a terminal the plan is shown and
/// asked about; elsewhere --yes says that it is wanted. The source of the delivery stays what it was, so that the next
/// `kelson apply` from there goes forward again. `kelson history` shows what one can go back to.
/// Then it is waited for, as after `kelson apply`, with the same exit codes.
/// With --output nothing is applied: the plan becomes a file that `kelson apply` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The name of the delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: String,
    /// Which one: its number, its digest or the beginning of that, or its revision; by default the one that went well
    /// before the newest.
    #[arg(long, value_name = "DIGEST|REVISION")]
    to: Option<String>,
    /// Write the plan to this file, and do nothing.
    #[arg(short, long, value_name = "FILE", conflicts_with = "yes")]
    output: Option<PathBuf>,
    /// Print JSON: a line for everything that happens; with --output the plan.
    #[arg(long)]
    json: bool,
    /// The name under which fields are applied; by default the one that was used before.
    #[arg(long, value_name = "NAME", value_parser = delivery::manager)]
    field_manager: Option<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    after: After,
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    past: past::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let Arguments { run, view, json, output, .. } = arguments;
    if view.show_rules {
        print(&delivery::rules())?;
        return Ok(Code::Done);
    }
    if output.is_none() && !run.yes && (*json || !confirm::is_possible()) {
        draw::line(&format!("error: {}", apply::NOBODY));
        return Ok(Code::Usage);
    }
    let health = arguments.after.options(run.delete_timeout)?;
    plan::moved(runtime::run_orderly(|stop| async move {
        let teller = Teller::new(*json && output.is_none());
        let cluster = arguments.kubernetes.connect().await?;
        let held = history::held(&cluster, &arguments.name, &arguments.place).await?;
        let target = arguments.target(&held)?;
        let past = arguments.past.open(&cluster, &held, target).await?;
        let objects = gather::of_plan(&past.source)?;
        let source = format!("number {} of {}", target.number, held.delivery);
        teller.hear(&Event::Read { source, objects: objects.len() });
        let asked = arguments.asked(&cluster, &held, target, &past);
        let request = arguments.request(&held, target, &past, &asked)?;
        match output {
            Some(_) => arguments.write(&cluster, objects, request, asked, past, &teller).await,
            None => {
                let carry = Carry { run, view, health: health.as_ref(), json: *json };
                carry.asked(&cluster, objects, request, &stop, &teller).await
            }
        }
    }))
}

impl Arguments {
    fn target<'h>(&self, held: &'h Held) -> anyhow::Result<&'h Applied> {
        let history = &held.inventory.history;
        match &self.to {
            Some(text) => past::find(history, text),
            None => past::previous(history),
        }
    }

    /// What is asked for. The sources are those that the delivery has: this is no change of them.
    fn asked(&self, cluster: &Cluster, held: &Held, target: &Applied, past: &Past) -> Asked {
        let sources = held.inventory.source.as_ref().map(|origins| origins.sources.clone());
        Asked {
            reference: past.reference.clone(),
            sources: sources.unwrap_or_default(),
            revision: target.revision.clone(),
            change_source: false,
            create_namespace: false,
            default_namespace: self.place.of(cluster),
            ignore: self.rules.ignore.clone(),
            rollback: Some(target.number),
        }
    }

    fn request(
        &self,
        held: &Held,
        target: &Applied,
        past: &Past,
        asked: &Asked,
    ) -> anyhow::Result<Request> {
        let known = Some(held.inventory.field_manager.as_str()).filter(|it| !it.is_empty());
        let manager = self.field_manager.as_deref().or(known).unwrap_or("kelson");
        let options = self.rules.options(manager, !self.run.yes)?;
        let delivery = Some(held.delivery.clone());
        let request = delivery::request(delivery, &target.digest, asked, options)?;
        Ok(Request { keep: past.keep.clone(), ..request })
    }

    /// Writes the plan to a file, from which it can be applied later, on this machine.
    async fn write(
        &self,
        cluster: &Cluster,
        objects: Vec<Object>,
        request: Request,
        asked: Asked,
        past: Past,
        teller: &Teller,
    ) -> anyhow::Result<Code> {
        if let Some((store, reference)) = &past.elsewhere {
            self.past.store.keep_from(store, reference).await?;
        }
        let planned = deliver::plan(cluster, objects, &request, teller).await?;
        let code = plan::code(&planned.plan);
        if !self.json {
            print(&plan::text(&planned, &request, self.view.show_all))?;
        }
        let text = plan::stored(planned, request, asked);
        if let Some(path) = &self.output {
            whole::write(path, &text)?;
        }
        if self.json {
            print(&text)?;
        }
        Ok(code)
    }
}
