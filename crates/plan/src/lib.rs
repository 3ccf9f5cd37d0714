//! Decides what differs and what must change. It compares values; it asks nobody and changes nothing.

mod difference; // two sets of objects against each other
mod fields; // two values against each other, field by field
mod mask; // what must not be shown
mod names; // names with a hash at their end

pub use difference::{Changed, Difference, difference};
pub use fields::{FieldChange, Value};
