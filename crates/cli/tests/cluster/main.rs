//! Plans and applies by the real program on a real API server.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod adopt; // what another tool manages
mod apply; // how a plan is executed
mod component; // components, from their file to a changed cluster
mod faults; // servers, networks and rights on bad days
mod guides; // what the guides say
mod history; // what was applied before
mod inventory; // the record
mod kill; // the program ends at any request
mod node; // what becomes of Pods
mod ordeal; // a delivery with everything in it, and whether it converges
mod plan; // what is shown
mod plan_file; // what was approved
#[path = "../program/run.rs"]
mod program;
mod prune; // what is no longer wanted
mod requests; // what an apply costs
#[path = "../program/screen.rs"]
mod screen;
mod sources; // sources and names
mod stage; // a namespace, a folder and the program
mod status; // how what was delivered is
mod terminal; // questions and lines that change
mod wait; // until it is ready

use stage::{Stage, check};
