//! What others depend on (`config.kubernetes.io/depends-on`) is waited for until it is well.

use std::collections::BTreeSet;

use kelson_model::ObjectId;
use kelson_plan::{Action, Event, Listener, Outcome, Step};

use super::blocked::containers;
use super::{Run, Work};
use crate::Error;
use crate::observe::{ObserveOptions, Target, observe};

impl Run<'_, '_> {
    /// Waits for all that steps of a wave depend on. What does not become well is in the way of those.
    pub(super) async fn await_dependencies(&mut self, wave: &[usize]) -> Result<(), Error> {
        let Some(options) = &self.work.options.ready else { return Ok(()) };
        let targets = self.dependencies(wave);
        if targets.is_empty() {
            return Ok(());
        }
        // Each has its time, whatever becomes of the others.
        let options = ObserveOptions { fail_fast: false, ..options.clone() };
        let observed = self.work.until_ready(&targets, &options).await?;
        for (target, unready) in targets.iter().zip(observed) {
            self.awaited.insert(target.id.clone());
            if let Some(why) = unready {
                let text =
                    format!("{} is not ready: {why}; what depends on it is left out", target.id);
                self.work.listener.hear(&Event::Warning(text));
                self.blocked.hold(&target.id);
            }
        }
        Ok(())
    }

    fn dependencies(&self, wave: &[usize]) -> Vec<Target> {
        let steps = &self.work.plan.steps;
        let applied = wave.iter().map(|&index| &steps[index]);
        // What goes depends on what went before.
        let applied = applied.filter(|step| step.action != Action::Delete);
        let named = applied.flat_map(named);
        let named: BTreeSet<_> = named.filter(|id| !self.awaited.contains(*id)).collect();
        if named.is_empty() {
            return Vec::new();
        }
        let there = steps.iter().zip(&self.outcomes).filter(|(_, outcome)| is_there(outcome));
        let meant = there.filter(|(step, _)| named.contains(&step.id));
        let target = |step: &Step| Target {
            id: step.id.clone(),
            kind: step.kind.clone(),
            uid: None,
            gone: false,
        };
        meant.map(|(step, _)| target(step)).collect()
    }
}

impl Work<'_> {
    /// Waits for targets, and says of each why it is not ready, if so.
    async fn until_ready(
        &self,
        targets: &[Target],
        options: &ObserveOptions,
    ) -> Result<Vec<Option<String>>, Error> {
        for target in targets {
            self.listener.hear(&Event::Waiting { id: target.id.clone(), until: "ready" });
        }
        let aside = Aside(self.listener);
        let observed = observe(self.cluster, targets, options, self.stop, &aside).await?;
        let whys = observed.objects.into_iter().map(|object| {
            let why = (!object.is_well()).then_some(object.verdict.message)?;
            let because = object.because.first().map(|blame| format!(" ({})", blame.message));
            Some(why + &because.unwrap_or_default())
        });
        Ok(whys.collect())
    }
}

/// What a step itself says that it depends on: without its containers, which can be used as soon as they are established.
fn named(step: &Step) -> impl Iterator<Item = &ObjectId> {
    let containers = containers(step);
    step.depends_on.iter().filter(move |id| !containers.contains(id))
}

fn is_there(outcome: &Option<Outcome>) -> bool {
    matches!(
        outcome,
        Some(Outcome::Created | Outcome::Changed | Outcome::Recreated | Outcome::Unchanged)
    )
}

/// Hears only what matters while something is applied.
struct Aside<'a>(&'a dyn Listener);

impl Listener for Aside<'_> {
    fn hear(&self, event: &Event) {
        if matches!(event, Event::Warning(_) | Event::Retry { .. }) {
            self.0.hear(event);
        }
    }
}
