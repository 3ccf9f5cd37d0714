//! Plans and applies by the real program on a real API server.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod adopt; // what another tool manages
mod apply; // how a plan is executed
mod faults; // servers, networks and rights on bad days
mod inventory; // the record
mod kill; // the program ends at any request
mod ordeal; // a delivery with everything in it, and whether it converges
mod plan; // what is shown
mod plan_file; // what was approved
#[path = "../program/run.rs"]
mod program;
mod prune; // what is no longer wanted
mod requests; // what an apply costs
mod sources; // sources and names
mod stage; // a namespace, a folder and the program

use stage::{Stage, check};
