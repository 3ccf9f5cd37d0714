//! Kinds with one rule each.

use super::Verdict;
use super::facts::Facts;
use super::words::shown;

/// The verdict, where there is a rule for the kind.
pub(super) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    match (facts.group, facts.kind) {
        ("", "Secret" | "ConfigMap") | ("batch", "CronJob") => {
            Some(Verdict::current("Resource is always ready"))
        }
        ("policy", "PodDisruptionBudget") => {
            Some(Verdict::current("AllowedDisruptions has been computed."))
        }
        ("", "Service") => Some(service(facts)),
        ("", "PersistentVolumeClaim") => Some(claim(facts)),
        _ => None,
    }
}

/// The addresses that a load balancer has outside are not looked at: where there is none they never come.
fn service(facts: &Facts<'_>) -> Verdict {
    let is_balanced = facts.text(&["spec", "type"]) == "LoadBalancer";
    match is_balanced && facts.text(&["spec", "clusterIP"]).is_empty() {
        true => {
            Verdict::in_progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer")
        }
        false => Verdict::current("Service is ready"),
    }
}

fn claim(facts: &Facts<'_>) -> Verdict {
    let phase = super::facts::text(facts.node, &["status", "phase"]).unwrap_or("unknown");
    match phase {
        "Bound" => Verdict::current("PVC is Bound"),
        other => {
            Verdict::in_progress("NotBound", format!("PVC is not Bound. phase: {}", shown(other)))
        }
    }
}
