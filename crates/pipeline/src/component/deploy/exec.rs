//! Plans, and does what a plan says.

use std::time::Duration;

use kelson_cluster::{Applied, Cluster};
use kelson_model::ObjectId;
use kelson_plan::{Action, Event, Outcome, Plan, Refusal};
use tokio::sync::watch;

use super::approval::{self, Approval, Shown};
use super::initialize::Prepared;
use super::result::Course;
use super::validate::Valid;
use super::{Job, Operation, diff, kept};
use crate::component::Error;
use crate::deliver::{self, DeliverError, Execution, Planned};
use crate::plan::PlanOp;

/// How long is waited before the first of several tries; each further one waits twice as long, up to a minute.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl Job<'_> {
    pub(super) async fn exec(
        self,
        valid: &Valid<'_>,
        prepared: Prepared,
        course: &mut Course,
    ) -> Result<(), Error> {
        match (self.options.operation, &valid.approval) {
            (Operation::CreateApplyPlan | Operation::CreateTeardownPlan, _) => {
                course.to_approve = true;
                self.plan(valid, &prepared, course).await.map(drop)
            }
            (Operation::ApplyPlan, Some(approval)) => {
                self.approved(valid, &prepared, approval, course).await
            }
            _ => self.tried(valid, &prepared, course).await,
        }
    }

    /// Plans, and says what the plan comes to. One that cannot be done in full is no plan to approve.
    async fn plan(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        course: &mut Course,
    ) -> Result<Planned, Error> {
        let Prepared { cluster, objects, request, .. } = prepared;
        let planned = deliver::plan(cluster, objects.clone(), request, self.listener).await?;
        let refused = self.shown(valid, prepared, &planned, course).await?;
        let impossible = impossible(&planned.plan, &refused);
        match course.to_approve && !impossible.is_empty() {
            true => Err(Error::Objects(impossible)),
            false => Ok(planned),
        }
    }

    /// Remembers a plan for the result.
    async fn shown(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        planned: &Planned,
        course: &mut Course,
    ) -> Result<Vec<(ObjectId, Refusal)>, Error> {
        let refused = match valid.op {
            PlanOp::Delete => {
                let tried = prepared.cluster.dry_run_deletes(&planned.plan, self.listener).await?;
                let mut refused: Vec<_> = tried.into_iter().collect();
                refused.sort_by(|one, other| one.0.cmp(&other.0));
                refused
            }
            _ => Vec::new(),
        };
        let Prepared { request, asked, .. } = prepared;
        let (options, op, refused_now) = (&request.options, &valid.op, refused.as_slice());
        let shown = Shown { planned, options, asked, op, refused: refused_now };
        course.contents = Some(approval::contents(&shown));
        course.plan = Some(planned.plan.clone());
        let held = planned.held.as_ref();
        let history = held.iter().flat_map(|held| held.inventory.history.iter().rev());
        let last = history.filter(|it| !it.digest.is_empty()).find(|it| it.is_applied());
        course.deployed = last.map(kept::artifact);
        if let Some(held) = held.filter(|held| valid.op == PlanOp::Delete && !held.exists()) {
            course.warnings.push(format!("nothing is delivered as {}", held.delivery));
        }
        for text in diff::taken(&planned.plan) {
            if !course.warnings.contains(&text) {
                course.warnings.push(text);
            }
        }
        Ok(refused)
    }

    /// Does what was approved, if it would be the same today.
    async fn approved(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        approval: &Approval,
        course: &mut Course,
    ) -> Result<(), Error> {
        let Prepared { cluster, objects, request, .. } = prepared;
        let approved = &approval.approved;
        let planned =
            deliver::approved(cluster, objects.clone(), request, approved, self.listener).await?;
        self.shown(valid, prepared, &planned, course).await?;
        self.execute(valid, prepared, &planned, true, course).await
    }

    /// Plans and does it, and does so again where that may help.
    async fn tried(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        course: &mut Course,
    ) -> Result<(), Error> {
        let mut pause = PAUSE;
        for left in (0..=self.options.retries).rev() {
            let error = match self.at_once(valid, prepared, course).await {
                Err(error) if left > 0 && may_pass(&error) => error,
                ended => return ended,
            };
            let (what, why) = ("deploy".to_owned(), error.to_string());
            self.listener.hear(&Event::Retry { what, why });
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }

    async fn at_once(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        course: &mut Course,
    ) -> Result<(), Error> {
        let planned = self.plan(valid, prepared, course).await?;
        let Some(approve) = &self.options.approve else {
            return self.execute(valid, prepared, &planned, false, course).await;
        };
        let answer = approve(&prepared.cluster, &planned, &prepared.request).await;
        let answer =
            answer.map_err(|error| Error::Plan(format!("nobody could be asked: {error}")))?;
        match answer {
            true => self.execute(valid, prepared, &planned, true, course).await,
            false => Err(Error::Declined),
        }
    }

    /// Does what a plan says. From here on it does not end just anywhere.
    async fn execute(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        planned: &Planned,
        bound: bool,
        course: &mut Course,
    ) -> Result<(), Error> {
        let mut execution = self.options.execution.clone();
        execution.apply.bound = bound;
        // What others depend on is well before they are sent.
        execution.apply.ready.clone_from(&self.options.observe);
        let wanted = (self.options.stop)();
        let work = self.write(valid, prepared, planned, &execution);
        let applied = stopped_by(work, wanted, self.stop).await?;
        let failed = failed(&applied);
        course.applied = Some(applied.clone());
        if !failed.is_empty() {
            return Err(Error::Objects(failed));
        }
        match valid.op {
            PlanOp::Delete => Ok(()),
            _ => self.ready(&prepared.cluster, planned, &applied, course).await,
        }
    }

    async fn write(
        self,
        valid: &Valid<'_>,
        prepared: &Prepared,
        planned: &Planned,
        execution: &Execution,
    ) -> Result<Applied, DeliverError> {
        let (cluster, request): (&Cluster, _) = (&prepared.cluster, &prepared.request);
        let (stop, listener) = (self.stop.subscribe(), self.listener);
        match valid.op {
            PlanOp::Delete => {
                deliver::delete(cluster, request, planned, execution, &stop, listener).await
            }
            _ => deliver::execute(cluster, request, planned, execution, &stop, listener).await,
        }
    }
}

/// Runs work to its end, and passes on whoever wants it to come to one.
pub(super) async fn stopped_by<T>(
    work: impl Future<Output = T>,
    mut wanted: watch::Receiver<bool>,
    stop: &watch::Sender<bool>,
) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        is_wanted = wanted.wait_for(|is_wanted| *is_wanted) => {
            if is_wanted.is_ok() {
                stop.send_replace(true);
            }
        }
    }
    work.await
}

/// Whether the same may go well another time: what the cluster says may change, a plan does not.
fn may_pass(error: &Error) -> bool {
    match error {
        Error::Objects(_) => true,
        Error::Deliver(DeliverError::Cluster(error)) => {
            !matches!(error, kelson_cluster::Error::Interrupted)
        }
        _ => false,
    }
}

/// What cannot be done, each with its reason.
fn impossible(plan: &Plan, refused: &[(ObjectId, Refusal)]) -> Vec<String> {
    let failing = plan.steps.iter().filter_map(|step| match &step.action {
        Action::Fail(failure) => Some(match failure.remedy() {
            Some(remedy) => format!("{}: {failure}; {remedy}", step.id),
            None => format!("{}: {failure}", step.id),
        }),
        _ => None,
    });
    let refused = refused.iter().map(|(id, refusal)| format!("{id}: {refusal}"));
    failing.chain(refused).collect()
}

/// What failed, each with its reason.
fn failed(applied: &Applied) -> Vec<String> {
    let texts = applied.results.iter().filter_map(|result| match &result.outcome {
        Outcome::Failed(refusal) => Some(format!("{}: {refusal}", result.id)),
        Outcome::Skipped(other) => {
            Some(format!("{}: it depends on {other}, which failed", result.id))
        }
        _ => None,
    });
    texts.collect()
}
