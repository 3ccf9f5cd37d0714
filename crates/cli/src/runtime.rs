//! Work that waits on the network, until it is done or the person has had enough.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::exit::Code;
use crate::{draw, stack};

/// How work says that it must not end where it stands, and learns that it is to come to an end.
pub(crate) struct Stop {
    wanted: Arc<watch::Sender<bool>>,
    manner: Arc<AtomicU8>,
}

/// Work ends where it stands.
const AT_ONCE: u8 = 0;
/// Work finishes what is under way, which may take a while.
const IN_ORDER: u8 = 1;
/// Work ends by itself, and says how.
const BY_ITSELF: u8 = 2;

impl Stop {
    /// From now on the first Ctrl-C only asks for an end; the second one ends all at once.
    pub(crate) fn in_order(&self) -> watch::Receiver<bool> {
        self.in_manner(IN_ORDER)
    }

    /// As [`Stop::in_order`], for work that ends as soon as it is asked and says itself what that means.
    pub(crate) fn by_itself(&self) -> watch::Receiver<bool> {
        self.in_manner(BY_ITSELF)
    }

    fn in_manner(&self, manner: u8) -> watch::Receiver<bool> {
        self.manner.store(manner, Ordering::Relaxed);
        self.wanted.subscribe()
    }
}

/// How long what was interrupted may take to clean up behind itself.
const LAST_WORDS: Duration = Duration::from_secs(1);

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
    let (wanted, manner) = (Arc::new(watch::Sender::new(false)), Arc::default());
    let stop = Stop { wanted: Arc::clone(&wanted), manner: Arc::clone(&manner) };
    let result = runtime.block_on(async {
        tokio::select! {
            // Work that does not wait is ended by the system itself, as long as nobody else listens.
            biased;
            result = work(stop) => Ok(result),
            signal = interrupted(&wanted, &manner) => Err(signal),
        }
    });
    let result = match result {
        Ok(result) => result,
        Err(signal) => {
            // What is being written this moment is removed by whoever writes it.
            runtime.shutdown_timeout(LAST_WORDS);
            signal.context("cannot listen for Ctrl-C")?;
            bail!("interrupted");
        }
    };
    // Ctrl-C is ours from now on, so somebody has to hear it while the results are written.
    runtime.spawn(async {
        if interrupted(&watch::Sender::new(true), &AtomicU8::new(AT_ONCE)).await.is_ok() {
            draw::error(&anyhow!("interrupted"));
            std::process::exit(Code::Failed as i32);
        }
    });
    // It is left running: whatever still hangs in it must not keep the person waiting.
    std::mem::forget(runtime);
    result
}

/// Returns when work is to end where it stands.
async fn interrupted(wanted: &watch::Sender<bool>, manner: &AtomicU8) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    one_of(&mut interrupt, &mut terminate).await;
    let manner = manner.load(Ordering::Relaxed);
    if manner == IN_ORDER {
        draw::remark("stopping when what is under way is done; Ctrl-C once more ends at once");
    }
    if manner != AT_ONCE {
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
