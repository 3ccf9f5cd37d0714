//! The `kelson` program: reads arguments, builds the outside world, hands both to the stages, draws what comes back.

#![expect(clippy::print_stderr, reason = "a program for the terminal")]

mod answer; // gets what a pure stage asks for
mod commands; // one file a command
mod confirm; // questions to a person
mod delivery; // what is delivered, and by which rules
mod draw; // diagnostics with the lines they are about
mod duration; // lengths of time as people write them
mod events; // what happens, as it happens
mod exit; // the codes a caller can rely on
mod fields; // the fields that differ
mod gather; // from sources to the objects of a delivery
mod json; // the machine's form of output
mod kubernetes; // how a cluster is reached
mod local; // artifacts that plans were made from
mod path; // paths as people write them
mod policy; // whose signatures count
mod progress; // what is being transferred
mod random; // bytes that nobody can guess
mod registry; // how registries are reached
mod runtime; // work that waits on the network
mod source; // what people name as a source of objects
mod stack; // room for the walks over deep documents
mod steps; // a plan for people
mod switch; // `--enable-helm=true`
mod table; // columns for people
mod whole; // files that are whole or not there

use clap::Parser;

/// Delivers Kubernetes manifests: renders, packages, plans, applies, observes.
#[derive(Debug, Parser)]
#[command(name = "kelson", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> std::process::ExitCode {
    let arguments = match Arguments::try_parse_from(switch::alone(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, everything else is wrong usage.
            let code = if error.use_stderr() { exit::Code::Usage } else { exit::Code::Done };
            error.print().ok();
            return code.into();
        }
    };
    match stack::with_room(|| commands::run(arguments.command)) {
        Ok(code) => code.into(),
        Err(error) => {
            draw::error(&error);
            exit::Code::Failed.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definitions_of_arguments_are_sound() {
        super::Arguments::command().debug_assert();
    }
}
