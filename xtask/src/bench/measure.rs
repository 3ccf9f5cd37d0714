//! A program's processor time and peak memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use wait4::Wait4;

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

/// Runs a command, its output thrown away, and returns the least that any of `rounds` runs cost.
pub(super) fn best(rounds: usize, command: impl Fn() -> Command) -> anyhow::Result<Cost> {
    let mut best = once(command())?;
    for _ in 1..rounds {
        let cost = once(command())?;
        best.processor = best.processor.min(cost.processor);
        best.wall = best.wall.min(cost.wall);
        best.memory = best.memory.min(cost.memory);
    }
    Ok(best)
}

fn once(mut command: Command) -> anyhow::Result<Cost> {
    let name = command.get_program().to_string_lossy().into_owned();
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run `{name}`"))?;
    let usage = child.wait4().with_context(|| format!("cannot wait for `{name}`"))?;
    if !usage.status.success() {
        bail!("`{name}` failed ({})", usage.status);
    }
    Ok(Cost {
        processor: usage.rusage.utime + usage.rusage.stime,
        wall: started.elapsed(),
        memory: usage.rusage.maxrss,
    })
}
