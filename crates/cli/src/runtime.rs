//! Work that waits on the network, until it is done or the person has had enough.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, bail};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::exit::Code;
use crate::{draw, stack};

/// How work says that it must not end where it stands, and learns that it is to come to an end.
pub(crate) struct Stop {
    wanted: Arc<watch::Sender<bool>>,
    is_orderly: Arc<AtomicBool>,
}

impl Stop {
    /// From now on the first Ctrl-C only asks for an end; the second one ends all at once.
    pub(crate) fn in_order(&self) -> watch::Receiver<bool> {
        self.is_orderly.store(true, Ordering::Relaxed);
        self.wanted.subscribe()
    }
}

/// Runs work to its end. Ctrl-C and a polite kill end it where it stands: whatever was being transferred never shows
/// under its final name.
pub(crate) fn run<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    run_orderly(|_| work)
}

/// Runs work that may ask to be brought to an end in order.
pub(crate) fn run_orderly<T, W>(work: impl FnOnce(Stop) -> W) -> anyhow::Result<T>
where
    W: Future<Output = anyhow::Result<T>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(stack::SIZE)
        .build()
        .context("cannot start the threads that wait for the network")?;
    let (wanted, is_orderly) = (Arc::new(watch::Sender::new(false)), Arc::default());
    let stop = Stop { wanted: Arc::clone(&wanted), is_orderly: Arc::clone(&is_orderly) };
    let result = runtime.block_on(async {
        tokio::select! {
            // Work that does not wait is ended by the system itself, as long as nobody else listens.
            biased;
            result = work(stop) => result,
            signal = interrupted(&wanted, &is_orderly) => match signal {
                Ok(()) => bail!("interrupted"),
                Err(error) => Err(error).context("cannot listen for Ctrl-C"),
            },
        }
    });
    // Ctrl-C is ours from now on, so somebody has to hear it while the results are written.
    runtime.spawn(async {
        if interrupted(&watch::Sender::new(true), &AtomicBool::new(false)).await.is_ok() {
            draw::error(&anyhow!("interrupted"));
            std::process::exit(Code::Failed as i32);
        }
    });
    // It is left running: whatever still hangs in it must not keep the person waiting.
    std::mem::forget(runtime);
    result
}

/// Returns when work is to end where it stands.
async fn interrupted(wanted: &watch::Sender<bool>, is_orderly: &AtomicBool) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    one_of(&mut interrupt, &mut terminate).await;
    if is_orderly.load(Ordering::Relaxed) {
        draw::remark("stopping when what is under way is done; Ctrl-C once more ends at once");
        wanted.send_replace(true);
        one_of(&mut interrupt, &mut terminate).await;
    }
    Ok(())
}

async fn one_of(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}
