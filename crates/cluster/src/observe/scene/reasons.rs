//! Why something is not well: looked for aside, and told in moments, so that nobody waits for it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kelson_plan::{Blame, blame};
use kelson_yaml::Node;

use super::super::behind::{Level, text};
use super::super::board::Place;
use super::super::collection::Collection;
use super::super::log::{Container, Log};
use super::{Depth, Scene, unix_now};

/// How long news about reasons are gathered before they are looked at.
const MOMENT: Duration = Duration::from_millis(200);
/// In how many namespaces reasons are watched for: each needs some connections.
const NAMESPACES: usize = 20;
/// For how many reasons of one target logs are read.
const LOGS: usize = 2;

impl Scene<'_> {
    /// Notes that more may be known of some targets.
    pub(super) fn stain(&mut self, indices: impl IntoIterator<Item = usize>) {
        self.dirty.extend(indices);
        if !self.dirty.is_empty() {
            self.refresh.get_or_insert_with(|| Instant::now() + MOMENT);
        }
    }

    /// When there is something to do although nothing is heard.
    pub(in super::super) fn due(&self) -> Option<Instant> {
        self.refresh
    }

    /// Looks at what may be otherwise by now.
    pub(in super::super) fn tick(&mut self, now: Instant) {
        let places = self.board.places.iter().enumerate();
        let again = places.filter(|(_, place)| place.again.is_some_and(|again| again <= now));
        let again: Vec<_> = again.map(|(index, _)| index).collect();
        for index in again {
            self.board.places[index].again = None;
            self.renew(index);
        }
        if self.refresh.is_some_and(|refresh| refresh <= now) {
            self.renew_all();
        }
    }

    /// Looks at all targets about which more may be known.
    pub(in super::super) fn renew_all(&mut self) {
        self.refresh = None;
        std::mem::take(&mut self.dirty).into_iter().for_each(|index| self.renew(index));
        self.logs.retain(|uid| self.behind.knows(uid));
    }

    fn renew(&mut self, index: usize) {
        let place = &self.board.places[index];
        let Some(node) = &place.node else { return };
        let below = self.behind.unwell(index);
        let warnings = self.behind.all_warnings(index, place.uid.as_deref());
        let mut because = match self.manner.depth {
            Depth::Verdicts => Vec::new(),
            Depth::Reasons | Depth::Tree => blame(node, &below, &warnings),
        };
        let verdict = self.options.rules.judge_with(node, &below, unix_now());
        self.add_logs(index, &mut because);
        let place = &mut self.board.places[index];
        let is_changed = place.set(verdict, Instant::now());
        // Of what is well nothing more is said.
        let because = if place.is_good() { Vec::new() } else { because };
        if is_changed || place.because != because {
            place.because = because;
            self.tell(index);
        }
    }

    fn add_logs(&mut self, index: usize, because: &mut [Blame]) {
        let place = &self.board.places[index];
        for blame in because.iter_mut().filter(|blame| blame.container.is_some()).take(LOGS) {
            let pod = match blame.object == place.target.id {
                true => place.uid.as_deref().zip(place.node.as_ref()),
                false => {
                    let mut below = self.behind.all(index);
                    let found = below.find(|(_, kept)| kept.id == blame.object);
                    found.and_then(|(uid, kept)| Some((uid, kept.node.as_ref()?)))
                }
            };
            if let Some((uid, node)) = pod
                && let Some(name) = &blame.container
            {
                blame.log = self.logs.of(Container {
                    pod: blame.object.clone(),
                    uid: uid.to_owned(),
                    name: name.clone(),
                    restarts: restarts(node, name),
                });
            }
        }
    }

    pub(super) fn take_log(&mut self, log: &Log) {
        if let Some(refusal) = &log.refusal
            && refusal.code == 403
            && log.lines.is_empty()
        {
            let text = format!("logs cannot be read, so that none are shown: {refusal}");
            self.warn("logs", text);
        }
        // Others may wait for their turn to be read, too.
        self.logs.keep(log);
        let unwell = self.board.places.iter().enumerate();
        let unwell = unwell.filter(|(_, place)| place.because.iter().any(is_about_container));
        let unwell: Vec<_> = unwell.map(|(index, _)| index).collect();
        self.stain(unwell);
    }

    /// Wants to know what is behind targets that are not well; with a tree, behind all.
    pub(in super::super) fn want_reasons(&mut self) {
        if self.manner.depth == Depth::Verdicts {
            return;
        }
        let places = self.board.places.iter().filter(|place| self.is_in_need(place));
        let namespaces = places.map(|place| &place.target.id.namespace);
        let new = namespaces.filter(|namespace| !self.wanted.contains_key(*namespace));
        let new: BTreeSet<_> = new.cloned().collect();
        for namespace in new {
            if self.wanted.len() >= NAMESPACES && !self.manner.once {
                let text = format!("reasons are looked for in {NAMESPACES} namespaces only");
                return self.warn("namespaces", text);
            }
            let levels = self.levels(&namespace);
            self.wanted.insert(namespace, levels);
        }
        self.start_more();
    }

    /// Whether it must be looked at what is behind a target.
    fn is_in_need(&self, place: &Place) -> bool {
        let is_tree = self.manner.depth == Depth::Tree;
        let is_unwell = place.node.is_some() && !place.is_good();
        let has_children = || Level::below(&place.target.kind, is_tree).len() > 1;
        place.is_heard && !place.target.gone && (is_unwell || is_tree && has_children())
    }

    /// What is read in a namespace: what any of its targets may own, since whose a Pod is must be known before it comes.
    fn levels(&self, namespace: &str) -> BTreeSet<Level> {
        let is_tree = self.manner.depth == Depth::Tree;
        let places = self.board.places.iter();
        let here = places.filter(|place| place.target.id.namespace == namespace);
        let levels = here.flat_map(|place| Level::below(&place.target.kind, is_tree));
        levels.copied().collect()
    }

    /// Begins to read what can be read by now: owners come before what they own.
    pub(super) fn start_more(&mut self) {
        let mut next = Vec::new();
        for (namespace, levels) in &self.wanted {
            for level in levels {
                let is_it = |of: &Option<(String, Level)>| {
                    of.as_ref().is_some_and(|(known, at)| known == namespace && at == level)
                };
                match self.sources.iter().find(|source| is_it(&source.level)) {
                    Some(source) if source.is_listed => {}
                    Some(_) => break,
                    None => {
                        next.push((namespace.clone(), *level));
                        break;
                    }
                }
            }
        }
        for (namespace, level) in next {
            let collection = Collection::behind(level.kind(), &namespace, level.fields());
            self.start(collection, Some((namespace, level)));
        }
    }

    /// Whether all that can be said about reasons was found.
    pub(in super::super) fn is_explained(&self) -> bool {
        self.is_complete() && self.dirty.is_empty() && self.logs.are_read()
    }
}

fn is_about_container(blame: &Blame) -> bool {
    blame.container.is_some()
}

/// How often a container was started again.
fn restarts(pod: &Node, container: &str) -> String {
    let lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
    let statuses = lists.iter().filter_map(|list| pod.lookup(&["status", list])?.as_sequence());
    let mut its = statuses.flatten().filter(|status| text(status, &["name"]) == Some(container));
    let count = its.find_map(|status| status.get("restartCount")?.text());
    count.unwrap_or_default().to_owned()
}
