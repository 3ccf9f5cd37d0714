//! What is deployed, where and with which values, as flags.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use kelson_artifact::{PullOptions, Reference, is_tag};
use kelson_cluster::{ApplyOptions, LeaseOptions};
use kelson_pipeline::component::fill::Values;
use kelson_pipeline::component::{
    self, Component, DeployOptions, Operation, Source, World, emit_deploy_plan,
};
use kelson_pipeline::deliver::Execution;
use kelson_pipeline::plan::{DeployPlan, OciArtifactSource};
use kelson_plan::{Options, PruneOptions, Take};
use serde_json::Value;

use super::super::annotation;
use crate::delivery::{self, Limits, Manager};
use crate::exit::Code;
use crate::source::Keys;
use crate::{duration, gather, kubernetes, policy, registry};

/// What is deployed, where and with which values.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Flags {
    /// A file that describes the component.
    #[arg(value_name = "COMPONENT.TOML", required_unless_present = "plan")]
    component: Option<PathBuf>,
    /// Do what this plan says, as runners are given it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["component", "artifact", "from", "namespace"])]
    pub(super) plan: Option<PathBuf>,
    /// The artifact of the component; a digest decides over a tag.
    #[arg(long, value_name = "ARTIFACT", value_parser = registry::reference, conflicts_with = "from")]
    artifact: Option<Reference>,
    /// The place that `component build --to` was given; without a tag it is the component's name.
    #[arg(long, value_name = "PLACE", value_parser = registry::reference)]
    from: Option<Reference>,
    /// The name of the delivery; by default it follows from the component's.
    #[arg(long, value_name = "NAME", value_parser = delivery::name)]
    name: Option<String>,
    /// The namespace, instead of the component's.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// A file of JSON that places such as {{.nuon.install.id}} are filled from; may be repeated.
    #[arg(long, value_name = "FILE")]
    state: Vec<PathBuf>,
    /// A value for one place, such as nuon.install.id=acme; may be repeated.
    #[arg(long = "var", value_name = "PATH=VALUE", value_parser = annotation)]
    values: Vec<(String, String)>,
    /// Write the plan that a runner would be given to this file, or to standard output (-), and do nothing.
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    emit_plan: Option<PathBuf>,
    /// How long all of it may take, such as 10m; by default the component's deploy_timeout, 15m.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    deploy_timeout: Option<Duration>,
    /// Let this component take over what another has delivered under the same name.
    #[arg(long)]
    change_source: bool,
    /// Take over objects that kubectl, Helm, Flux or kustomizer manages.
    #[arg(long)]
    adopt: bool,
    /// Delete and make anew what has an immutable field that changes; what holds data only where it says so itself.
    #[arg(long)]
    recreate: bool,
    /// A file with lines NAME USER PASSWORD, for what components name by credentials_ref.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    manager: Manager,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
    #[command(flatten)]
    kubernetes: kubernetes::Flags,
}

/// What is deployed.
pub(super) struct Target {
    /// What it is called.
    pub(super) name: String,
    pub(super) plan: DeployPlan,
    /// Nothing where a runner's plan says it all.
    pub(super) component: Option<Component>,
}

/// What comes of reading the flags.
pub(super) enum Wanted {
    /// Something is deployed.
    Target(Box<Target>),
    /// All is said and done.
    Ended(Code),
}

impl Flags {
    /// What is deployed. `approved` is the artifact that an approved plan names.
    pub(super) fn target(&self, approved: Option<&str>) -> anyhow::Result<Wanted> {
        let target = match (&self.plan, &self.component) {
            (Some(path), _) => planned(path)?,
            (None, Some(path)) => {
                let Some(component) = super::read_component(path)? else {
                    return Ok(Wanted::Ended(Code::Failed));
                };
                self.described(component, approved)?
            }
            (None, None) => bail!("say what is deployed: a COMPONENT.TOML, or --plan FILE"),
        };
        match &self.emit_plan {
            Some(path) => Ok(Wanted::Ended(super::emit(&target.plan, path)?)),
            None => Ok(Wanted::Target(Box::new(target))),
        }
    }

    fn described(
        &self,
        mut component: Component,
        approved: Option<&str>,
    ) -> anyhow::Result<Target> {
        if let Some(namespace) = &self.namespace {
            component.namespace.clone_from(namespace);
        }
        let artifact = self.artifact(&component, approved)?;
        let state = self.emit_plan.is_some().then(|| self.one_state()).transpose()?;
        let plan = emit_deploy_plan(&component, artifact, state);
        Ok(Target { name: component.name.clone(), plan, component: Some(component) })
    }

    /// The artifact that is meant.
    fn artifact(
        &self,
        component: &Component,
        approved: Option<&str>,
    ) -> anyhow::Result<Option<OciArtifactSource>> {
        let reference = match (&self.artifact, &self.from, approved) {
            (Some(artifact), _, _) => artifact.clone(),
            (None, Some(from), _) => {
                let tag = from.tag.clone().unwrap_or_else(|| component.name.clone());
                if !is_tag(&tag) && from.digest.is_none() {
                    bail!(
                        "`{tag}` cannot be a tag: name the artifact with --artifact {}:TAG",
                        from.place
                    );
                }
                Reference { tag: Some(tag).filter(|_| from.digest.is_none()), ..from.clone() }
            }
            (None, None, Some(approved)) => approved.parse()?,
            (None, None, None) => {
                return Ok(match &component.source {
                    Source::Artifact(source) => Some(source.clone()),
                    _ => None,
                });
            }
        };
        let Reference { place, tag, digest } = gather::absolute(&reference)?;
        Ok(Some(OciArtifactSource {
            url: place.to_string(),
            tag: tag.unwrap_or_default(),
            digest: digest.map(|digest| digest.to_string()).unwrap_or_default(),
            ..OciArtifactSource::default()
        }))
    }

    fn states(&self) -> anyhow::Result<Vec<Value>> {
        let read = |path: &PathBuf| {
            let text = super::read_text(path)?;
            // What is said of it may quote it, and there may be secrets in it.
            serde_json::from_str(&text).map_err(|error| {
                let (line, column) = (error.line(), error.column());
                anyhow::anyhow!("`{}` is not JSON (line {line}, column {column})", path.display())
            })
        };
        self.state.iter().map(read).collect()
    }

    /// All values in one state, as the plan of a runner has them.
    fn one_state(&self) -> anyhow::Result<Value> {
        let mut values = Values::default();
        self.states()?.iter().try_for_each(|state| values.add_state(state))?;
        self.values.iter().try_for_each(|(path, text)| values.set(path, text))?;
        Ok(values.into_state())
    }

    /// The outside world of the job.
    pub(super) fn world(&self, json: bool) -> anyhow::Result<World> {
        let named: Vec<&Reference> = self.artifact.iter().chain(&self.from).collect();
        let mut world = super::world(&self.registry, &named, Some(&self.policy))?;
        if let Some(path) = &self.credentials {
            world.credentials = Arc::new(super::credentials(path, "NAME")?);
        }
        if json {
            world.events = super::told();
        }
        Ok(world)
    }

    /// How it is deployed, as far as these flags say.
    pub(super) fn options(&self, target: &Target) -> anyhow::Result<DeployOptions> {
        let component = target.component.as_ref();
        let never = tokio::sync::watch::channel(false).1;
        Ok(DeployOptions {
            operation: Operation::CreateApplyPlan,
            teardown: false,
            name: self.name.clone(),
            connection: self.kubernetes.connection(),
            names_cluster: component.is_some() || self.kubernetes.names_cluster(),
            states: self.states()?,
            values: self.values.clone(),
            plan: Options {
                field_manager: self.manager.field_manager.clone(),
                take: Take::All,
                adopt: self.adopt,
                recreate: self.recreate,
                check_creates: true,
                prune: PruneOptions { enabled: true, ..self.limits.options() },
                key: delivery::new_key()?,
            },
            change_source: self.change_source,
            execution: execution(),
            observe: None,
            block_deploy: false,
            timeout: self.deploy_timeout.or(component.map(|component| component.deploy_timeout)),
            retries: component.map_or(0, |component| component.max_auto_retries),
            skip_noops: component.is_some_and(|component| component.skip_noops),
            pull: PullOptions { identities: self.keys.identities()?, ..PullOptions::default() },
            approve: None,
            stop: Arc::new(move || never.clone()),
        })
    }
}

/// The deploy that a plan describes.
fn planned(path: &Path) -> anyhow::Result<Target> {
    let shown = path.display();
    let plan = super::read_plan(path)?
        .deploy_plan
        .with_context(|| format!("`{shown}` is not a plan to deploy anything"))?;
    let names = [&plan.component_name, &plan.component_id];
    let name = names.into_iter().find(|name| !name.is_empty()).cloned();
    Ok(Target { name: name.unwrap_or_else(|| shown.to_string()), plan, component: None })
}

/// For what writes nothing.
fn execution() -> Execution {
    Execution {
        lease: LeaseOptions { duration: Duration::from_secs(15), patience: Duration::ZERO },
        apply: ApplyOptions {
            established: Duration::ZERO,
            gone: Duration::ZERO,
            bound: true,
            ready: None,
        },
        at: super::now(),
    }
}

/// Runs a deploy to its end.
pub(super) async fn deploy(
    target: &Target,
    world: &World,
    options: &DeployOptions,
    listener: &dyn kelson_plan::Listener,
) -> component::DeployResult {
    component::deploy(&target.name, &target.plan, world, options, listener).await
}
