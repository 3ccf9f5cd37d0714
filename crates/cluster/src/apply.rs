//! A plan is executed.
//!
//! In this order, so that a crash at any point leaves every object either listed or not created:
//! 1. every object that may come to exist or change is entered as pending (what is known of it before stays), every object
//!    to be deleted as deleting; saved before the first write;
//! 2. wave by wave, in parallel inside of one: the Lease is checked; creates are sent as server-side applies with a
//!    `resourceVersion` that no object has, so that one which exists meanwhile is refused (409) and neither
//!    claimed nor pruned (its entry leaves, if it was not there before); changes carry uid and resourceVersion, and a 409
//!    about the version is answered by reading again: the same content hash → once more with the new version, another →
//!    moved, a failure, where the plan was approved as it is (otherwise once more, while it is the same object); recreates delete (uid as precondition), wait until it is gone, create; definitions and namespaces
//!    are waited for;
//! 3. what others say to depend on is waited for until it is well, before they are sent; what failed, or does not become well, leaves
//!    what depends on it untried; all outcomes are events and results;
//! 4. deletes, in reverse order: the Lease is checked before each, uid and resource version are preconditions, the owner
//!    labels are looked at again; an entry leaves only when the object is confirmed gone;
//! 5. the inventory is saved with uids and hashes from the answers; also after each wave where it took long (a few
//!    seconds); and always at the end, also after failures and when interrupted.
//!
//! What a crash leaves, by the request that was the last: after the first save, entries that are pending without a uid: the
//! next plan finds nothing of that name, or an object with our labels and our manager, which is ours. Between the two
//! halves of a recreate, the same. After a delete, an entry that is deleting: the next plan finds nothing (it is
//! forgotten), or the object (it is deleted again).
//!
//! The Namespace that holds the inventory is made before it (`Cluster::create_namespace`), with our labels and manager, so
//! that its create step finds it to be ours; and it is deleted after everything else, when the inventory lists nothing but
//! itself. The inventory and the Lease go with it.

mod blocked; // what depends on what failed
mod body; // what is sent
mod established; // definitions and namespaces that can be used
mod ledger; // what a step means for the record
mod object; // one object is made or changed
mod ready; // what others depend on

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use kelson_model::ObjectId;
use kelson_plan::{Action, Event, Listener, ObjectResult, Outcome, Plan, Refusal, Step, Summary};
use tokio::sync::watch;

use self::blocked::Blocked;
pub(crate) use self::body::{NEVER, Pin, pinned};
pub(crate) use self::ledger::Effect;
pub use self::ledger::records;
use self::ledger::{Ledger, writes};
use crate::{Cluster, Error, Held, Lease, ObserveOptions};

/// How long a save may be put off while waves go on.
const UNSAVED: Duration = Duration::from_secs(3);
/// How many deletes are under way at once: most of their time they wait, which takes no turn.
const DELETES: usize = 64;

/// What a caller can choose about an execution.
#[derive(Clone, Debug)]
pub struct ApplyOptions {
    /// How long a definition may take to be established, a namespace to be active.
    pub established: Duration,
    /// How long an object may take to be gone.
    pub gone: Duration,
    /// Whether somebody has approved the plan as it is: then an object whose content has moved since is left alone.
    /// Otherwise its step is tried upon what it is now, while it is the same object; fields that others own are still
    /// reported.
    pub bound: bool,
    /// How it is waited for what others say to depend on (`config.kubernetes.io/depends-on`): until it is well. With nothing
    /// it is enough that it was applied.
    pub ready: Option<ObserveOptions>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// What came of each step, in the order of the plan.
    pub results: Vec<ObjectResult>,
    /// How many of each sort.
    pub summary: Summary,
}

/// Executes a plan. `held` is extended before the first write and shrunk only after confirmed deletes; the caller has put
/// source and history into it, and of the last apply there it is said how it ended. `stop` ends it in an orderly way: what
/// is under way is finished, nothing more is begun.
///
/// # Errors
///
/// Fails where the Lease or the inventory is lost, or on request; what fails for one object is a result.
pub async fn apply(
    cluster: &Cluster,
    plan: &Plan,
    held: &mut Held,
    lease: &Lease,
    options: &ApplyOptions,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Applied, Error> {
    let ledger = Ledger::begin(plan, &mut held.inventory);
    // What is only recorded is saved at the end.
    if plan.steps.iter().any(writes) {
        held.save(cluster).await?;
    }
    let delivery = held.delivery.clone();
    let definitions = plan.steps.iter().filter(|step| writes(step) && is_definition(step));
    let definitions = definitions.map(|step| step.id.name.as_str()).collect();
    let work = Work {
        cluster,
        plan,
        delivery: &delivery,
        ledger: &ledger,
        lease,
        options,
        stop,
        listener,
        definitions,
        ended: AtomicBool::new(false),
    };
    let mut run = Run::new(&work);
    let ended = run.waves(held).await;
    run.finish(held, ended).await
}

/// What the execution of every step needs.
pub(crate) struct Work<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) plan: &'a Plan,
    pub(crate) delivery: &'a kelson_plan::Delivery,
    pub(crate) ledger: &'a Ledger<'a>,
    pub(crate) lease: &'a Lease,
    pub(crate) options: &'a ApplyOptions,
    pub(crate) stop: &'a watch::Receiver<bool>,
    pub(crate) listener: &'a dyn Listener,
    /// The names of the definitions that the plan writes.
    definitions: HashSet<&'a str>,
    /// Whether nothing more is begun.
    ended: AtomicBool,
}

/// What came of one step.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) effect: Effect,
}

impl Done {
    pub(crate) fn failed(refusal: Refusal, effect: Effect) -> Self {
        Self { outcome: Outcome::Failed(refusal), effect }
    }
}

impl Work<'_> {
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || *self.stop.borrow()
    }

    /// Does a step; nothing where it was not begun.
    async fn step(&self, index: usize) -> Result<Option<(usize, Done)>, Error> {
        if self.is_over() {
            return Ok(None);
        }
        self.or_end(self.lease.recall())?;
        let step = &self.plan.steps[index];
        let done = match &step.action {
            Action::Create => self.create(step).await,
            Action::Change => self.change(step).await,
            Action::Recreate(_) => self.recreate(step).await,
            Action::Release => self.release(step).await,
            Action::Delete => {
                self.or_end(self.lease.check().await)?;
                self.delete(step, self.ledger.before(index)).await
            }
            Action::Keep(_) | Action::Forget | Action::Fail(_) => return Ok(None),
        };
        self.tell(step, &done.outcome);
        Ok(Some((index, done)))
    }

    /// Whoever has lost the Lease begins nothing more.
    fn or_end(&self, checked: Result<(), Error>) -> Result<(), Error> {
        checked.inspect_err(|_| self.ended.store(true, Ordering::Relaxed))
    }

    fn tell(&self, step: &Step, outcome: &Outcome) {
        self.listener.hear(&Event::Step { id: step.id.clone(), outcome: outcome.clone() });
    }

    /// Whether a step is about the Namespace that holds the inventory.
    fn is_home(&self, step: &Step) -> bool {
        is_namespace(step) && step.id.name == self.delivery.namespace()
    }
}

/// An execution under way.
struct Run<'w, 'a> {
    work: &'w Work<'a>,
    outcomes: Vec<Option<Outcome>>,
    blocked: Blocked,
    /// What others depend on and was waited for.
    awaited: HashSet<ObjectId>,
    saved: Instant,
    /// Whether the inventory's own namespace is on its way out.
    homeless: bool,
}

impl<'w, 'a> Run<'w, 'a> {
    /// Settles all steps that send nothing.
    fn new(work: &'w Work<'a>) -> Self {
        let mut run = Self {
            work,
            outcomes: vec![None; work.plan.steps.len()],
            blocked: Blocked::default(),
            awaited: HashSet::new(),
            saved: Instant::now(),
            homeless: false,
        };
        for (index, step) in work.plan.steps.iter().enumerate() {
            let Some(outcome) = Outcome::without_write(&step.action) else { continue };
            work.tell(step, &outcome);
            run.record(index, outcome);
        }
        run
    }

    async fn waves(&mut self, held: &mut Held) -> Result<(), Error> {
        let steps = &self.work.plan.steps;
        let mut home = None;
        let mut waves: Vec<Vec<usize>> = Vec::new();
        let mut last = None;
        for (index, step) in steps.iter().enumerate().filter(|(_, step)| writes(step)) {
            if step.action == Action::Delete && self.work.is_home(step) {
                home = Some(index);
                continue;
            }
            // Deletes are a wave of their own, also where a plan numbers them otherwise.
            let wave = Some((step.wave, step.action == Action::Delete));
            match waves.last_mut() {
                Some(wave_steps) if last == wave => wave_steps.push(index),
                _ => waves.push(vec![index]),
            }
            last = wave;
        }
        let count = waves.len() + usize::from(home.is_some());
        for (number, wave) in waves.into_iter().enumerate() {
            self.announce(number, count, wave.len());
            self.wave(wave, held).await?;
        }
        if let Some(home) = home {
            self.announce(count - 1, count, 1);
            self.leave_home(home, held).await?;
        }
        Ok(())
    }

    fn announce(&self, number: usize, of: usize, steps: usize) {
        self.work.listener.hear(&Event::Wave { number: number + 1, of, steps });
    }

    async fn wave(&mut self, mut wave: Vec<usize>, held: &mut Held) -> Result<(), Error> {
        if self.work.is_over() {
            return Err(Error::Interrupted);
        }
        self.work.lease.check().await?;
        let skipped = self.skip(&mut wave);
        self.await_dependencies(&wave).await?;
        let skipped = [skipped, self.skip(&mut wave)].concat();
        let deletes =
            wave.iter().any(|&index| self.work.plan.steps[index].action == Action::Delete);
        let at_once = if deletes { DELETES } else { self.work.cluster.parallel() };
        let work = self.work;
        let mut under_way = futures_util::stream::iter(wave)
            .map(|index| work.step(index))
            .buffer_unordered(at_once);
        let (mut effects, mut first_error, mut is_cut) = (skipped, None, false);
        while let Some(result) = under_way.next().await {
            match result {
                Ok(None) => is_cut = true,
                Ok(Some((index, done))) => {
                    effects.push((index, done.effect));
                    self.record(index, done.outcome);
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        work.ledger.settle(&mut held.inventory, effects);
        match first_error {
            Some(error) => return Err(error),
            None if is_cut => return Err(Error::Interrupted),
            None => {}
        }
        if self.saved.elapsed() > UNSAVED {
            held.save(work.cluster).await?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Takes out of a wave what depends on something that failed.
    fn skip(&mut self, wave: &mut Vec<usize>) -> Vec<(usize, Effect)> {
        let mut skipped = Vec::new();
        wave.retain(|&index| {
            let step = &self.work.plan.steps[index];
            let Some(because) = self.blocked.by(step) else { return true };
            skipped.push((index, Outcome::Skipped(because)));
            false
        });
        skipped
            .into_iter()
            .map(|(index, outcome)| {
                self.work.tell(&self.work.plan.steps[index], &outcome);
                self.record(index, outcome);
                (index, Effect::Untouched)
            })
            .collect()
    }

    /// Deletes the Namespace that holds the inventory, when that lists nothing else.
    async fn leave_home(&mut self, index: usize, held: &mut Held) -> Result<(), Error> {
        let step = &self.work.plan.steps[index];
        let others = held.inventory.entries.iter().filter(|entry| entry.id != step.id).count();
        if others > 0 {
            let why = format!("it holds the inventory, which lists {others} more");
            let done = Done { outcome: Outcome::Kept(why), effect: Effect::Untouched };
            self.work.tell(step, &done.outcome);
            self.work.ledger.settle(&mut held.inventory, [(index, done.effect)]);
            self.record(index, done.outcome);
            return Ok(());
        }
        held.save(self.work.cluster).await?;
        let Some((index, done)) = self.work.step(index).await? else {
            return Err(Error::Interrupted);
        };
        // Nothing more can be written into a namespace that is going, and what it held goes too.
        self.homeless = matches!(done.effect, Effect::Left | Effect::Open);
        if matches!(done.effect, Effect::Left) {
            held.went();
        }
        self.work.ledger.settle(&mut held.inventory, [(index, done.effect)]);
        self.record(index, done.outcome);
        Ok(())
    }

    fn record(&mut self, index: usize, outcome: Outcome) {
        self.blocked.note(&self.work.plan.steps[index], &outcome);
        self.outcomes[index] = Some(outcome);
    }

    /// Saves what was done, and says what came of it.
    async fn finish(self, held: &mut Held, ended: Result<(), Error>) -> Result<Applied, Error> {
        let work = self.work;
        // What was not begun was not made.
        let steps = work.plan.steps.iter().enumerate();
        let untried = steps
            .filter(|&(index, step)| writes(step) && self.outcomes[index].is_none())
            .map(|(index, _)| (index, Effect::Untouched));
        work.ledger.settle(&mut held.inventory, untried);
        let applied = self.applied();
        let is_good = ended.is_ok() && applied.summary.failed + applied.summary.skipped == 0;
        if let Some(last) = held.inventory.history.last_mut() {
            let result = match ended {
                Err(Error::Interrupted) => "interrupted",
                _ if is_good => "applied",
                _ => "failed",
            };
            last.result = result.to_owned();
        }
        let is_lost = matches!(ended, Err(Error::LeaseLost(_) | Error::InventoryMoved(_)));
        // The inventory belongs to whoever has the Lease: what was done is pending in it.
        if !is_lost && !self.homeless {
            let saved = held.save(work.cluster).await;
            ended.and(saved)?;
        } else {
            ended?;
        }
        work.listener.hear(&Event::Done(applied.summary));
        Ok(applied)
    }

    fn applied(&self) -> Applied {
        let mut applied = Applied::default();
        for (step, outcome) in self.work.plan.steps.iter().zip(&self.outcomes) {
            if let Some(outcome) = outcome {
                applied.summary.count(outcome);
                let (id, outcome) = (step.id.clone(), outcome.clone());
                applied.results.push(ObjectResult { id, outcome });
            }
        }
        applied
    }
}

fn is_definition(step: &Step) -> bool {
    step.id.group == "apiextensions.k8s.io" && step.id.kind == "CustomResourceDefinition"
}

fn is_namespace(step: &Step) -> bool {
    step.id.group.is_empty() && step.id.kind == "Namespace"
}
