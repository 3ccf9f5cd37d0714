//! `kelson inventory`: what was delivered, as the cluster remembers it.

mod import; // from kustomizer
mod recover; // from labels
mod show; // for people and machines

use crate::exit::Code;

/// Show, import or rebuild the records of deliveries.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(show::Arguments),
    Import(import::Arguments),
    Recover(recover::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    match &arguments.command {
        Command::Show(arguments) => show::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Recover(arguments) => recover::run(arguments),
    }
}
