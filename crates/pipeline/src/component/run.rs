//! Many components at once.

use futures_util::{StreamExt, stream};

use super::{BuildOptions, BuildResult, Component, Error, World, build, emit_plan};
use crate::plan::BuildPlan;

/// One component to be built.
#[derive(Clone)]
pub struct Job {
    /// What it is called in events.
    pub name: String,
    /// What is built.
    pub plan: BuildPlan,
    /// How.
    pub options: BuildOptions,
}

impl Job {
    /// The build of a component to a place under a tag, in the time that the component gives it.
    ///
    /// # Errors
    ///
    /// As [`emit_plan`].
    pub fn new(
        component: &Component,
        to: &str,
        tag: &str,
        options: BuildOptions,
    ) -> Result<Self, Error> {
        let plan = emit_plan(component, to, tag, &options)?;
        let timeout = Some(options.timeout.unwrap_or(component.build_timeout));
        let options = BuildOptions { timeout, ..options };
        Ok(Self { name: component.name.clone(), plan, options })
    }
}

/// Builds all components, as many at once as there are processors. The results are in the order of the jobs.
pub async fn build_all(jobs: &[Job], world: &World) -> Vec<Result<BuildResult, Error>> {
    // Twice as many are under way as there are processors: while some push, others render.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let builds = jobs.iter().map(|job| build(&job.name, &job.plan, world, &job.options));
    stream::iter(builds).buffered(2 * processors).collect().await
}
