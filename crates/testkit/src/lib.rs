//! The real components that tests run against, started and stopped.
//!
//! Nothing here imitates Kubernetes: a [`ControlPlane`] is etcd, kube-apiserver and kube-controller-manager. The one
//! part that cannot run everywhere is the node, so with the feature `client` a `Kubelet` plays it: it says of Pods
//! what the test wants said.

mod bare; // a client that knows nothing
pub mod cache; // where built programs are kept
mod cannot_run;
mod certs;
mod control_plane;
mod detour; // to an API server by way of the proxy
mod error;
mod git; // repositories over HTTP
pub mod go; // a toolchain for what exists only as Go modules
#[cfg(feature = "client")]
mod kubelet; // plays the node
mod programs; // etcd, kube-apiserver, kube-controller-manager, kubectl
pub mod proxy; // a server in front of a server, with faults
pub mod registry; // a registry
mod shared;
pub mod sigstore; // certificates and logs without servers
mod supervise; // no process outlives its owner
pub mod tools; // the programs that Kelson is compared with
mod webhook; // an admission webhook

pub use bare::{Answer, Bare};
pub use cannot_run::{CANNOT_RUN, cannot_run, conformance};
pub use control_plane::{ControlPlane, Options};
pub use detour::Detour;
pub use error::Error;
pub use git::{COMMITTED_AT, GitRepository, GitServer};
#[cfg(feature = "client")]
pub use kubelet::{Fate, Kubelet};
pub use programs::{KUBERNETES, Programs};
pub use proxy::{Fault, FaultProxy, Gate, Seen};
pub use registry::Registry;
pub use shared::{KUBECONFIG, Shared, shared};
pub use tools::tool;
pub use webhook::{Verdict, Webhook};
