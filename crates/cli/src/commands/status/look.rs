//! What there is to see: the records, and how the objects that they list are.

use anyhow::bail;
use kelson_cluster::{Branch, Cluster, Error, Held, ObserveOptions, Target, Targets};
use kelson_pipeline::deliver;
use kelson_plan::{Delivery, Silent};
use kelson_yaml::Node;

use super::row::{self, Row};
use super::tree;
use crate::exit::Code;
use crate::json;

/// Whose status is shown.
pub(super) enum Scope {
    One(Delivery),
    Namespace(String),
    All,
}

/// Looks at deliveries.
pub(super) struct Looker<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) scope: Scope,
    pub(super) options: ObserveOptions,
    pub(super) json: bool,
}

/// What the records say. How the objects are is another matter, and changes more often.
pub(super) struct Records {
    all: Vec<Record>,
}

/// A record, and the objects that it lists; none where it cannot be read.
pub(super) struct Record {
    pub(super) delivery: Delivery,
    pub(super) held: Result<Held, Error>,
    pub(super) targets: Targets,
}

/// What a person or a machine is shown.
pub(super) struct Seen {
    pub(super) text: String,
    pub(super) code: Code,
}

impl<'a> Looker<'a> {
    pub(super) fn new(
        cluster: &'a Cluster,
        scope: Scope,
        mut options: ObserveOptions,
        json: bool,
    ) -> Self {
        if let Scope::One(delivery) = &scope {
            options.delivery = Some(delivery.clone());
        }
        Self { cluster, scope, options, json }
    }

    /// The namespace that is looked at, where it is one.
    pub(super) fn namespace(&self) -> Option<&str> {
        match &self.scope {
            Scope::One(delivery) => Some(delivery.namespace()),
            Scope::Namespace(namespace) => Some(namespace),
            Scope::All => None,
        }
    }

    /// Reads the records.
    pub(super) async fn records(&self) -> anyhow::Result<Records> {
        let all = match &self.scope {
            Scope::One(delivery) => {
                let held = Held::load(self.cluster, delivery).await?;
                if !held.exists() {
                    bail!("nothing was delivered as {delivery}");
                }
                vec![(delivery.clone(), Ok(held))]
            }
            Scope::Namespace(_) | Scope::All => Held::list(self.cluster, self.namespace()).await?,
        };
        let readable: Vec<&Held> = all.iter().filter_map(|(_, held)| held.as_ref().ok()).collect();
        let mut found = deliver::targets(self.cluster, &readable).await?.into_iter();
        let record = |(delivery, held): (Delivery, Result<Held, Error>)| {
            let targets = held.as_ref().ok().and_then(|_| found.next());
            let none = || Targets { targets: Vec::new(), missing: Vec::new() };
            Record { delivery, held, targets: targets.unwrap_or_else(none) }
        };
        Ok(Records { all: all.into_iter().map(record).collect() })
    }

    /// Looks at the objects once: at those of all deliveries together, so that many small ones cost no more than a large one.
    pub(super) async fn family(&self, records: &Records) -> anyhow::Result<Vec<Branch>> {
        let (cluster, targets, options) = (self.cluster, records.targets(), &self.options);
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        if let Scope::One(_) = self.scope {
            return Ok(kelson_cluster::family(cluster, &targets, options, &Silent).await?);
        }
        let objects = kelson_cluster::look(cluster, &targets, options, &Silent).await?;
        Ok(objects.into_iter().map(|object| Branch { object, children: Vec::new() }).collect())
    }

    /// What is shown of all that.
    pub(super) fn seen(&self, records: &Records, family: &[Branch]) -> anyhow::Result<Seen> {
        let rows = records.rows(family);
        let text = match (&self.scope, rows.as_slice(), self.json) {
            (Scope::One(_), [row], true) => json::text(&tree::node(row))?,
            (Scope::One(_), [row], false) => tree::text(row),
            (_, rows, true) => json::text(&Node::sequence(rows.iter().map(Row::node).collect()))?,
            (Scope::Namespace(name), [], false) => {
                format!("nothing is delivered in the namespace `{name}`\n")
            }
            (_, [], false) => "nothing is delivered\n".to_owned(),
            (_, rows, false) => row::table(rows),
        };
        Ok(Seen { text, code: code(&rows) })
    }
}

impl Records {
    /// The objects of all.
    pub(super) fn targets(&self) -> Vec<Target> {
        self.all.iter().flat_map(|record| record.targets.targets.iter().cloned()).collect()
    }

    /// Gives each delivery its own branches: they come in the order of the targets.
    fn rows<'a>(&'a self, family: &'a [Branch]) -> Vec<Row<'a>> {
        let mut rest = family;
        let row = |record: &'a Record| {
            let (own, others) = rest.split_at(record.targets.targets.len().min(rest.len()));
            rest = others;
            Row::new(record, own)
        };
        self.all.iter().map(row).collect()
    }
}

/// What the worst of the deliveries comes to.
fn code(rows: &[Row<'_>]) -> Code {
    if rows.iter().any(|row| row.record.held.is_err()) {
        return Code::Failed;
    }
    match rows.iter().all(Row::is_ready) {
        true => Code::Done,
        false => Code::NotReady,
    }
}
