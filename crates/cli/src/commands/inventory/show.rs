//! `kelson inventory show`.

use anyhow::bail;
use kelson_cluster::Held;
use kelson_plan::Delivery;
use kelson_plan::inventory::{Applied, Entry, Origin, State};
use kelson_yaml::Node;

use super::super::{id, print};
use crate::delivery::{self, Place};
use crate::exit::Code;
use crate::table::table;
use crate::{draw, json, kubernetes, past, runtime};

/// Show what was delivered under a name, or, without one, all deliveries of a namespace.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The name of a delivery.
    #[arg(value_name = "NAME", value_parser = delivery::name)]
    name: Option<String>,
    /// Show the deliveries of all namespaces.
    #[arg(short = 'A', long, conflicts_with_all = ["name", "namespace"])]
    all_namespaces: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let cluster = arguments.kubernetes.connect().await?;
        let namespace = arguments.place.of(&cluster);
        let Some(name) = &arguments.name else {
            let namespace = (!arguments.all_namespaces).then_some(namespace.as_str());
            let all = Held::list(&cluster, namespace).await?.into_iter().map(|(_, held)| held);
            let (all, damaged): (Vec<_>, Vec<_>) = all.partition(Result::is_ok);
            damaged
                .into_iter()
                .filter_map(Result::err)
                .for_each(|error| draw::error(&error.into()));
            let all: Vec<Held> = all.into_iter().flatten().collect();
            print(&match arguments.json {
                true => json::text(&Node::sequence(all.iter().map(report).collect()))?,
                false => list(&all),
            })?;
            return Ok(Code::Done);
        };
        let delivery = Delivery::new(name, &namespace)?;
        let held = Held::load(&cluster, &delivery).await?;
        if !held.exists() {
            bail!("nothing was delivered as {delivery}");
        }
        print(&match arguments.json {
            true => json::text(&report(&held))?,
            false => text(&held),
        })?;
        Ok(Code::Done)
    })
}

fn sources(held: &Held) -> String {
    held.inventory.source.as_ref().map(|source| source.sources.join(", ")).unwrap_or_default()
}

fn list(all: &[Held]) -> String {
    let row = |held: &Held| {
        let last = held.inventory.history.last().cloned().unwrap_or_default();
        [
            held.delivery.namespace().to_owned(),
            held.delivery.name().to_owned(),
            held.inventory.entries.len().to_string(),
            last.result,
            last.at,
            sources(held),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    table(["NAMESPACE", "NAME", "OBJECTS", "RESULT", "AT", "SOURCE"], &rows)
}

fn text(held: &Held) -> String {
    let mut text = format!("Delivery:      {}\nSource:        {}\n", held.delivery, sources(held));
    text.push_str(&format!("Field manager: {}\n", held.inventory.field_manager));
    let applied = |it: &Applied| {
        let digest = if it.digest.is_empty() { "-" } else { &it.digest };
        [it.at.clone(), it.result.clone(), it.by.clone(), digest.to_owned(), it.revision.clone()]
    };
    let history: Vec<_> = held.inventory.history.iter().map(applied).collect();
    if !history.is_empty() {
        text.push('\n');
        text.push_str(&table(["AT", "RESULT", "BY", "ARTIFACT", "REVISION"], &history));
    }
    let entry = |entry: &Entry| {
        [
            entry.id.to_string(),
            entry.version.clone(),
            origin(entry).to_owned(),
            state(entry).to_owned(),
            entry.uid.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    };
    let entries: Vec<_> = held.inventory.entries.iter().map(entry).collect();
    text.push('\n');
    text + &table(["OBJECT", "VERSION", "ORIGIN", "STATE", "UID"], &entries)
}

fn origin(entry: &Entry) -> &'static str {
    match entry.origin {
        Origin::Created => "created",
        Origin::Adopted => "adopted",
        Origin::Found => "found",
    }
}

fn state(entry: &Entry) -> &'static str {
    match entry.state {
        State::Pending => "pending",
        State::Applied => "applied",
        State::Deleting => "deleting",
    }
}

/// A record for the machine. The key that Secrets are masked with is nobody's business.
fn report(held: &Held) -> Node {
    let inventory = &held.inventory;
    let sources = inventory.source.iter().flat_map(|source| &source.sources);
    let applied = |it: &Applied| past::report(&inventory.history, it);
    let entry = |entry: &Entry| {
        json::object([
            ("object", Some(id(&entry.id))),
            ("version", Some(json::string(&entry.version))),
            ("uid", entry.uid.as_ref().map(json::string)),
            ("origin", Some(Node::string(origin(entry)))),
            ("state", Some(Node::string(state(entry)))),
        ])
    };
    json::object([
        ("name", Some(Node::string(held.delivery.name()))),
        ("namespace", Some(Node::string(held.delivery.namespace()))),
        ("sources", Some(Node::sequence(sources.map(json::string).collect()))),
        ("fieldManager", Some(json::string(&inventory.field_manager))),
        ("history", Some(Node::sequence(inventory.history.iter().map(applied).collect()))),
        ("entries", Some(Node::sequence(inventory.entries.iter().map(entry).collect()))),
    ])
}
