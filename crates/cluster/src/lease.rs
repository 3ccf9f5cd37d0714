//! One apply at a time: a `coordination.k8s.io/v1` Lease per delivery.

mod holder; // who holds it

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kelson_plan::{Delivery, Event, Listener, Refusal, Silent};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::holder::Holder;
use crate::own::{self, Version};
use crate::{Cluster, Error};

/// What a caller can choose about a Lease.
#[derive(Clone, Debug)]
pub struct LeaseOptions {
    /// How long it holds without being renewed.
    pub duration: Duration,
    /// How long a Lease that somebody else holds is waited for.
    pub patience: Duration,
}

impl Default for LeaseOptions {
    fn default() -> Self {
        Self { duration: Duration::from_secs(15), patience: Duration::from_secs(60) }
    }
}

/// A Lease that we hold. It is renewed in the background while it is held; a Lease that is dropped without being given back
/// is left to become stale, as after a crash.
pub struct Lease {
    who: String,
    held: Arc<HeldLease>,
    /// Ends the renewal.
    end: watch::Sender<bool>,
    renewal: Option<JoinHandle<()>>,
    /// When the last question was asked that the cluster answered with yes.
    checked: tokio::sync::Mutex<Option<Instant>>,
}

/// What the holder and the one who renews for it share.
struct HeldLease {
    cluster: Cluster,
    delivery: Delivery,
    path: String,
    holder: Holder,
    duration: Duration,
    taken_at: String,
    transitions: u64,
    version: Mutex<Version>,
    /// Whether a renewal has found it with somebody else.
    is_lost: AtomicBool,
}

impl Lease {
    /// Takes the Lease of a delivery: creates it, or takes over a stale one. Stale is one that was not renewed for its
    /// duration by our own watch (clocks are not compared), or whose holder ran on this machine, in this
    /// process namespace and boot, and runs no longer.
    ///
    /// # Errors
    ///
    /// Fails where somebody else holds it all the while.
    pub async fn take(
        cluster: &Cluster,
        delivery: &Delivery,
        options: &LeaseOptions,
        listener: &dyn Listener,
    ) -> Result<Self, Error> {
        let who = cluster.who().await;
        let attempt = Attempt {
            cluster,
            delivery,
            path: path(delivery),
            holder: Holder::new(&who),
            options,
            listener,
        };
        let held = Arc::new(attempt.take().await?);
        let (end, ended) = watch::channel(false);
        let renewal = tokio::spawn(held.clone().renew(ended));
        Ok(Self { who, held, end, renewal: Some(renewal), checked: tokio::sync::Mutex::default() })
    }

    /// Who holds it, as the cluster knows us.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Asks the cluster whether it is still ours.
    ///
    /// # Errors
    ///
    /// Fails where it is not.
    pub async fn check(&self) -> Result<(), Error> {
        let wanted = Instant::now();
        let mut checked = self.checked.lock().await;
        // Many who want to know at once share one question that was asked after all of them came.
        if checked.is_some_and(|checked| checked >= wanted) {
            return Ok(());
        }
        let asked = Instant::now();
        self.ask().await?;
        *checked = Some(asked);
        Ok(())
    }

    /// Whether it is known to be somebody else's, without asking.
    ///
    /// # Errors
    ///
    /// Fails where it is.
    pub(crate) fn recall(&self) -> Result<(), Error> {
        match self.held.is_lost.load(Ordering::Relaxed) {
            true => Err(Error::LeaseLost(self.held.delivery.to_string())),
            false => Ok(()),
        }
    }

    async fn ask(&self) -> Result<(), Error> {
        let held = &self.held;
        let found = own::read(&held.cluster, &held.path, &Silent).await;
        let found =
            found.map_err(|refusal| refused("ask for the lease", &held.delivery, refusal))?;
        match found {
            Some((lease, _)) if holder_of(&lease) == held.holder.text() => Ok(()),
            _ => Err(Error::LeaseLost(held.delivery.to_string())),
        }
    }

    /// Gives it back: nothing is left of it. What cannot be given back becomes stale.
    pub async fn release(mut self) {
        self.end.send(true).ok();
        if let Some(renewal) = self.renewal.take() {
            renewal.await.ok();
        }
        self.held.remove().await;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(renewal) = &self.renewal {
            renewal.abort();
        }
    }
}

impl HeldLease {
    /// Renews until told to end, or until it is somebody else's: what that means is found out by [`Lease::check`].
    async fn renew(self: Arc<Self>, ended: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = crate::wait::stopped(ended.clone()) => return,
                () = tokio::time::sleep(self.duration / 3) => {}
            }
            let version = lock(&self.version).clone();
            let object = self.object();
            let written =
                own::write(&self.cluster, &self.path, object, Some(&version), &Silent).await;
            match written {
                Ok(version) => *lock(&self.version) = version,
                Err(refused) if matches!(refused.refusal.code, 404 | 409) => {
                    // Somebody wrote it: we ourselves in a try that went without an answer, or one who only
                    // labelled it, or the one who has taken it over.
                    match self.current().await {
                        Ok(Some(version)) => *lock(&self.version) = version,
                        Ok(None) => return self.is_lost.store(true, Ordering::Relaxed),
                        Err(_) => {}
                    }
                }
                // The next time, perhaps.
                Err(_) => {}
            }
        }
    }

    async fn remove(&self) {
        let mut version = lock(&self.version).clone();
        for _ in 0..3 {
            let gone = own::delete(&self.cluster, &self.path, &version, &Silent).await;
            match gone {
                Err(refused) if refused.refusal.code == 409 => match self.current().await {
                    Ok(Some(current)) => version = current,
                    _ => return,
                },
                _ => return,
            }
        }
    }

    /// The version of the Lease as it is now; nothing where it is not ours.
    async fn current(&self) -> Result<Option<Version>, Refusal> {
        let found = own::read(&self.cluster, &self.path, &Silent).await?;
        Ok(found.and_then(|(lease, version)| {
            (holder_of(&lease) == self.holder.text()).then_some(version)
        }))
    }

    fn object(&self) -> Value {
        object(&self.delivery, &self.holder, self.duration, &self.taken_at, self.transitions)
    }
}

/// Somebody who wants a Lease.
struct Attempt<'a> {
    cluster: &'a Cluster,
    delivery: &'a Delivery,
    path: String,
    holder: Holder,
    options: &'a LeaseOptions,
    listener: &'a dyn Listener,
}

/// A Lease of somebody else, as it was first seen.
struct Sighting {
    version: Version,
    since: Instant,
}

impl Attempt<'_> {
    async fn take(self) -> Result<HeldLease, Error> {
        let end = Instant::now() + self.options.patience;
        let mut sighting: Option<Sighting> = None;
        let mut told = String::new();
        // The usual case first: nobody has it.
        if let Some(held) = self.write(None, 0).await? {
            return Ok(held);
        }
        loop {
            let found = own::read(self.cluster, &self.path, self.listener).await;
            let found = found.map_err(|refusal| self.refused(refusal))?;
            let Some((lease, version)) = found else {
                if let Some(held) = self.write(None, 0).await? {
                    return Ok(held);
                }
                continue;
            };
            if sighting.as_ref().is_none_or(|sighting| sighting.version != version) {
                sighting = Some(Sighting { version: version.clone(), since: Instant::now() });
            }
            let since = sighting.as_ref().map_or_else(Instant::now, |sighting| sighting.since);
            let (stale_in, text) = self.stale_in(&lease, since);
            if !text.is_empty() && text != told {
                self.listener.hear(&Event::Lease(text.clone()));
                told = text;
            }
            if stale_in.is_zero() {
                let transitions =
                    lease["spec"]["leaseTransitions"].as_u64().unwrap_or_default() + 1;
                if let Some(held) = self.write(Some(&version), transitions).await? {
                    return Ok(held);
                }
                continue;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let (delivery, holder) = (self.delivery.to_string(), name(&lease));
                return Err(Error::Held { delivery, holder });
            }
            tokio::time::sleep(stale_in.min(left).min(Duration::from_millis(500))).await;
        }
    }

    /// How long until a Lease that has not changed since some moment may be taken over, and what that is about.
    fn stale_in(&self, lease: &Value, since: Instant) -> (Duration, String) {
        let holder = holder_of(lease);
        // Ours is the one that a try without an answer has written.
        if holder.is_empty() || holder == self.holder.text() {
            return (Duration::ZERO, String::new());
        }
        if Holder::parse(holder).is_some_and(|holder| holder.is_dead()) {
            let text =
                format!("{} has ended without giving it back; it is taken over", name(lease));
            return (Duration::ZERO, text);
        }
        let seconds = lease["spec"]["leaseDurationSeconds"].as_u64().unwrap_or(15).min(3600);
        let left = Duration::from_secs(seconds).saturating_sub(since.elapsed());
        match left.is_zero() {
            true => (left, format!("{} has not renewed it; it is taken over", name(lease))),
            false => (left, format!("{} is applying; waiting", name(lease))),
        }
    }

    /// Writes it as ours; nothing where somebody else was faster.
    async fn write(
        &self,
        over: Option<&Version>,
        transitions: u64,
    ) -> Result<Option<HeldLease>, Error> {
        // The API takes whole seconds, at least one.
        let duration = Duration::from_secs(self.options.duration.as_secs().clamp(1, 3600));
        let taken_at = now();
        let object = object(self.delivery, &self.holder, duration, &taken_at, transitions);
        let version = match own::write(self.cluster, &self.path, object, over, self.listener).await
        {
            Ok(version) => version,
            Err(refused) if refused.refusal.code == 409 => return Ok(None),
            Err(refused) => return Err(self.refused(refused.refusal)),
        };
        Ok(Some(HeldLease {
            cluster: self.cluster.clone(),
            delivery: self.delivery.clone(),
            path: self.path.clone(),
            holder: self.holder.clone(),
            duration,
            taken_at,
            transitions,
            version: Mutex::new(version),
            is_lost: AtomicBool::new(false),
        }))
    }

    fn refused(&self, refusal: Refusal) -> Error {
        if refusal.code == 404 {
            return Error::NoNamespace(self.delivery.namespace().to_owned());
        }
        refused("take the lease", self.delivery, refusal)
    }
}

fn path(delivery: &Delivery) -> String {
    let (namespace, name) = (delivery.namespace(), delivery.name());
    format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/kelson.{name}")
}

fn object(
    delivery: &Delivery,
    holder: &Holder,
    duration: Duration,
    taken_at: &str,
    transitions: u64,
) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": format!("kelson.{}", delivery.name()),
            "namespace": delivery.namespace(),
            "labels": {"app.kubernetes.io/managed-by": "kelson"},
        },
        "spec": {
            "holderIdentity": holder.text(),
            "leaseDurationSeconds": duration.as_secs(),
            "acquireTime": taken_at,
            "renewTime": now(),
            "leaseTransitions": transitions,
        },
    })
}

/// Now, for people who look at a Lease: nobody compares it with another clock.
fn now() -> String {
    format!("{:.6}", jiff::Timestamp::now())
}

fn holder_of(lease: &Value) -> &str {
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default()
}

fn name(lease: &Value) -> String {
    let text = holder_of(lease);
    Holder::parse(text).map_or_else(|| text.to_owned(), |holder| holder.name())
}

fn refused(what: &str, delivery: &Delivery, refusal: Refusal) -> Error {
    Error::Refused { what: format!("{what} of {delivery}"), refusal }
}

fn lock(version: &Mutex<Version>) -> std::sync::MutexGuard<'_, Version> {
    version.lock().unwrap_or_else(PoisonError::into_inner)
}
