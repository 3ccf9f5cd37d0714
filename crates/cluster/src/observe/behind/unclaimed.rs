//! What may yet turn out to be behind a target: watches of different kinds are not told in one order, so that a Pod may come
//! before the ReplicaSet that owns it.

use std::collections::VecDeque;

use super::Arrival;

/// How many are remembered. Only what comes within moments matters: lists are read owners first.
const MOST: usize = 200;

#[derive(Default)]
pub(super) struct Unclaimed(VecDeque<(Vec<String>, Arrival)>);

impl Unclaimed {
    /// Remembers what belongs to whoever has one of these uids. Each object is remembered once, as it was last seen.
    pub(super) fn put(&mut self, owners: Vec<String>, arrival: Arrival) {
        if owners.is_empty() {
            return;
        }
        self.0.retain(|(_, known)| known.object.id != arrival.object.id);
        self.0.push_back((owners, arrival));
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// Takes what belongs to this uid.
    pub(super) fn take(&mut self, uid: &str) -> Vec<Arrival> {
        let is_its = |owners: &[String]| owners.iter().any(|owner| owner == uid);
        if !self.0.iter().any(|(owners, _)| is_its(owners)) {
            return Vec::new();
        }
        let (its, others): (VecDeque<_>, _) =
            std::mem::take(&mut self.0).into_iter().partition(|(owners, _)| is_its(owners));
        self.0 = others;
        its.into_iter().map(|(_, arrival)| arrival).collect()
    }
}
