//! Objects that no server can be asked about yet, since what they await is made by the same plan.

use std::collections::{HashMap, HashSet};

use kelson_model::ObjectId;
use kelson_yaml::Node;

use crate::catalog::is_definition;
use crate::{Awaits, Desired, Live, crd, question};

/// What is known of such objects.
pub(crate) struct Pending {
    ids: HashSet<ObjectId>,
    /// What is wrong with custom resources by their definitions.
    faults: HashMap<ObjectId, Vec<String>>,
}

impl Pending {
    pub(super) fn of(desired: &[Desired], live: &HashMap<ObjectId, Live>) -> Self {
        let definitions: HashMap<&ObjectId, &Node> = desired
            .iter()
            .filter(|desired| is_definition(&desired.object.id))
            .map(|desired| (&desired.object.id, &desired.object.node))
            .collect();
        let mut pending = Self { ids: HashSet::new(), faults: HashMap::new() };
        for desired in desired.iter().filter(|desired| question::is_pending(desired, live)) {
            let id = &desired.object.id;
            if let Some(Awaits::Definition(definition)) = &desired.awaits
                && let Some(definition) = definitions.get(definition)
            {
                let faults = crd::faults(&desired.object.node, definition);
                if !faults.is_empty() {
                    pending.faults.insert(id.clone(), faults);
                }
            }
            pending.ids.insert(id.clone());
        }
        pending
    }

    pub(crate) fn contains(&self, id: &ObjectId) -> bool {
        self.ids.contains(id)
    }

    pub(super) fn faults(&self, id: &ObjectId) -> Option<&[String]> {
        self.faults.get(id).map(Vec::as_slice)
    }
}
