//! Work that waits on the network, until it is done or the person has had enough.

use std::future::Future;

use anyhow::{Context, bail};

use crate::stack;

/// Runs work to its end. Ctrl-C and a polite kill end it where it stands: whatever was being transferred never shows
/// under its final name.
pub(crate) fn run<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(stack::SIZE)
        .build()
        .context("cannot start the threads that wait for the network")?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = work => result,
            signal = interrupted() => match signal {
                Ok(()) => bail!("interrupted"),
                Err(error) => Err(error).context("cannot listen for Ctrl-C"),
            },
        }
    });
    // Whatever still hangs must not keep the person waiting.
    runtime.shutdown_background();
    result
}

async fn interrupted() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}
