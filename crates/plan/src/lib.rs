//! Decides what differs and what must change. It compares values; it asks nobody and changes nothing.
//!
//! A plan comes about in four steps, and the edge gathers facts between them:
//!
//! 1. [`resolve()`]: what was rendered becomes what is [`Desired`], held against the kinds that the cluster has.
//! 2. [`wanted()`] says what must be read of the cluster, with what is known of it already.
//! 3. [`Draft::questions`] says which dry runs must be asked for, now that it is known what is live.
//! 4. [`Draft::finish`] decides: the [`Step`]s, in waves. Printed they are a diff, stored ([`file`]) an approval, executed the
//!    deployment.

mod adopt; // taking over what another tool manages
mod catalog; // the kinds that a cluster has
mod compare; // one object: live against dry run
mod conflict; // fields that somebody else owns
mod crd; // custom resources against a definition of the same set
mod delivery; // what a set of objects is known by in a cluster
mod desired; // an object as it is to be
mod difference; // two sets of objects against each other
mod event; // what happens, as it happens
mod failure; // why something cannot be done, in words
mod fields; // two values against each other, field by field
pub mod file; // a plan as it is stored
mod hash; // content, in short
mod health; // whether an object is well
mod ignore; // fields that are left to others
mod immutable; // fields that only a new object can have otherwise
pub mod inventory; // what a delivery has made
mod live; // an object as it is
mod managed; // who owns which field
mod marks; // the labels and annotations with a meaning
mod mask; // what must not be shown
mod names; // names with a hash at their end
pub mod normal; // objects as a server takes them
mod plan; // the decision
mod prune; // what is no longer wanted
mod question; // what must be asked of the cluster
mod refusal; // what a server says no with
mod resolve; // what was rendered, held against the kinds of a cluster
pub mod rules; // what keeps noise from the eye
mod standing; // whose an object is
mod stored; // what the stored forms share
mod waves; // what comes before what

pub use adopt::takeover;
pub use catalog::{Catalog, Kind};
pub use compare::{Change, Ground};
pub use conflict::{Conflict, Take};
pub use delivery::{BadName, Delivery};
pub use desired::{Awaits, Desired};
pub use difference::{Changed, Difference, difference};
pub use event::{Event, HealthSummary, Listener, ObjectResult, Outcome, Silent, Summary};
pub use fields::{FieldChange, Value};
pub use hash::Hash;
pub use health::{BadHealthRules, Blame, Health, HealthRules, Verdict, blame};
pub use ignore::{FieldPath, Ignore};
pub use inventory::{Entry, Inventory, Origin, State};
pub use live::{Found, Live, Packed, Snapshot};
pub use managed::{FieldSet, Manager, managers};
pub use marks::*;
pub use mask::Key;
#[doc(hidden)]
pub use normal::{normalize, normalize_dry_run};
pub use plan::{Action, Checked, Draft, Failure, Options, Plan, Step};
pub use prune::{DataLoss, PruneOptions, containers};
pub use question::{Question, Recorded, Wanted, wanted};
pub use refusal::{Cause, DryRun, Refusal};
pub use resolve::{Problem, ResolveOptions, Resolved, resolve};
pub use waves::{Stage, rank};
