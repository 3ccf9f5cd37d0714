//! Values that a server gives to fields that nobody sets: whoever takes such a field away gets it back as it was.

use kelson_yaml::Node;

use crate::fields::walk::Segment;

/// Fields, elements of lists passed over, with the value that every server of Kubernetes gives them. Only what does not
/// depend on anything else.
const DEFAULTS: &[(&[&str], &str)] = &[
    (&["type"], "Opaque"),
    (&["spec", "type"], "ClusterIP"),
    (&["spec", "sessionAffinity"], "None"),
    (&["spec", "internalTrafficPolicy"], "Cluster"),
    (&["spec", "ports", "protocol"], "TCP"),
    (&["spec", "progressDeadlineSeconds"], "600"),
    (&["spec", "revisionHistoryLimit"], "10"),
    (&["spec", "strategy", "type"], "RollingUpdate"),
    (&["spec", "strategy", "rollingUpdate", "maxSurge"], "25%"),
    (&["spec", "strategy", "rollingUpdate", "maxUnavailable"], "25%"),
    (&["spec", "template", "spec", "dnsPolicy"], "ClusterFirst"),
    (&["spec", "template", "spec", "schedulerName"], "default-scheduler"),
    (&["spec", "template", "spec", "terminationGracePeriodSeconds"], "30"),
    (&["spec", "template", "spec", "containers", "terminationMessagePath"], "/dev/termination-log"),
    (&["spec", "template", "spec", "containers", "terminationMessagePolicy"], "File"),
    (&["spec", "template", "spec", "containers", "ports", "protocol"], "TCP"),
];

/// Whether a field has the value that it would have if nobody had set it.
pub(super) fn is_default(path: &[Segment<'_>], value: &Node) -> bool {
    let keys = || {
        path.iter().filter_map(|segment| match segment {
            Segment::Key(key) => Some(*key),
            Segment::Named(_) | Segment::Place(_) => None,
        })
    };
    let known = DEFAULTS.iter().find(|(fields, _)| keys().eq(fields.iter().copied()));
    known.is_some_and(|(_, default)| value.text() == Some(default))
}
