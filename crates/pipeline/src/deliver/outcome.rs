//! What a plan without a write comes to.

use kelson_cluster::Applied;
use kelson_plan::{Event, Listener, ObjectResult, Outcome, Plan};

/// Reports every object as it was found: nothing is done.
pub(super) fn without_writes(plan: &Plan, listener: &dyn Listener) -> Applied {
    let mut applied = Applied::default();
    for step in &plan.steps {
        let Some(outcome) = Outcome::without_write(&step.action) else { continue };
        applied.summary.count(&outcome);
        listener.hear(&Event::Step { id: step.id.clone(), outcome: outcome.clone() });
        applied.results.push(ObjectResult { id: step.id.clone(), outcome });
    }
    listener.hear(&Event::Done(applied.summary));
    applied
}
