//! `kelson component`: what a vendor builds once and delivers to many.

mod build; // component.toml or plan in, artifact out
mod deploy; // artifact in, changed cluster out
mod drift; // whether the cluster is as it was left
mod plan; // what a deploy would do
mod sync; // from registry to registry
mod target; // what is deployed, and where
mod teardown; // all of it goes

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use kelson_artifact::Reference;
use kelson_artifact::registry::{Client, Given, Options};
use kelson_model::Secret;
use kelson_pipeline::PackageError;
use kelson_pipeline::component::{self, Component, Error, Events, World};
use kelson_pipeline::plan::CompositePlan;
use serde::Serialize;

use crate::exit::Code;
use crate::{draw, policy, registry, whole};

/// No file of a component, plan or state is larger.
const LARGEST: u64 = 256 << 20;

/// Build, copy and deploy components.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Build(Box<build::Arguments>),
    Sync(sync::Arguments),
    Plan(Box<plan::Arguments>),
    Deploy(Box<deploy::Arguments>),
    Teardown(Box<teardown::Arguments>),
    Drift(Box<drift::Arguments>),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Sync(arguments) => sync::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Deploy(arguments) => deploy::run(arguments),
        Command::Teardown(arguments) => teardown::run(arguments),
        Command::Drift(arguments) => drift::run(arguments),
    }
}

/// The outside world of a job.
fn world(
    registry: &registry::Flags,
    to: &[&Reference],
    policy: Option<&policy::Flags>,
) -> anyhow::Result<World> {
    let client = registry.client(to)?;
    let with = registry.options()?;
    let authorities = Arc::new(with.authorities.clone());
    let connect = move |user: &str, password: &Secret| {
        // A client for one place only, so that whoever asks there may see them.
        let given = Given { host: None, user: user.to_owned(), password: password.clone() };
        Client::new(Options { credentials: vec![given], ..with.clone() })
    };
    let mut world = World::new(client, Arc::new(connect));
    world.authorities = authorities;
    if let Some(flags) = policy.filter(|flags| flags.is_given()) {
        let policy = Arc::new(flags.policy()?);
        world.verify = Some(Arc::new(move |store, descriptor| {
            let policy = Arc::clone(&policy);
            Box::pin(async move {
                let now = std::time::SystemTime::now();
                kelson_artifact::verify(store, &descriptor.digest, &policy, now).await.map(drop)
            })
        }));
    }
    Ok(world)
}

/// Reads a file that a person named.
fn read_text(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read `{shown}`"))?.len();
    if size > LARGEST {
        bail!("`{shown}` has {size} bytes, and at most {LARGEST} are read");
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))
}

/// Reads a plan as runners are given it.
fn read_plan(path: &Path) -> anyhow::Result<CompositePlan> {
    let text = read_text(path)?;
    kelson_pipeline::plan::read(&text)
        .with_context(|| format!("`{}` is not a plan", path.display()))
}

/// Reads a component; what is wrong with it is drawn.
fn read_component(path: &Path) -> anyhow::Result<Option<Component>> {
    let text = read_text(path)?;
    match component::read(&path.display().to_string(), &text) {
        Ok(component) => Ok(Some(component)),
        Err(failure) => {
            draw::diagnostics(&failure.diagnostics, &failure.sources);
            Ok(None)
        }
    }
}

/// Writes the plan that a runner would be given to a file, or to standard output (-).
fn emit(plan: &impl Serialize, path: &Path) -> anyhow::Result<Code> {
    let text = serde_json::to_string_pretty(plan)? + "\n";
    match path == Path::new("-") {
        true => super::print(&text)?,
        false => whole::write(path, &text)?,
    }
    Ok(Code::Done)
}

/// Tells of every step, a line of JSON each.
fn told() -> Events {
    Arc::new(|event| {
        if let Ok(line) = serde_json::to_string(event) {
            super::print(&(line + "\n")).ok();
        }
    })
}

/// Now, as RFC 3339.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Draws why a job failed.
fn draw_error(name: &str, error: &Error) {
    if let Error::Package(PackageError::Render(failure)) = error {
        draw::diagnostics(&failure.warnings, &failure.sources);
        draw::diagnostics(&failure.diagnostics, &failure.sources);
        return;
    }
    let mut text = format!("error: {name}: {error}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!("\ncaused by: {cause}"));
        source = cause.source();
    }
    draw::line(&text);
}

/// Reads credentials by what they are for, a name or a host: lines `NAME USER PASSWORD`.
fn credentials(path: &Path, key: &str) -> anyhow::Result<BTreeMap<String, (String, Secret)>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some(name), Some(user), Some(password), None) => {
                    Ok((name.to_owned(), (user.to_owned(), Secret::new(password))))
                }
                _ => anyhow::bail!("{shown}:{}: {key} USER PASSWORD is expected", number + 1),
            }
        })
        .collect()
}
