//! The Kubernetes edge: reads what is there, asks what would be, does what a plan says.
//!
//! Requests are plain values sent by one place (`request`), which retries what may be retried and turns every failure into
//! a [`kelson_plan::Refusal`]. Live objects are [`kelson_model::Object`]s, read straight from the server's JSON.

mod apply; // a plan is executed
mod connection; // how a cluster is reached
mod contents; // what would go with something
mod delete; // objects go
mod discover; // the kinds that it has
mod dry_run; // what the server would do
mod error; // what stops a stage
mod inventory; // the record of a delivery, in Secrets
mod kept; // artifacts that were applied, in Secrets
mod lease; // one apply at a time
mod list; // one list, page by page
mod namespace; // the namespace that holds an inventory
mod object; // one object
mod observe; // whether what was applied is well
mod own; // objects that we keep for ourselves
mod read; // what is there
mod request; // one request, with its retries
mod scaled; // whom autoscalers scale
mod wait; // until something is so

pub use apply::{Applied, ApplyOptions, apply, records};
pub use connection::{Cluster, Connection};
pub use error::Error;
pub use inventory::{Held, Stirs, recover};
pub use kept::Kept;
pub use lease::{Lease, LeaseOptions};
pub use observe::{
    Branch, End, ObserveOptions, Observed, ObservedObject, Target, Targets, family, follow_family,
    look, observe, targets,
};
