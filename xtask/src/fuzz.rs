//! Coverage-guided fuzzers for what reads a user's files.
//!
//! They need a nightly compiler and `cargo-fuzz`; the latter is installed into the cache. Seeds are our own test
//! cases, and archives and manifests that others made. What a fuzzer finds is put, made small, into `fuzz/findings/`, where the tests replay it for ever.

#[path = "../../fuzz/src/seeds.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod seeds; // what they start from; the tests replay the same

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use kelson_testkit::cache;

use crate::run::{output, root, run as run_command};

const TARGETS: [&str; 6] = ["read", "emit", "merge", "render", "archive", "manifest"];

/// Runs the named fuzzers, or all, each for the given number of seconds.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let mut seconds = 600;
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let value = rest.next().context("--seconds needs a number")?;
            seconds = value
                .parse()
                .with_context(|| format!("--seconds needs a number, not `{value}`"))?;
        } else if TARGETS.contains(&argument.as_str()) {
            targets.push(argument.as_str());
        } else {
            bail!("there is no fuzzer `{argument}`; there are {}", TARGETS.join(", "));
        }
    }
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    if output(Command::new("rustup").args(["run", "nightly", "rustc", "--version"])).is_err() {
        bail!("fuzzing needs a nightly compiler: run `rustup toolchain install nightly`");
    }
    let program = cargo_fuzz()?;
    for target in targets {
        let corpus = corpus(target)?;
        eprintln!("fuzzing `{target}` for {seconds} s");
        fuzz(&program, target, &corpus, seconds)?;
    }
    Ok(())
}

fn cargo_fuzz() -> anyhow::Result<PathBuf> {
    let folder = cache::get_or_make("tools/cargo-fuzz", |folder| {
        eprintln!("installing cargo-fuzz (once; usually two minutes)");
        let install = ["install", "--quiet", "--locked", "cargo-fuzz", "--root"];
        let mut command = crate::run::cargo();
        run_command(command.args(install).arg(folder)).map_err(|error| {
            kelson_testkit::Error::Build {
                what: "cargo-fuzz".to_owned(),
                reason: error.to_string(),
            }
        })
    })?;
    Ok(folder.join("bin/cargo-fuzz"))
}

fn fuzz(program: &Path, target: &str, corpus: &Path, seconds: u64) -> anyhow::Result<()> {
    let limits = [
        format!("-max_total_time={seconds}"),
        "-timeout=10".to_owned(),
        "-rss_limit_mb=2048".to_owned(),
        "-max_len=8192".to_owned(),
        format!("-dict={}", root().join("fuzz").join(words(target)).display()),
        "-print_final_stats=1".to_owned(),
    ];
    let mut command = Command::new("rustup");
    command.current_dir(root().join("fuzz")).args(["run", "nightly"]).arg(program);
    // Addresses are not checked: there is no unsafe code here, and a run does more without.
    command.args(["run", "--release", "--sanitizer", "none"]);
    // Nor are comparisons traced: that takes three quarters of the time of a build, and the dictionary has the words.
    command.arg("--no-trace-compares").arg(target).arg(corpus);
    command.arg("--").args(limits);
    // The compiler of this repository would otherwise be inherited.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC");
    run_command(&mut command).with_context(|| {
        format!("the fuzzer `{target}` found something: make it small, put it into fuzz/findings/{target}/")
    })
}

/// The dictionary of a fuzzer.
fn words(target: &str) -> &'static str {
    match target {
        "archive" | "manifest" => "artifact.dict",
        _ => "words.dict",
    }
}

/// Puts what a fuzzer starts from into its corpus.
fn corpus(target: &str) -> anyhow::Result<PathBuf> {
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus)?;
    for seed in seeds::seeds(&root(), target)? {
        fs::write(corpus.join(seed.name), seed.input)?;
    }
    Ok(corpus)
}
