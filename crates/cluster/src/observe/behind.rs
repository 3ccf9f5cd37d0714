//! What stands behind targets: the ReplicaSets, Jobs and Pods below them, and the Warnings about all of these. Only that is
//! kept, and whole objects only of what is not well.

mod unclaimed; // what may yet turn out to be behind a target

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use kelson_model::{Object, ObjectId};
use kelson_plan::{Health, HealthRules, Kind, Verdict};
use kelson_yaml::Node;

use self::unclaimed::Unclaimed;

/// How many Warnings are kept of one object.
const WARNINGS: usize = 4;

/// Kinds that are read in this order: whoever owns comes before what is owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Level {
    Deployments,
    StatefulSets,
    DaemonSets,
    CronJobs,
    ReplicaSets,
    Jobs,
    Pods,
    Events,
}

#[derive(Default)]
pub(super) struct Behind {
    /// Those that are built in: what others want to be judged otherwise are targets.
    rules: HealthRules,
    /// By uid.
    known: HashMap<String, Child>,
    /// By the uid of a target, which one it is.
    roots: HashMap<String, usize>,
    /// By target, the uids of all below it.
    below: HashMap<usize, BTreeSet<String>>,
    /// By the uid of what they are about.
    warnings: HashMap<String, VecDeque<Node>>,
    unclaimed: Unclaimed,
}

/// An object below a target.
pub(super) struct Child {
    pub(super) id: ObjectId,
    /// The uid of its owner.
    pub(super) parent: String,
    root: usize,
    verdict: Verdict,
    /// All of it, where it is not well.
    pub(super) node: Option<Node>,
    /// Whether it wants nothing, as the ReplicaSet of an earlier version.
    pub(super) is_idle: bool,
    source: usize,
    round: u64,
}

impl Level {
    /// What is read below objects of a kind: `deeply` where the whole tree is wanted, also of kinds that nobody knows.
    pub(super) fn below(kind: &Kind, deeply: bool) -> &'static [Self] {
        use Level::*;
        let is_custom = kind.group.contains('.') && !kind.group.ends_with(".k8s.io");
        match (kind.group.as_str(), kind.kind.as_str()) {
            _ if !kind.namespaced => &[],
            ("apps" | "extensions", "Deployment") => &[ReplicaSets, Pods, Events],
            ("apps" | "extensions", "StatefulSet" | "DaemonSet" | "ReplicaSet")
            | ("batch", "Job")
            | ("", "ReplicationController") => &[Pods, Events],
            ("batch", "CronJob") => &[Jobs, Pods, Events],
            _ if deeply && is_custom => {
                &[Deployments, StatefulSets, DaemonSets, CronJobs, ReplicaSets, Jobs, Pods, Events]
            }
            _ => &[Events],
        }
    }

    pub(super) fn kind(self) -> Kind {
        let (group, kind, plural) = match self {
            Self::Deployments => ("apps", "Deployment", "deployments"),
            Self::StatefulSets => ("apps", "StatefulSet", "statefulsets"),
            Self::DaemonSets => ("apps", "DaemonSet", "daemonsets"),
            Self::ReplicaSets => ("apps", "ReplicaSet", "replicasets"),
            Self::CronJobs => ("batch", "CronJob", "cronjobs"),
            Self::Jobs => ("batch", "Job", "jobs"),
            Self::Pods => ("", "Pod", "pods"),
            Self::Events => ("", "Event", "events"),
        };
        Kind {
            group: group.to_owned(),
            version: "v1".to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            namespaced: true,
            to_come: false,
        }
    }

    /// Which of them are of interest.
    pub(super) fn fields(self) -> Option<&'static str> {
        (self == Self::Events).then_some("type=Warning")
    }
}

/// An object that came, and from where.
pub(super) struct Arrival {
    pub(super) object: Object,
    pub(super) source: usize,
    pub(super) round: u64,
}

impl Behind {
    /// Takes note of the object that a target is now. Says which targets have more behind them since.
    pub(super) fn root(&mut self, uid: &str, index: usize, now: i64) -> Vec<usize> {
        if self.roots.get(uid) == Some(&index) {
            return Vec::new();
        }
        let former = self.roots.extract_if(|_, known| *known == index);
        let former: Vec<_> = former.map(|(former, _)| former).collect();
        former.iter().for_each(|former| drop(self.warnings.remove(former)));
        self.roots.insert(uid.to_owned(), index);
        self.claim(uid, now)
    }

    /// Takes an object, or an event about one. Says which targets it is behind.
    pub(super) fn arrive(&mut self, arrival: Arrival, now: i64) -> Vec<usize> {
        match arrival.object.id.kind.as_str() {
            "Event" => self.warn(arrival),
            _ => self.adopt(arrival, now),
        }
    }

    fn adopt(&mut self, arrival: Arrival, now: i64) -> Vec<usize> {
        let node = &arrival.object.node;
        let Some(uid) = text(node, &["metadata", "uid"]).map(str::to_owned) else {
            return Vec::new();
        };
        if self.roots.contains_key(&uid) {
            return Vec::new();
        }
        let owners = owners(node);
        let Some((parent, root)) = owners.iter().find_map(|owner| self.family_of(owner)) else {
            self.unclaimed.put(owners, arrival);
            return Vec::new();
        };
        let verdict = self.rules.judge(node, now);
        let is_idle = is_idle(&arrival.object);
        let is_well =
            verdict.health == Health::Current && text(node, &["status", "phase"]) != Some("Failed");
        let (source, round) = (arrival.source, arrival.round);
        let node = (!is_well).then(|| slim(arrival.object.node));
        let id = arrival.object.id;
        let child = Child { id, parent, root, verdict, node, is_idle, source, round };
        self.below.entry(root).or_default().insert(uid.clone());
        let is_new = self.known.insert(uid.clone(), child).is_none();
        let mut roots = vec![root];
        if is_new {
            roots.extend(self.claim(&uid, now));
        }
        roots
    }

    /// The owner itself, and the target that it is or is below.
    fn family_of(&self, owner: &str) -> Option<(String, usize)> {
        let below = || self.known.get(owner).map(|child| child.root);
        let root = self.roots.get(owner).copied().or_else(below)?;
        Some((owner.to_owned(), root))
    }

    /// Takes in what came before its owner was known.
    fn claim(&mut self, uid: &str, now: i64) -> Vec<usize> {
        let claimed = self.unclaimed.take(uid);
        claimed.into_iter().flat_map(|arrival| self.arrive(arrival, now)).collect()
    }

    fn warn(&mut self, arrival: Arrival) -> Vec<usize> {
        let node = &arrival.object.node;
        let about =
            text(node, &["involvedObject", "uid"]).or_else(|| text(node, &["regarding", "uid"]));
        let Some(about) = about.map(str::to_owned) else { return Vec::new() };
        let Some((_, root)) = self.family_of(&about) else {
            self.unclaimed.put(vec![about], arrival);
            return Vec::new();
        };
        let warnings = self.warnings.entry(about).or_default();
        let same =
            |known: &Node| text(known, &["metadata", "uid"]) == text(node, &["metadata", "uid"]);
        warnings.retain(|known| !same(known));
        warnings.push_back(slim(arrival.object.node));
        if warnings.len() > WARNINGS {
            warnings.pop_front();
        }
        vec![root]
    }

    /// Forgets an object that is gone. Says which target it was behind.
    pub(super) fn leave(&mut self, object: &Object) -> Option<usize> {
        self.forget(text(&object.node, &["metadata", "uid"])?)
    }

    /// Forgets what a complete list does not have. Says which targets it was behind.
    pub(super) fn sweep(&mut self, source: usize, round: u64) -> Vec<usize> {
        let is_old = |child: &Child| child.source == source && child.round != round;
        let old = self.known.iter().filter(|(_, child)| is_old(child));
        let old: Vec<_> = old.map(|(uid, _)| uid.clone()).collect();
        old.iter().filter_map(|uid| self.forget(uid)).collect()
    }

    fn forget(&mut self, uid: &str) -> Option<usize> {
        let child = self.known.remove(uid)?;
        self.warnings.remove(uid);
        if let Some(below) = self.below.get_mut(&child.root) {
            below.remove(uid);
        }
        Some(child.root)
    }

    /// All below a target, with uids.
    pub(super) fn all(&self, index: usize) -> impl Iterator<Item = (&str, &Child)> {
        let uids = self.below.get(&index).into_iter().flatten();
        uids.filter_map(|uid| Some((uid.as_str(), self.known.get(uid)?)))
    }

    /// What is not well below a target.
    pub(super) fn unwell(&self, index: usize) -> Vec<&Node> {
        self.all(index).filter_map(|(_, child)| child.node.as_ref()).collect()
    }

    /// The Warnings about an object.
    pub(super) fn warnings(&self, uid: &str) -> Vec<&Node> {
        self.warnings.get(uid).into_iter().flatten().collect()
    }

    /// The Warnings about a target and all that is not well below it.
    pub(super) fn all_warnings(&self, index: usize, uid: Option<&str>) -> Vec<&Node> {
        let below = self.all(index).filter(|(_, child)| child.node.is_some()).map(|(uid, _)| uid);
        uid.into_iter().chain(below).flat_map(|uid| self.warnings(uid)).collect()
    }

    /// What is below each object, by its uid: for a tree.
    pub(super) fn children(&self, index: usize) -> BTreeMap<&str, Vec<(&str, &Child)>> {
        let mut children: BTreeMap<&str, Vec<(&str, &Child)>> = BTreeMap::new();
        for (uid, child) in self.all(index) {
            children.entry(&child.parent).or_default().push((uid, child));
        }
        children
    }

    /// Whether an object with this uid is a target or below one.
    pub(super) fn knows(&self, uid: &str) -> bool {
        self.roots.contains_key(uid) || self.known.contains_key(uid)
    }

    /// How something below a target is: time alone may have changed that.
    pub(super) fn verdict(&self, child: &Child, now: i64) -> Verdict {
        let judged = child.node.as_ref().map(|node| self.rules.judge(node, now));
        judged.unwrap_or_else(|| child.verdict.clone())
    }
}

fn owners(node: &Node) -> Vec<String> {
    let owners = node.lookup(&["metadata", "ownerReferences"]).and_then(Node::as_sequence);
    let owners = owners.unwrap_or_default().iter();
    owners.filter_map(|owner| text(owner, &["uid"])).map(str::to_owned).collect()
}

fn is_idle(object: &Object) -> bool {
    let replicas = object.node.lookup(&["spec", "replicas"]).and_then(Node::text);
    object.id.kind == "ReplicaSet" && replicas == Some("0")
}

/// An object without what only servers and other tools look at.
pub(super) fn slim(mut node: Node) -> Node {
    if let Some(metadata) = node.get_mut("metadata").and_then(Node::as_mapping_mut) {
        metadata.remove("managedFields");
        if let Some(notes) = metadata.get_mut("annotations").and_then(Node::as_mapping_mut) {
            notes.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
    }
    node
}

pub(super) fn text<'a>(node: &'a Node, path: &[&str]) -> Option<&'a str> {
    node.lookup(path)?.as_str()
}

#[cfg(test)]
#[path = "behind/tests.rs"]
mod tests;
