//! `kelson component`: what a vendor builds once and delivers to many.

mod build; // component.toml or plan in, artifact out
mod sync; // from registry to registry

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use kelson_artifact::Reference;
use kelson_artifact::registry::{Client, Given, Options};
use kelson_model::Secret;
use kelson_pipeline::component::World;

use crate::exit::Code;
use crate::{policy, registry};

/// Build and copy components.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Build(Box<build::Arguments>),
    Sync(sync::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Sync(arguments) => sync::run(arguments),
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
