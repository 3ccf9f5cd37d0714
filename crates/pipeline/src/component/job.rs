//! What all jobs have in common: they run step by step, everybody is told, and whatever becomes of them is cleaned up.

mod error; // what can go wrong
mod registry; // registries that a plan names
mod report; // who is told what
mod thread; // heavy work
mod world; // what a job needs from outside

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::watch;

pub use error::Error;
pub(super) use error::{chain, refuse};
pub(super) use registry::{check_registry, described};
pub(super) use report::Report;
pub use report::{Event, Events, Status, Step, StepResult};
pub(super) use thread::on_thread;
pub use world::{Connect, Repositories, Verify, World};

/// How long a job whose time is over may take to come to an end in order.
const GRACE: Duration = Duration::from_secs(10);

/// Runs the steps of a job within its time, and says how it ended. Where it must not end just anywhere, `stop` asks it to
/// end in order first. What the steps hold is let go before anybody is told that it was.
pub(super) async fn run<T>(
    report: &Report,
    limit: Duration,
    stop: Option<&watch::Sender<bool>>,
    steps: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    report.begin();
    let result = {
        let mut steps = pin!(AssertUnwindSafe(steps).catch_unwind());
        match (tokio::time::timeout(limit, &mut steps).await, stop) {
            (Ok(Ok(result)), _) => result,
            (Ok(Err(_)), _) => Err(Error::Panicked),
            (Err(_), stop) => {
                if let Some(stop) = stop {
                    stop.send_replace(true);
                    tokio::time::timeout(GRACE, &mut steps).await.ok();
                }
                Err(Error::TimedOut { limit })
            }
        }
    };
    report.end(result.as_ref().map(|_| Status::Finished).unwrap_or_else(Error::status));
    result
}

/// What is said of fields of a plan that nobody here knows.
pub(super) fn unknown(fields: Vec<String>) -> Vec<String> {
    let say = |field: String| format!("the plan's field `{field}` is not known here");
    fields.into_iter().map(say).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[track_caller]
    fn check<W: Future<Output = Result<(), Error>>>(
        steps: impl FnOnce(watch::Receiver<bool>) -> W,
        expected: &str,
    ) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&told);
        let events: Events = Arc::new(move |event: &Event| {
            let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            sink.lock().unwrap().push(word(serde_json::to_value(event.status).unwrap()));
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let report = Report::new("job", events);
        let (stop, wanted) = watch::channel(false);
        let limit = Duration::from_millis(20);
        runtime.block_on(run(&report, limit, Some(&stop), steps(wanted))).ok();
        assert_eq!(told.lock().unwrap().join(" "), expected);
    }

    #[test]
    fn however_a_job_ends_it_is_cleaned_up_and_told() {
        check(async |_| Ok(()), "pending cleaning-up finished");
        check(async |_| refuse("no"), "pending cleaning-up failed");
        check(async |_| panic!("a defect"), "pending cleaning-up failed");
        check(async |_| Err(Error::Declined), "pending cleaning-up cancelled");
        // It ends when it is asked to, in order; but by then its time was over.
        let late = async |mut wanted: watch::Receiver<bool>| {
            wanted.wait_for(|is_wanted| *is_wanted).await.map(drop).ok();
            Ok(())
        };
        check(late, "pending cleaning-up timed-out");
    }
}
