//! Whose an object is that exists.

use crate::adopt::{self, Tool};
use crate::marks::{OWNER_NAME, OWNER_NAMESPACE};
use crate::{Delivery, Entry, Found, Inventory, Options, Origin, State, managed};

/// Whose an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Ours, or nobody's: we may lay fields over it.
    Open(Origin),
    /// Another tool's, and somebody told us to take it over; nothing is known of the tool where an inventory of its was
    /// imported.
    Adopted(Option<Tool>),
    /// Another tool's.
    Theirs(Tool),
}

/// Tells whose an object is. Without a delivery objects are only looked at, so it does not matter.
pub(crate) fn standing(
    found: &Found,
    delivery: Option<&Delivery>,
    inventory: &Inventory,
    options: &Options,
) -> Standing {
    let Some(delivery) = delivery else { return Standing::Open(Origin::Found) };
    if let Some(entry) =
        inventory.entry(&found.object.id).filter(|entry| is_of(entry, found, delivery))
    {
        // What was to be taken over may not have been before something went wrong.
        let is_begun = entry.origin == Origin::Adopted && entry.state == State::Pending;
        return match is_begun || entry.uid.is_none() && entry.origin == Origin::Adopted {
            true => Standing::Adopted(adopt::tool(found).filter(|_| !is_labelled(found, delivery))),
            false => Standing::Open(entry.origin),
        };
    }
    if is_labelled(found, delivery) {
        let applied = managed::applied(&found.object.node, &options.field_manager).is_some();
        return Standing::Open(if applied { Origin::Created } else { Origin::Found });
    }
    match adopt::tool(found) {
        None => Standing::Open(Origin::Found),
        Some(tool) if options.adopt => Standing::Adopted(Some(tool)),
        Some(tool) => Standing::Theirs(tool),
    }
}

/// Whether an entry is about this very object: not about one that had its name before, nor about one that we meant to make
/// and somebody else has made.
fn is_of(entry: &Entry, found: &Found, delivery: &Delivery) -> bool {
    match &entry.uid {
        Some(uid) => *uid == found.uid,
        // An inventory of another tool was imported, which knows no uids.
        None => {
            let is_free = found.label(OWNER_NAME).is_none();
            entry.origin == Origin::Adopted && (is_free || is_labelled(found, delivery))
        }
    }
}

fn is_labelled(found: &Found, delivery: &Delivery) -> bool {
    found.label(OWNER_NAME) == Some(delivery.name())
        && found.label(OWNER_NAMESPACE) == Some(delivery.namespace())
}
