//! What is delivered under which name and by which rules, as flags.

use std::time::Duration;

use kelson_cluster::{ApplyOptions, Cluster, LeaseOptions};
use kelson_pipeline::deliver::{Execution, Keep, Request};
use kelson_plan::file::Asked;
use kelson_plan::{Delivery, Ignore, Key, Options, PruneOptions, Take};

use crate::gather::Gathered;
use crate::{duration, random};

/// The namespace of a delivery.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Place {
    /// The namespace that holds the inventory, and of objects that name none; by default that of the context.
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,
}

impl Place {
    /// The namespace that is meant.
    pub(crate) fn of(&self, cluster: &Cluster) -> String {
        self.namespace.clone().unwrap_or_else(|| cluster.default_namespace().to_owned())
    }
}

/// How a plan is made.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Delivery options")]
#[group(skip)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Make the namespace that holds the inventory where it is missing.
    #[arg(long)]
    pub(crate) create_namespace: bool,
    /// Deliver from another source than before.
    #[arg(long)]
    change_source: bool,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    manager: Manager,
}

/// What a plan may do, and what it leaves alone.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Rules {
    /// Leave a field to others, such as Deployment:/spec/replicas; may be repeated.
    #[arg(long, value_name = "KIND:/PATH", value_parser = ignore)]
    pub(crate) ignore: Vec<String>,
    /// Take over these fields from whoever owns them, as conflicts name them; may be repeated.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', value_parser = field, conflicts_with = "take_all")]
    take: Vec<String>,
    /// Take over every field that somebody else owns.
    #[arg(long)]
    take_all: bool,
    /// Take over objects that kubectl, Helm, Flux or kustomizer manages.
    #[arg(long)]
    adopt: bool,
    /// Delete and make anew what has an immutable field that changes; what holds data only where it says so itself.
    #[arg(long)]
    recreate: bool,
    #[command(flatten)]
    prune: Prune,
}

/// Our name to the API server.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Manager {
    /// The name under which fields are applied.
    #[arg(long, value_name = "NAME", default_value = "kelson", value_parser = manager)]
    pub(crate) field_manager: String,
}

/// What goes, and what is kept.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Prune {
    /// Keep what is no longer wanted, in the cluster and in the inventory.
    #[arg(long)]
    no_prune: bool,
    #[command(flatten)]
    limits: Limits,
}

/// How much may go.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Limits {
    /// Let go what holds data, too: claims, StatefulSets with claims, namespaces and definitions that others use.
    #[arg(long)]
    pub(crate) prune_data: bool,
    /// How many objects may be deleted in one run.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    max_deletions: usize,
}

/// What is shown of a plan.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct View {
    /// Show the changes, too, that rules hide as noise.
    #[arg(long)]
    pub(crate) show_all: bool,
    /// Print the rules that hide noise, and end.
    #[arg(long)]
    pub(crate) show_rules: bool,
}

/// How a plan is executed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Run {
    /// How long an object may take to be gone, and a definition to be established, such as 2m.
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = duration::parse)]
    pub(crate) delete_timeout: Duration,
    /// For how long the lease of a run that ended badly keeps others out, such as 15s.
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = duration::parse)]
    lease_duration: Duration,
    /// How long somebody else who is applying is waited for, such as 1m; 0 for not at all.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration::parse)]
    lease_timeout: Duration,
    /// Do not ask.
    #[arg(short, long)]
    pub(crate) yes: bool,
}

impl Run {
    /// How objects and others are waited for, and what time it is. `bound` is whether somebody has seen what is done: then
    /// it is done to nothing that changes in between.
    pub(crate) fn execution(&self, bound: bool) -> Execution {
        // A lease is renewed several times while it lasts, and the server counts whole seconds.
        let duration = self.lease_duration.max(Duration::from_secs(1));
        Execution {
            lease: LeaseOptions { duration, patience: self.lease_timeout },
            apply: ApplyOptions {
                established: self.delete_timeout,
                gone: self.delete_timeout,
                bound,
                ready: None,
            },
            at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

/// The name of a delivery.
pub(crate) fn name(text: &str) -> Result<String, String> {
    match Delivery::new(text, "default") {
        Ok(delivery) => Ok(delivery.name().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A field as conflicts name it, as a pointer, or as a pointer in objects of a kind.
fn field(text: &str) -> Result<String, String> {
    let is_field = text.starts_with(['.', '/']) || Ignore::parse(text).is_ok();
    is_field.then(|| text.to_owned()).ok_or_else(|| {
        "a field is written as `.spec.replicas`, `/spec/replicas` or `Deployment:/spec/replicas`"
            .to_owned()
    })
}

fn ignore(text: &str) -> Result<String, String> {
    Ignore::parse(text).map(|_| text.to_owned())
}

/// A field manager's name, as the API server takes it.
pub(crate) fn manager(text: &str) -> Result<String, String> {
    let is_good = !text.is_empty() && text.len() <= 128 && !text.contains(char::is_control);
    is_good.then(|| text.to_owned()).ok_or_else(|| "1 to 128 printable characters".to_owned())
}

impl Rules {
    /// How a plan is made under a name. Creates are checked where there is time to look at the answers.
    pub(crate) fn options(&self, manager: &str, check_creates: bool) -> anyhow::Result<Options> {
        let prune = &self.prune;
        Ok(Options {
            field_manager: manager.to_owned(),
            take: match (self.take_all, self.take.is_empty()) {
                (true, _) => Take::All,
                (false, true) => Take::Nothing,
                (false, false) => Take::Fields(self.take.clone()),
            },
            adopt: self.adopt,
            recreate: self.recreate,
            check_creates,
            prune: PruneOptions { enabled: !prune.no_prune, ..prune.limits.options() },
            key: new_key()?,
        })
    }
}

impl Limits {
    /// What may be pruned.
    pub(crate) fn options(&self) -> PruneOptions {
        PruneOptions {
            enabled: true,
            data: self.prune_data,
            most: self.max_deletions,
            ..PruneOptions::default()
        }
    }
}

impl Flags {
    /// What is asked for besides how.
    pub(crate) fn asked(&self, cluster: &Cluster, gathered: &Gathered) -> Asked {
        Asked {
            reference: gathered.reference.clone(),
            sources: gathered.sources.clone(),
            revision: gathered.revision.clone(),
            change_source: self.change_source,
            create_namespace: self.create_namespace,
            default_namespace: self.place.of(cluster),
            ignore: self.rules.ignore.clone(),
            rollback: None,
        }
    }

    /// How a plan is made. Creates are checked where there is time to look at the answers.
    pub(crate) fn options(&self, check_creates: bool) -> anyhow::Result<Options> {
        self.rules.options(&self.manager.field_manager, check_creates)
    }

    /// A flag that says what a plan file has said already.
    pub(crate) fn said_by_a_plan(&self) -> Option<&'static str> {
        let flags = [
            ("--namespace", self.place.namespace.is_some()),
            ("--change-source", self.change_source),
            ("--ignore", !self.rules.ignore.is_empty()),
            ("--take", !self.rules.take.is_empty()),
            ("--take-all", self.rules.take_all),
            ("--adopt", self.rules.adopt),
            ("--recreate", self.rules.recreate),
            ("--no-prune", self.rules.prune.no_prune),
            ("--prune-data", self.rules.prune.limits.prune_data),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }
}

/// What was asked for, whether just now or when a plan was made.
pub(crate) fn request(
    delivery: Option<Delivery>,
    digest: &str,
    asked: &Asked,
    options: Options,
) -> anyhow::Result<Request> {
    let ignore = asked.ignore.iter().map(|text| Ignore::parse(text));
    Ok(Request {
        delivery,
        artifact: digest.to_owned(),
        revision: asked.revision.clone(),
        sources: asked.sources.clone(),
        keep: Keep::Nothing,
        rollback: asked.rollback,
        change_source: asked.change_source,
        create_namespace: asked.create_namespace,
        default_namespace: asked.default_namespace.clone(),
        ignore: ignore.collect::<Result<_, _>>().map_err(anyhow::Error::msg)?,
        options,
    })
}

/// A request without a source: to delete, to import, to recover.
pub(crate) fn sourceless(delivery: Delivery, options: Options) -> Request {
    Request {
        default_namespace: delivery.namespace().to_owned(),
        delivery: Some(delivery),
        artifact: String::new(),
        revision: String::new(),
        sources: Vec::new(),
        keep: Keep::Nothing,
        rollback: None,
        change_source: false,
        create_namespace: false,
        ignore: Vec::new(),
        options,
    }
}

/// A key for a delivery that has none yet.
pub(crate) fn new_key() -> anyhow::Result<Key> {
    Ok(Key::new(random::bytes(32)?))
}

/// The rules that hide noise, for people.
pub(crate) fn rules() -> String {
    let rows: Vec<[String; 2]> = kelson_plan::rules::RULES
        .iter()
        .map(|rule| [rule.name.to_owned(), rule.about.to_owned()])
        .collect();
    crate::table::table(["RULE", "HIDES"], &rows)
}
