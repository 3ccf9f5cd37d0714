//! Every test, set-up included.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, bail};
use kelson_testkit::{CANNOT_RUN, ControlPlane, KUBECONFIG};

use crate::run::cargo;

/// Runs the tests that the arguments select, as `cargo test` would read them; `--long` adds the long ones.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let long = arguments.iter().any(|argument| argument == "--long");
    let rest: Vec<String> =
        arguments.iter().filter(|argument| *argument != "--long").cloned().collect();
    let counts = run_all(&rest, long)?;
    println!();
    counts.print();
    counts.verdict()
}

/// How many tests ran, by kind.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    unit: Tally,
    integration: Tally,
    documentation: Tally,
    /// Tests that could not run here, each with the reason.
    cannot_run: Vec<String>,
}

#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Counts {
    /// Prints how many tests of what kind ran; the last line is the one that machines read.
    pub(crate) fn print(&self) {
        let kinds = [
            ("unit", &self.unit),
            ("integration", &self.integration),
            ("documentation", &self.documentation),
        ];
        for (kind, tally) in kinds {
            println!("{kind:<14} {:>4} passed, {} failed", tally.passed, tally.failed);
        }
        for line in &self.cannot_run {
            println!("cannot run here: {line}");
        }
        let sum =
            |count: fn(&Tally) -> usize| kinds.iter().map(|(_, tally)| count(tally)).sum::<usize>();
        println!(
            "{} passed, {} failed, {} skipped",
            sum(|tally| tally.passed),
            sum(|tally| tally.failed),
            sum(|tally| tally.skipped)
        );
    }

    /// Fails if a test failed, and in CI also if one could not run.
    pub(crate) fn verdict(&self) -> anyhow::Result<()> {
        let failed = self.unit.failed + self.integration.failed + self.documentation.failed;
        if failed > 0 {
            bail!("{failed} tests failed");
        }
        if !self.cannot_run.is_empty() && std::env::var_os("CI").is_some() {
            bail!("{} tests could not run, which CI does not accept", self.cannot_run.len());
        }
        Ok(())
    }
}

/// Starts what tests share, runs them, and counts.
pub(crate) fn run_all(arguments: &[String], long: bool) -> anyhow::Result<Counts> {
    let plane = ControlPlane::start_with_workers().context("the tests' control plane")?;
    let cannot_run = plane.directory().join("cannot-run.txt");
    let mut command = cargo();
    command.args(["test", "--workspace", "--locked", "--no-fail-fast"]).args(arguments);
    if long {
        if !arguments.iter().any(|argument| argument == "--") {
            command.arg("--");
        }
        command.arg("--include-ignored");
    }
    command.env(KUBECONFIG, plane.kubeconfig()).env(CANNOT_RUN, &cannot_run);
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().context("cannot make a pipe")?)
        .stderr(writer)
        .spawn()
        .context("cannot run `cargo test`")?;
    // The command holds the pipe's other end open for as long as it lives.
    drop(command);
    let mut counts = count(BufReader::new(reader), &mut std::io::stdout())?;
    let status = child.wait().context("cannot run `cargo test`")?;
    counts.cannot_run = read_lines(cannot_run);
    if !status.success() && counts.verdict().is_ok() {
        bail!("`cargo test` failed ({status})");
    }
    Ok(counts)
}

fn read_lines(path: PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Passes the output on and counts what it says.
fn count(output: impl BufRead, pass_on: &mut impl Write) -> anyhow::Result<Counts> {
    let mut counts = Counts::default();
    let mut kind: fn(&mut Counts) -> &mut Tally = |counts| &mut counts.unit;
    for line in output.split(b'\n') {
        let line = line.context("cannot read the tests' output")?;
        let text = String::from_utf8_lossy(&line);
        writeln!(pass_on, "{text}").ok();
        let text = text.trim_start();
        if text.starts_with("Running unittests") {
            kind = |counts| &mut counts.unit;
        } else if text.starts_with("Running ") {
            kind = |counts| &mut counts.integration;
        } else if text.starts_with("Doc-tests ") {
            kind = |counts| &mut counts.documentation;
        } else if let Some(result) = text.strip_prefix("test result: ") {
            let tally = kind(&mut counts);
            tally.passed += number_before(result, " passed");
            tally.failed += number_before(result, " failed");
            tally.skipped += number_before(result, " ignored");
        }
    }
    Ok(counts)
}

fn number_before(text: &str, word: &str) -> usize {
    let before = text.split(word).next().unwrap_or_default();
    let digits = before.rsplit(|letter: char| !letter.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_by_kind() {
        let output = "     Running unittests src/lib.rs (x)\n\
                      test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n\
                      \x20    Running tests/a.rs (x)\n\
                      test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured\n\
                      \x20  Doc-tests kelson_model\n\
                      test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n";
        let counts = count(output.as_bytes(), &mut Vec::new()).unwrap();
        let seen = [&counts.unit, &counts.integration, &counts.documentation]
            .map(|tally| (tally.passed, tally.failed, tally.skipped));
        assert_eq!(seen, [(3, 0, 1), (5, 2, 0), (1, 0, 0)]);
        assert!(counts.verdict().is_err());
    }
}
