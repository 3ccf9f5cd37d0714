//! What is done with one object.

use std::collections::HashSet;

use kelson_model::ObjectId;

use super::{Action, Checked, Failure, Options, Pending, Step};
use crate::compare::{Comparison, Scope};
use crate::mask::Mask;
use crate::{Delivery, Desired, DryRun, Ground, Inventory, Live, Origin};

/// What all decisions of a plan have in common.
pub(super) struct Decision<'a> {
    pub(super) delivery: Option<&'a Delivery>,
    pub(super) inventory: &'a Inventory,
    pub(super) options: &'a Options,
    pub(super) forced: &'a HashSet<ObjectId>,
    pub(super) pending: &'a Pending,
}

impl Decision<'_> {
    pub(super) fn step(
        &self,
        mut desired: Desired,
        live: Option<Live>,
        dry_run: Option<DryRun>,
    ) -> Step {
        let mut step = Step::new(desired.object.id.clone(), desired.kind.clone());
        step.desired = Some(desired.hash.clone());
        step.asked_wave = desired.wave;
        step.depends_on = std::mem::take(&mut desired.depends_on);
        step.notes = std::mem::take(&mut desired.notes);
        let left = desired.ignored.iter().filter(|(path, _)| path.is_in(&desired.object.node));
        step.notes.extend(left.map(|(path, why)| format!("`{path}` is left to others: {why}")));
        let is_pending = self.pending.contains(&step.id);
        if let Some(awaits) = desired.awaits.as_ref().filter(|_| is_pending)
            && !step.depends_on.contains(awaits.id())
        {
            step.depends_on.push(awaits.id().clone());
        }
        if let Some(faults) = self.pending.faults(&step.id) {
            step.fail(faults.join("; "));
            return step;
        }
        match live {
            Some(Live::Recorded { resource_version, hash }) => {
                self.recorded(&mut step, resource_version, hash)
            }
            Some(Live::Unreadable(why)) => step.action = Action::Fail(Failure::Unreadable(why)),
            Some(Live::Found(packed)) => {
                self.existing(&mut step, desired, packed.open().into_owned(), dry_run)
            }
            Some(Live::Absent) => self.create(&mut step, desired, dry_run),
            None if is_pending => self.create(&mut step, desired, dry_run),
            None => {
                step.action =
                    Action::Fail(Failure::Unreadable("nobody has looked for it".to_owned()))
            }
        }
        step
    }

    fn recorded(&self, step: &mut Step, resource_version: String, hash: crate::Hash) {
        let entry = self.inventory.entry(&step.id);
        step.origin = entry.map_or(Origin::Created, |entry| entry.origin);
        step.ground = Ground {
            uid: entry.and_then(|entry| entry.uid.clone()),
            hash: Some(hash),
            resource_version: Some(resource_version),
            owned: None,
        };
    }

    fn create(&self, step: &mut Step, desired: Desired, dry_run: Option<DryRun>) {
        let would = match dry_run {
            Some(DryRun::Refused(refusal)) => {
                step.action = Action::Fail(Failure::Refused(refusal));
                return;
            }
            Some(DryRun::Would(would)) => Some(would),
            None => None,
        };
        step.action = Action::Create;
        step.checked = match &would {
            Some(_) => Checked::ByServer,
            None if self.pending.contains(&step.id) => Checked::Here,
            None => Checked::OnApply,
        };
        let comparison = Comparison {
            live: None,
            body: &desired.object.node,
            managers: &[],
            manager: &self.options.field_manager,
            scope: Scope::Owners,
            mask: Mask::new(&desired.object, &self.options.key),
        };
        step.changes = match &would {
            Some(would) => comparison.with(would),
            None => comparison.with_manifest(),
        };
        step.body = Some(desired.object.node);
    }
}
