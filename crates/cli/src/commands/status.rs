//! `kelson status`: how what was delivered is.

mod look; // what there is to see
mod row; // a delivery in a line
mod tree; // a delivery with all its objects, down to the Pods
mod watch; // again whenever something stirs

use kelson_plan::Delivery;

use self::look::{Looker, Scope};
use crate::delivery::{self, Place};
use crate::exit::Code;
use crate::observe::Rules;
use crate::{kubernetes, runtime};

/// Show how what was delivered is.
///
/// Without a name, every delivery of the namespace is a line: whether it is ready, and the first reason why not. With
/// one, its objects are shown with all that they have brought about, down to the Pods. Nothing is written.
/// Ends with 0 where all is ready, 3 where something is not, 1 where something cannot be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The name of a delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: Option<String>,
    /// Show the deliveries of all namespaces.
    #[arg(short = 'A', long, conflicts_with_all = ["name", "namespace"])]
    all_namespaces: bool,
    /// Show it again whenever something changes, until Ctrl-C.
    #[arg(short, long)]
    watch: bool,
    /// Print JSON; with --watch a line for every change.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let options = arguments.rules.options()?;
    runtime::run_orderly(|stop| async move {
        let cluster = arguments.kubernetes.connect().await?;
        let namespace = arguments.place.of(&cluster);
        let scope = match &arguments.name {
            Some(name) => Scope::One(Delivery::new(name, &namespace)?),
            None if arguments.all_namespaces => Scope::All,
            None => Scope::Namespace(namespace),
        };
        let looker = Looker::new(&cluster, scope, options, arguments.json);
        if arguments.watch {
            return watch::run(&looker, &stop).await;
        }
        let records = looker.records().await?;
        let seen = looker.seen(&records, &looker.family(&records).await?)?;
        super::print(&seen.text)?;
        Ok(seen.code)
    })
}
