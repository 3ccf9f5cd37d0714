//! The build of a component, step by step. Whatever becomes of it, it is cleaned up, and everybody is told.

mod error; // what can go wrong
mod exec; // render, pack, copy
mod initialize; // gather what is built
mod report; // who is told what
mod validate; // whether the plan can be built
mod world; // what a build needs from outside

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt;
use kelson_artifact::{Form, Metadata, Recipient, Watch};
use serde::Serialize;

pub use error::Error;
pub(super) use initialize::read_local;
use report::Report;
pub use report::{Event, Events, Status, Step};
pub(super) use validate::check_registry;
pub use world::{Connect, Repositories, Verify, World};

use crate::plan::{BuildPlan, OciArtifact, OciArtifactRef};

/// What a caller can choose about a build.
#[derive(Clone, Default)]
pub struct BuildOptions {
    /// The directory that paths are relative to where no repository is named.
    pub local: PathBuf,
    /// The directory that they do not lead out of; by default `local` itself.
    pub local_root: Option<PathBuf>,
    /// What is said of an artifact that was made from local files.
    pub metadata: Metadata,
    /// When it was made, in seconds since 1970, instead of the time of the commit.
    pub created: Option<i64>,
    /// Whose form the artifact has.
    pub form: Form,
    /// Whom it is encrypted for.
    pub recipients: Vec<Recipient>,
    /// How long the build may take; 5 minutes where nothing is said.
    pub timeout: Option<Duration>,
    /// Where transfers keep what they need on disk; by default the directory for temporary files.
    pub workspace: Option<PathBuf>,
    /// Whether repositories may be fetched by plain HTTP from other machines.
    pub insecure: bool,
    /// Who is told how far a transfer is.
    pub watch: Watch,
}

/// What came of a build.
#[derive(Clone, Debug, Serialize)]
pub struct BuildResult {
    /// How it ended.
    pub status: Status,
    /// The artifact, for the deploy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oci_artifact: Option<OciArtifactRef>,
    /// The same in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<OciArtifact>,
    /// How many objects it has; 0 for an artifact that was copied as it is.
    pub objects: usize,
    /// What is worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl BuildResult {
    /// What is said of a build that failed.
    pub fn failed(error: &Error) -> Self {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        Self::without(error.status(), text)
    }

    /// What is said of a build that was given up, and why.
    pub fn cancelled(why: &str) -> Self {
        Self::without(Status::Cancelled, why.to_owned())
    }

    fn without(status: Status, error: String) -> Self {
        Self {
            status,
            oci_artifact: None,
            descriptor: None,
            objects: 0,
            warnings: Vec::new(),
            error: Some(error),
        }
    }
}

/// The time that a build has where nobody says.
const USUAL: Duration = Duration::from_secs(300);

/// Builds what a plan says. `name` is what the component is called in events.
///
/// The future can be dropped at any time: what it holds is let go, and the end is reported as cancelled.
///
/// # Errors
///
/// Fails at the first step that fails; a panic and a passed deadline are failures like others.
pub async fn build(
    name: &str,
    plan: &BuildPlan,
    world: &World,
    options: &BuildOptions,
) -> Result<BuildResult, Error> {
    let report = Report::new(name, world.events.clone());
    let limit = options.timeout.unwrap_or(USUAL);
    let work = AssertUnwindSafe(steps(plan, world, options, &report)).catch_unwind();
    let result = match tokio::time::timeout(limit, work).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Error::Panicked),
        Err(_) => Err(Error::TimedOut { seconds: limit.as_secs() }),
    };
    report.end(result.as_ref().map(|_| Status::Finished).unwrap_or_else(Error::status));
    result
}

async fn steps(
    plan: &BuildPlan,
    world: &World,
    options: &BuildOptions,
    report: &Report,
) -> Result<BuildResult, Error> {
    report.step(Step::Reset);
    // Nothing is carried over from an earlier build: all that a build knows is made below.
    report.step(Step::Fetch);
    let warnings = warnings(plan);
    report.step(Step::Validate);
    let valid = validate::validate(plan)?;
    report.step(Step::Initialize);
    let prepared = initialize::prepare(&valid, world, options).await?;
    report.step(Step::Exec);
    let made = exec::exec(prepared, &valid, world, options).await?;
    report.step(Step::Outputs);
    Ok(outputs(&valid, made, warnings))
}

fn warnings(plan: &BuildPlan) -> Vec<String> {
    let say = |field: String| format!("the plan's field `{field}` is not known here");
    plan.unknown().into_iter().map(say).collect()
}

fn outputs(
    valid: &validate::Valid<'_>,
    made: exec::Made,
    mut warnings: Vec<String>,
) -> BuildResult {
    warnings.extend(made.warnings);
    let tag = valid.destination.tag.clone().unwrap_or_default();
    let url = valid.destination.place.to_string();
    let digest = made.descriptor.digest.to_string();
    let oci_artifact = OciArtifactRef { url: url.clone(), tag: tag.clone(), digest };
    BuildResult {
        status: Status::Finished,
        oci_artifact: Some(oci_artifact),
        descriptor: Some(described(&made.descriptor, url, tag)),
        objects: made.objects,
        warnings,
        error: None,
    }
}

/// A descriptor as runners report it.
pub(super) fn described(
    descriptor: &kelson_artifact::Descriptor,
    repository: String,
    tag: String,
) -> OciArtifact {
    OciArtifact {
        tag,
        repository,
        media_type: descriptor.media_type.clone(),
        digest: descriptor.digest.to_string(),
        size: descriptor.size,
        urls: Vec::new(),
        annotations: descriptor.annotations.clone(),
        artifact_type: descriptor.artifact_type.clone().unwrap_or_default(),
        platform: descriptor.platform.clone(),
    }
}
