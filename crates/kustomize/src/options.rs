//! What a caller can choose.

/// What a caller can choose about a build.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether files must be in or below the directory of the kustomization that names them.
    pub root_only: bool,
    /// The order of the output, unless the kustomization itself says.
    pub reorder: Reorder,
    /// Whether charts are rendered.
    pub enable_helm: bool,
    /// Whether generators, transformers and validators may be functions and programs.
    pub enable_plugins: bool,
    /// Whether such functions may be programs.
    pub enable_exec: bool,
    /// Whether functions in containers may use the network.
    pub network: bool,
    /// Variables for functions, as `NAME=value` or `NAME`.
    pub env: Vec<String>,
    /// Mounts for functions, as `type=bind,src=…,dst=…,rw=true`.
    pub mounts: Vec<String>,
    /// API versions that charts are told of, instead of those in the kustomization.
    pub helm_api_versions: Vec<String>,
    /// The Kubernetes version that charts are told of, instead of that in the kustomization.
    pub helm_kube_version: String,
    /// Whether Helm's debug output is wanted.
    pub helm_debug: bool,
    /// Whether every object gets the label `app.kubernetes.io/managed-by`.
    pub managed_by_label: bool,
    /// The version that this label names after `kustomize-`.
    pub version: String,
    /// Whether what upstream passes over in silence is an error.
    pub strict: bool,
    /// Whether `{{…}}` without quotes is a value that a template fills later, rather than a mapping in a mapping.
    pub places: bool,
}

/// The order of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// Nobody chose; as [`Reorder::Legacy`].
    #[default]
    Unspecified,
    /// By kind, what others need first.
    Legacy,
    /// As the objects came.
    None,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root_only: true,
            reorder: Reorder::Unspecified,
            enable_helm: false,
            enable_plugins: false,
            enable_exec: false,
            network: false,
            env: Vec::new(),
            mounts: Vec::new(),
            helm_api_versions: Vec::new(),
            helm_kube_version: String::new(),
            helm_debug: false,
            managed_by_label: false,
            version: "v5.8.1".to_owned(),
            strict: false,
            places: false,
        }
    }
}
