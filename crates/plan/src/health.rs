//! Whether an object is as well as it can be, from what it says of itself.
//!
//! [`HealthRules::judge`] reads one object: the rules of kstatus for built-in kinds and standard conditions, Flux's for Jobs,
//! and rules in CEL for whoever needs others. [`blame`] reads the Pods and Events behind a workload and says why it is not.

mod blame; // what is behind a workload that is not ready
mod custom; // rules of the user's own, in CEL
mod definition; // CustomResourceDefinitions
mod facts; // what an object says of itself, field by field
mod generic; // rules that hold for every kind
mod job; // Jobs, as Flux reads them
mod others; // kinds with one rule each
mod pods; // Pods, and what fails by its Pods
mod words; // other people's words, as they may be shown
mod workloads; // what keeps a number of Pods running

use kelson_model::ObjectId;
use kelson_yaml::Node;

pub use blame::blame;
pub use custom::BadHealthRules;
use custom::Custom;
use facts::Facts;

/// How an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Current,
    /// On its way.
    InProgress,
    /// It will not come right by waiting.
    Failed,
    /// Being deleted.
    Terminating,
    /// It does not exist.
    NotFound,
    /// Nobody can tell: it cannot be read, or a rule cannot be evaluated.
    Unknown,
}

/// How an object is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it is.
    pub health: Health,
    /// Why, in one word, where there is one.
    pub reason: String,
    /// Why, for people.
    pub message: String,
}

/// By which rules objects are judged.
///
/// The default has the rules that are built in; [`HealthRules::read`] puts rules of a file before them.
#[derive(Clone, Debug, Default)]
pub struct HealthRules {
    custom: Custom,
}

/// Something behind a workload that keeps it from being ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Whose fault it is, such as the Pod.
    pub object: ObjectId,
    /// In one word: `ImagePull`, `CrashLoop`, `ContainerConfig`, `Exited`, `Evicted`, `Unschedulable`, `Volume`, `NotBound`,
    /// `Quota`, `FailedCreate`, `Probe`, `Starting` or `Event`.
    pub reason: &'static str,
    /// For people; no value of a Secret is in it.
    pub message: String,
    /// The container whose log says more, where there is one.
    pub container: Option<String>,
    /// The last lines of that log, once somebody has read them.
    pub log: Vec<String>,
    /// Whether waiting will not help: a rollout that has come to this ends a wait early only where its own rules say so.
    pub is_final: bool,
}

impl HealthRules {
    /// Reads rules in the form of Flux's `healthCheckExprs`: a list, or an object that has one under that name, at its top or
    /// in its `spec`. `file` is what the file is called in messages.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong, each with its place.
    pub fn read(file: &str, text: &str) -> Result<Self, BadHealthRules> {
        Ok(Self { custom: custom::read(file, text)? })
    }

    /// Whether a rule of the file decides about a kind.
    pub fn has_rule(&self, group: &str, kind: &str) -> bool {
        self.custom.has(group, kind)
    }

    /// Judges an object by what it says of itself. `now` is in seconds since 1970.
    pub fn judge(&self, object: &Node, now: i64) -> Verdict {
        self.judge_with(object, &[], now)
    }

    /// Judges an object by what it says of itself and by the Pods among what is below it: a StatefulSet or a ReplicaSet fails
    /// with them.
    pub fn judge_with(&self, object: &Node, below: &[&Node], now: i64) -> Verdict {
        let facts = Facts::of(object);
        if let Some(verdict) = self.custom.judge(&facts) {
            return verdict;
        }
        let verdict = built_in(&facts, now).unwrap_or_else(Verdict::unknown);
        match verdict.health {
            Health::InProgress => pods::with_pods(&facts, below, now).unwrap_or(verdict),
            _ => verdict,
        }
    }

    /// Until when a verdict holds where only time passes; nothing where it holds until the object changes.
    pub fn holds_until(&self, object: &Node, now: i64) -> Option<i64> {
        let facts = Facts::of(object);
        match self.custom.has(facts.group, facts.kind) {
            true => None,
            false => pods::holds_until(&facts, now),
        }
    }
}

/// The rules in the order of kstatus. Flux looks at Jobs alone, and at nothing else of them. The error says what the object
/// has that no rule can read.
fn built_in(facts: &Facts<'_>, now: i64) -> Result<Verdict, String> {
    if facts.is("batch", "Job") {
        return job::judge(facts);
    }
    if let Some(verdict) = generic::before(facts)? {
        return Ok(verdict);
    }
    match (facts.group, facts.kind) {
        ("", "Pod") => pods::judge(facts, now),
        ("apps" | "extensions", "Deployment") => workloads::deployment(facts),
        ("apps" | "extensions", "ReplicaSet") => workloads::replica_set(facts),
        ("apps" | "extensions", "DaemonSet") => workloads::daemon_set(facts),
        ("apps", "StatefulSet") => Ok(workloads::stateful_set(facts)),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition::judge(facts),
        _ => match others::judge(facts) {
            Some(verdict) => Ok(verdict),
            None => generic::after(facts),
        },
    }
}

impl Verdict {
    fn new(health: Health, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self { health, reason: reason.into(), message: message.into() }
    }

    fn current(message: impl Into<String>) -> Self {
        Self::new(Health::Current, "", message)
    }

    fn in_progress(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Health::InProgress, reason, message)
    }

    fn failed(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Health::Failed, reason, message)
    }

    fn unknown(message: impl Into<String>) -> Self {
        Self::new(Health::Unknown, "", message)
    }
}

#[cfg(test)]
mod tests;
