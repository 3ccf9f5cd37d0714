//! The commands, one file each.

mod build;
mod completions;
mod explain;
mod man;

use crate::exit::Code;

/// What `kelson` can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(build::Arguments),
    Explain(explain::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Runs a command.
pub(crate) fn run(command: Command) -> anyhow::Result<Code> {
    match command {
        Command::Build(arguments) => build::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
