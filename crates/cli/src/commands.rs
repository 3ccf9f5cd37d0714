//! The commands, one file each.

mod apply;
pub(crate) mod build;
mod bundle;
mod completions;
mod component;
mod delete;
mod diff;
mod explain;
mod inspect;
mod inventory;
mod list;
mod man;
mod mirror;
mod plan;
mod pull;
mod push;
mod sign;
mod tag;
mod verify;

use kelson_model::ObjectId;
use kelson_yaml::Node;

use crate::exit::Code;
use crate::json;

/// What `kelson` can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(build::Arguments),
    Explain(explain::Arguments),
    Push(push::Arguments),
    Pull(pull::Arguments),
    Tag(tag::Arguments),
    List(list::Arguments),
    Inspect(inspect::Arguments),
    Diff(Box<diff::Arguments>),
    Plan(Box<plan::Arguments>),
    Apply(Box<apply::Arguments>),
    Delete(Box<delete::Arguments>),
    Inventory(Box<inventory::Arguments>),
    Mirror(mirror::Arguments),
    Bundle(bundle::Arguments),
    Sign(sign::Arguments),
    Verify(verify::Arguments),
    Component(component::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Runs a command.
pub(crate) fn run(command: Command) -> anyhow::Result<Code> {
    match command {
        Command::Build(arguments) => build::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Push(arguments) => push::run(&arguments),
        Command::Pull(arguments) => pull::run(&arguments),
        Command::Tag(arguments) => tag::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Apply(arguments) => apply::run(&arguments),
        Command::Delete(arguments) => delete::run(&arguments),
        Command::Inventory(arguments) => inventory::run(&arguments),
        Command::Mirror(arguments) => mirror::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Component(arguments) => component::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}

/// Prints a text for whoever is still listening.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    build::print(text)
}

/// Reads KEY=VALUE.
pub(crate) fn annotation(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("KEY=VALUE is expected")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// An object's id for the machine.
pub(crate) fn id(id: &ObjectId) -> Node {
    json::object([
        ("group", Some(json::string(&id.group))),
        ("kind", Some(json::string(&id.kind))),
        ("namespace", Some(json::string(&id.namespace)).filter(|_| !id.namespace.is_empty())),
        ("name", Some(json::string(&id.name))),
    ])
}
