//! What the inventory says of an apply: where it came from, which one it was, by whom.

use kelson_cluster::Held;
use kelson_plan::inventory::{Applied, Content, Inventory, Origins};
use kelson_plan::{Action, Plan};

use super::{DeliverError, Request};

/// What came of an apply that is under way, or of which nobody knows how it ended.
const BEGUN: &str = "begun";
/// All was applied and became well, as far as anybody waited for it.
pub(super) const READY: &str = "ready";
/// All was applied, but did not become well in time.
pub(super) const NOT_READY: &str = "not-ready";

/// Refuses another source than the one that a delivery has, unless that is meant.
pub(super) fn check_source(held: Option<&Held>, request: &Request) -> Result<(), DeliverError> {
    let known = held.and_then(|held| held.inventory.source.as_ref());
    match (held, known) {
        (Some(held), Some(known))
            if !request.change_source
                && !request.sources.is_empty()
                && known.sources != request.sources =>
        {
            Err(DeliverError::OtherSource {
                delivery: held.delivery.to_string(),
                known: known.sources.join(", "),
                given: request.sources.join(", "),
            })
        }
        _ => Ok(()),
    }
}

/// Whether nothing is to be written: neither to the cluster nor to the inventory.
pub(super) fn is_settled(plan: &Plan, held: &Held, request: &Request) -> bool {
    let inventory = &held.inventory;
    if kelson_cluster::records(plan, inventory) {
        return false;
    }
    if !held.exists() {
        // A record of nothing helps nobody; what failed is reported, not remembered.
        return true;
    }
    let failed = plan.steps.iter().any(|step| matches!(step.action, Action::Fail(_)));
    let is_last = inventory
        .history
        .last()
        .is_some_and(|last| last.digest == request.artifact && (failed || last.is_applied()));
    let source = inventory.source.as_ref();
    is_last && source.is_some_and(|source| source.sources == request.sources)
}

/// Enters an apply that begins; a deletion or an import is one without an artifact. What comes of it is entered when it
/// ends.
pub(super) fn begin(
    inventory: &mut Inventory,
    request: &Request,
    content: Content,
    at: &str,
    who: &str,
) {
    if !request.sources.is_empty() {
        inventory.source = Some(Origins { sources: request.sources.clone() });
    }
    inventory.field_manager.clone_from(&request.options.field_manager);
    if inventory.key.is_empty() {
        inventory.key = request.options.key.bytes().to_vec();
    }
    inventory.enter(Applied {
        number: 0,
        digest: request.artifact.clone(),
        revision: request.revision.clone(),
        at: at.to_owned(),
        by: who.to_owned(),
        result: BEGUN.to_owned(),
        content,
        rollback: request.rollback,
    });
}
