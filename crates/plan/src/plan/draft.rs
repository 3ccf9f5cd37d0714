//! A plan in the making.

use std::collections::HashMap;

use kelson_model::ObjectId;

use super::decide::Decision;
use super::pending::Pending;
use super::{Options, Plan, Step, problem};
use crate::question::questions;
use crate::{
    Catalog, Delivery, Desired, DryRun, Inventory, Question, Resolved, Snapshot, prune, waves,
};

/// A plan in the making: a part of the objects at a time, so that what a server says of an object is held no longer than it
/// takes to decide about it.
pub struct Draft<'a> {
    delivery: Option<&'a Delivery>,
    inventory: &'a Inventory,
    options: &'a Options,
    pending: Pending,
    snapshot: Snapshot,
    /// What is being decided about.
    part: Vec<Desired>,
    rest: std::vec::IntoIter<Desired>,
    steps: Vec<Step>,
}

impl<'a> Draft<'a> {
    /// Begins a plan, now that it is known what is live.
    pub fn new(
        delivery: Option<&'a Delivery>,
        resolved: Resolved,
        snapshot: Snapshot,
        inventory: &'a Inventory,
        options: &'a Options,
    ) -> Self {
        let mut steps: Vec<Step> = resolved.problems.into_iter().map(problem).collect();
        steps.reserve(resolved.desired.len());
        Self {
            delivery,
            inventory,
            options,
            pending: Pending::of(&resolved.desired, &snapshot.live),
            snapshot,
            part: Vec::new(),
            rest: resolved.desired.into_iter(),
            steps,
        }
    }

    /// Decides about the part before, and turns to the next one, of so many objects at most. False where there are no more.
    pub fn turn(&mut self, most: usize) -> bool {
        self.decide();
        self.part.extend(self.rest.by_ref().take(most));
        !self.part.is_empty()
    }

    /// Which dry runs must be asked for, given what was answered before. None for what is as recorded; for what is absent only
    /// with [`Options::check_creates`]; none for what awaits something of the same plan that is not there.
    ///
    /// To be called until there are none: where fields stood in the way that may be taken, the same is asked with force.
    pub fn questions(&mut self) -> Vec<Question> {
        let Self { delivery, inventory, options, pending, snapshot, part, .. } = self;
        questions(*delivery, part, pending, snapshot, inventory, options)
    }

    /// Takes what came of the dry runs.
    pub fn answer(&mut self, answers: HashMap<ObjectId, DryRun>) {
        self.snapshot.dry_runs.extend(answers);
    }

    /// Decides about what is left, and what is done when.
    pub fn finish(mut self, catalog: &Catalog) -> Plan {
        while self.turn(usize::MAX) {}
        let Self { delivery, inventory, options, snapshot, mut steps, .. } = self;
        if let Some(delivery) = delivery {
            let live = &snapshot.live;
            steps.extend(prune::steps(delivery, inventory, live, catalog, &steps, &options.prune));
        }
        let circles = waves::assign(&mut steps, delivery.map(Delivery::namespace));
        let circles: HashMap<ObjectId, String> = circles.into_iter().collect();
        for step in &mut steps {
            if let Some(circle) = circles.get(&step.id) {
                step.fail(circle.clone());
            }
        }
        steps.sort_by(|one, other| (one.wave, &one.id).cmp(&(other.wave, &other.id)));
        Plan {
            delivery: delivery.cloned(),
            cluster: snapshot.cluster,
            artifact: String::new(),
            field_manager: options.field_manager.clone(),
            steps,
        }
    }

    fn decide(&mut self) {
        let Self { delivery, inventory, options, pending, snapshot, part, steps, .. } = self;
        let Snapshot { live, dry_runs, forced, .. } = snapshot;
        let decision = Decision { delivery: *delivery, inventory, options, forced, pending };
        for desired in part.drain(..) {
            let id = &desired.object.id;
            let (live, dry_run) = (live.remove(id), dry_runs.remove(id));
            steps.push(decision.step(desired, live, dry_run));
        }
    }
}
