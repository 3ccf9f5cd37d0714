//! The real components that tests run against, started and stopped.
//!
//! Nothing here imitates Kubernetes: a [`ControlPlane`] is etcd, kube-apiserver and kube-controller-manager. The one
//! part that cannot run everywhere is the node, so with the feature `client` a `Kubelet` plays it: it says of Pods
//! what the test wants said.

pub mod cache; // where built programs are kept
mod cannot_run;
mod certs;
mod control_plane;
mod error;
pub mod go; // a toolchain for what exists only as Go modules
mod https;
#[cfg(feature = "client")]
mod kubelet; // plays the node
mod programs; // etcd, kube-apiserver, kube-controller-manager, kubectl
mod shared;
mod supervise; // no process outlives its owner

pub use cannot_run::{CANNOT_RUN, cannot_run, conformance};
pub use control_plane::{ControlPlane, Options};
pub use error::Error;
#[cfg(feature = "client")]
pub use kubelet::{Fate, Kubelet};
pub use programs::{KUBERNETES, Programs};
pub use shared::{KUBECONFIG, Shared, shared};
