//! Jobs, as Flux reads them: one that runs is on its way, where kstatus would have it done as soon as it has begun. Nothing
//! else of a Job counts, not even that it is being deleted.

use super::Verdict;
use super::facts::{Facts, is_true};

pub(super) fn judge(facts: &Facts<'_>) -> Result<Verdict, String> {
    if is_true(facts.node, &["spec", "suspend"]) {
        return Ok(Verdict::current("Job is suspended"));
    }
    let parallelism = facts.whole(&["spec", "parallelism"]).unwrap_or(1);
    let completions = facts.whole(&["spec", "completions"]).unwrap_or(parallelism);
    let count = |key| facts.whole(&["status", key]).unwrap_or(0);
    let (active, succeeded, failed) = (count("active"), count("succeeded"), count("failed"));
    for condition in facts.conditions()? {
        if condition.holds("Complete") {
            let message = format!("Job Completed. succeeded: {succeeded}/{completions}");
            return Ok(Verdict::current(message));
        }
        if condition.holds("Failed") {
            let message = format!("Job Failed. failed: {failed}/{completions}");
            return Ok(Verdict::failed("JobFailed", message));
        }
    }
    Ok(match facts.text(&["status", "startTime"]).is_empty() {
        true => Verdict::in_progress(
            "JobNotStarted",
            format!("Job not started. active: 0/{parallelism}"),
        ),
        false => Verdict::in_progress(
            "JobInProgress",
            format!("Job in progress. success:{succeeded}, active: {active}, failed: {failed}"),
        ),
    })
}
