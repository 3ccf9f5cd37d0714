//! What is known of each target, and whether that is enough to end.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kelson_model::ObjectId;
use kelson_plan::{Blame, Health, HealthSummary, Verdict};
use kelson_yaml::Node;

use super::{End, ObserveOptions, ObservedObject, Target};
use crate::delete::going;

/// How long a failure must stand before it counts. A Deployment that is rolled back to an earlier state says for a moment
/// that it has failed, as it did before; and whoever replaces an object deletes it first.
pub(super) const FIRM: Duration = Duration::from_secs(3);

/// As long as anybody waits: clocks end somewhere.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// All targets.
pub(super) struct Board {
    pub(super) places: Vec<Place>,
    by_id: HashMap<ObjectId, Vec<usize>>,
}

/// What is known of a target.
pub(super) struct Place {
    pub(super) target: Target,
    pub(super) verdict: Verdict,
    pub(super) because: Vec<Blame>,
    /// Of the object that was last seen.
    pub(super) uid: Option<String>,
    /// The object, where that helps to say why it is not well.
    pub(super) node: Option<Node>,
    /// Since when it has been a failure.
    failed: Option<Instant>,
    /// When it may be otherwise although nothing changes.
    pub(super) again: Option<Instant>,
    /// In which list it was last seen.
    pub(super) round: u64,
    /// Whether anything is known.
    pub(super) is_heard: bool,
}

/// What a target means for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is as it should be.
    Good,
    /// It will not become so.
    Bad,
    /// It may become so.
    Open,
}

impl Board {
    pub(super) fn new(targets: &[Target]) -> Self {
        let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (index, target) in targets.iter().enumerate() {
            by_id.entry(target.id.clone()).or_default().push(index);
        }
        Self { places: targets.iter().map(Place::new).collect(), by_id }
    }

    /// Which targets an object is.
    pub(super) fn of(&self, id: &ObjectId) -> Vec<usize> {
        self.by_id.get(id).cloned().unwrap_or_default()
    }

    /// How the wait ends, if it does.
    pub(super) fn end(&self, begun: Instant, limits: &Limits, now: Instant) -> Option<End> {
        let (mut is_open, mut is_late, mut has_failed) = (false, false, false);
        for place in &self.places {
            match place.standing(now) {
                Standing::Good => {}
                Standing::Bad => has_failed = true,
                Standing::Open => {
                    is_open = true;
                    is_late |= now >= begun + limits.of(&place.target);
                }
            }
        }
        match (is_open, has_failed) {
            (false, false) => Some(End::Ready),
            (false, true) => Some(End::Failed),
            (true, true) if limits.fail_fast => Some(End::Failed),
            (true, _) => is_late.then_some(End::Late),
        }
    }

    /// When that must be asked again, although nothing happens.
    pub(super) fn wake(&self, begun: Instant, limits: &Limits, now: Instant) -> Option<Instant> {
        let open = self.places.iter().filter(|place| place.standing(now) == Standing::Open);
        let times = open.flat_map(|place| {
            let firm = place.failed.map(|since| since + FIRM);
            [Some(begun + limits.of(&place.target)), firm, place.again]
        });
        times.flatten().min()
    }

    pub(super) fn is_all_good(&self, now: Instant) -> bool {
        self.places.iter().all(|place| place.standing(now) == Standing::Good)
    }

    pub(super) fn objects(&self) -> Vec<ObservedObject> {
        self.places.iter().map(Place::object).collect()
    }

    pub(super) fn summary(&self) -> HealthSummary {
        let mut summary = HealthSummary::default();
        for place in &self.places {
            let counter = match place.verdict.health {
                _ if place.is_good() => &mut summary.current,
                Health::Current => &mut summary.current,
                Health::InProgress => &mut summary.in_progress,
                Health::Failed => &mut summary.failed,
                Health::Terminating => &mut summary.terminating,
                Health::NotFound => &mut summary.not_found,
                Health::Unknown => &mut summary.unknown,
            };
            *counter += 1;
        }
        summary
    }
}

/// How long targets are waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) ready: Duration,
    pub(super) gone: Duration,
    pub(super) fail_fast: bool,
}

impl Limits {
    pub(super) fn new(options: &ObserveOptions) -> Self {
        let (ready, gone) = (options.ready.min(LONGEST), options.gone.min(LONGEST));
        Self { ready, gone, fail_fast: options.fail_fast }
    }

    fn of(&self, target: &Target) -> Duration {
        if target.gone { self.gone } else { self.ready }
    }
}

impl Place {
    fn new(target: &Target) -> Self {
        Self {
            target: target.clone(),
            verdict: verdict(Health::Unknown, "Waiting", "nothing is known of it yet"),
            because: Vec::new(),
            uid: None,
            node: None,
            failed: None,
            again: None,
            round: 0,
            is_heard: false,
        }
    }

    pub(super) fn object(&self) -> ObservedObject {
        ObservedObject {
            id: self.target.id.clone(),
            verdict: self.verdict.clone(),
            because: self.because.clone(),
        }
    }

    pub(super) fn standing(&self, now: Instant) -> Standing {
        let is_firm = self.failed.is_some_and(|since| now.duration_since(since) >= FIRM);
        match self.is_good() {
            true => Standing::Good,
            false if is_firm => Standing::Bad,
            false => Standing::Open,
        }
    }

    pub(super) fn is_good(&self) -> bool {
        let wanted = if self.target.gone { Health::NotFound } else { Health::Current };
        self.is_heard && self.verdict.health == wanted
    }

    /// Whether the object that is there is the one that is meant.
    pub(super) fn is_meant(&self, uid: &str) -> bool {
        self.target.uid.as_deref().is_none_or(|meant| meant == uid)
    }

    /// What is said of one that is there, where the rules have no say in it.
    pub(super) fn beyond_rules(&self, uid: &str, node: &Node) -> Option<Verdict> {
        match (self.is_meant(uid), self.target.gone) {
            (false, true) => Some(verdict(Health::NotFound, "Gone", "it is gone")),
            (false, false) => Some(verdict(Health::NotFound, "Replaced", REPLACED)),
            (true, true) => Some(staying(node)),
            (true, false) => None,
        }
    }

    /// What is said of one that is not there.
    pub(super) fn absence(&self) -> Verdict {
        let was_there = self.uid.is_some() || self.target.uid.is_some();
        match (self.target.gone, was_there) {
            (true, _) => verdict(Health::NotFound, "Gone", "it is gone"),
            (false, true) => verdict(Health::NotFound, "Deleted", "it was deleted by somebody"),
            (false, false) => verdict(Health::NotFound, "NotFound", "it does not exist"),
        }
    }

    /// Takes a verdict; says whether it is another than before.
    pub(super) fn set(&mut self, verdict: Verdict, now: Instant) -> bool {
        let is_failure = match verdict.health {
            Health::Failed => true,
            Health::NotFound => matches!(verdict.reason.as_str(), "Deleted" | "Replaced"),
            _ => false,
        };
        self.failed = is_failure.then(|| self.failed.unwrap_or(now));
        let is_new = !self.is_heard || self.verdict != verdict;
        (self.verdict, self.is_heard) = (verdict, true);
        if self.is_good() {
            // What others have to do with it no longer matters.
            self.node = None;
            self.because.clear();
        }
        is_new
    }
}

const REPLACED: &str = "another object has its name now: somebody has deleted it and made it anew";

/// What is said of an object that is there and should not be.
fn staying(node: &Node) -> Verdict {
    if node.lookup(&["metadata", "deletionTimestamp"]).is_none() {
        return verdict(Health::InProgress, "Waiting", "it is still there");
    }
    let going = going(Some(node));
    verdict(Health::Terminating, &going.reason, &going.message)
}

pub(super) fn verdict(health: Health, reason: &str, message: &str) -> Verdict {
    Verdict { health, reason: reason.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use kelson_plan::Kind;

    use super::*;

    fn target(name: &str, gone: bool) -> Target {
        let kind = Kind {
            group: String::new(),
            version: "v1".to_owned(),
            kind: "Pod".to_owned(),
            plural: "pods".to_owned(),
            namespaced: true,
            to_come: false,
        };
        let id = ObjectId {
            group: String::new(),
            kind: "Pod".to_owned(),
            namespace: "n".to_owned(),
            name: name.to_owned(),
        };
        Target { id, kind, uid: None, gone }
    }

    /// How a wait for two Pods and the end of a third ends, by what is known of them and after so many seconds; a failure has stood from
    /// the beginning.
    #[track_caller]
    fn check(verdicts: [(Health, &str); 3], fail_fast: bool, seconds: u64, expected: Option<End>) {
        let begun = Instant::now();
        let mut board = Board::new(&[target("a", false), target("b", false), target("c", true)]);
        for (place, (health, reason)) in board.places.iter_mut().zip(verdicts) {
            place.set(verdict(health, reason, ""), begun);
        }
        let limits =
            Limits { ready: Duration::from_secs(60), gone: Duration::from_secs(30), fail_fast };
        let now = begun + Duration::from_secs(seconds);
        assert_eq!(board.end(begun, &limits, now), expected);
    }

    const WELL: (Health, &str) = (Health::Current, "");
    const GONE: (Health, &str) = (Health::NotFound, "Gone");
    const ON_THE_WAY: (Health, &str) = (Health::InProgress, "");
    const FAILED: (Health, &str) = (Health::Failed, "");

    #[test]
    fn all_must_be_well_or_gone() {
        check([WELL, WELL, GONE], true, 0, Some(End::Ready));
        check([WELL, WELL, (Health::Terminating, "")], true, 29, None);
        check([WELL, WELL, (Health::Current, "")], true, 29, None);
        check([WELL, (Health::NotFound, "NotFound"), GONE], true, 59, None);
        check([WELL, (Health::Unknown, "Unreadable"), GONE], true, 59, None);
    }

    #[test]
    fn time_is_over_at_different_times() {
        check([WELL, ON_THE_WAY, GONE], true, 59, None);
        check([WELL, ON_THE_WAY, GONE], true, 60, Some(End::Late));
        check([WELL, WELL, (Health::Terminating, "")], true, 30, Some(End::Late));
    }

    #[test]
    fn a_failure_ends_it_when_it_has_stood() {
        check([FAILED, ON_THE_WAY, GONE], true, 2, None);
        check([FAILED, ON_THE_WAY, GONE], true, 3, Some(End::Failed));
        check([FAILED, ON_THE_WAY, GONE], false, 3, None);
        check([FAILED, WELL, GONE], false, 3, Some(End::Failed));
        check([FAILED, ON_THE_WAY, GONE], false, 60, Some(End::Late));
        check([(Health::NotFound, "Deleted"), WELL, GONE], false, 3, Some(End::Failed));
        check([(Health::NotFound, "Replaced"), ON_THE_WAY, GONE], true, 3, Some(End::Failed));
    }

    #[test]
    fn what_is_heard_twice_is_told_once() {
        let now = Instant::now();
        let mut board = Board::new(&[target("a", false)]);
        assert!(board.places[0].set(verdict(Health::Unknown, "", ""), now));
        assert!(!board.places[0].set(verdict(Health::Unknown, "", ""), now));
        assert!(board.places[0].set(verdict(Health::InProgress, "", "1 of 2"), now));
        assert!(board.places[0].set(verdict(Health::InProgress, "", "2 of 2"), now));
    }
}
