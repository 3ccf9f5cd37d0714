//! The deploy of a component, step by step: its artifact becomes a changed cluster.

mod approval; // a plan as it is approved and given back
mod cluster; // how the cluster of a plan is reached
mod diff; // steps for whoever approves them
mod exec; // plan, apply, delete
mod initialize; // the artifact and the values of its places
mod kept; // it can be had again
mod labels; // whose the objects are
mod naming; // what a delivery is called
mod options; // what a caller can choose
mod ready; // whether it is well
mod result; // what came of it
mod validate; // whether the plan can be deployed

use std::time::Duration;

use kelson_plan::Listener;
use tokio::sync::watch;

pub use naming::delivery_name;
pub use options::{Approve, DeployOptions, Operation, StopWanted};
pub use result::{DeployResult, Outputs};

use super::job::{self, Error, Report, Step, World};
use crate::plan::DeployPlan;
use result::Course;

/// The time that a deploy has where nobody says.
const USUAL: Duration = Duration::from_secs(900);

/// Deploys what a plan says. `name` is what the component is called in events.
///
/// The future can be dropped at any time before something is written; from then on [`DeployOptions::stop`] is asked. What
/// fails is in the result, beside all that came before it.
pub async fn deploy(
    name: &str,
    plan: &DeployPlan,
    world: &World,
    options: &DeployOptions,
    listener: &dyn Listener,
) -> DeployResult {
    let report = Report::new(name, world.events.clone());
    let limit = options.timeout.unwrap_or(USUAL);
    let until = tokio::time::Instant::now() + limit;
    let stop = watch::Sender::new(false);
    let mut course = Course::default();
    let job = Job { plan, world, options, listener, stop: &stop, until, report: &report };
    let ended = job::run(&report, limit, Some(&stop), job.steps(&mut course)).await;
    course.result(options, &report, ended.err())
}

/// What every step needs.
#[derive(Clone, Copy)]
struct Job<'a> {
    plan: &'a DeployPlan,
    world: &'a World,
    options: &'a DeployOptions,
    listener: &'a dyn Listener,
    /// Asks whatever is under way to come to an end.
    stop: &'a watch::Sender<bool>,
    /// When its time is over.
    until: tokio::time::Instant,
    report: &'a Report,
}

impl Job<'_> {
    async fn steps(self, course: &mut Course) -> Result<(), Error> {
        self.report.step(Step::Reset);
        // Nothing is carried over from an earlier deploy: all that a deploy knows is made below.
        self.report.step(Step::Fetch);
        course.warnings = job::unknown(self.plan.unknown());
        self.report.step(Step::Validate);
        let valid = validate::validate(self.plan, self.options)?;
        course.warnings.extend(valid.warnings.iter().cloned());
        self.report.step(Step::Initialize);
        let prepared = initialize::prepare(&self, &valid, course).await?;
        self.report.step(Step::Exec);
        self.exec(&valid, prepared, course).await?;
        self.report.step(Step::Outputs);
        // The outputs were gathered as they came about, so that a failure has them, too.
        Ok(())
    }
}
