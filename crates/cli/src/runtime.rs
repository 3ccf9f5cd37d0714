//! Work that waits on the network, until it is done or the person has had enough.

use std::future::Future;

use anyhow::{Context, anyhow, bail};

use crate::exit::Code;
use crate::{draw, stack};

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
            // Work that does not wait is ended by the system itself, as long as nobody else listens.
            biased;
            result = work => result,
            signal = interrupted() => match signal {
                Ok(()) => bail!("interrupted"),
                Err(error) => Err(error).context("cannot listen for Ctrl-C"),
            },
        }
    });
    // Ctrl-C is ours from now on, so somebody has to hear it while the results are written.
    runtime.spawn(async {
        if interrupted().await.is_ok() {
            draw::error(&anyhow!("interrupted"));
            std::process::exit(Code::Failed as i32);
        }
    });
    // It is left running: whatever still hangs in it must not keep the person waiting.
    std::mem::forget(runtime);
    result
}

async fn interrupted() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}
