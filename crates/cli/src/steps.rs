//! A plan for people: a line for each object that changes, its fields below it, and what it all comes to.

use std::collections::BTreeMap;

use kelson_plan::{Action, Change, Checked, Failure, Plan, Step, Summary};

use crate::{fields, progress};

/// What is shown of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// Whether changes are shown that rules hide, and all fields of what is new.
    pub(crate) all: bool,
}

/// Draws a plan.
pub(crate) fn text(plan: &Plan, detail: Detail) -> String {
    let mut text = String::new();
    plan.steps.iter().for_each(|step| draw(step, detail, &mut text));
    hidden(plan, detail, &mut text);
    if plan.steps.iter().any(|step| is_unchecked(step) && is_drawn(step)) {
        text.push_str("? is checked by the server when it is applied\n");
    }
    text + &summary(&plan.summary(), Tense::Planned) + "\n"
}

fn draw(step: &Step, detail: Detail, text: &mut String) {
    if !is_drawn(step) {
        return;
    }
    let id = &step.id;
    let again = if is_unchecked(step) { " ?" } else { "" };
    match &step.action {
        Action::Create => text.push_str(&format!("+ {id}{again}\n")),
        Action::Change => text.push_str(&format!("~ {id}{again}\n")),
        Action::Recreate(fields) => {
            let fields = fields.join(", ");
            text.push_str(&format!("± {id}{again} (made anew: {fields} cannot be changed)\n"));
        }
        Action::Delete => text.push_str(&format!("- {id}\n")),
        Action::Release => text.push_str(&format!("< {id} (our fields are taken back)\n")),
        Action::Keep(reason) => {
            let reason = reason.as_deref().unwrap_or_default();
            text.push_str(&format!("= {id} (kept: {reason})\n"));
        }
        Action::Forget => text.push_str(&format!("  {id} is gone and leaves the inventory\n")),
        Action::Fail(failure) => draw_failure(step, failure, text),
    }
    changes(step, detail, text);
    step.notes.iter().for_each(|note| text.push_str(&format!("    note: {note}\n")));
}

/// What is as it should be is only counted.
fn is_drawn(step: &Step) -> bool {
    !matches!(step.action, Action::Keep(None))
}

fn is_unchecked(step: &Step) -> bool {
    let is_sent = matches!(step.action, Action::Create | Action::Change | Action::Recreate(_));
    is_sent && matches!(step.checked, Checked::Here | Checked::OnApply)
}

fn draw_failure(step: &Step, failure: &Failure, text: &mut String) {
    match failure {
        Failure::Conflicts(conflicts) => {
            text.push_str(&format!("! {}: fields that others own\n", step.id));
            for conflict in conflicts {
                text.push_str(&format!("    {} (owner: {})\n", conflict.field, conflict.manager));
            }
        }
        failure => text.push_str(&format!("! {}: {failure}\n", step.id)),
    }
    if let Some(remedy) = failure.remedy() {
        text.push_str(&format!("    {remedy}\n"));
    }
}

/// The fields of a step. Of what is new, all are shown where nobody else has looked at them.
fn changes(step: &Step, detail: Detail, text: &mut String) {
    let is_shown = match &step.action {
        Action::Create => detail.all || step.checked == Checked::Here,
        Action::Delete | Action::Keep(_) | Action::Forget => false,
        Action::Change | Action::Recreate(_) | Action::Release | Action::Fail(_) => true,
    };
    if !is_shown {
        return;
    }
    let visible = |change: &&Change| detail.all || change.hidden.is_none();
    for change in step.changes.iter().filter(visible) {
        fields::draw(&change.field, &remark(change), text);
    }
}

/// Whose a field is, and why it would not be shown.
fn remark(change: &Change) -> String {
    let mut remarks = Vec::new();
    if !change.managers.is_empty() {
        remarks.push(format!("owner: {}", change.managers.join(", ")));
    }
    if let Some(rule) = change.hidden {
        remarks.push(format!("noise: {rule}"));
    }
    match remarks.is_empty() {
        true => String::new(),
        false => format!("  ({})", remarks.join("; ")),
    }
}

/// How much the rules have hidden.
fn hidden(plan: &Plan, detail: Detail, text: &mut String) {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let changes = plan.steps.iter().flat_map(|step| &step.changes);
    changes
        .filter_map(|change| change.hidden)
        .for_each(|rule| *rules.entry(rule).or_default() += 1);
    if rules.is_empty() || detail.all {
        return;
    }
    let total = progress::count(rules.values().sum(), "change");
    let rules: Vec<String> = rules.iter().map(|(rule, count)| format!("{rule}: {count}")).collect();
    let rules = rules.join(", ");
    text.push_str(&format!("{total} hidden as noise ({rules}); --show-all shows them\n"));
}

/// Whether something is to be done or was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tense {
    /// It is to be done.
    Planned,
    /// It was done.
    Done,
}

/// How many objects of each sort, in a line.
pub(crate) fn summary(summary: &Summary, tense: Tense) -> String {
    let verbs = match tense {
        Tense::Planned => {
            ["to create", "to change", "to make anew", "to delete", "to release", "failing"]
        }
        Tense::Done => ["created", "changed", "made anew", "deleted", "released", "failed"],
    };
    let counts = [
        summary.created,
        summary.changed,
        summary.recreated,
        summary.deleted,
        summary.released,
        summary.failed,
    ];
    let rest = [(summary.skipped, "not tried"), (summary.kept, "kept")];
    let parts = counts.into_iter().zip(verbs).chain(rest).filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = parts.map(|(count, verb)| format!("{count} {verb}")).collect();
    if parts.is_empty() && tense == Tense::Planned {
        let are = if summary.unchanged == 1 { "is as it" } else { "are as they" };
        let objects = progress::count(summary.unchanged, "object");
        return format!("nothing to do: {objects} {are} should be");
    }
    if parts.is_empty() || summary.unchanged > 0 {
        parts.push(format!("{} unchanged", summary.unchanged));
    }
    parts.join(", ")
}

/// How many objects would be written.
pub(crate) fn writes(summary: &Summary) -> usize {
    summary.created + summary.changed + summary.recreated + summary.deleted + summary.released
}

#[cfg(test)]
mod tests;
