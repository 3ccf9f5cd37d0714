//! Observation on the real control plane, with its controllers, and a kubelet that decides what becomes of Pods.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "observing/custom.rs"]
mod custom; // conditions and rules of custom resources
#[path = "observing/ends.rs"]
mod ends; // how a wait ends
#[path = "observing/family.rs"]
mod family; // trees
#[path = "observing/faults.rs"]
mod faults; // what networks and servers do to watches
#[path = "observing/reasons.rs"]
mod reasons; // why something is not well
#[path = "observing/rights.rs"]
mod rights; // whoever may not see everything
#[path = "observing/stage.rs"]
mod stage; // a namespace of one's own, with a node
