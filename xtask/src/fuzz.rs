//! Coverage-guided fuzzers for what reads a user's files.
//!
//! They need a nightly compiler and `cargo-fuzz`; the latter is installed into the cache. Seeds are our own test
//! cases. What a fuzzer finds is put, made small, into `fuzz/findings/`, where the tests replay it for ever.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use kelson_testkit::cache;

use crate::run::{output, root, run as run_command};

const TARGETS: [&str; 4] = ["read", "emit", "merge", "render"];

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
        let corpus = seeds(target)?;
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
        format!("-dict={}", root().join("fuzz/words.dict").display()),
        "-print_final_stats=1".to_owned(),
    ];
    let mut command = Command::new("rustup");
    command.current_dir(root().join("fuzz")).args(["run", "nightly"]).arg(program);
    // Addresses are not checked: there is no unsafe code here, and a run does more without.
    command.args(["run", "--release", "--sanitizer", "none", target]).arg(corpus);
    command.arg("--").args(limits);
    // The compiler of this repository would otherwise be inherited.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC");
    run_command(&mut command).with_context(|| {
        format!("the fuzzer `{target}` found something: make it small, put it into fuzz/findings/{target}/")
    })
}

/// Collects what a fuzzer starts from into its corpus: our own cases and what was found before.
fn seeds(target: &str) -> anyhow::Result<PathBuf> {
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let cases = root().join("crates/kustomize/tests/cases");
    for case in
        fs::read_dir(&cases).with_context(|| format!("cannot list `{}`", cases.display()))?
    {
        let case = case?;
        let input = case.path().join("in");
        let mut texts = Vec::new();
        read_tree(&input, &input, &mut texts)?;
        let seed: Vec<u8> = match target {
            "render" => texts
                .iter()
                .flat_map(|(path, text)| [b"#- ", path.as_bytes(), b"\n", text].concat())
                .collect(),
            "merge" => texts
                .iter()
                .filter(|(path, _)| !path.ends_with("kustomization.yaml"))
                .take(2)
                .map(|(_, text)| text.clone())
                .collect::<Vec<_>>()
                .join(&b"\n#-\n"[..]),
            _ => texts.iter().flat_map(|(_, text)| text.clone()).collect(),
        };
        fs::write(corpus.join(case.file_name()), seed)?;
    }
    let findings = root().join("fuzz/findings").join(target);
    for finding in
        fs::read_dir(&findings).with_context(|| format!("cannot list `{}`", findings.display()))?
    {
        let finding = finding?;
        if finding.file_name() == ".gitkeep" {
            continue;
        }
        fs::copy(finding.path(), corpus.join(finding.file_name()))?;
    }
    Ok(corpus)
}

fn read_tree(root: &Path, folder: &Path, texts: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            read_tree(root, &entry.path(), texts)?;
        } else if let Ok(path) = entry.path().strip_prefix(root) {
            texts.push((path.display().to_string(), fs::read(entry.path())?));
        }
    }
    Ok(())
}
