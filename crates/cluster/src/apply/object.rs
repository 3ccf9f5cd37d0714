//! One object is made or changed.

use std::time::Duration;

use kelson_model::Object;
use kelson_plan::{Action, Found, Ground, Hash, Outcome, Refusal, Step, managers, takeover};
use kelson_yaml::{Node, Span, json};

use super::body::{Pin, pinned};
use super::{Done, Effect, Work};
use crate::request::{Refused, Request, path, unreadable};
use crate::wait::{self, Patience, Pauses};

/// How often a request is sent once more because somebody else wrote in between.
const TRIES: usize = 20;
/// How long a kind that was just defined may be unknown to the server.
const UNKNOWN: Duration = Duration::from_secs(15);

/// What a change is made upon.
#[derive(Clone, Debug)]
struct At {
    uid: String,
    resource_version: String,
    /// Of its content.
    hash: Option<Hash>,
}

impl At {
    fn planned(ground: &Ground) -> Option<Self> {
        let (uid, resource_version) = (ground.uid.clone()?, ground.resource_version.clone()?);
        Some(Self { uid, resource_version, hash: ground.hash.clone() })
    }

    fn found(found: &Found) -> Self {
        Self {
            uid: found.uid.clone(),
            resource_version: found.resource_version.clone(),
            hash: Some(found.hash.clone()),
        }
    }

    fn pin(&self) -> Pin<'_> {
        Pin::At { uid: &self.uid, resource_version: &self.resource_version }
    }

    /// Whether an object is the one that is meant, with the content that it had.
    fn is(&self, found: &Found) -> bool {
        found.uid == self.uid && Some(&found.hash) == self.hash.as_ref()
    }
}

impl Work<'_> {
    /// Whether a step may go on upon an object as it is now: with the content that it had or, where nobody has approved
    /// that, with any, while it is the same object and stays.
    fn may_go_on(&self, at: &At, found: &Found) -> bool {
        at.is(found) || !self.options.bound && found.uid == at.uid && !found.is_terminating()
    }

    /// Makes an object that must not exist.
    pub(super) async fn create(&self, step: &Step) -> Done {
        let mut pauses = Pauses::new();
        let mut last = Refusal::default();
        for _ in 0..TRIES {
            let refused = match self.send(step, Pin::Absent, false).await {
                Ok(found) => return self.established(step, Outcome::Created, found).await,
                Err(refused) => refused,
            };
            // Where it exists, the server may also complain of fields that others own.
            if refused.refusal.code != 409 && !refused.unsure {
                return Done::failed(refused.refusal, Effect::Untouched);
            }
            match self.read(step).await {
                Ok(Some(found)) if self.is_ours(&found) => return self.resume(step, found).await,
                Ok(Some(_)) => return Done::failed(exists(), Effect::Untouched),
                // Something else was in the way for a moment, such as a quota that many write at once.
                Ok(None) if !refused.unsure => last = refused.refusal,
                Ok(None) | Err(_) => return Done::failed(refused.refusal, Effect::Open),
            }
            tokio::time::sleep(pauses.next()).await;
        }
        Done::failed(last, Effect::Untouched)
    }

    /// Goes on with an object that we have made: in a try that went without an answer, or in a run that crashed.
    async fn resume(&self, step: &Step, found: Found) -> Done {
        if found.is_terminating() {
            return Done::failed(moved("the former one is still being deleted"), Effect::Open);
        }
        self.write(step, Outcome::Created, At::found(&found), Effect::Open).await
    }

    /// Changes an object that must be as it was when the plan was made.
    pub(super) async fn change(&self, step: &Step) -> Done {
        let Some(at) = At::planned(&step.ground) else {
            return Done::failed(
                moved("the plan does not say which object is meant"),
                Effect::Untouched,
            );
        };
        let Some(patch) = &step.takeover else {
            return self.write(step, Outcome::Changed, at, Effect::Untouched).await;
        };
        match self.take_over(step, patch, at).await {
            // From here on it bears our manager: it stays listed, whatever comes of the rest.
            Ok(at) => self.write(step, Outcome::Changed, at, Effect::Open).await,
            Err(done) => done,
        }
    }

    /// Sends the body, and once more where only the version had moved. `refused` is what is known where the server says no.
    async fn write(&self, step: &Step, outcome: Outcome, mut at: At, refused: Effect) -> Done {
        for _ in 0..TRIES {
            let no = match self.send(step, at.pin(), false).await {
                Ok(found) => return self.established(step, outcome, found).await,
                Err(no) => no,
            };
            if !is_about_version(&no.refusal) && !no.unsure {
                return Done::failed(no.refusal, refused);
            }
            match self.read(step).await {
                Ok(Some(found)) if is_about_version(&no.refusal) && self.may_go_on(&at, &found) => {
                    at = At::found(&found);
                }
                // Nothing came of the tries that went without an answer, or the server would say so.
                Ok(Some(found)) if at.is(&found) => return Done::failed(no.refusal, refused),
                Ok(Some(found)) if no.unsure && self.is_so_already(step, &found).await => {
                    return self.established(step, outcome, found).await;
                }
                Ok(found) => return Done::failed(moved(how(found.as_ref(), &at)), refused),
                Err(_) => return Done::failed(no.refusal, Effect::Open),
            }
        }
        Done::failed(moved("somebody writes it all the time"), refused)
    }

    /// Makes what another tool's managers own ours.
    async fn take_over(&self, step: &Step, patch: &Node, mut at: At) -> Result<At, Done> {
        let mut anew = None;
        for _ in 0..TRIES {
            let no = match self.patch(step, anew.as_ref().unwrap_or(patch)).await {
                Ok(found) => return Ok(At::found(&found)),
                Err(no) => no,
            };
            // A version that is another is a test that failed, which is 422.
            if !matches!(no.refusal.code, 409 | 422) && !no.unsure {
                return Err(Done::failed(no.refusal, Effect::Untouched));
            }
            match self.read(step).await {
                Ok(Some(found))
                    if self.may_go_on(&at, &found)
                        && found.resource_version != at.resource_version =>
                {
                    anew = takeover(&found, &self.plan.field_manager, step.origin);
                    at = At::found(&found);
                    if anew.is_none() {
                        return Ok(at);
                    }
                }
                Ok(Some(found)) if at.is(&found) => {
                    return Err(Done::failed(no.refusal, Effect::Untouched));
                }
                // A try that went without an answer has done it.
                Ok(Some(found))
                    if no.unsure
                        && found.uid == at.uid
                        && takeover(&found, &self.plan.field_manager, step.origin).is_none() =>
                {
                    return Ok(At::found(&found));
                }
                Ok(found) => {
                    return Err(Done::failed(moved(how(found.as_ref(), &at)), Effect::Untouched));
                }
                Err(_) => return Err(Done::failed(no.refusal, Effect::Open)),
            }
        }
        Err(Done::failed(moved("somebody writes it all the time"), Effect::Untouched))
    }

    /// Deletes an object that must be as it was when the plan was made, and makes it anew.
    pub(super) async fn recreate(&self, step: &Step) -> Done {
        let Some(mut at) = At::planned(&step.ground) else {
            return Done::failed(
                moved("the plan does not say which object is meant"),
                Effect::Untouched,
            );
        };
        for _ in 0..TRIES {
            match self.send_delete(step, &at.uid, &at.resource_version).await {
                Ok(()) => return self.create_again(step, &at.uid).await,
                Err(no) if no.refusal.code == 404 => return self.create_again(step, &at.uid).await,
                Err(no) if no.refusal.code != 409 && !no.unsure => {
                    return Done::failed(no.refusal, Effect::Untouched);
                }
                Err(no) => match self.read(step).await {
                    Ok(None) => return self.create_again(step, &at.uid).await,
                    Ok(Some(found)) if found.uid == at.uid && found.is_terminating() => {
                        return self.create_again(step, &at.uid).await;
                    }
                    Ok(Some(found)) if self.may_go_on(&at, &found) => at = At::found(&found),
                    Ok(found) => {
                        return Done::failed(moved(how(found.as_ref(), &at)), Effect::Untouched);
                    }
                    Err(_) => return Done::failed(no.refusal, Effect::Open),
                },
            }
        }
        Done::failed(moved("somebody writes it all the time"), Effect::Untouched)
    }

    async fn create_again(&self, step: &Step, uid: &str) -> Done {
        if let Err(refusal) = self.until_gone(step, uid).await {
            return Done::failed(refusal, Effect::Open);
        }
        let done = self.create(step).await;
        match done {
            Done { outcome: Outcome::Created, effect } => {
                Done { outcome: Outcome::Recreated, effect }
            }
            // Ours is gone for certain, and no other one is.
            Done { outcome, effect: Effect::Untouched } => Done { outcome, effect: Effect::Left },
            other => other,
        }
    }

    /// Takes our fields back: an apply that names none.
    pub(super) async fn release(&self, step: &Step) -> Done {
        let Some(at) = At::planned(&step.ground) else {
            return Done::failed(
                moved("the plan does not say which object is meant"),
                Effect::Untouched,
            );
        };
        match self.write(step, Outcome::Released, at, Effect::Untouched).await {
            Done { outcome: Outcome::Released, .. } => {
                Done { outcome: Outcome::Released, effect: Effect::Left }
            }
            done => done,
        }
    }

    /// Whether an object would stay as it is.
    async fn is_so_already(&self, step: &Step, found: &Found) -> bool {
        let at = At::found(found);
        let would = self.send(step, at.pin(), true).await;
        would.is_ok_and(|would| at.is(&would) && would.owned == found.owned)
    }

    /// Whether an object is of this delivery: it has its labels, and our manager has applied it.
    pub(crate) fn is_ours(&self, found: &Found) -> bool {
        let bears = |(key, value): (&str, &str)| found.label(key) == Some(value);
        let manager = &self.plan.field_manager;
        self.delivery.labels().into_iter().all(bears)
            && managers(&found.object.node).iter().any(|known| {
                known.applies && known.subresource.is_empty() && known.name == *manager
            })
    }

    /// Applies the body of a step. A kind that was just defined is waited for.
    async fn send(&self, step: &Step, pin: Pin<'_>, dry: bool) -> Result<Found, Refused> {
        let patience = Patience::new(UNKNOWN.min(self.options.established), self.stop);
        let mut pauses = Pauses::new();
        loop {
            let sent = self.send_once(step, pin, dry).await;
            match sent {
                Err(no) if self.is_unknown(step, &no.refusal) && patience.left().is_some() => {
                    patience.sleep(pauses.next(), std::future::pending()).await;
                }
                sent => return sent,
            }
        }
    }

    async fn send_once(&self, step: &Step, pin: Pin<'_>, dry: bool) -> Result<Found, Refused> {
        let text = match (&step.body, &step.action) {
            (Some(body), _) => pinned(body, pin),
            (None, Action::Release) => pinned(&nothing(step).map_err(certain)?, pin),
            (None, _) => return Err(certain(moved("the plan does not hold the object"))),
        };
        let text = text.map_err(|error| {
            certain(Refusal { message: error.to_string(), ..Refusal::default() })
        })?;
        let mut request =
            Request::apply(self.path(step)?, text).with("fieldManager", &self.plan.field_manager);
        if step.force {
            request = request.with("force", "true");
        }
        if dry {
            request = request.with("dryRun", "All");
        }
        self.answer(&request).await
    }

    async fn patch(&self, step: &Step, patch: &Node) -> Result<Found, Refused> {
        let mut text = String::new();
        json::write(patch, &mut text).map_err(|error| {
            certain(Refusal { message: error.to_string(), ..Refusal::default() })
        })?;
        let request = Request::json_patch(self.path(step)?, text)
            .with("fieldManager", &self.plan.field_manager);
        self.answer(&request).await
    }

    async fn answer(&self, request: &Request) -> Result<Found, Refused> {
        let answer = self.cluster.send(request, self.listener).await?;
        let unsure = |refusal| Refused { refusal, unsure: true };
        self.found(answer.node().map_err(unsure)?).map_err(unsure)
    }

    /// Reads the object of a step as it is now.
    pub(crate) async fn read(&self, step: &Step) -> Result<Option<Found>, Refusal> {
        let node = wait::read(self.cluster, &step.kind, &step.id, self.listener).await?;
        node.map(|node| self.found(node)).transpose()
    }

    fn found(&self, node: Node) -> Result<Found, Refusal> {
        let object = Object::new(node).map_err(|_| unreadable())?;
        Ok(Found::new(object, &self.plan.field_manager))
    }

    fn path(&self, step: &Step) -> Result<String, Refused> {
        path(&step.kind, &step.id.namespace, &step.id.name).map_err(certain)
    }

    /// Whether the server does not know a kind yet that this plan has defined.
    fn is_unknown(&self, step: &Step, refusal: &Refusal) -> bool {
        let definition = || format!("{}.{}", step.kind.plural, step.kind.group);
        refusal.code == 404
            && !refusal.message.starts_with("namespaces ")
            && (step.kind.to_come || self.definitions.contains(definition().as_str()))
    }
}

/// Whether a refusal is about the version or the uid, not about fields that others own.
fn is_about_version(refusal: &Refusal) -> bool {
    refusal.code == 409 && refusal.causes.iter().all(|cause| cause.reason != "FieldManagerConflict")
}

/// A refusal of ours, before anything was sent.
fn certain(refusal: Refusal) -> Refused {
    Refused { refusal, unsure: false }
}

/// An object without any field but its names.
fn nothing(step: &Step) -> Result<Node, Refusal> {
    let api_version = match step.kind.group.as_str() {
        "" => step.kind.version.clone(),
        group => format!("{group}/{}", step.kind.version),
    };
    let mut metadata = serde_json::json!({"name": step.id.name});
    if !step.id.namespace.is_empty() {
        metadata["namespace"] = step.id.namespace.as_str().into();
    }
    let object =
        serde_json::json!({"apiVersion": api_version, "kind": step.id.kind, "metadata": metadata});
    json::read(&object.to_string(), Span::NONE).map_err(|_| unreadable())
}

/// How an object has moved.
fn how(found: Option<&Found>, at: &At) -> &'static str {
    match found {
        None => "it was deleted since the plan was made",
        Some(found) if found.uid != at.uid => {
            "it was deleted and made anew since the plan was made"
        }
        Some(found) if found.is_terminating() => "it is being deleted",
        Some(_) => "its content was changed since the plan was made",
    }
}

fn exists() -> Refusal {
    Refusal {
        code: 409,
        reason: "AlreadyExists".to_owned(),
        message: "it exists: somebody has made it since the plan was made; plan again".to_owned(),
        causes: Vec::new(),
    }
}

fn moved(how: &str) -> Refusal {
    let message = format!("{how}; plan again");
    Refusal { code: 409, reason: "Moved".to_owned(), message, causes: Vec::new() }
}
