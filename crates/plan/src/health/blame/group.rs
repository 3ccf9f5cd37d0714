//! The same reason at many Pods is one.

use std::collections::HashMap;

use super::Finding;
use crate::health::Blame;

/// How many reasons are told.
const TOLD: usize = 5;

/// One entry for each reason, worst first, with the number of Pods that have it. `wanted` is how many there should be.
pub(super) fn grouped(findings: Vec<Finding>, wanted: Option<i64>) -> Vec<Blame> {
    let mut groups: Vec<(usize, Finding)> = Vec::new();
    let mut places = HashMap::new();
    for finding in findings {
        let key = (finding.reason.name(), finding.key.clone());
        match places.get(&key) {
            Some(place) => join(&mut groups[*place], finding),
            None => {
                places.insert(key, groups.len());
                groups.push((1, finding));
            }
        }
    }
    let rank = |(count, finding): &(usize, Finding)| {
        (!finding.is_final, finding.reason, usize::MAX - count, finding.object.clone())
    };
    groups.sort_by_cached_key(rank);
    groups.truncate(TOLD);
    groups.into_iter().map(|(count, finding)| told(count, finding, wanted)).collect()
}

/// The first Pod by name stands for all, so that the answer does not depend on the order in which they were read. What a
/// Deployment says is what its ReplicaSet has told it: the one below is to blame.
fn join((count, known): &mut (usize, Finding), finding: Finding) {
    let is_alike = finding.object.kind == known.object.kind;
    *count += usize::from(is_alike);
    if !is_alike || finding.object < known.object {
        *known = finding;
    }
}

fn told(count: usize, finding: Finding, wanted: Option<i64>) -> Blame {
    let Finding { object, reason, message, container, is_final, .. } = finding;
    let wanted = wanted.and_then(|wanted| usize::try_from(wanted).ok()).filter(|all| *all >= count);
    let message = match (count, wanted) {
        (1, _) => message,
        (_, Some(wanted)) => format!("{count} of {wanted} {}s: {message}", object.kind),
        (_, None) => format!("{count} {}s: {message}", object.kind),
    };
    Blame { object, reason: reason.name(), message, container, log: Vec::new(), is_final }
}
