//! Everything that people working on Kelson type: `cargo xtask COMMAND`.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]
#![expect(clippy::print_stderr, reason = "a program for the terminal")]

mod baseline; // what oracles answer, recorded
mod baseline_cosign; // the recording of cosign's signatures
mod baseline_kustomize; // the recording of kustomize's answers
mod bench; // peers and Kelson, as ratios
mod ci; // what must hold before a change lands
mod cluster; // a control plane in the foreground
mod demo; // the main job, end to end
mod differential; // upstream and Kelson on the same trees
mod fuzz; // coverage-guided fuzzers
mod overlays; // trees to build, random or regular
mod random; // random overlays, compared
mod run; // running programs, with errors that name them
mod test; // every test, set-up included
mod tidy; // the house is in order
mod tools; // peers and oracles, built on request

use std::process::ExitCode;

/// A command: its name, one line on it, and what it does with its arguments.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> anyhow::Result<()>,
}

const COMMANDS: [Command; 10] = [
    Command { name: "demo", about: "run the main job end to end", run: demo::run },
    Command {
        name: "test",
        about: "run every test; arguments select tests as for cargo test; --long adds what takes long",
        run: test::run,
    },
    Command { name: "ci", about: "check format, lints and order, then test", run: ci::run },
    Command {
        name: "cluster",
        about: "run a local control plane until Ctrl-C (--workers, --count N, --port N)",
        run: cluster::run,
    },
    Command {
        name: "tools",
        about: "build the named peers and oracles; without a name, list them",
        run: tools::run,
    },
    Command {
        name: "baseline",
        about: "record what an oracle prints for our own test inputs",
        run: baseline::run,
    },
    Command { name: "bench", about: "measure peers and Kelson in one run", run: bench::run },
    Command {
        name: "random",
        about: "build random overlays with kustomize and Kelson and compare (COUNT, FIRST seed)",
        run: random::run,
    },
    Command {
        name: "fuzz",
        about: "run the fuzzers (read, emit, merge, render; --seconds N each)",
        run: fuzz::run,
    },
    Command { name: "tidy", about: "check that the repository is in order", run: tidy::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print_commands();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_commands();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("error: there is no command `{name}`\n");
        print_commands();
        return ExitCode::from(64);
    };
    if let Err(error) = (command.run)(rest) {
        eprintln!("error: {error}");
        error.chain().skip(1).for_each(|cause| eprintln!("caused by: {cause}"));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn print_commands() {
    println!("usage: cargo xtask COMMAND [ARGUMENT…]\n");
    for command in &COMMANDS {
        println!("  {:<10} {}", command.name, command.about);
    }
}
