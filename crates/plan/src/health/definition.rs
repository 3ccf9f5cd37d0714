//! CustomResourceDefinitions: the first condition that says something decides.

use super::Verdict;
use super::facts::Facts;

pub(super) fn judge(facts: &Facts<'_>) -> Result<Verdict, String> {
    for condition in facts.conditions()? {
        let refused = condition.fails("NamesAccepted")
            || condition.fails("Established") && condition.reason != "Installing";
        if refused {
            return Ok(Verdict::failed(condition.word(), condition.shown()));
        }
        if condition.holds("Established") {
            return Ok(Verdict::current("CRD is established"));
        }
    }
    Ok(Verdict::in_progress("Installing", "Install in progress"))
}
