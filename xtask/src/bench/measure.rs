//! A program's processor time and peak memory.
//!
//! The peak that the operating system reports for a process includes what its parent had when it was started, so a
//! second process of this program, which has next to nothing, starts each one and prints its account.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use wait4::Wait4;

use crate::run::output;

/// What one run cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Processor time, user and system.
    pub(super) processor: Duration,
    /// Time on the wall.
    pub(super) wall: Duration,
    /// Peak resident memory in bytes.
    pub(super) memory: u64,
}

impl Cost {
    /// What took only time, as far as is known.
    pub(super) fn wall(wall: Duration) -> Self {
        Self { processor: Duration::ZERO, wall, memory: 0 }
    }

    /// What one of several runs cost on average; the memory is the most that any took.
    pub(super) fn mean(runs: &[Self]) -> Self {
        let count = u32::try_from(runs.len().max(1)).unwrap_or(u32::MAX);
        Self {
            processor: runs.iter().map(|run| run.processor).sum::<Duration>() / count,
            wall: runs.iter().map(|run| run.wall).sum::<Duration>() / count,
            memory: runs.iter().map(|run| run.memory).max().unwrap_or_default(),
        }
    }

    /// The less of both, figure by figure.
    pub(super) fn least(&self, other: &Self) -> Self {
        Self {
            processor: self.processor.min(other.processor),
            wall: self.wall.min(other.wall),
            memory: self.memory.min(other.memory),
        }
    }
}

/// Runs a command, its output thrown away, and returns the least that any of `rounds` runs cost.
pub(super) fn best(rounds: usize, command: impl Fn() -> Command) -> anyhow::Result<Cost> {
    let mut best = once(&command(), 0)?;
    for _ in 1..rounds {
        best = best.least(&once(&command(), 0)?);
    }
    Ok(best)
}

/// Runs a command once, its output thrown away. It must end with this code.
pub(super) fn once(command: &Command, code: i32) -> anyhow::Result<Cost> {
    let this = std::env::current_exe().context("cannot find this program")?;
    let mut measured = Command::new(this);
    measured.args(["bench", ACCOUNT, &code.to_string()]);
    measured.arg(command.get_program()).args(command.get_args());
    measured.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let text = output(&mut measured)?;
    let figures: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [processor, wall, memory] = figures[..] else {
        bail!("`{}` gave no account", command.get_program().display());
    };
    Ok(Cost {
        processor: Duration::from_micros(processor),
        wall: Duration::from_micros(wall),
        memory,
    })
}

/// The word that asks `bench` for the account of one program.
pub(super) const ACCOUNT: &str = "--account";

/// Runs a program, its output thrown away, which must end with a code, and prints its account: processor time and time on the wall in
/// microseconds, peak memory in bytes.
pub(super) fn account(arguments: &[String]) -> anyhow::Result<()> {
    let [code, name, rest @ ..] = arguments else { bail!("{ACCOUNT} needs a code and a program") };
    let started = Instant::now();
    let child = Command::new(name)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run `{name}`"))?;
    let usage = child.wait4().with_context(|| format!("cannot wait for `{name}`"))?;
    if usage.status.code().map(|code| code.to_string()).as_ref() != Some(code) {
        bail!("`{name}` ended with {}, not {code}", usage.status);
    }
    let processor = usage.rusage.utime + usage.rusage.stime;
    let wall = started.elapsed();
    println!("{} {} {}", processor.as_micros(), wall.as_micros(), usage.rusage.maxrss);
    Ok(())
}
