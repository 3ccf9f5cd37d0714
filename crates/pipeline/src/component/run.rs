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

/// How many builds are under way at once. Each waits for a registry or a disk most of the time; as many of them render
/// as there are processors.
const UNDER_WAY: usize = 16;

/// Builds all components, many at once. The results are in the order of the jobs.
pub async fn build_all(jobs: &[Job], world: &World) -> Vec<Result<BuildResult, Error>> {
    let builds = jobs.iter().enumerate().map(|(at, job)| async move {
        (at, build(&job.name, &job.plan, world, &job.options).await)
    });
    // Whichever is done makes room for the next: one slow build must not hold up those after it.
    let mut done: Vec<_> = stream::iter(builds).buffer_unordered(UNDER_WAY).collect().await;
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
