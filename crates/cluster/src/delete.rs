//! Objects go: only the one that is listed, only while it bears our labels, and the record lets go of it only when it is gone.

use kelson_plan::{Entry, Event, Found, KEPT_BY_OTHERS, Outcome, PRUNE, Refusal, Step};
use kelson_yaml::Node;

use crate::apply::{Done, Effect, Work};
use crate::own::deletion;
use crate::request::{Refused, Request, path};
use crate::wait::{self, Patience, Unfinished};

/// How often a delete is sent once more because somebody wrote in between.
const TRIES: usize = 20;

impl Work<'_> {
    /// Deletes the object of a step, which `known` lists.
    pub(crate) async fn delete(&self, step: &Step, known: Option<&Entry>) -> Done {
        let Some(known) = known else {
            return kept("the inventory does not list it", Effect::Untouched);
        };
        let Some(uid) = step.ground.uid.as_ref().or(known.uid.as_ref()) else {
            return kept("nobody knows its uid", Effect::Untouched);
        };
        for _ in 0..TRIES {
            let found = match self.read(step).await {
                Ok(Some(found)) => found,
                Ok(None) => return gone(),
                Err(refusal) => return Done::failed(refusal, Effect::Open),
            };
            if let Some(done) = self.spared(&found, uid) {
                return done;
            }
            if found.is_terminating() {
                return self.awaited(step, uid).await;
            }
            match self.send_delete(step, uid, &found.resource_version).await {
                Ok(()) => return self.awaited(step, uid).await,
                Err(no) if no.refusal.code == 404 => return gone(),
                // Somebody wrote it, or it was deleted by a try that went without an answer.
                Err(no) if no.refusal.code == 409 => {}
                Err(no) => {
                    let effect = if no.unsure { Effect::Open } else { Effect::Untouched };
                    return Done::failed(no.refusal, effect);
                }
            }
        }
        let message = "somebody writes it all the time; try again".to_owned();
        Done::failed(Refusal { message, ..Refusal::default() }, Effect::Untouched)
    }

    /// Why an object is not deleted, as it is now.
    fn spared(&self, found: &Found, uid: &str) -> Option<Done> {
        if found.uid != uid {
            // The one that is listed is gone.
            return Some(kept("another object has its name now", Effect::Left));
        }
        let bears = |(key, value): (&str, &str)| found.label(key) == Some(value);
        if !self.delivery.labels().into_iter().all(bears) {
            return Some(kept("it no longer bears our labels", Effect::Untouched));
        }
        let is_marked = |(key, value): &(&str, &str)| {
            found.annotation(key).is_some_and(|known| known == *value)
        };
        let mut marks = KEPT_BY_OTHERS.iter().chain(&[(PRUNE, "disabled")]);
        let (key, value) = marks.find(|mark| is_marked(mark))?;
        Some(kept(&format!("it is marked `{key}: {value}`"), Effect::Untouched))
    }

    async fn awaited(&self, step: &Step, uid: &str) -> Done {
        match self.until_gone(step, uid).await {
            Ok(()) => gone(),
            Err(refusal) => Done::failed(refusal, Effect::Open),
        }
    }

    /// Asks for an object to go. What it owns goes after it.
    pub(crate) async fn send_delete(
        &self,
        step: &Step,
        uid: &str,
        resource_version: &str,
    ) -> Result<(), Refused> {
        let path = path(&step.kind, &step.id.namespace, &step.id.name);
        let path = path.map_err(|refusal| Refused { refusal, unsure: false })?;
        let request = Request::delete(path, deletion(uid, Some(resource_version)));
        self.cluster.send(&request, self.listener).await.map(|_| ())
    }

    /// Waits until an object is gone, or another one has its name.
    pub(crate) async fn until_gone(&self, step: &Step, uid: &str) -> Result<(), Refusal> {
        let patience = Patience::new(self.options.gone, self.stop);
        let mut is_told = false;
        let is_gone = |seen: Option<&Node>| {
            let seen = seen.and_then(|node| node.lookup(&["metadata", "uid"])?.as_str());
            if seen != Some(uid) {
                return Some(());
            }
            if !is_told {
                is_told = true;
                self.listener.hear(&Event::Waiting { id: step.id.clone(), until: "gone" });
            }
            None
        };
        let object = (&step.kind, &step.id);
        let waited =
            wait::until(self.cluster, object, None, &patience, self.listener, is_gone).await;
        waited.map_err(|unfinished| match unfinished {
            Unfinished::Refused(refusal) => refusal,
            Unfinished::Late(seen) => going(seen.as_deref()),
        })
    }
}

fn gone() -> Done {
    Done { outcome: Outcome::Deleted, effect: Effect::Left }
}

fn kept(why: &str, effect: Effect) -> Done {
    Done { outcome: Outcome::Kept(why.to_owned()), effect }
}

/// Why an object is still there.
pub(crate) fn going(seen: Option<&Node>) -> Refusal {
    let list = |path: &[&str]| -> Vec<&str> {
        let items = seen.and_then(|node| node.lookup(path)?.as_sequence()).unwrap_or_default();
        items.iter().filter_map(Node::as_str).collect()
    };
    let mut finalizers = list(&["metadata", "finalizers"]);
    finalizers.extend(list(&["spec", "finalizers"]));
    let why = match finalizers.is_empty() {
        true => String::new(),
        false => format!(": it waits for its finalizers {}", finalizers.join(", ")),
    };
    let message = format!("it is being deleted, but not gone yet{why}");
    Refusal { reason: "Deleting".to_owned(), message, ..Refusal::default() }
}
