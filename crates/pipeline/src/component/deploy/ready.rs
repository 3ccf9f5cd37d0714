//! Whether what was deployed is well. Where it is not, the deploy says so; it has failed only where that is asked for.

use std::time::Duration;

use kelson_cluster::{Applied, Cluster, End, ObserveOptions, Observed};
use kelson_plan::Health;
use tokio::time::Instant;

use super::Job;
use super::exec::stopped_by;
use super::result::Course;
use crate::component::Error;
use crate::deliver::{self, Planned};

/// How much of the time of a deploy is left over when it stops waiting, so that it can still say how it ended.
const REST: Duration = Duration::from_secs(2);

impl Job<'_> {
    pub(super) async fn ready(
        self,
        cluster: &Cluster,
        planned: &Planned,
        applied: &Applied,
        course: &mut Course,
    ) -> Result<(), Error> {
        let Some(observe) = &self.options.observe else { return Ok(()) };
        if planned.plan.is_empty() && self.options.skip_noops {
            return Ok(());
        }
        let left = self.until.saturating_duration_since(Instant::now()).saturating_sub(REST);
        let observe = ObserveOptions { ready: observe.ready.min(left), ..observe.clone() };
        let (wanted, stop) = ((self.options.stop)(), self.stop.subscribe());
        let work = deliver::observe(cluster, planned, applied, &observe, &stop, self.listener);
        let Some(observed) = stopped_by(work, wanted, self.stop).await? else { return Ok(()) };
        course.ready = match observed.end {
            End::Ready => Some(true),
            End::Failed | End::Late => Some(false),
            End::Stopped => return Err(kelson_cluster::Error::Interrupted.into()),
        };
        if course.ready == Some(true) {
            return Ok(());
        }
        let text = unwell(&observed);
        match self.options.block_deploy {
            true => Err(Error::NotReady(text)),
            // What was applied may yet come right.
            false => {
                course.warnings.push(format!("not ready: {text}"));
                Ok(())
            }
        }
    }
}

/// How many objects are named.
const NAMED: usize = 5;

/// What is not well, and why.
fn unwell(observed: &Observed) -> String {
    let unwell: Vec<_> =
        observed.objects.iter().filter(|object| object.verdict.health != Health::Current).collect();
    let one = |object: &&kelson_cluster::ObservedObject| {
        let why = object.because.first().map_or(&object.verdict.message, |blame| &blame.message);
        format!("{}: {why}", object.id)
    };
    let named: Vec<String> = unwell.iter().take(NAMED).map(one).collect();
    let more = match unwell.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("{}{more}", named.join("; "))
}
