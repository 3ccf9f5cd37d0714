//! `kelson diff`: what differs between two sources, or between sources and the cluster.

use kelson_model::Object;
use kelson_pipeline::deliver;
use kelson_plan::{Changed, Difference, difference};
use kelson_yaml::Node;

use super::plan::{self, Ask, Sources};
use crate::delivery::{self, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::source::{self, Source};
use crate::{fields, gather, json, kubernetes, runtime};

/// Show what differs between the objects of two sources, or of one and the cluster.
///
/// Each is a directory, a file, - for standard input, or an artifact (a directory of its tree is named after //).
/// An object whose name ends in a hash of its content is compared with its predecessor. Values of Secrets are not
/// shown. One source is held against the cluster, as by `kelson plan`; without a --name nothing is ever pruned.
/// Ends with 0 where nothing differs, 2 where something does, 1 where that cannot be found out.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What there was; or, alone, what is to be in the cluster.
    #[arg(value_name = "BEFORE", required_unless_present = "show_rules")]
    before: Option<String>,
    /// What there is.
    #[arg(value_name = "AFTER")]
    after: Option<String>,
    /// The delivery that the source belongs to, where it is held against the cluster.
    #[arg(long, value_name = "NAME", value_parser = delivery::name, conflicts_with = "after")]
    name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    gather: gather::Flags,
    #[command(flatten)]
    delivery: delivery::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    match (&arguments.before, &arguments.after) {
        (Some(before), Some(after)) if !arguments.view.show_rules => {
            arguments.sources(before, after)
        }
        (Some(source), None) if !arguments.view.show_rules => arguments.cluster(source),
        _ => {
            super::print(&delivery::rules())?;
            Ok(Code::Done)
        }
    }
}

impl Arguments {
    /// Two sources against each other.
    fn sources(&self, before: &str, after: &str) -> anyhow::Result<Code> {
        let gather = &self.gather;
        let (before, after) = runtime::run(async {
            let client = source::client(&gather.registry, &[before, after])?;
            let open = |text| Source::open(text, &client, &gather.keys);
            Ok((open(before).await?, open(after).await?))
        })?;
        let options = gather.render();
        show(&before.objects(&options)?, &after.objects(&options)?, self.json)
    }

    /// A source against the cluster.
    fn cluster(&self, source: &str) -> anyhow::Result<Code> {
        runtime::run(async {
            let teller = Teller::new(false);
            let Self { gather, delivery, kubernetes, .. } = self;
            let sources = Sources { names: &[source.to_owned()], gather, delivery, kubernetes };
            let (cluster, ask) = sources.ask(self.name.as_deref(), true, &teller).await?;
            let Ask { objects, request, asked, .. } = ask;
            let planned = deliver::plan(&cluster, objects, &request, &teller).await?;
            let code = plan::code(&planned.plan);
            let text = match self.json {
                false => plan::text(&planned, &request, self.view.show_all),
                true => plan::stored(planned, request, asked),
            };
            super::print(&text)?;
            Ok(code)
        })
    }
}

/// Shows what differs between objects.
pub(super) fn show(before: &[Object], after: &[Object], json: bool) -> anyhow::Result<Code> {
    let difference = difference(before, after);
    let text = match json {
        true => json::text(&report(&difference))?,
        false => text(&difference),
    };
    super::print(&text)?;
    Ok(if difference.is_empty() { Code::Done } else { Code::Differs })
}

fn text(difference: &Difference) -> String {
    let mut text = String::new();
    for id in &difference.removed {
        text.push_str(&format!("- {id}\n"));
    }
    for id in &difference.added {
        text.push_str(&format!("+ {id}\n"));
    }
    for changed in &difference.changed {
        let was = match changed.before == changed.after {
            true => String::new(),
            false => format!(" (was {})", changed.before),
        };
        text.push_str(&format!("~ {}{was}\n", changed.after));
        changed.fields.iter().for_each(|field| fields::draw(field, "", &mut text));
    }
    let (added, removed) = (difference.added.len(), difference.removed.len());
    let (changed, unchanged) = (difference.changed.len(), difference.unchanged);
    text + &format!("{added} added, {removed} removed, {changed} changed, {unchanged} unchanged\n")
}

fn report(difference: &Difference) -> Node {
    let ids =
        |list: &[kelson_model::ObjectId]| Node::sequence(list.iter().map(super::id).collect());
    let changed = |changed: &Changed| {
        json::object([
            ("before", Some(super::id(&changed.before))),
            ("after", Some(super::id(&changed.after))),
            ("fields", Some(Node::sequence(changed.fields.iter().map(fields::report).collect()))),
        ])
    };
    json::object([
        ("added", Some(ids(&difference.added))),
        ("removed", Some(ids(&difference.removed))),
        ("changed", Some(Node::sequence(difference.changed.iter().map(changed).collect()))),
        ("unchanged", Some(json::number(difference.unchanged))),
    ])
}
