//! Rules of the user's own, in CEL, with the meaning of Flux's `healthCheckExprs`.

mod expression; // one expression, and what it comes to
mod functions; // what the language has beyond its core
mod meter; // no expression takes longer than it may
mod place; // where in a file an expression goes wrong
mod read; // the file
mod value; // objects as the language sees them

use std::sync::Arc;

pub use read::BadHealthRules;
pub(super) use read::read;

use super::facts::Facts;
use super::{Health, Verdict, generic};
use expression::Expression;

/// Rules by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Custom {
    rules: Arc<Vec<Rule>>,
}

/// What the objects of a kind, or of a whole group, are judged by.
#[derive(Debug)]
struct Rule {
    group: String,
    /// Empty for every kind of the group that has no rule of its own.
    kind: String,
    in_progress: Option<Expression>,
    failed: Option<Expression>,
    current: Expression,
}

impl Custom {
    /// Whether there is a rule for a kind.
    pub(super) fn has(&self, group: &str, kind: &str) -> bool {
        self.rule(group, kind).is_some()
    }

    /// Judges an object, where there is a rule for it.
    pub(super) fn judge(&self, facts: &Facts<'_>) -> Option<Verdict> {
        Some(self.rule(facts.group, facts.kind)?.judge(facts))
    }

    fn rule(&self, group: &str, kind: &str) -> Option<&Rule> {
        let find = |kind| self.rules.iter().find(|rule| rule.group == group && rule.kind == kind);
        find(kind).or_else(|| find(""))
    }
}

impl Rule {
    /// The first expression that holds decides; one that cannot be evaluated ends the search. Deletion does not count.
    fn judge(&self, facts: &Facts<'_>) -> Verdict {
        // A generation that is no number is none of ours here: some kinds keep a text there, and the expressions can read it.
        let generation = facts.whole(&["metadata", "generation"]);
        let observed = facts.whole(&["status", "observedGeneration"]);
        if let Some(verdict) = generic::unseen(facts, generation, observed) {
            return verdict;
        }
        for (health, name, expression) in [
            (Health::InProgress, "inProgress", self.in_progress.as_ref()),
            (Health::Failed, "failed", self.failed.as_ref()),
            (Health::Current, "current", Some(&self.current)),
        ] {
            match expression.map_or(Ok(false), |expression| expression.holds(facts)) {
                Ok(true) => return Verdict::new(health, "", format!("`{name}` holds")),
                Ok(false) => {}
                Err(why) => {
                    return Verdict::unknown(format!("`{name}` cannot be evaluated: {why}"));
                }
            }
        }
        Verdict::in_progress("", "`current` does not hold yet")
    }
}

#[cfg(test)]
mod tests;
