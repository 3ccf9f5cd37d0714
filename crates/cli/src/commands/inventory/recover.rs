//! `kelson inventory recover`.

use kelson_pipeline::deliver;
use kelson_plan::{Delivery, Options};

use super::super::{apply, print};
use crate::delivery::{self, Manager, Place, Run};
use crate::events::Teller;
use crate::exit::Code;
use crate::progress::count;
use crate::{confirm, draw, kubernetes, runtime};

/// Rebuild an inventory that was lost or damaged.
///
/// Every object in the cluster that is labelled as part of the delivery is entered again. What an inventory that can
/// still be read says is kept.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of the delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: String,
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
    if !arguments.run.yes && !confirm::is_possible() {
        draw::line(&format!("error: {}", apply::NOBODY));
        return Ok(Code::Usage);
    }
    runtime::run(async {
        let teller = Teller::new(false);
        let cluster = arguments.kubernetes.connect().await?;
        let delivery = Delivery::new(&arguments.name, &arguments.place.of(&cluster))?;
        let options = Options {
            field_manager: arguments.manager.field_manager.clone(),
            key: delivery::new_key()?,
            ..Options::default()
        };
        let request = delivery::sourceless(delivery.clone(), options);
        let mut held = deliver::recover(&cluster, &delivery, &request, &teller).await?;
        if held.inventory.entries.is_empty() {
            print(&format!("no object in the cluster is labelled as part of {delivery}\n"))?;
            return Ok(Code::Done);
        }
        for entry in &held.inventory.entries {
            print(&format!("{}\n", entry.id))?;
        }
        let objects = count(held.inventory.entries.len(), "object");
        let question = format!("Enter {objects} in the inventory of {delivery}?");
        if !arguments.run.yes && !confirm::ask(&question).await? {
            draw::line("nothing was done");
            return Ok(Code::Failed);
        }
        deliver::save(&cluster, &mut held, &arguments.run.execution(true), &teller).await?;
        print(&format!("{objects} in the inventory of {delivery}\n"))?;
        Ok(Code::Done)
    })
}
