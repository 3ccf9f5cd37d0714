//! The build of a component, step by step.

mod exec; // render, pack, copy
mod initialize; // gather what is built
mod validate; // whether the plan can be built

use std::path::PathBuf;
use std::time::Duration;

use kelson_artifact::{Form, Metadata, Recipient, Watch};
use serde::Serialize;

pub(super) use initialize::read_local;

use super::job::{self, Error, Report, Status, Step, World, chain, described};
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
        Self::without(error.status(), chain(error))
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
    job::run(&report, limit, None, steps(plan, world, options, &report)).await
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
    let warnings = job::unknown(plan.unknown());
    report.step(Step::Validate);
    let valid = validate::validate(plan)?;
    report.step(Step::Initialize);
    let prepared = initialize::prepare(&valid, world, options).await?;
    report.step(Step::Exec);
    let made = exec::exec(prepared, &valid, world, options).await?;
    report.step(Step::Outputs);
    Ok(outputs(&valid, made, warnings))
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
