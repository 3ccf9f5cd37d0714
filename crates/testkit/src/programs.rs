//! The programs of a control plane: given by `KUBEBUILDER_ASSETS`, or built once from Go modules.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::go::Go;
use crate::{Error, cache};

/// The Kubernetes version of the control plane.
pub const KUBERNETES: &str = "v1.36.3";

const NAMES: [&str; 4] = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"];
const FILES: [(&str, &str); 3] = [
    ("main.go", include_str!("../controlplane/main.go")),
    ("go.mod", include_str!("../controlplane/go.mod")),
    ("go.sum", include_str!("../controlplane/go.sum")),
];

/// Where the programs of a control plane are.
#[derive(Clone, Debug)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Finds the programs, and builds them first where nobody has yet.
    pub fn get() -> Result<Self, Error> {
        match std::env::var_os("KUBEBUILDER_ASSETS").filter(|folder| !folder.is_empty()) {
            Some(folder) => Self::given(PathBuf::from(folder)),
            None => Ok(Self { folder: cache::get_or_make(&built_name(), build)? }),
        }
    }

    /// Whether [`Programs::get`] would return at once.
    pub fn are_ready() -> bool {
        std::env::var_os("KUBEBUILDER_ASSETS").is_some_and(|folder| !folder.is_empty())
            || cache::directory().is_ok_and(|cache| cache.join(built_name()).is_dir())
    }

    /// The path of one of them.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn given(folder: PathBuf) -> Result<Self, Error> {
        // Only the first two are always needed; what is missing of the others shows when it is asked for.
        for name in &NAMES[..2] {
            if !folder.join(name).is_file() {
                return Err(Error::Missing(format!(
                    "KUBEBUILDER_ASSETS names `{}`, but there is no `{name}` in it: correct it, or unset it to have \
                     the programs built",
                    folder.display()
                )));
            }
        }
        Ok(Self { folder })
    }
}

/// The name in the cache tells the Kubernetes version and the sources that were built.
fn built_name() -> String {
    let mut hasher = Sha256::new();
    for (name, text) in FILES {
        hasher.update(name);
        hasher.update(text);
    }
    let mut name = format!("controlplane/{KUBERNETES}-");
    for byte in &hasher.finalize()[..6] {
        write!(name, "{byte:02x}").ok();
    }
    name
}

fn build(folder: &Path) -> Result<(), Error> {
    let go = Go::find()?;
    let sources = folder.join("src");
    fs::create_dir_all(&sources).map_err(Error::at(&sources))?;
    for (name, text) in FILES {
        let path = sources.join(name);
        fs::write(&path, text).map_err(Error::at(&path))?;
    }
    let package = "k8s.io/component-base/version";
    let minor = KUBERNETES.split('.').nth(1).unwrap_or_default();
    let flags = format!(
        "-s -w -X {package}.gitVersion={KUBERNETES} -X {package}.gitMajor=1 -X {package}.gitMinor={minor}"
    );
    let what = format!("a Kubernetes {KUBERNETES} control plane");
    let program = folder.join("controlplane");
    go.build(&what, "6 minutes", 2700, |command| {
        command
            .current_dir(&sources)
            .args(["build", "-v", "-trimpath", "-ldflags", &flags, "-o"])
            .arg(&program)
            .arg(".");
    })?;
    fs::remove_dir_all(&sources).map_err(Error::at(&sources))?;
    for name in NAMES {
        let link = folder.join(name);
        std::os::unix::fs::symlink("controlplane", &link).map_err(Error::at(&link))?;
    }
    Ok(())
}
