//! What is known of the objects that are waited for: what to say when that changes, and what is still open.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use kelson_cluster::Target;
use kelson_model::ObjectId;
use kelson_plan::{Blame, Health, Verdict};

use crate::{duration, health};

/// How much of what is behind an object stands below it while it is waited for.
const BEHIND: usize = 6;

/// The objects that are waited for.
#[derive(Default)]
pub(super) struct Waited {
    begun: Option<Instant>,
    of: usize,
    to_go: HashSet<ObjectId>,
    settled: HashSet<ObjectId>,
    open: BTreeMap<ObjectId, Open>,
}

/// An object that is not as it should be.
struct Open {
    since: Instant,
    verdict: Verdict,
    because: Vec<Blame>,
    /// What was said of what is behind it.
    said: HashSet<Gist>,
}

/// What there is to say of an object.
pub(super) struct Said {
    pub(super) text: String,
    /// Whether it is now as it should be.
    pub(super) is_settled: bool,
}

impl Waited {
    pub(super) fn expect_gone(&mut self, targets: &[Target]) {
        let to_go = targets.iter().filter(|target| target.gone);
        self.to_go = to_go.map(|target| target.id.clone()).collect();
    }

    pub(super) fn begin(&mut self, objects: usize) {
        (self.begun, self.of) = (Some(Instant::now()), objects);
    }

    pub(super) fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// Takes note of how an object is. Says so where that is news to a person: not of what was well from the start, nor
    /// where only a message has changed, which may count every second. What is behind an object is said once.
    pub(super) fn hear(
        &mut self,
        id: &ObjectId,
        verdict: &Verdict,
        because: &[Blame],
    ) -> Option<Said> {
        if self.is_settled(id, verdict.health) {
            self.settled.insert(id.clone());
            self.open.remove(id)?;
            let text = format!("{:<10}{id}\n", self.word(id, verdict.health));
            return Some(Said { text, is_settled: true });
        }
        self.settled.remove(id);
        let known = self.open.remove(id);
        let is_otherwise = known.as_ref().is_none_or(|known| {
            (known.verdict.health, &known.verdict.reason) != (verdict.health, &verdict.reason)
        });
        let (since, mut said) = match known {
            Some(known) => (known.since, known.said),
            None => (Instant::now(), HashSet::new()),
        };
        let fresh: Vec<Blame> =
            because.iter().filter(|blame| said.insert(gist(blame))).cloned().collect();
        let text = (is_otherwise || !fresh.is_empty()).then(|| {
            let why = if is_otherwise { health::why(verdict) } else { String::new() };
            lines(self.word(id, verdict.health), id, &why, &fresh)
        });
        let open = Open { since, verdict: verdict.clone(), because: because.to_vec(), said };
        self.open.insert(id.clone(), open);
        text.map(|text| Said { text, is_settled: false })
    }

    /// All that is open, to be read when waiting is over.
    pub(super) fn left(&self) -> String {
        let text = |(id, open): (&ObjectId, &Open)| {
            let word = self.word(id, open.verdict.health);
            lines(word, id, &health::why(&open.verdict), &open.because)
        };
        self.open.iter().map(text).collect()
    }

    /// All that is open, in so many lines, and how far it is.
    pub(super) fn lines(&self, most: usize) -> Vec<String> {
        let room = most.saturating_sub(2);
        let width = self.open.keys().map(|id| id.to_string().len()).max().unwrap_or_default();
        let (mut lines, mut shown) = (Vec::new(), 0);
        for (id, open) in &self.open {
            if lines.len() >= room {
                break;
            }
            shown += 1;
            let (word, age) = (self.word(id, open.verdict.health), age(open.since));
            let (id, why) = (id.to_string(), health::why(&open.verdict));
            lines.push(format!("{word:<10}{id:<width$}  {age:>6}  {why}"));
            let behind = health::behind(&open.because);
            lines.extend(behind.into_iter().take(BEHIND).map(|line| format!("            {line}")));
        }
        lines.truncate(room);
        if shown < self.open.len() {
            lines.push(format!("… and {} more", self.open.len() - shown));
        }
        lines.push(self.state());
        lines
    }

    fn state(&self) -> String {
        let time = self.begun.map_or_else(String::new, age);
        let word = if self.to_go.is_empty() { "ready" } else { "done" };
        format!("{} of {} {word} after {time}", self.settled.len(), self.of)
    }

    fn is_settled(&self, id: &ObjectId, health: Health) -> bool {
        health == if self.to_go.contains(id) { Health::NotFound } else { Health::Current }
    }

    fn word(&self, id: &ObjectId, health: Health) -> &'static str {
        match health {
            Health::NotFound if self.to_go.contains(id) => "gone",
            Health::Current if self.to_go.contains(id) => "waiting",
            health => health::word(health),
        }
    }
}

/// How long ago something was, to the second.
fn age(since: Instant) -> String {
    duration::text(Duration::from_secs(since.elapsed().as_secs()))
}

/// What makes something behind an object news: whose fault it is and why, and once more when its log is read.
type Gist = (ObjectId, &'static str, bool);

fn gist(blame: &Blame) -> Gist {
    (blame.object.clone(), blame.reason, !blame.log.is_empty())
}

/// An object, why it is so, and what is behind it.
fn lines(word: &str, id: &ObjectId, why: &str, because: &[Blame]) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let mut text = format!("{word:<10}{id}{why}\n");
    for line in health::behind(because) {
        text.push_str(&format!("            {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ObjectId {
        ObjectId {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: "shop".to_owned(),
            name: name.to_owned(),
        }
    }

    fn verdict(health: Health, reason: &str, message: &str) -> Verdict {
        Verdict { health, reason: reason.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn what_is_behind_an_object_is_said_once() {
        let blame = |log: &[&str]| Blame {
            object: ObjectId { kind: "Pod".to_owned(), group: String::new(), ..id("a-1") },
            reason: "CrashLoop",
            message: "it exited".to_owned(),
            container: None,
            log: log.iter().map(|line| (*line).to_owned()).collect(),
            is_final: false,
        };
        let (less, late) = (
            verdict(Health::InProgress, "Less", "0 of 1"),
            verdict(Health::Failed, "Late", "too late"),
        );
        let mut waited = Waited::default();
        let mut text = String::new();
        for (verdict, because) in [
            (&less, vec![]),
            (&less, vec![blame(&[])]),
            (&less, vec![blame(&[])]),
            (&less, vec![blame(&["panic"])]),
            (&late, vec![blame(&["panic"])]),
        ] {
            let said = waited.hear(&id("a"), verdict, &because);
            text.push_str(&said.map(|said| said.text).unwrap_or_default());
        }
        assert_eq!(
            text,
            "waiting   Deployment/shop/a: 0 of 1 (Less)\n\
             waiting   Deployment/shop/a\n\
             \x20           Pod/shop/a-1: CrashLoop: it exited\n\
             waiting   Deployment/shop/a\n\
             \x20           Pod/shop/a-1: CrashLoop: it exited\n\
             \x20             | panic\n\
             failed    Deployment/shop/a: too late (Late)\n"
        );
    }

    /// What is said of objects one after the other, and what is open in the end.
    #[track_caller]
    fn check(news: &[(&str, Verdict)], room: usize, expected: &str) {
        let mut waited = Waited::default();
        waited.begin(news.len());
        let mut text = String::new();
        for (name, verdict) in news {
            if let Some(said) = waited.hear(&id(name), verdict, &[]) {
                text.push_str(&said.text);
            }
        }
        let lines = waited.lines(room).join("\n");
        assert_eq!(format!("{text}--\n{lines}"), expected);
    }

    #[test]
    fn a_change_is_said_once() {
        check(
            &[
                ("a", verdict(Health::InProgress, "Less", "0 of 2")),
                ("a", verdict(Health::InProgress, "Less", "1 of 2")),
                ("b", verdict(Health::Current, "", "")),
                ("a", verdict(Health::Failed, "Stalled", "no progress")),
                ("c", verdict(Health::InProgress, "", "")),
                ("c", verdict(Health::Current, "", "")),
            ],
            24,
            "waiting   Deployment/shop/a: 0 of 2 (Less)\n\
             failed    Deployment/shop/a: no progress (Stalled)\n\
             waiting   Deployment/shop/c\n\
             ready     Deployment/shop/c\n\
             --\n\
             failed    Deployment/shop/a      0s  no progress (Stalled)\n\
             2 of 6 ready after 0s",
        );
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let news: Vec<(String, Verdict)> = (0..9)
            .map(|number| (format!("d{number}"), verdict(Health::InProgress, "Less", "")))
            .collect();
        let mut waited = Waited::default();
        waited.begin(news.len());
        news.iter().for_each(|(name, verdict)| drop(waited.hear(&id(name), verdict, &[])));
        let lines = waited.lines(5);
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert_eq!(lines[3], "… and 6 more");
    }
}
