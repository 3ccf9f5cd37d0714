//! What is heard becomes what is known.

use std::time::Instant;

use kelson_model::{Object, ObjectId};
use kelson_plan::{Health, Refusal, Verdict};
use kelson_yaml::Node;

use super::super::behind::{Arrival, Level, slim, text};
use super::super::board::verdict;
use super::super::collection::Scope;
use super::super::feed::{News, What, is_passing};
use super::{Depth, Scene, unix_now};
use crate::Error;
use crate::read::is_final;

impl Scene<'_> {
    pub(super) fn take(&mut self, news: News) -> Result<(), Error> {
        match self.sources[news.source].level.clone() {
            None => self.take_target(news),
            Some((namespace, level)) => {
                self.take_behind(news, &namespace, level);
                Ok(())
            }
        }
    }

    fn take_target(&mut self, news: News) -> Result<(), Error> {
        let source = news.source;
        match news.what {
            What::Begun => self.begin_round(source),
            What::Seen(object) => self.see(*object, source),
            What::Listed => self.listed(source),
            What::Gone(object) => self.leave(&object),
            What::Absent(id) => self.absent(&id),
            What::Unreadable(id, refusal) => {
                self.or_end(&refusal)?;
                // What is known holds until somebody says otherwise.
                if !is_passing(&refusal) || self.is_unheard(&id) {
                    self.unreadable(&id, &refusal);
                }
            }
            What::Barred(refusal) => self.narrow(source, &refusal),
            What::Asking(refusal) => self.warn_asking(source, &refusal),
            What::Failing(refusal) => {
                self.or_end(&refusal)?;
                self.failing(source, &refusal);
            }
        }
        Ok(())
    }

    fn begin_round(&mut self, source: usize) {
        self.round += 1;
        self.sources[source].round = self.round;
    }

    /// An object is there.
    fn see(&mut self, object: Object, source: usize) {
        let round = self.sources[source].round;
        let uid = text(&object.node, &["metadata", "uid"]).unwrap_or_default().to_owned();
        for index in self.board.of(&object.id) {
            let place = &mut self.board.places[index];
            place.round = round;
            if place.is_meant(&uid) {
                place.uid = Some(uid.clone());
                self.dirty.extend(self.behind.root(&uid, index, unix_now()));
            }
            self.judge(index, &uid, &object.node);
        }
    }

    fn judge(&mut self, index: usize, uid: &str, node: &Node) {
        let place = &self.board.places[index];
        if let Some(verdict) = place.beyond_rules(uid, node) {
            return self.put_aside(index, verdict);
        }
        let (now, kind) = (unix_now(), &place.target.kind);
        // With nothing behind it, nothing is ever said about reasons.
        let is_kept = self.manner.depth != Depth::Verdicts && !Level::below(kind, true).is_empty();
        let below = self.behind.unwell(index);
        let judged = self.options.rules.judge_with(node, &below, now);
        let again = self.options.rules.holds_until(node, now);
        let place = &mut self.board.places[index];
        place.again = again.map(|until| later(until, now));
        let is_kept = is_kept && judged.health != Health::Current;
        place.node = is_kept.then(|| slim(node.clone()));
        self.settle(index, judged);
    }

    /// A target is so, whatever rules say: it is not there, or not to be judged by them.
    fn put_aside(&mut self, index: usize, verdict: Verdict) {
        let place = &mut self.board.places[index];
        (place.node, place.again) = (None, None);
        place.because.clear();
        self.settle(index, verdict);
    }

    /// A target is found to be so.
    pub(super) fn settle(&mut self, index: usize, verdict: Verdict) {
        if self.board.places[index].set(verdict, Instant::now()) {
            self.tell(index);
        }
        self.stain([index]);
    }

    fn leave(&mut self, object: &Object) {
        let uid = text(&object.node, &["metadata", "uid"]);
        for index in self.board.of(&object.id) {
            // One that is not meant has hidden the one that is.
            let place = &self.board.places[index];
            if place.uid.as_deref() == uid || place.verdict.reason == "Replaced" {
                self.lose(index);
            }
        }
    }

    fn listed(&mut self, source: usize) {
        let round = self.sources[source].round;
        let ids: Vec<_> = self.sources[source].collection.ids().cloned().collect();
        for id in ids {
            for index in self.board.of(&id) {
                if self.board.places[index].round != round {
                    self.lose(index);
                }
            }
        }
        self.sources[source].is_listed = true;
    }

    fn absent(&mut self, id: &ObjectId) {
        self.board.of(id).into_iter().for_each(|index| self.lose(index));
    }

    fn lose(&mut self, index: usize) {
        let absence = self.board.places[index].absence();
        self.put_aside(index, absence);
    }

    fn unreadable(&mut self, id: &ObjectId, refusal: &Refusal) {
        let unknown = verdict(Health::Unknown, "Unreadable", &refusal.to_string());
        self.board.of(id).into_iter().for_each(|index| self.settle(index, unknown.clone()));
    }

    /// Ends everything where nobody lets us in, or has from the beginning not been there.
    fn or_end(&self, refusal: &Refusal) -> Result<(), Error> {
        let is_first = !self.board.places.iter().any(|place| place.is_heard);
        if refusal.code == 401 || is_first && is_final(refusal) {
            let what = "see how the objects are".to_owned();
            return Err(Error::Refused { what, refusal: refusal.clone() });
        }
        Ok(())
    }

    /// What was known stays; of what was not, this is said.
    fn failing(&mut self, source: usize, refusal: &Refusal) {
        let name = self.sources[source].collection.name();
        self.warn(
            &format!("{name} failing"),
            format!("`{name}` cannot be listed for now: {refusal}"),
        );
        let ids = self.sources[source].collection.ids();
        let unheard: Vec<_> = ids.filter(|id| self.is_unheard(id)).cloned().collect();
        unheard.iter().for_each(|id| self.unreadable(id, refusal));
    }

    fn is_unheard(&self, id: &ObjectId) -> bool {
        self.board.of(id).iter().any(|index| !self.board.places[*index].is_heard)
    }

    fn narrow(&mut self, source: usize, refusal: &Refusal) {
        let narrower = self.sources[source].collection.narrower();
        if narrower.iter().any(|collection| collection.scope == Scope::Each) {
            let name = self.sources[source].collection.name();
            let again = if self.manner.once { "" } else { ", again and again" };
            let text =
                format!("`{name}` cannot be listed: {refusal}; each is asked for by itself{again}");
            self.warn(&name, text);
        }
        narrower.into_iter().for_each(|collection| self.start(collection, None));
    }

    fn warn_asking(&mut self, source: usize, refusal: &Refusal) {
        let name = self.sources[source].collection.name();
        let text =
            format!("`{name}` cannot be watched: {refusal}; they are listed again and again");
        self.warn(&name, text);
    }

    fn take_behind(&mut self, news: News, namespace: &str, level: Level) {
        let (source, round) = (news.source, self.sources[news.source].round);
        match news.what {
            What::Begun => self.begin_round(source),
            What::Seen(object) => {
                let arrival = Arrival { object: *object, source, round };
                let behind = self.behind.arrive(arrival, unix_now());
                self.stain(behind);
            }
            What::Gone(object) => {
                let behind = self.behind.leave(&object);
                self.stain(behind);
            }
            What::Listed => {
                let behind = self.behind.sweep(source, round);
                self.stain(behind);
                self.is_read(source);
            }
            What::Asking(refusal) => self.warn_asking(source, &refusal),
            What::Barred(refusal) | What::Failing(refusal) => {
                let name = level.kind().plural;
                self.warn(
                    &format!("reasons {name}"),
                    format!(
                        "the {name} of namespace `{namespace}` cannot be read, so that less can be said about reasons: {refusal}"
                    ),
                );
                self.is_read(source);
            }
            // These are for what is asked for one by one.
            What::Absent(_) | What::Unreadable(..) => {}
        }
    }

    fn is_read(&mut self, source: usize) {
        self.sources[source].is_listed = true;
        self.start_more();
    }
}

/// When a time in seconds since 1970 will be, if no clock jumps.
fn later(until: i64, now: i64) -> Instant {
    let seconds = until.saturating_sub(now).clamp(0, 3600);
    // A little later, so that the whole second has passed.
    Instant::now() + std::time::Duration::from_millis(seconds.unsigned_abs() * 1000 + 50)
}
