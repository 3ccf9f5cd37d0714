//! What a pure stage lacks: values that the edge turns into answers before the stage is run again.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Tree;

/// Something a stage cannot get by itself, and where it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What is wanted.
    pub request: Request,
    /// The file that asked for it, as a person would write its path.
    pub file: String,
    /// The line in that file, counted from one; 0 where no line asked.
    pub line: usize,
    /// The column in that line, counted from one.
    pub column: usize,
}

/// What is wanted. Equal requests have one answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// A file or a directory that is somewhere else.
    Remote(Remote),
    /// The objects of a Helm chart.
    Chart(Box<Chart>),
    /// The output of a function.
    Function(Box<Function>),
}

/// A file or a directory that is somewhere else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remote {
    /// The text as written.
    pub url: String,
    /// Whether a file will do: then an `http` or `https` address is fetched first, and only what fails
    /// as a file is tried as a repository.
    pub file: bool,
    /// The repository it names, where it can be read as one.
    pub repository: Option<Repository>,
}

/// A place in a git repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Repository {
    /// What to give to `git fetch`.
    pub clone: String,
    /// The directory in the repository; empty for its root.
    pub path: String,
    /// The branch, tag or commit; empty for the default branch.
    pub reference: String,
    /// Whether submodules are wanted.
    pub submodules: bool,
    /// How long a git command may take, in milliseconds.
    pub timeout: u64,
}

/// The objects of a Helm chart: everything `helm template` is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Chart {
    /// The name of the chart.
    pub name: String,
    /// Its version; empty for the newest.
    pub version: String,
    /// The repository it is pulled from, `https://…` or `oci://…`; empty for a chart in `home`.
    pub repository: String,
    /// The name of the release; empty to have one made up.
    pub release: String,
    /// The namespace of the release.
    pub namespace: String,
    /// A template for the name of the release.
    pub name_template: String,
    /// The directory of the tree that holds charts, with the name of the pulled version where there is one.
    pub home: String,
    /// The directory for Helm's own settings; empty for a fresh one.
    pub config_home: String,
    /// The values file, with its path in the tree; none for the chart's own.
    pub values: Option<(String, String)>,
    /// Further values files, each with its path in the tree.
    pub more_values: Vec<(String, String)>,
    /// Values written in the kustomization, as YAML; empty for none.
    pub inline: String,
    /// How `inline` meets the values file.
    pub merge: ValuesMerge,
    /// Whether definitions in `crds/` are wanted.
    pub include_crds: bool,
    /// Whether hooks are left out.
    pub skip_hooks: bool,
    /// Whether tests are left out.
    pub skip_tests: bool,
    /// Whether versions under development count.
    pub devel: bool,
    /// Whether Helm's debug output is wanted.
    pub debug: bool,
    /// API versions that the chart is told of.
    pub api_versions: Vec<String>,
    /// The Kubernetes version that the chart is told of.
    pub kube_version: String,
}

/// How values in the kustomization meet those of the values file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValuesMerge {
    /// Inline values win.
    #[default]
    Override,
    /// The file's values win.
    Merge,
    /// The file is not read.
    Replace,
}

/// The output of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// What is run.
    pub run: Run,
    /// The directory it runs in, a path in the tree.
    pub directory: String,
    /// The configuration, one YAML document.
    pub config: String,
    /// The objects it is given, YAML documents; for a generator its configuration.
    pub input: String,
}

/// What a function is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Run {
    /// A container.
    Container {
        /// The image.
        image: String,
        /// Whether it asks for the network.
        network: bool,
        /// Mounts, as `type=bind,source=…,target=…`.
        mounts: Vec<String>,
        /// Variables, as `NAME=value` or `NAME`.
        env: Vec<String>,
    },
    /// A program that speaks the function protocol.
    Exec {
        /// Its path.
        path: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables, as `NAME=value`.
        env: Vec<String>,
    },
    /// A program of the older kind, found by group, version and kind in the plugin directory.
    Plugin {
        /// The path below the plugin directory.
        path: String,
        /// Its arguments after the configuration file.
        args: Vec<String>,
    },
}

/// What the edge brought.
#[derive(Clone)]
pub enum Answer {
    /// A file, or the output of a chart or function.
    Bytes(Arc<[u8]>),
    /// A directory.
    Tree(Arc<dyn Tree>),
    /// Nothing: why, in words for people.
    Failed(String),
}

/// All answers so far.
#[derive(Clone, Default)]
pub struct Answers {
    known: HashMap<Request, Answer>,
}

impl Answers {
    /// Adds an answer.
    pub fn insert(&mut self, request: Request, answer: Answer) {
        self.known.insert(request, answer);
    }

    /// The answer to a request, if there is one.
    pub fn get(&self, request: &Request) -> Option<&Answer> {
        self.known.get(request)
    }
}
