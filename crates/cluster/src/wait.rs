//! Until something is so. A watch only wakes us: what is so is always read. Where nothing can be watched, we ask again.

use std::time::{Duration, Instant};

use kelson_model::ObjectId;
use kelson_plan::{Kind, Listener, Refusal};
use kelson_yaml::Node;
use tokio::sync::watch;

use crate::Cluster;
use crate::request::{Request, path};

/// The shortest time between two readings at first; it grows.
const SHORTEST: Duration = Duration::from_millis(10);
/// The shortest time between two readings at last.
const LONGEST: Duration = Duration::from_secs(1);

/// How long something is waited for.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    end: Instant,
    stop: watch::Receiver<bool>,
}

/// Why something was not waited for any longer.
#[derive(Debug)]
pub(crate) enum Unfinished {
    /// It was still so when patience was over.
    Late(Option<Box<Node>>),
    /// It could not be read.
    Refused(Refusal),
}

impl Patience {
    /// For some time, or until `stop` becomes true.
    pub(crate) fn new(time: Duration, stop: &watch::Receiver<bool>) -> Self {
        Self { end: Instant::now() + time, stop: stop.clone() }
    }

    /// How much is left; nothing where it is over.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = self.end.checked_duration_since(Instant::now())?;
        (!*self.stop.borrow() && !left.is_zero()).then_some(left)
    }

    /// Waits for something to happen, but no longer than there is patience, nor than `at_most`.
    pub(crate) async fn sleep(&self, at_most: Duration, work: impl Future<Output = ()>) {
        let Some(left) = self.left() else { return };
        let stopped = stopped(self.stop.clone());
        tokio::select! {
            () = work => {}
            () = stopped => {}
            () = tokio::time::sleep(left.min(at_most)) => {}
        }
    }
}

/// Waits until somebody wants us to stop.
pub(crate) async fn stopped(mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        // Nobody is left who could want it.
        std::future::pending().await
    }
}

/// The pauses between readings.
pub(crate) struct Pauses(Duration);

impl Pauses {
    pub(crate) fn new() -> Self {
        Self(SHORTEST)
    }

    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        pause
    }
}

/// Reads an object until `done` says something of it; nothing is said to `done` where it does not exist. `seen` is what
/// was last seen of it, where that is known.
pub(crate) async fn until<T>(
    cluster: &Cluster,
    (kind, id): (&Kind, &ObjectId),
    seen: Option<Node>,
    patience: &Patience,
    listener: &dyn Listener,
    mut done: impl FnMut(Option<&Node>) -> Option<T>,
) -> Result<T, Unfinished> {
    let mut pauses = Pauses::new();
    let mut seen = match seen {
        Some(seen) => Some(seen),
        None => read(cluster, kind, id, listener).await.map_err(Unfinished::Refused)?,
    };
    loop {
        if let Some(done) = done(seen.as_ref()) {
            return Ok(done);
        }
        if patience.left().is_none() {
            return Err(Unfinished::Late(seen.map(Box::new)));
        }
        let version = seen.as_ref().and_then(version_of).map(str::to_owned);
        // A watch that ends at once must not make us ask without a pause.
        let pause = pauses.next();
        let woken = stirred(cluster, kind, id, version.as_deref());
        let begun = Instant::now();
        patience.sleep(Duration::from_secs(60), woken).await;
        let rest = pause.saturating_sub(begun.elapsed());
        patience.sleep(rest, std::future::pending()).await;
        seen = read(cluster, kind, id, listener).await.map_err(Unfinished::Refused)?;
    }
}

/// Waits until something happens to an object after a version; returns at once where that cannot be watched.
async fn stirred(cluster: &Cluster, kind: &Kind, id: &ObjectId, version: Option<&str>) {
    let Some(version) = version else { return };
    let Ok(collection) = path(kind, &id.namespace, "") else { return };
    let request = Request::get(collection)
        .with("watch", "1")
        .with("fieldSelector", format!("metadata.name={}", id.name))
        .with("resourceVersion", version)
        .with("timeoutSeconds", "60");
    if let Ok(mut lines) = cluster.stream(&request).await {
        // Whatever it says, or that it ends: we read.
        lines.next().await.ok();
    }
}

/// Reads an object; nothing where it does not exist.
pub(crate) async fn read(
    cluster: &Cluster,
    kind: &Kind,
    id: &ObjectId,
    listener: &dyn Listener,
) -> Result<Option<Node>, Refusal> {
    Ok(cluster.find(kind, id, listener).await?.map(|object| object.node))
}

fn version_of(node: &Node) -> Option<&str> {
    node.lookup(&["metadata", "resourceVersion"])?.as_str()
}
