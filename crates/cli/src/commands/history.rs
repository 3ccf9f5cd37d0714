//! `kelson history`: what was delivered under a name, and when.

use anyhow::bail;
use kelson_cluster::{Cluster, Held};
use kelson_plan::Delivery;
use kelson_plan::inventory::Applied;
use kelson_yaml::Node;

use super::{diff, print};
use crate::delivery::{self, Place};
use crate::exit::Code;
use crate::past::{self, plain, short};
use crate::table::table;
use crate::{json, kubernetes, runtime};

/// Show what was applied under a name, the newest first.
///
/// The last ten artifacts are remembered. What came from a registry is pulled from there again by digest; what came from
/// elsewhere is kept beside the inventory, where it is not too large. With --diff two of them are compared, as by
/// `kelson diff`: that ends with 0 where nothing differs, 2 where something does, 1 where that cannot be found out.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The name of the delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: String,
    /// Compare two applies, or one with the newest: each by number, digest or its beginning, or revision.
    #[arg(long, num_args = 1..=2, value_names = ["BEFORE", "AFTER"])]
    diff: Option<Vec<String>>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    past: past::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let cluster = arguments.kubernetes.connect().await?;
        let held = held(&cluster, &arguments.name, &arguments.place).await?;
        match &arguments.diff {
            Some(names) => arguments.compare(&cluster, &held, names).await,
            None => {
                print(&match arguments.json {
                    true => json::text(&report(&held))?,
                    false => text(&held.inventory.history),
                })?;
                Ok(Code::Done)
            }
        }
    })
}

/// The record of a delivery that must be there.
pub(super) async fn held(cluster: &Cluster, name: &str, place: &Place) -> anyhow::Result<Held> {
    let delivery = Delivery::new(name, &place.of(cluster))?;
    let held = Held::load(cluster, &delivery).await?;
    match held.exists() {
        true => Ok(held),
        false => bail!("nothing was delivered as {delivery}"),
    }
}

impl Arguments {
    async fn compare(
        &self,
        cluster: &Cluster,
        held: &Held,
        names: &[String],
    ) -> anyhow::Result<Code> {
        let history = &held.inventory.history;
        let (before, after) = match (names, history.last()) {
            ([before, after], _) => (past::find(history, before)?, past::find(history, after)?),
            ([before], Some(newest)) => (past::find(history, before)?, newest),
            _ => bail!("nothing was applied yet as {}", held.delivery),
        };
        let options = kelson_render::Options::default();
        let mut sides = Vec::with_capacity(2);
        for side in [before, after] {
            sides.push(self.past.open(cluster, held, side).await?.source.objects(&options)?);
        }
        diff::show(&sides[0], &sides[1], self.json)
    }
}

fn text(history: &[Applied]) -> String {
    let row = |of: &Applied| {
        let revision = if of.revision.is_empty() { "-" } else { &of.revision };
        let result = match of.rollback {
            Some(number) => format!("{}, back to {number}", plain(&of.result)),
            None => plain(&of.result),
        };
        [
            of.number.to_string(),
            short(&of.digest),
            plain(revision),
            plain(&of.at),
            plain(&of.by),
            result,
            past::standing(history, of).to_owned(),
            past::whereabouts(of),
        ]
    };
    let rows: Vec<_> = history.iter().rev().map(row).collect();
    table(["NUMBER", "ARTIFACT", "REVISION", "AT", "BY", "RESULT", "NOW", "CONTENT"], &rows)
}

fn report(held: &Held) -> Node {
    let history = &held.inventory.history;
    let applied = history.iter().rev().map(|of| past::report(history, of)).collect();
    json::object([
        ("name", Some(Node::string(held.delivery.name()))),
        ("namespace", Some(Node::string(held.delivery.namespace()))),
        ("history", Some(Node::sequence(applied))),
    ])
}
