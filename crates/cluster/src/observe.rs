//! Whether what was applied is well: watched, not asked for again and again.
//!
//! [`observe`] waits until all objects are [`Health::Current`], or one will not become so. [`family`] looks once, down to
//! the Pods, [`follow_family`] goes on looking, and [`look`] only says how the objects themselves are.
//!
//! Each kind is a [`collection`], which a [`feed`] lists and watches; what it tells comes together in one [`scene`], which has a
//! [`board`] with what is known of each target and keeps what stands [`behind`] those that are not well. A verdict is known as
//! soon as the server has told; reasons are looked for aside.

mod behind; // Pods and the like, and events
mod board; // what is known of each target
mod collection; // which objects are followed together
mod family; // as a tree
mod feed; // one list and its watch
mod log; // what containers said last
mod scene; // all of it
mod targets; // what an inventory lists

use std::time::{Duration, Instant};

use kelson_model::ObjectId;
use kelson_plan::{
    Blame, Delivery, Event, Health, HealthRules, Kind, Listener, OWNER_NAME, Verdict,
};
use tokio::sync::watch;

use self::board::Limits;
pub use self::family::{family, follow_family};
use self::scene::{Depth, Manner, Scene};
pub use self::targets::{Targets, targets};
use crate::wait::stopped;
use crate::{Cluster, Error};

/// How soon it is looked for reasons: what is well within moments needs none.
const SOON: Duration = Duration::from_secs(1);
/// How long the reasons of what has failed, or is late, may still be looked for.
const GRACE: Duration = Duration::from_secs(4);

/// What is waited for.
#[derive(Clone, Debug)]
pub struct Target {
    /// Which object.
    pub id: ObjectId,
    /// Its kind.
    pub kind: Kind,
    /// Its uid, where another object of that name would not do.
    pub uid: Option<String>,
    /// Whether it is to be gone instead of well.
    pub gone: bool,
}

/// How it is waited for.
#[derive(Clone, Debug)]
pub struct ObserveOptions {
    /// How long objects may take to be well.
    pub ready: Duration,
    /// How long objects may take to be gone.
    pub gone: Duration,
    /// By which rules they are judged.
    pub rules: HealthRules,
    /// Whether the first object that has failed ends the wait; else it ends when only good and failed ones are left.
    pub fail_fast: bool,
    /// How many lines of a log are read.
    pub log_lines: usize,
    /// Whose objects they are, where all carry the labels of a delivery: fewer are read then.
    pub delivery: Option<Delivery>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How it ended.
    pub end: End,
    /// All objects, in the order of the targets.
    pub objects: Vec<ObservedObject>,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All are as they should be.
    Ready,
    /// Something has failed.
    Failed,
    /// Time is over.
    Late,
    /// Somebody has had enough.
    Stopped,
}

/// An object as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedObject {
    /// Which one.
    pub id: ObjectId,
    /// How it is.
    pub verdict: Verdict,
    /// What is behind it.
    pub because: Vec<Blame>,
}

impl ObservedObject {
    /// Whether it is as it should be: well or, where it was to be gone, gone.
    pub fn is_well(&self) -> bool {
        match self.verdict.health {
            Health::Current => true,
            Health::NotFound => self.verdict.reason == "Gone",
            _ => false,
        }
    }
}

/// An object and what it has brought about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The object.
    pub object: ObservedObject,
    /// What it owns, down to the Pods.
    pub children: Vec<Self>,
}

/// Waits until all targets are well, or gone.
///
/// One watch per kind, whatever the number of objects; one that ends, expires, stalls or is refused is begun again or
/// replaced by asking, which the listener is told. The listener hears of the first sight of every object, and of every change of
/// a verdict or of the reasons for it.
///
/// A failure counts when it has stood for some seconds. An object that was there and is deleted has failed, unless another one takes
/// its name in that time and any will do ([`Target::uid`]). Before it is told that something failed or is late, its reasons are
/// given some seconds to come.
///
/// # Errors
///
/// Fails where the cluster cannot be reached at all, or no longer accepts our credentials.
pub async fn observe(
    cluster: &Cluster,
    targets: &[Target],
    options: &ObserveOptions,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
) -> Result<Observed, Error> {
    listener.hear(&Event::Observing { objects: targets.len() });
    let labels = options.delivery.as_ref().map(Delivery::selector);
    let manner = Manner { once: false, depth: Depth::Reasons, labels };
    let mut scene = Scene::begin(cluster, targets, options, listener, manner);
    let end = scene.until_end(options, stop).await?;
    listener.hear(&Event::Observed(scene.board.summary()));
    Ok(Observed { end, objects: scene.board.objects() })
}

/// Looks once how objects are, of one delivery or of many; what is behind them is not looked at. Costs a list per kind.
///
/// # Errors
///
/// Fails where the cluster cannot be reached at all; what may not be read is [`Health::Unknown`].
pub async fn look(
    cluster: &Cluster,
    targets: &[Target],
    options: &ObserveOptions,
    listener: &dyn Listener,
) -> Result<Vec<ObservedObject>, Error> {
    let delivery = options.delivery.as_ref().map(Delivery::selector);
    // Whatever is of a delivery has this label.
    let labels = Some(delivery.unwrap_or_else(|| OWNER_NAME.to_owned()));
    let manner = Manner { once: true, depth: Depth::Verdicts, labels };
    let mut scene = Scene::begin(cluster, targets, options, listener, manner);
    scene.hear_all().await?;
    Ok(scene.board.objects())
}

impl Scene<'_> {
    async fn until_end(
        &mut self,
        options: &ObserveOptions,
        stop: &watch::Receiver<bool>,
    ) -> Result<End, Error> {
        let begun = Instant::now();
        let limits = Limits::new(options);
        loop {
            let now = Instant::now();
            self.tick(now);
            if now >= begun + SOON {
                self.want_reasons();
            }
            match self.board.end(begun, &limits, now) {
                Some(End::Ready) => return Ok(End::Ready),
                Some(end) => {
                    tokio::select! {
                        explained = self.explain() => explained?,
                        () = stopped(stop.clone()) => {}
                    }
                    let is_good = self.board.is_all_good(Instant::now());
                    return Ok(if is_good { End::Ready } else { end });
                }
                None => {}
            }
            let times = [Some(begun + SOON).filter(|soon| *soon > now), self.due()];
            let wake = times.into_iter().flatten().chain(self.board.wake(begun, &limits, now));
            // The end of time at the latest.
            let wake = wake.min().unwrap_or(now + SOON);
            tokio::select! {
                stirred = self.stir() => stirred?,
                () = tokio::time::sleep_until(wake.into()) => {}
                () = stopped(stop.clone()) => return Ok(End::Stopped),
            }
        }
    }
}
