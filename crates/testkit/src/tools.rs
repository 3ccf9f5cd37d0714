//! Peers and oracles: the programs that Kelson is compared with, built from Go modules at pinned versions.
//!
//! The product needs none of them; baselines, benches and the tests that run both sides do.

use std::fs;
use std::path::{Path, PathBuf};

use crate::go::Go;
use crate::{Error, cache, cannot_run};

/// A program that can be had as a Go module.
struct Tool {
    name: &'static str,
    module: &'static str,
    version: &'static str,
    /// The package below the module.
    package: &'static str,
    /// How long its build takes from nothing on two cores.
    usual: &'static str,
    how: How,
}

/// How a module is built.
enum How {
    /// As any module, by name.
    Install,
    /// In a copy, with the module `api` put in the place that its `replace` names.
    WithApi,
    /// In a copy, with an empty file where generated manifests are embedded.
    WithEmptyFile(&'static str),
}

const TOOLS: [Tool; 10] = [
    Tool {
        name: "kustomize",
        module: "sigs.k8s.io/kustomize/kustomize/v5",
        version: "v5.8.1",
        package: "",
        usual: "1 minute",
        how: How::Install,
    },
    Tool {
        name: "helm",
        module: "helm.sh/helm/v3",
        version: "v3.19.5",
        package: "/cmd/helm",
        usual: "2 minutes",
        how: How::Install,
    },
    Tool {
        name: "sops",
        module: "github.com/getsops/sops/v3",
        version: "v3.13.3",
        package: "/cmd/sops",
        usual: "2 minutes",
        how: How::Install,
    },
    Tool {
        name: "crane",
        module: "github.com/google/go-containerregistry",
        version: "v0.22.1",
        package: "/cmd/crane",
        usual: "half a minute",
        how: How::Install,
    },
    Tool {
        name: "registry",
        module: "github.com/distribution/distribution/v3",
        version: "v3.1.1",
        package: "/cmd/registry",
        usual: "2 minutes",
        how: How::Install,
    },
    Tool {
        name: "age",
        module: "filippo.io/age",
        version: "v1.3.1",
        package: "/cmd/age",
        usual: "10 seconds",
        how: How::Install,
    },
    Tool {
        name: "cosign",
        module: "github.com/sigstore/cosign/v3",
        version: "v3.1.3",
        package: "/cmd/cosign",
        usual: "5 minutes",
        how: How::Install,
    },
    Tool {
        name: "flux",
        module: "github.com/fluxcd/flux2/v2",
        version: "v2.9.5",
        package: "/cmd/flux",
        usual: "4 minutes",
        how: How::WithEmptyFile("cmd/flux/manifests/empty.yaml"),
    },
    Tool {
        name: "kustomize-controller",
        module: "github.com/fluxcd/kustomize-controller",
        version: "v1.7.3",
        package: "",
        usual: "4 minutes",
        how: How::WithApi,
    },
    Tool {
        name: "source-controller",
        module: "github.com/fluxcd/source-controller",
        version: "v1.7.3",
        package: "",
        usual: "4 minutes",
        how: How::WithApi,
    },
];

/// The path of a program for a test, built first where nobody has yet. Where that fails, the test cannot run.
pub fn tool(test: &str, name: &str) -> Option<PathBuf> {
    match get(name) {
        Ok(program) => Some(program),
        Err(error) => {
            cannot_run(test, &format!("no `{name}`: {error}"));
            None
        }
    }
}

/// The path of a program, built first where nobody has yet.
pub fn get(name: &str) -> Result<PathBuf, Error> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let message = format!("there is no tool `{name}`; there are {}", names.join(", "));
        return Err(Error::Missing(message));
    };
    let folder = cache::get_or_make(&tool.folder(), |folder| tool.build(folder))?;
    Ok(folder.join(tool.name))
}

/// A program of the table, and whether it has been built.
pub struct Listed {
    /// What it is called.
    pub name: &'static str,
    /// The version that is pinned.
    pub version: &'static str,
    /// Whether it is in the cache.
    pub built: bool,
}

/// All programs that can be had.
pub fn list() -> Result<Vec<Listed>, Error> {
    let cache = cache::directory()?;
    let listed = |tool: &Tool| Listed {
        name: tool.name,
        version: tool.version,
        built: cache.join(tool.folder()).is_dir(),
    };
    Ok(TOOLS.iter().map(listed).collect())
}

impl Tool {
    fn folder(&self) -> String {
        format!("tools/{}-{}", self.name, self.version)
    }

    fn build(&self, folder: &Path) -> Result<(), Error> {
        let go = Go::find()?;
        let what = format!("{} {}", self.name, self.version);
        let package = format!("{}{}", self.module, self.package);
        if matches!(self.how, How::Install) {
            return go.build(&what, self.usual, 900, |command| {
                let versioned = format!("{package}@{}", self.version);
                command.args(["install", "-v", "-trimpath", &versioned]).env("GOBIN", folder);
            });
        }
        let sources = folder.join("src");
        copy_writable(&download(&go, self.module, self.version)?, &sources)?;
        match self.how {
            How::Install => {}
            How::WithApi => {
                let api = download(&go, &format!("{}/api", self.module), self.version)?;
                copy_writable(&api, &sources.join("api"))?;
            }
            How::WithEmptyFile(file) => {
                let file = sources.join(file);
                if let Some(parent) = file.parent() {
                    fs::create_dir_all(parent).map_err(Error::at(parent))?;
                }
                fs::write(&file, "").map_err(Error::at(&file))?;
            }
        }
        go.build(&what, self.usual, 1200, |command| {
            let program = folder.join(self.name);
            let flags = format!("-s -w -X main.VERSION={}", self.version.trim_start_matches('v'));
            command.current_dir(&sources).args([
                "build",
                "-v",
                "-trimpath",
                "-ldflags",
                &flags,
                "-o",
            ]);
            command.arg(program).arg(&package);
        })?;
        fs::remove_dir_all(&sources).map_err(Error::at(&sources))
    }
}

/// Brings a module into Go's own cache and returns where it is.
fn download(go: &Go, module: &str, version: &str) -> Result<PathBuf, Error> {
    let failed = |reason: String| Error::Build { what: format!("{module}@{version}"), reason };
    let output = go
        .command()
        .args(["mod", "download", "-json", &format!("{module}@{version}")])
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let answer: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    match answer["Dir"].as_str() {
        Some(folder) => Ok(folder.into()),
        None => Err(failed(answer["Error"].as_str().unwrap_or("no answer").to_owned())),
    }
}

/// Copies a folder whose files nobody may write into one whose files we may.
fn copy_writable(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::at(to))?;
    for entry in fs::read_dir(from).map_err(Error::at(from))? {
        let entry = entry.map_err(Error::at(from))?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(Error::at(from))?.is_dir() {
            copy_writable(&entry.path(), &target)?;
        } else {
            let content = fs::read(entry.path()).map_err(Error::at(&target))?;
            fs::write(&target, content).map_err(Error::at(&target))?;
        }
    }
    Ok(())
}
