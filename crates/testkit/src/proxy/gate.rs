//! Where requests are held until a test has done what it wants to do at that very moment.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::{Fault, Seen, lock};

/// How often whoever waits looks whether the proxy has ended.
const GLANCE: Duration = Duration::from_millis(20);

/// A gate. Its clones are the same gate. Several requests may be held at it; each is let go by a word of its own, and
/// a word that comes before the request is kept for it.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    arrived: VecDeque<Seen>,
    told: VecDeque<Option<Fault>>,
}

impl Gate {
    /// A new gate, at which nothing is held yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until a request is held, and says which; nothing if none has come in this time. Each is said once.
    pub fn wait(&self, patience: Duration) -> Option<Seen> {
        let (state, changed) = &*self.0;
        let until = Instant::now() + patience;
        let mut state = lock(state);
        loop {
            if let Some(seen) = state.arrived.pop_front() {
                return Some(seen);
            }
            let left = until.checked_duration_since(Instant::now())?;
            state = match changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Lets the request that is held the longest go on to a fault, or to none.
    pub fn release(&self, fate: Option<Fault>) {
        let (state, changed) = &*self.0;
        lock(state).told.push_back(fate);
        changed.notify_all();
    }

    /// Holds a request until somebody says what becomes of it, or until the end.
    pub(super) fn hold(&self, seen: Seen, ends: &AtomicBool) -> Option<Fault> {
        let (state, changed) = &*self.0;
        let mut state = lock(state);
        state.arrived.push_back(seen);
        changed.notify_all();
        loop {
            if let Some(fate) = state.told.pop_front() {
                return fate;
            }
            if ends.load(Ordering::SeqCst) {
                return Some(Fault::Close);
            }
            state = match changed.wait_timeout(state, GLANCE) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Gate")
    }
}
