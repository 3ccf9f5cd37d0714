//! A delivery in a line.

use kelson_cluster::{Branch, ObservedObject};
use kelson_plan::Health;
use kelson_plan::inventory::Applied;
use kelson_yaml::Node;

use super::look::Record;
use crate::json::{self, boolean, number, string};
use crate::table::table as columns;
use crate::{draw, health, progress};

/// How much of a digest tells one from another.
const SHORT: usize = 12;

/// A delivery, and how its objects are.
pub(super) struct Row<'a> {
    pub(super) record: &'a Record,
    /// In the order of the targets.
    pub(super) family: &'a [Branch],
}

impl<'a> Row<'a> {
    pub(super) fn new(record: &'a Record, family: &'a [Branch]) -> Self {
        Self { record, family }
    }

    /// Whether all was applied and is well.
    pub(super) fn is_ready(&self) -> bool {
        self.record.held.is_ok() && self.unfinished().is_none() && self.bad().next().is_none()
    }

    /// All objects, those of kinds that the cluster no longer has as well.
    pub(super) fn objects(&self) -> impl Iterator<Item = &'a ObservedObject> {
        let found = self.family.iter().map(|branch| &branch.object);
        found.chain(&self.record.targets.missing)
    }

    /// The objects that are not as they should be: well, or gone where they are to go.
    fn bad(&self) -> impl Iterator<Item = &'a ObservedObject> {
        let pairs = self.record.targets.targets.iter().zip(self.family);
        let bad = pairs.filter(|(target, branch)| {
            let wanted = if target.gone { Health::NotFound } else { Health::Current };
            branch.object.verdict.health != wanted
        });
        bad.map(|(_, branch)| &branch.object).chain(&self.record.targets.missing)
    }

    /// What is said of a last apply that did not come to its end.
    fn unfinished(&self) -> Option<&'static str> {
        match self.last()?.result.as_str() {
            "failed" => Some("the last apply failed in part"),
            "interrupted" => Some("the last apply was interrupted"),
            "begun" => Some("an apply has begun"),
            _ => None,
        }
    }

    fn last(&self) -> Option<&'a Applied> {
        self.record.held.as_ref().ok()?.inventory.history.last()
    }

    fn sources(&self) -> &'a [String] {
        let held = self.record.held.as_ref().ok();
        let source = held.and_then(|held| held.inventory.source.as_ref());
        source.map_or(&[], |source| &source.sources)
    }

    /// The first reason why it is not ready; nothing where it is.
    fn why(&self) -> String {
        if let Err(error) = &self.record.held {
            return health::clean(&error.to_string());
        }
        let mut bad = self.bad();
        let Some(first) = bad.next() else {
            return self.unfinished().unwrap_or_default().to_owned();
        };
        let why = match health::why(&first.verdict) {
            why if why.is_empty() => health::word(first.verdict.health).to_owned(),
            why => why,
        };
        match bad.count() {
            0 => format!("{}: {why}", first.id),
            more => format!("{}: {why}; and {more} more", first.id),
        }
    }

    fn texts(&self) -> [String; 10] {
        let last = self.last().cloned().unwrap_or_default();
        let (ready, objects) = match (&self.record.held, self.is_ready()) {
            (Err(_), _) => ("unknown", "-".to_owned()),
            (Ok(_), true) => ("yes", self.objects().count().to_string()),
            (Ok(_), false) => ("no", self.objects().count().to_string()),
        };
        [
            self.record.delivery.namespace().to_owned(),
            self.record.delivery.name().to_owned(),
            ready.to_owned(),
            objects,
            last.at,
            last.by,
            last.revision,
            short(&last.digest).to_owned(),
            self.sources().join(", "),
            self.why(),
        ]
    }

    /// A header for people.
    pub(super) fn header(&self) -> String {
        let last = self.last().cloned().unwrap_or_default();
        let why = self.why();
        let lines = [
            ("Delivery:", self.record.delivery.to_string()),
            ("Source:", self.sources().join(", ")),
            ("Revision:", last.revision),
            ("Digest:", last.digest),
            ("Applied:", format!("{} by {} ({})", last.at, last.by, last.result)),
            ("Objects:", progress::count(self.objects().count(), "object")),
            ("Ready:", if why.is_empty() { "yes".to_owned() } else { format!("no: {why}") }),
        ];
        let lines = lines.into_iter().filter(|(_, value)| !value.is_empty());
        lines.map(|(name, value)| format!("{name:<10}{}\n", draw::plain(&value))).collect()
    }

    /// For the machine.
    pub(super) fn node(&self) -> Node {
        json::object(self.fields())
    }

    /// What a machine is told of it.
    pub(super) fn fields(&self) -> [(&'static str, Option<Node>); 13] {
        let (held, last) = (self.record.held.as_ref(), self.last());
        let said = |text: fn(&Applied) -> &String| {
            last.map(text).filter(|text| !text.is_empty()).map(string)
        };
        let sources = Node::sequence(self.sources().iter().map(string).collect());
        let first = self.bad().next().map(|object| {
            json::object(health::fields(&object.id, &object.verdict, &object.because))
        });
        let counts = || health::summary_node(&health::summary(self.objects()));
        [
            ("name", Some(Node::string(self.record.delivery.name()))),
            ("namespace", Some(Node::string(self.record.delivery.namespace()))),
            ("ready", Some(boolean(self.is_ready()))),
            ("error", held.err().map(string)),
            ("sources", held.ok().map(|_| sources)),
            ("revision", said(|last| &last.revision)),
            ("digest", said(|last| &last.digest)),
            ("at", said(|last| &last.at)),
            ("by", said(|last| &last.by)),
            ("result", said(|last| &last.result)),
            ("objects", held.ok().map(|_| number(self.objects().count()))),
            ("summary", held.ok().map(|_| counts())),
            ("why", first),
        ]
    }
}

fn short(digest: &str) -> &str {
    let hex = digest.split_once(':').map_or(digest, |(_, hex)| hex);
    hex.get(..SHORT).unwrap_or(hex)
}

/// Deliveries as a table.
pub(super) fn table(rows: &[Row<'_>]) -> String {
    let rows: Vec<[String; 10]> = rows.iter().map(Row::texts).collect();
    let heading = [
        "NAMESPACE",
        "NAME",
        "READY",
        "OBJECTS",
        "AT",
        "BY",
        "REVISION",
        "DIGEST",
        "SOURCE",
        "WHY",
    ];
    columns(heading, &rows)
}
