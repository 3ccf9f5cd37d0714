//! `kelson component build`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use kelson_artifact::{Reference, is_tag};
use kelson_pipeline::component::{self, BuildOptions, BuildResult, Component, Error, Job};

use super::super::push::{Format, described, epoch, recipients};
use crate::exit::Code;
use crate::progress::{Progress, count};
use crate::{policy, registry, runtime, whole};

/// Build components into artifacts.
///
/// A component.toml names an inline manifest, an overlay or somebody else's artifact; each becomes one artifact, and the
/// same input gives the same digest. Places that a deploy fills in, such as {{.nuon.install.id}}, stay as they are.
/// With --plan the job of a runner is done: plan JSON in, result JSON out.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["components", "plan"])))]
pub(super) struct Arguments {
    /// Files that describe components.
    #[arg(value_name = "COMPONENT.TOML", requires = "to")]
    components: Vec<PathBuf>,
    /// Where the artifacts go; without a tag each gets its component's name.
    #[arg(long, value_name = "PLACE", value_parser = registry::reference)]
    to: Option<Reference>,
    /// Write the plan that a runner would be given to this file, or to standard output (-), and build nothing.
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    emit_plan: Option<PathBuf>,
    /// Do what this plan says.
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Write the result as JSON to this file, whether the build succeeds or fails.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// The form of the artifacts.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "flux")]
    format: Format,
    /// Encrypt for this age recipient, age1…, or those in a file; may be repeated.
    #[arg(long, visible_alias = "age-recipients", value_name = "RECIPIENT|FILE")]
    age_recipient: Vec<String>,
    /// A file with lines NAME USER PASSWORD, for what components name by credentials_ref.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// A file with lines HOST USER PASSWORD, for repositories.
    #[arg(long, value_name = "FILE")]
    git_credentials: Option<PathBuf>,
    /// Fetch repositories by plain HTTP from other machines, too.
    #[arg(long)]
    insecure_git: bool,
    /// Print JSON: a line for every step, and one for every result.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let jobs = match &arguments.plan {
        Some(plan) => vec![arguments.planned(plan)?],
        None => match arguments.jobs()? {
            Some(jobs) => jobs,
            None => return Ok(Code::Failed),
        },
    };
    if let Some(path) = &arguments.emit_plan {
        let [job] = jobs.as_slice() else { bail!("--emit-plan writes the plan of one component") };
        return super::emit(&job.plan, path);
    }
    let to: Vec<&Reference> = arguments.to.iter().collect();
    let results = runtime::run(async {
        let mut world = super::world(&arguments.registry, &to, Some(&arguments.policy))?;
        if let Some(path) = &arguments.credentials {
            world.credentials = Arc::new(super::credentials(path, "NAME")?);
        }
        if let Some(path) = &arguments.git_credentials {
            world.git = Arc::new(super::credentials(path, "HOST")?);
        }
        if arguments.json {
            world.events = super::told();
        }
        Ok(component::build_all(&jobs, &world).await)
    });
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            arguments.record(&[BuildResult::cancelled(&format!("{error:#}"))])?;
            return Err(error);
        }
    };
    arguments.report(&jobs, &results)
}

impl Arguments {
    fn options(&self, progress: &Progress) -> anyhow::Result<BuildOptions> {
        Ok(BuildOptions {
            form: self.format.into(),
            recipients: recipients(&self.age_recipient)?,
            created: epoch()?,
            insecure: self.insecure_git,
            watch: progress.watch(),
            ..BuildOptions::default()
        })
    }

    /// The job that a plan describes.
    fn planned(&self, path: &Path) -> anyhow::Result<Job> {
        let shown = path.display();
        let plan = super::read_plan(path)?
            .build_plan
            .with_context(|| format!("`{shown}` is not a plan to build anything"))?;
        let local = path.parent().unwrap_or(Path::new("")).to_owned();
        let options = BuildOptions { local: here(local), ..self.options(&Progress::new())? };
        let name = match plan.component_id.as_str() {
            "" => shown.to_string(),
            name => name.to_owned(),
        };
        Ok(Job { name, plan, options })
    }

    /// The jobs of all components, or nothing where one of them is wrong, which is drawn then.
    fn jobs(&self) -> anyhow::Result<Option<Vec<Job>>> {
        let to = self.to.as_ref().context("say where the artifacts go: --to PLACE")?;
        if to.digest.is_some() {
            bail!("`{to}` has a digest: what is built gets its own");
        }
        if to.tag.is_some() && self.components.len() > 1 {
            bail!("`{to}` has a tag, and {} components cannot share it", self.components.len());
        }
        let progress = Progress::new();
        let mut jobs = Vec::new();
        let mut wrong = false;
        for path in &self.components {
            match super::read_component(path)? {
                Some(component) => jobs.push(self.job(path, &component, to, &progress)?),
                None => wrong = true,
            }
        }
        let mut tags: Vec<&str> = jobs.iter().map(|job| job.plan.dst_tag.as_str()).collect();
        tags.sort_unstable();
        if let Some(pair) = tags.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("two components are called `{}`: build them to different places", pair[0]);
        }
        Ok((!wrong).then_some(jobs))
    }

    fn job(
        &self,
        path: &Path,
        component: &Component,
        to: &Reference,
        progress: &Progress,
    ) -> anyhow::Result<Job> {
        let tag = to.tag.clone().unwrap_or_else(|| component.name.clone());
        if !is_tag(&tag) {
            bail!("`{tag}` cannot be a tag: give one with --to {}:TAG", to.place);
        }
        let local = here(path.parent().unwrap_or(Path::new("")).to_owned());
        let options = BuildOptions {
            metadata: described(&local),
            local_root: kelson_source::git::describe(&local).and_then(|found| found.root),
            local,
            ..self.options(progress)?
        };
        Ok(Job::new(component, &to.place.to_string(), &tag, options)?)
    }

    /// Writes the results where they were asked for.
    fn record(&self, results: &[BuildResult]) -> anyhow::Result<()> {
        let Some(path) = &self.result else { return Ok(()) };
        let text = match results {
            [one] => serde_json::to_string_pretty(one)?,
            all => serde_json::to_string_pretty(all)?,
        };
        whole::write(path, &(text + "\n"))
    }

    fn report(&self, jobs: &[Job], results: &[Result<BuildResult, Error>]) -> anyhow::Result<Code> {
        let all: Vec<BuildResult> = results
            .iter()
            .map(|result| result.as_ref().map_or_else(BuildResult::failed, Clone::clone))
            .collect();
        self.record(&all)?;
        if self.json {
            for result in &all {
                super::super::print(&(serde_json::to_string(result)? + "\n"))?;
            }
        } else {
            for (job, result) in jobs.iter().zip(results) {
                show(&job.name, result)?;
            }
        }
        let failed = results.iter().any(Result::is_err);
        Ok(if failed { Code::Failed } else { Code::Done })
    }
}

/// Prints what became of one component.
fn show(name: &str, result: &Result<BuildResult, Error>) -> anyhow::Result<()> {
    match result {
        Ok(result) => {
            result.warnings.iter().for_each(|warning| eprintln!("warning: {name}: {warning}"));
            let artifact = result.oci_artifact.as_ref().context("a build without an artifact")?;
            let objects = match result.objects {
                0 => "copied".to_owned(),
                number => count(number, "object"),
            };
            let (url, tag, digest) = (&artifact.url, &artifact.tag, &artifact.digest);
            super::super::print(&format!("{name}: {url}:{tag}@{digest} ({objects})\n"))
        }
        Err(error) => {
            super::draw_error(name, error);
            Ok(())
        }
    }
}

/// A directory, where nothing means this one.
fn here(path: PathBuf) -> PathBuf {
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}
