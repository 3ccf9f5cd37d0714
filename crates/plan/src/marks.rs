//! The labels and annotations that mean something to a plan.

/// The label with the name of the delivery that an object belongs to.
pub const OWNER_NAME: &str = "kelson.dev/name";
/// The label with the namespace of that delivery's inventory.
pub const OWNER_NAMESPACE: &str = "kelson.dev/namespace";
/// Paths of fields that are left to others, separated by commas: `/spec/replicas,/metadata/annotations/a~1b`.
pub const IGNORE: &str = "kelson.dev/ignore";
/// `disabled` keeps an object from ever being pruned.
pub const PRUNE: &str = "kelson.dev/prune";
/// `allowed` lets an object that holds data be deleted and created anew where nothing else changes it.
pub const RECREATE: &str = "kelson.dev/recreate";
/// A whole number: objects with a lower one come first. Without it: 0.
pub const WAVE: &str = "kelson.dev/wave";
/// Objects that come before this one, as kpt writes them: `apps/namespaces/shop/Deployment/web, …`.
pub const DEPENDS_ON: &str = "config.kubernetes.io/depends-on";
/// Annotations of other tools that keep an object from being pruned, with the values that do so.
pub const KEPT_BY_OTHERS: [(&str, &str); 5] = [
    ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    ("helm.sh/resource-policy", "keep"),
    ("client.lifecycle.config.k8s.io/deletion", "detach"),
    ("cli-utils.sigs.k8s.io/on-remove", "keep"),
];
