//! `kelson completions`: what a shell needs to complete our arguments.

use clap_complete::Shell;

use crate::exit::Code;

/// Print the completions for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shell to print completions for.
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let mut command = crate::definitions();
    clap_complete::generate(arguments.shell, &mut command, "kelson", &mut std::io::stdout());
    Ok(Code::Done)
}
