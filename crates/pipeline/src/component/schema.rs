//! The fields that a component has.

/// Those of the file itself.
pub(super) const COMPONENT: [&str; 18] = [
    "source",
    "type",
    "name",
    "var_name",
    "dependencies",
    "manifest",
    "kustomize",
    "oci_artifact",
    "public_repo",
    "connected_repo",
    "namespace",
    "drift_schedule",
    "health",
    "build_timeout",
    "deploy_timeout",
    "max_auto_retries",
    "skip_noops",
    "auto_approve_on_policies_passing",
];
/// Those of `[kustomize]`.
pub(super) const KUSTOMIZE: [&str; 4] = ["path", "patches", "enable_helm", "load_restrictor"];
/// Those of `[public_repo]` and `[connected_repo]`.
pub(super) const REPOSITORY: [&str; 5] = ["repo", "directory", "branch", "tag", "commit"];
/// Those of `[oci_artifact]`.
pub(super) const ARTIFACT: [&str; 4] = ["url", "tag", "digest", "credentials_ref"];
/// Those of `[health]`.
pub(super) const HEALTH: [&str; 4] = ["enabled", "stabilization_window", "block_deploy", "probes"];
/// Those of a probe.
pub(super) const PROBE: [&str; 4] = ["type", "name", "url", "command"];
