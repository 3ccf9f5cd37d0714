//! What a process finds around it, as a value, so that the rules about it can be tested.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a pod finds what its service account is given.
const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// What the environment of a process says about clusters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// `KUBECONFIG`.
    pub(crate) kubeconfig: Option<OsString>,
    /// The home directory.
    pub(crate) home: Option<PathBuf>,
    /// The address of the API server, as pods are told.
    pub(crate) service: Option<String>,
    /// Where the credentials of the service account are.
    pub(crate) account: PathBuf,
    /// `HTTPS_PROXY`, or `ALL_PROXY`.
    pub(crate) https_proxy: Option<String>,
    /// `HTTP_PROXY`, or `ALL_PROXY`.
    pub(crate) http_proxy: Option<String>,
    /// `NO_PROXY`.
    pub(crate) no_proxy: Option<String>,
    /// Who runs the process.
    pub(crate) user: String,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        let any = |names: &[&str]| names.iter().find_map(|name| variable(name));
        Self {
            kubeconfig: std::env::var_os("KUBECONFIG").filter(|list| !list.is_empty()),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            service: service(),
            account: PathBuf::from(ACCOUNT),
            https_proxy: any(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]),
            http_proxy: any(&["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]),
            no_proxy: any(&["NO_PROXY", "no_proxy"]),
            user: any(&["USER", "LOGNAME", "USERNAME"]).unwrap_or_else(|| "unknown".to_owned()),
        }
    }

    /// The kubeconfigs that are looked at where none is named, whether they exist or not.
    pub(crate) fn kubeconfigs(&self) -> Vec<PathBuf> {
        match &self.kubeconfig {
            Some(list) => {
                let paths = std::env::split_paths(list);
                paths.filter(|path| !path.as_os_str().is_empty()).collect()
            }
            None => self.home.iter().map(|home| home.join(Path::new(".kube/config"))).collect(),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn service() -> Option<String> {
    let host = variable("KUBERNETES_SERVICE_HOST")?;
    let port = variable("KUBERNETES_SERVICE_PORT")?;
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    Some(format!("https://{host}:{port}"))
}
