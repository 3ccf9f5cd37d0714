//! Rules that hold for every kind: what comes before the rules of a kind, and what counts where a kind has none.

use super::facts::Facts;
use super::{Health, Verdict};

/// An object that is being deleted, that its controller has not seen yet, or that has one of the conditions that mean the same
/// everywhere.
pub(super) fn before(facts: &Facts<'_>) -> Result<Option<Verdict>, String> {
    if facts.is_terminating() {
        let message = "Resource scheduled for deletion";
        return Ok(Some(Verdict::new(Health::Terminating, "", message)));
    }
    let generation = facts.number(&["metadata", "generation"])?;
    let observed = facts.number(&["status", "observedGeneration"])?;
    if let Some(verdict) = unseen(facts, generation, observed) {
        return Ok(Some(verdict));
    }
    for condition in facts.conditions()? {
        if condition.holds("Reconciling") {
            return Ok(Some(Verdict::in_progress(condition.word(), condition.shown())));
        }
        if condition.holds("Stalled") {
            return Ok(Some(Verdict::failed(condition.word(), condition.shown())));
        }
    }
    Ok(None)
}

/// The verdict about an object whose controller has another generation in mind; nothing where either is not told.
pub(super) fn unseen(
    facts: &Facts<'_>,
    generation: Option<i64>,
    observed: Option<i64>,
) -> Option<Verdict> {
    let (generation, observed) = generation.zip(observed)?;
    let message = || {
        let kind = facts.kind;
        format!("{kind} generation is {generation}, but latest observed generation is {observed}")
    };
    (generation != observed).then(|| Verdict::in_progress("LatestGenerationNotObserved", message()))
}

/// The condition `Ready`, and the trust that what says nothing is well.
pub(super) fn after(facts: &Facts<'_>) -> Result<Verdict, String> {
    for condition in facts.conditions()? {
        match (condition.kind, condition.status) {
            ("Ready", "True") => return Ok(Verdict::current("Resource is Ready")),
            ("Ready", "False" | "Unknown") => {
                return Ok(Verdict::in_progress(condition.word(), condition.shown()));
            }
            _ => {}
        }
    }
    Ok(Verdict::current("Resource is current"))
}
