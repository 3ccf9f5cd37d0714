//! `kelson inventory import`.

use kelson_pipeline::deliver;
use kelson_plan::{Delivery, Options};

use super::super::{apply, plan, print};
use crate::delivery::{self, Manager, Place, Run};
use crate::events::Teller;
use crate::exit::Code;
use crate::progress::count;
use crate::{confirm, draw, kubernetes, runtime};

/// Import what kustomizer has applied.
///
/// Reads the ConfigMap inv-NAME, labels the objects that it lists and that are still there as ours, and enters them in
/// an inventory. Their fields are taken over by the next `kelson apply --adopt`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of kustomizer's inventory.
    #[arg(value_name = "NAME")]
    inventory: String,
    /// The name of the delivery; by default that of the inventory.
    #[arg(long, value_name = "NAME", value_parser = delivery::name)]
    name: Option<String>,
    /// Delete kustomizer's ConfigMap when all is imported.
    #[arg(long)]
    remove: bool,
    /// Print JSON: a line for everything that happens.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
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
        let name = arguments.name.as_ref().unwrap_or(&arguments.inventory);
        let delivery = Delivery::new(name, &arguments.place.of(&cluster))?;
        let options = Options {
            field_manager: arguments.manager.field_manager.clone(),
            key: delivery::new_key()?,
            ..Options::default()
        };
        let request = delivery::sourceless(delivery, options);
        let inventory = &arguments.inventory;
        let imported = deliver::import(&cluster, inventory, &request, &teller).await?;
        for (id, why) in &imported.left_out {
            draw::line(&format!("{id} is left out: {why}"));
        }
        if !arguments.run.yes {
            print(&plan::text(&imported.planned, &request, false))?;
            let objects = count(imported.planned.plan.steps.len(), "object");
            let question = format!("Import {objects} of {}?", apply::named(&cluster));
            if !confirm::ask(&question).await? {
                draw::line("nothing was done");
                return Ok(Code::Failed);
            }
        }
        let (execution, stop) = (arguments.run.execution(true), stop.in_order());
        let planned = &imported.planned;
        let applied =
            deliver::execute(&cluster, &request, planned, &execution, &stop, &teller).await?;
        let code = apply::report(&applied, arguments.json)?;
        if arguments.remove && code == Code::Done {
            cluster.remove(&imported.kind, &imported.config_map).await?;
        }
        Ok(code)
    }))
}
