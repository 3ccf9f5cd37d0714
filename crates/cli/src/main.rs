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
mod health; // how objects are
mod json; // the machine's form of output
mod kubernetes; // how a cluster is reached
mod live; // lines that change in place
mod local; // artifacts that plans were made from
mod observe; // how health is waited for
mod past; // what was delivered before
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

use std::ffi::OsString;

use clap::{FromArgMatches, Subcommand};

fn main() -> std::process::ExitCode {
    let command = match parse(switch::alone(std::env::args_os()).collect()) {
        Ok(command) => command,
        Err(error) => {
            // Help and version are answers, everything else is wrong usage.
            let code = if error.use_stderr() { exit::Code::Usage } else { exit::Code::Done };
            error.print().ok();
            return code.into();
        }
    };
    match stack::with_room(|| commands::run(command)) {
        Ok(code) => code.into(),
        Err(error) => {
            draw::error(&error);
            exit::Code::Failed.into()
        }
    }
}

/// Reads the words of a command line. Where the first of them is a command, only that one is defined.
fn parse(words: Vec<OsString>) -> Result<commands::Command, clap::Error> {
    let first = words.get(1).and_then(|word| word.to_str());
    let definitions = match first.and_then(commands::alone) {
        Some(command) => program().subcommand(command),
        None => definitions(),
    };
    let mut matches = definitions.try_get_matches_from(words)?;
    commands::Command::from_arg_matches_mut(&mut matches)
}

/// All that can be said to the program.
pub(crate) fn definitions() -> clap::Command {
    let definitions = commands::Command::augment_subcommands(program());
    definitions.about("Delivers Kubernetes manifests: renders, packages, plans, applies, observes")
}

fn program() -> clap::Command {
    clap::Command::new("kelson")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definitions_of_arguments_are_sound() {
        super::definitions().debug_assert();
    }
}
