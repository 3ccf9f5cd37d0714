//! The commands, one file each.

mod apply;
pub(crate) mod build;
mod bundle;
mod completions;
mod component;
mod delete;
mod diff;
mod explain;
mod history;
mod inspect;
mod inventory;
mod list;
mod man;
mod mirror;
mod plan;
mod pull;
mod push;
mod rollback;
mod sign;
mod status;
mod tag;
mod verify;
mod wait;

use kelson_model::ObjectId;
use kelson_yaml::Node;

use crate::exit::Code;
use crate::json;

/// Makes what `kelson` can do of one list.
macro_rules! commands {
    ($($module:ident $name:ident,)*) => {
        /// What `kelson` can do.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Command {
            $($name(Box<$module::Arguments>),)*
        }

        /// Runs a command.
        pub(crate) fn run(command: Command) -> anyhow::Result<Code> {
            match command {
                $(Command::$name(arguments) => $module::run(&arguments),)*
            }
        }

        /// The definition of one command. Those of all others take longer to make than a small build.
        pub(crate) fn alone(name: &str) -> Option<clap::Command> {
            match name {
                $(stringify!($module) => {
                    let command = clap::Command::new(stringify!($module));
                    Some(<$module::Arguments as clap::Args>::augment_args(command))
                })*
                _ => None,
            }
        }
    };
}

commands! {
    build Build,
    explain Explain,
    push Push,
    pull Pull,
    tag Tag,
    list List,
    inspect Inspect,
    diff Diff,
    plan Plan,
    apply Apply,
    wait Wait,
    status Status,
    history History,
    rollback Rollback,
    delete Delete,
    inventory Inventory,
    mirror Mirror,
    bundle Bundle,
    sign Sign,
    verify Verify,
    component Component,
    completions Completions,
    man Man,
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
