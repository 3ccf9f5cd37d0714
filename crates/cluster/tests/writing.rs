//! The writing edge on a real API server: Leases, inventories, and plans that are executed.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "writing/apply.rs"]
mod apply; // plans made by hand
#[path = "writing/delete.rs"]
mod delete; // what goes, and what does not
#[path = "writing/faults.rs"]
mod faults; // what networks and servers do at any request
#[path = "writing/inventory.rs"]
mod inventory; // the record in Secrets
#[path = "writing/lease.rs"]
mod lease; // one apply at a time
#[path = "writing/ready.rs"]
mod ready; // what others depend on
#[path = "writing/world.rs"]
mod world; // a namespace of one's own, and steps made by hand
