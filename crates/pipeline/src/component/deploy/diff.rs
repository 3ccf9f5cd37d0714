//! Steps for whoever approves them, in the form that approvers know.

use kelson_model::ObjectId;
use kelson_plan::{Action, Change, Checked, Plan, Refusal, Step, Value};
use serde_json::Value as Json;

use crate::plan::{
    ADDED, DIFF_VERSION, DiffEntry, ERROR, MODIFIED, REMOVED, ResourceDiff, UNCHANGED,
};

/// What becomes of every object. `refused` are deletes to which the server would say no.
pub(super) fn diffs(plan: &Plan, refused: &[(ObjectId, Refusal)]) -> Vec<ResourceDiff> {
    let steps = plan.steps.iter().filter(|step| step.action != Action::Forget);
    steps.map(|step| diff(step, refused)).collect()
}

fn diff(step: &Step, refused: &[(ObjectId, Refusal)]) -> ResourceDiff {
    let refusal = refused.iter().find(|(id, _)| *id == step.id).map(|(_, refusal)| refusal);
    let (op, kind_of_change, error) = match (&step.action, refusal) {
        (_, Some(refusal)) => ("delete", ERROR, refusal.to_string()),
        (Action::Create, None) => ("apply", ADDED, String::new()),
        (Action::Change | Action::Recreate(_) | Action::Release, None) => {
            ("apply", MODIFIED, String::new())
        }
        (Action::Delete, None) => ("delete", REMOVED, String::new()),
        (Action::Keep(_) | Action::Forget, None) => ("apply", UNCHANGED, String::new()),
        (Action::Fail(failure), None) => ("apply", ERROR, failure.to_string()),
    };
    let is_tried = step.checked == Checked::ByServer || step.action == Action::Delete;
    ResourceDiff {
        version: DIFF_VERSION.to_owned(),
        name: step.id.name.clone(),
        namespace: step.id.namespace.clone(),
        kind: step.id.kind.clone(),
        api: match step.id.group.as_str() {
            "" => step.kind.version.clone(),
            group => format!("{group}/{}", step.kind.version),
        },
        resource: step.kind.plural.clone(),
        op: op.to_owned(),
        kind_of_change,
        error,
        dry_run: is_tried,
        entries: entries(step),
    }
}

/// The fields that change, and what is worth knowing.
fn entries(step: &Step) -> Vec<DiffEntry> {
    let shown = step.changes.iter().filter(|change| change.hidden.is_none());
    let note = |text: &str| DiffEntry {
        kind_of_change: UNCHANGED,
        payload: text.to_owned(),
        ..DiffEntry::default()
    };
    let mut entries: Vec<DiffEntry> = shown.map(entry).collect();
    entries.extend(step.notes.iter().map(|text| note(text)));
    match &step.action {
        Action::Keep(Some(why)) => entries.push(note(why)),
        Action::Recreate(fields) => {
            entries
                .push(note(&format!("it is made anew: {} cannot be changed", fields.join(", "))));
        }
        Action::Release => entries.push(note("it was there before; our fields are taken back")),
        _ => {}
    }
    entries
}

fn entry(change: &Change) -> DiffEntry {
    let field = &change.field;
    let kind_of_change = match (&field.before, &field.after) {
        (None, _) => ADDED,
        (_, None) => REMOVED,
        (Some(before), Some(after)) if before == after => UNCHANGED,
        _ => MODIFIED,
    };
    DiffEntry {
        path: field.path.clone(),
        original: field.before.as_ref().map(json),
        applied: field.after.as_ref().map(json),
        kind_of_change,
        ..DiffEntry::default()
    }
}

/// A value as it was; one of a Secret as its mask.
fn json(value: &Value) -> Json {
    match value {
        Value::Shown(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
        }
        Value::Masked(_) => Json::String(value.to_string()),
    }
}

/// Fields that are taken from others, in words.
pub(super) fn taken(plan: &Plan) -> Vec<String> {
    let forced = plan.steps.iter().filter(|step| step.force);
    let mut texts = Vec::new();
    for step in forced {
        let changed = step.changes.iter().filter(|it| it.field.before != it.field.after);
        for change in changed.filter(|change| change.field.after.is_some()) {
            let others: Vec<&str> = change.managers.iter().map(String::as_str).collect();
            if !others.is_empty() && !others.contains(&plan.field_manager.as_str()) {
                let (id, path) = (&step.id, &change.field.path);
                texts.push(format!("{id}: `{path}` is taken from {}", others.join(", ")));
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_the_fields_that_approvers_know() {
        let diff = ResourceDiff {
            version: DIFF_VERSION.to_owned(),
            name: "web".to_owned(),
            namespace: "shop".to_owned(),
            kind: "Deployment".to_owned(),
            api: "apps/v1".to_owned(),
            resource: "deployments".to_owned(),
            op: "apply".to_owned(),
            kind_of_change: MODIFIED,
            dry_run: true,
            entries: vec![DiffEntry {
                path: "spec.replicas".to_owned(),
                original: Some(json(&Value::Shown("2".to_owned()))),
                applied: Some(json(&Value::Shown("\"3\"".to_owned()))),
                kind_of_change: MODIFIED,
                ..DiffEntry::default()
            }],
            ..ResourceDiff::default()
        };
        assert_eq!(
            serde_json::to_value(&diff).unwrap(),
            serde_json::json!({
                "_version": "2", "name": "web", "namespace": "shop", "kind": "Deployment", "api": "apps/v1",
                "resource": "deployments", "op": "apply", "type": 3, "dry_run": true,
                "entries": [{"path": "spec.replicas", "original": 2, "applied": "3", "type": 3}],
            })
        );
    }

    #[test]
    fn a_value_of_a_secret_is_its_mask() {
        assert_eq!(json(&Value::Masked("b0344c61".to_owned())), "***(b0344c61)");
        assert_eq!(json(&Value::Shown("some text".to_owned())), "some text");
    }
}
