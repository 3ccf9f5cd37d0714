//! Room for the walks over deep documents.

use std::panic::resume_unwind;
use std::thread;

use anyhow::Context;

/// Documents nest a thousand levels deep at most; this is room for every walk over one. It is only reserved: what
/// no walk reaches costs nothing.
pub(crate) const SIZE: usize = 64 << 20;

/// Does the work on a stack that does not depend on the limits of whoever started us.
pub(crate) fn with_room<T: Send>(
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(SIZE).spawn_scoped(scope, work);
        let thread = thread.context("cannot start a thread")?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
