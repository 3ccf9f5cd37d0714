//! What has moved between what was approved and what would be done now.

use std::collections::HashMap;

use kelson_model::ObjectId;

use super::Approved;
use crate::{Action, Change, Hash, Plan, Step, Value};

/// What has moved between an approved plan and one computed now for the same artifact: a text for each, naming the object or
/// the inventory or the cluster. Empty where the approved plan can be executed as it is.
///
/// The content of an object moves it, whoever wrote it; its status, its resource version and its generation do not.
pub fn moved(approved: &Approved, now: &Plan, inventory: Option<&Hash>) -> Vec<String> {
    let then = &approved.plan;
    if then.cluster != now.cluster {
        // Whatever else there is to say of another cluster, it is no news.
        return vec![format!(
            "the plan is for another cluster: the uid of its `kube-system` is {}, and that of this one {}",
            then.cluster, now.cluster
        )];
    }
    let mut texts = whole(then, now);
    texts.extend(record(approved, inventory));
    let mut before: HashMap<&ObjectId, &Step> =
        then.steps.iter().map(|step| (&step.id, step)).collect();
    for step in &now.steps {
        let text = match before.remove(&step.id) {
            Some(then) => object(then, step),
            None => Some(format!("was not part of the plan, and {}", intent(&step.action))),
        };
        texts.extend(text.map(|text| format!("{} {text}", step.id)));
    }
    // In the order of the plan, not of the map.
    let left = then.steps.iter().filter(|step| before.contains_key(&step.id));
    texts.extend(left.map(|step| format!("{} is no longer part of the plan", step.id)));
    texts
}

/// What a plan is about.
fn whole(then: &Plan, now: &Plan) -> Vec<String> {
    let delivery =
        |plan: &Plan| plan.delivery.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
    let about = [
        ("delivery", delivery(then), delivery(now)),
        ("artifact", then.artifact.clone(), now.artifact.clone()),
        ("field manager", then.field_manager.clone(), now.field_manager.clone()),
    ];
    let differing = about.into_iter().filter(|(_, then, now)| then != now);
    let text = |(what, then, now)| format!("the plan is for another {what}: {then}, not {now}");
    differing.map(text).collect()
}

fn record(approved: &Approved, inventory: Option<&Hash>) -> Option<String> {
    let of = match &approved.plan.delivery {
        Some(delivery) => format!("the inventory of {delivery}"),
        None => "the inventory".to_owned(),
    };
    match (&approved.inventory, inventory) {
        (Some(then), Some(now)) if then == now => None,
        (None, None) => None,
        (Some(_), Some(_)) => Some(format!("{of} has changed: something was applied since")),
        (None, Some(_)) => Some(format!("{of} exists now: something was applied since")),
        (Some(_), None) => Some(format!("{of} is gone")),
    }
}

/// What has moved about one object.
fn object(then: &Step, now: &Step) -> Option<String> {
    match (&then.ground.uid, &now.ground.uid) {
        (None, Some(_)) => {
            return Some("exists now, and did not when the plan was made".to_owned());
        }
        (Some(_), None) if !is_out_of_sight(now) => {
            return Some("is gone, and was there when the plan was made".to_owned());
        }
        (Some(then), Some(now)) if then != now => {
            return Some(format!("is another object now: its uid was {then} and is {now}"));
        }
        _ => {}
    }
    if then.ground.hash != now.ground.hash && !is_out_of_sight(now) {
        return Some("has changed since the plan was made".to_owned());
    }
    if sort(&then.action) != sort(&now.action) {
        return Some(format!(
            "{} in the plan, and now {}",
            intent(&then.action),
            intent(&now.action)
        ));
    }
    let is_same = then.desired == now.desired && then.force == now.force;
    if !is_same || !same_changes(&then.changes, &now.changes) {
        return Some("would be changed in another way than the plan shows".to_owned());
    }
    None
}

/// Whether nothing is known of an object now, so that nothing can be said of its ground.
fn is_out_of_sight(step: &Step) -> bool {
    matches!(step.action, Action::Fail(crate::Failure::Unreadable(_)))
}

/// What sort of thing is done. Why something is left as it is does not matter.
fn sort(action: &Action) -> usize {
    match action {
        Action::Create => 0,
        Action::Change => 1,
        Action::Recreate(_) => 2,
        Action::Delete => 3,
        Action::Release => 4,
        Action::Keep(_) => 5,
        Action::Forget => 6,
        Action::Fail(_) => 7,
    }
}

fn intent(action: &Action) -> &'static str {
    match action {
        Action::Create => "would be created",
        Action::Change => "would be changed",
        Action::Recreate(_) => "would be deleted and created anew",
        Action::Delete => "would be deleted",
        Action::Release => "would be released",
        Action::Keep(_) => "would be left as it is",
        Action::Forget => "would be forgotten",
        Action::Fail(_) => "would fail",
    }
}

/// Whether the same changes were shown. What rules hide was not: a server may choose there anew each time it is asked,
/// such as the port of a Service. Masks are not compared either: another key gives others, and what they hide cannot have
/// changed where neither the object nor what is desired has.
fn same_changes(then: &[Change], now: &[Change]) -> bool {
    let shown = |changes: &[Change]| -> Vec<(String, Option<Value>, Option<Value>)> {
        let shown = changes.iter().filter(|change| change.hidden.is_none());
        let fields = shown.map(|change| change.field.clone());
        fields.map(|field| (field.path, unmasked(field.before), unmasked(field.after))).collect()
    };
    shown(then) == shown(now)
}

fn unmasked(value: Option<Value>) -> Option<Value> {
    value.map(|value| match value {
        Value::Masked(_) => Value::Masked(String::new()),
        shown @ Value::Shown(_) => shown,
    })
}
