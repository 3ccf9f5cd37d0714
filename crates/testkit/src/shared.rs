//! One control plane for the many tests that only need an empty namespace.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::control_plane::{ControlPlane, Options, kubectl};
use crate::programs::Programs;
use crate::{Bare, Detour, Error};

/// Names the kubeconfig of a control plane that runs already; `cargo xtask test` sets it.
pub const KUBECONFIG: &str = "KELSON_TEST_KUBECONFIG";

/// A control plane that several tests use side by side.
#[derive(Debug)]
pub struct Shared {
    kubeconfig: PathBuf,
    programs: Programs,
    // Only held: the processes end when the pipe to them closes, since statics are never dropped.
    _own: Option<ControlPlane>,
}

/// The control plane that the tests of this process share: the one named by the environment, else one of its own.
/// Its controllers run.
pub fn shared() -> Result<&'static Shared, Error> {
    static SHARED: OnceLock<Result<Shared, Error>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let programs = Programs::get()?;
        if let Some(kubeconfig) = std::env::var_os(KUBECONFIG) {
            return Ok(Shared { kubeconfig: kubeconfig.into(), programs, _own: None });
        }
        let own = ControlPlane::start_with(Options { workers: true, port: None })?;
        Ok(Shared { kubeconfig: own.kubeconfig().to_owned(), programs, _own: Some(own) })
    });
    shared.as_ref().map_err(|error| Error::Missing(error.to_string()))
}

impl Shared {
    /// The kubeconfig of a user who may do everything.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Runs kubectl as that user and returns what it prints.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, Error> {
        kubectl(&self.programs, &self.kubeconfig, arguments)
    }

    /// Another way to the API server, on which faults can be announced.
    pub fn behind_proxy(&self) -> Result<Detour, Error> {
        Detour::to(&self.kubeconfig)
    }

    /// Looks at the cluster as that user, faster than kubectl.
    pub fn bare(&self) -> Result<Bare, Error> {
        Bare::new(&self.kubeconfig)
    }

    /// Makes a namespace that no other test uses.
    pub fn namespace(&self) -> Result<String, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test-{}-{number}", std::process::id());
        self.kubectl(&["create", "namespace", &name])?;
        Ok(name)
    }
}
