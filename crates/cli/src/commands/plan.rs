//! `kelson plan`: what an apply would do.

use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, bail};
use kelson_cluster::{Cluster, Held};
use kelson_pipeline::deliver::{self, Keep, Planned, Request};
use kelson_plan::file::{self, Approved, Asked};
use kelson_plan::{Action, Delivery, Event, Listener, Plan};

use crate::delivery::{self, View};
use crate::events::Teller;
use crate::exit::Code;
use crate::steps::Detail;
use crate::{draw, gather, kubernetes, local, runtime, steps, whole};

/// No plan is larger.
const LARGEST: u64 = 256 << 20;

/// Show what an apply would do.
///
/// The objects of all sources are held against the cluster and against what was delivered under the same name before.
/// The API server is asked for a dry run where one can differ. Nothing is written, in the cluster nor in its records.
/// With --output the plan becomes a file that `kelson apply` takes, and refuses where anything has moved since.
/// Ends with 0 where nothing is to be done, 2 where something is, 1 where something cannot be done.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Directories, files, - for standard input, or artifacts.
    #[arg(value_name = "SOURCE", required_unless_present = "show_rules")]
    sources: Vec<String>,
    /// The name of the delivery.
    #[arg(long, value_name = "NAME", value_parser = delivery::name, required_unless_present = "show_rules")]
    name: Option<String>,
    /// Write the plan to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the plan as it is written to files.
    #[arg(long)]
    json: bool,
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
    runtime::run(async {
        let teller = Teller::new(false);
        let Arguments { sources: names, gather, delivery, kubernetes, .. } = arguments;
        let sources = Sources { names, gather, delivery, kubernetes };
        let (cluster, ask) = sources.ask(arguments.name.as_deref(), true, &teller).await?;
        if arguments.output.is_some()
            && let Some(packed) = ask.packed()?
        {
            arguments.store.keep(packed).await?;
        }
        let Ask { objects, request, asked, .. } = ask;
        let planned = deliver::plan(&cluster, objects, &request, &teller).await?;
        arguments.report(planned, request, asked)
    })
}

impl Arguments {
    fn report(&self, planned: Planned, request: Request, asked: Asked) -> anyhow::Result<Code> {
        let code = code(&planned.plan);
        if !self.json {
            super::print(&text(&planned, &request, self.view.show_all))?;
        }
        if self.json || self.output.is_some() {
            let text = stored(planned, request, asked);
            if let Some(path) = &self.output {
                whole::write(path, &text)?;
            }
            if self.json {
                super::print(&text)?;
            }
        }
        Ok(code)
    }
}

/// A plan as files have it.
pub(super) fn stored(planned: Planned, request: Request, asked: Asked) -> String {
    let inventory = planned.held.as_ref().and_then(Held::hash);
    let (plan, options) = (planned.plan, request.options);
    let mut text = file::write(&Approved { plan, options, inventory, request: asked });
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Where objects come from and how they are delivered.
pub(super) struct Sources<'a> {
    pub(super) names: &'a [String],
    pub(super) gather: &'a gather::Flags,
    pub(super) delivery: &'a delivery::Flags,
    pub(super) kubernetes: &'a kubernetes::Flags,
}

/// What is asked for.
pub(super) struct Ask {
    pub(super) objects: Vec<kelson_model::Object>,
    pub(super) request: Request,
    pub(super) asked: Asked,
    packed: Option<kelson_artifact::Packed>,
    was_sealed: bool,
}

impl Sources<'_> {
    /// Reads and renders the sources, and finds out which cluster they are for.
    pub(super) async fn ask(
        &self,
        name: Option<&str>,
        check_creates: bool,
        listener: &dyn Listener,
    ) -> anyhow::Result<(Cluster, Ask)> {
        let gathered = self.gather.gather(self.names).await?;
        let cluster = self.kubernetes.connect().await?;
        let (source, objects) = (gathered.sources.join(", "), gathered.objects.len());
        listener.hear(&Event::Read { source, objects });
        let asked = self.delivery.asked(&cluster, &gathered);
        let delivery =
            name.map(|name| Delivery::new(name, &asked.default_namespace)).transpose()?;
        let options = self.delivery.options(check_creates)?;
        let request = delivery::request(delivery, &gathered.digest, &asked, options)?;
        let gather::Gathered { objects, packed, was_sealed, .. } = gathered;
        Ok((cluster, Ask { objects, request, asked, packed, was_sealed }))
    }
}

impl Ask {
    /// How it can be had again once it is applied.
    pub(super) async fn keep(&self) -> anyhow::Result<Keep> {
        match (&self.packed, &self.asked.reference) {
            (Some(packed), _) => Ok(gather::of_packed(packed, self.was_sealed)),
            (None, Some(name)) => gather::of_name(name).await,
            (None, None) => Ok(Keep::Nothing),
        }
    }

    /// What must be kept for a plan of it to be applied later; nothing where its artifact is kept elsewhere.
    fn packed(&self) -> anyhow::Result<Option<&kelson_artifact::Packed>> {
        if self.packed.is_some() && self.was_sealed {
            bail!(
                "this content was decrypted on the way and would lie open in the store; plan one encrypted artifact as it is, or apply without a plan file"
            );
        }
        Ok(self.packed.as_ref())
    }
}

/// A plan for people.
pub(super) fn text(planned: &Planned, request: &Request, all: bool) -> String {
    let mut text = steps::text(&planned.plan, Detail { all });
    let held = planned.held.as_ref().filter(|_| planned.namespace_missing);
    if let Some(held) = held.filter(|_| !request.create_namespace) {
        let namespace = held.delivery.namespace();
        text.push_str(&format!(
            "There is no namespace `{namespace}` to hold the inventory: --create-namespace makes it.\n"
        ));
    }
    text
}

/// What a plan comes to.
pub(super) fn code(plan: &Plan) -> Code {
    let failed = plan.steps.iter().any(|step| matches!(step.action, Action::Fail(_)));
    match (failed, plan.is_empty()) {
        (true, _) => Code::Failed,
        (false, false) => Code::Differs,
        (false, true) => Code::Done,
    }
}

/// Ends with a code of its own where the ground has moved, each thing that did so named.
pub(super) fn moved(result: anyhow::Result<Code>) -> anyhow::Result<Code> {
    let error = match result {
        Ok(code) => return Ok(code),
        Err(error) => error,
    };
    match error.downcast::<deliver::DeliverError>() {
        Ok(deliver::DeliverError::Moved(list)) => {
            draw::line("error: the ground has moved since this was planned; nothing was done");
            list.iter().for_each(|what| draw::line(&format!("  {what}")));
            Ok(Code::Moved)
        }
        Ok(error) => Err(error.into()),
        Err(error) => Err(error),
    }
}

/// Reads a plan file, if a source is one.
pub(super) fn read(path: &str) -> anyhow::Result<Option<Approved>> {
    let metadata = std::fs::metadata(path);
    let may_be = metadata.is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    if path == "-" || !may_be || !starts_with_brace(path) {
        return Ok(None);
    }
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    match file::is_meant(&text) {
        true => Ok(Some(file::read(&text).with_context(|| format!("in `{path}`"))?)),
        false => Ok(None),
    }
}

/// Manifests in YAML begin otherwise.
fn starts_with_brace(path: &str) -> bool {
    let mut start = [0; 64];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start));
    matches!(read, Ok(length) if start[..length].trim_ascii_start().starts_with(b"{"))
}
