//! What depends on what failed: it is not tried.

use std::collections::HashMap;

use kelson_model::ObjectId;
use kelson_plan::{Action, Outcome, Step};

/// What failed so far, by what it stands in the way of.
#[derive(Default)]
pub(super) struct Blocked {
    /// What failed or was not tried.
    failed: HashMap<ObjectId, Failed>,
    /// By namespace (none for what is cluster-wide), something that was wanted and is not as it should be.
    wanting: HashMap<String, ObjectId>,
    /// By the Namespace or definition that contains it, something that should be gone and is not.
    remaining: HashMap<ObjectId, ObjectId>,
}

struct Failed {
    /// Whether it does not exist either.
    is_absent: bool,
}

impl Blocked {
    /// Notes what came of a step.
    pub(super) fn note(&mut self, step: &Step, outcome: &Outcome) {
        if !matches!(outcome, Outcome::Failed(_) | Outcome::Skipped(_)) {
            return;
        }
        if is_removal(step) {
            for container in containers(step) {
                self.remaining.entry(container).or_insert_with(|| step.id.clone());
            }
            return;
        }
        let is_absent = step.ground.uid.is_none();
        self.failed.insert(step.id.clone(), Failed { is_absent });
        let namespace = step.id.namespace.clone();
        self.wanting.entry(namespace).or_insert_with(|| step.id.clone());
    }

    /// Notes that something is there, but not as others need it.
    pub(super) fn hold(&mut self, id: &ObjectId) {
        self.failed.insert(id.clone(), Failed { is_absent: false });
    }

    /// What stands in the way of a step.
    pub(super) fn by(&self, step: &Step) -> Option<ObjectId> {
        match step.action {
            Action::Delete => self.by_use(step).or_else(|| self.remaining.get(&step.id)).cloned(),
            _ => self.by_need(step),
        }
    }

    /// What is no longer wanted stays while something beside it is not as it should be: that may still use it, as a
    /// workload that could not be changed uses the former one of a ConfigMap with a hash in its name.
    fn by_use(&self, step: &Step) -> Option<&ObjectId> {
        match step.id.namespace.as_str() {
            "" => self.wanting.values().min(),
            namespace => self.wanting.get(namespace),
        }
    }

    fn by_need(&self, step: &Step) -> Option<ObjectId> {
        let named = step.depends_on.iter().find(|id| self.failed.contains_key(id)).cloned();
        named.or_else(|| {
            let is_missing =
                |id: &ObjectId| self.failed.get(id).is_some_and(|failed| failed.is_absent);
            containers(step).into_iter().find(is_missing)
        })
    }
}

fn is_removal(step: &Step) -> bool {
    // Steps for what nobody wants any more have nothing to send.
    matches!(step.action, Action::Delete | Action::Release)
        || matches!(step.action, Action::Fail(_)) && step.desired.is_none() && step.body.is_none()
}

/// The Namespace and the definition without which an object cannot be.
pub(super) fn containers(step: &Step) -> Vec<ObjectId> {
    let cluster_wide = |group: &str, kind: &str, name: String| ObjectId {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: String::new(),
        name,
    };
    let mut containers = Vec::new();
    if !step.id.namespace.is_empty() {
        containers.push(cluster_wide("", "Namespace", step.id.namespace.clone()));
    }
    if !step.id.group.is_empty() {
        let name = format!("{}.{}", step.kind.plural, step.id.group);
        containers.push(cluster_wide("apiextensions.k8s.io", "CustomResourceDefinition", name));
    }
    containers
}
