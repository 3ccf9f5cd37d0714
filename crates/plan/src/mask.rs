//! What must not be shown.

use kelson_model::Object;

use crate::fields::{FieldChange, Value};

/// The annotation in which kubectl keeps the whole object once more.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The changes of an object, with the values of a Secret masked.
pub(crate) fn changes(object: &Object, mut changes: Vec<FieldChange>) -> Vec<FieldChange> {
    if object.is_secret() {
        for change in changes.iter_mut().filter(|change| is_hidden(&change.path)) {
            for value in [&mut change.before, &mut change.after].into_iter().flatten() {
                *value = Value::Masked;
            }
        }
    }
    changes
}

fn is_hidden(path: &str) -> bool {
    let below = |field: &str| {
        let rest = path.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    below("data") || below("stringData") || path.contains(LAST_APPLIED)
}
