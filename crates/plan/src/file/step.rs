//! Steps as they are stored.

use kelson_model::ObjectId;
use serde::{Deserialize, Serialize};

use super::failure::StoredFailure;
use super::stored::hash;
use crate::rules::RULES;
use crate::stored::{StoredId, StoredOrigin, is_false};
use crate::{Action, Change, Checked, FieldChange, Ground, Hash, Kind, Step, Value};

/// The name of a rule that this version does not have: changes that it hid stay hidden.
const ANOTHER_RULE: &str = "rule of another version";

#[derive(Serialize, Deserialize)]
pub(super) struct StoredStep {
    #[serde(default)]
    wave: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    asked_wave: i32,
    action: StoredAction,
    object: StoredId,
    version: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    plural: String,
    #[serde(default, skip_serializing_if = "is_false")]
    namespaced: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    to_come: bool,
    #[serde(default, skip_serializing_if = "StoredGround::is_empty")]
    ground: StoredGround,
    checked: StoredChecked,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    desired: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    force: bool,
    #[serde(default)]
    origin: StoredOrigin,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<StoredId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<StoredChange>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredAction {
    Create,
    Change,
    Recreate(Vec<String>),
    Delete,
    Release,
    Keep(Option<String>),
    Forget,
    Fail(StoredFailure),
}

#[derive(Default, Serialize, Deserialize)]
struct StoredGround {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredChecked {
    ByServer,
    AsRecorded,
    Here,
    OnApply,
}

#[derive(Serialize, Deserialize)]
struct StoredChange {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<StoredValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<StoredValue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    managers: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hidden: Option<String>,
}

/// A value that can be shown is its text; one that cannot is what it was masked with.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredValue {
    Shown(String),
    Masked { masked: String },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &i32) -> bool {
    *value == 0
}

impl StoredGround {
    fn is_empty(&self) -> bool {
        self.uid.is_none() && self.hash.is_none()
    }
}

impl From<&Step> for StoredStep {
    fn from(step: &Step) -> Self {
        Self {
            wave: step.wave,
            asked_wave: step.asked_wave,
            action: (&step.action).into(),
            object: (&step.id).into(),
            version: step.kind.version.clone(),
            plural: step.kind.plural.clone(),
            namespaced: step.kind.namespaced,
            to_come: step.kind.to_come,
            ground: StoredGround {
                uid: step.ground.uid.clone(),
                hash: step.ground.hash.as_ref().map(Hash::to_string),
            },
            checked: step.checked.into(),
            desired: step.desired.as_ref().map(Hash::to_string),
            force: step.force,
            origin: step.origin.into(),
            depends_on: step.depends_on.iter().map(StoredId::from).collect(),
            notes: step.notes.clone(),
            changes: step.changes.iter().map(StoredChange::from).collect(),
        }
    }
}

impl StoredStep {
    /// The step again; the error says what is wrong with it.
    pub(super) fn step(self) -> Result<Step, String> {
        let id = ObjectId::from(self.object);
        let ground = Ground {
            uid: self.ground.uid,
            hash: self.ground.hash.as_deref().map(hash).transpose()?,
            ..Ground::default()
        };
        Ok(Step {
            kind: Kind {
                group: id.group.clone(),
                version: self.version,
                kind: id.kind.clone(),
                plural: self.plural,
                namespaced: self.namespaced,
                to_come: self.to_come,
            },
            id,
            action: self.action.into(),
            ground,
            changes: self.changes.into_iter().map(Change::from).collect(),
            checked: self.checked.into(),
            body: None,
            desired: self.desired.as_deref().map(hash).transpose()?,
            force: self.force,
            origin: self.origin.into(),
            takeover: None,
            wave: self.wave,
            asked_wave: self.asked_wave,
            depends_on: self.depends_on.into_iter().map(ObjectId::from).collect(),
            notes: self.notes,
        })
    }
}

impl From<&Action> for StoredAction {
    fn from(action: &Action) -> Self {
        match action {
            Action::Create => Self::Create,
            Action::Change => Self::Change,
            Action::Recreate(fields) => Self::Recreate(fields.clone()),
            Action::Delete => Self::Delete,
            Action::Release => Self::Release,
            Action::Keep(why) => Self::Keep(why.clone()),
            Action::Forget => Self::Forget,
            Action::Fail(failure) => Self::Fail(failure.into()),
        }
    }
}

impl From<StoredAction> for Action {
    fn from(stored: StoredAction) -> Self {
        match stored {
            StoredAction::Create => Self::Create,
            StoredAction::Change => Self::Change,
            StoredAction::Recreate(fields) => Self::Recreate(fields),
            StoredAction::Delete => Self::Delete,
            StoredAction::Release => Self::Release,
            StoredAction::Keep(why) => Self::Keep(why),
            StoredAction::Forget => Self::Forget,
            StoredAction::Fail(failure) => Self::Fail(failure.into()),
        }
    }
}

impl From<Checked> for StoredChecked {
    fn from(checked: Checked) -> Self {
        match checked {
            Checked::ByServer => Self::ByServer,
            Checked::AsRecorded => Self::AsRecorded,
            Checked::Here => Self::Here,
            Checked::OnApply => Self::OnApply,
        }
    }
}

impl From<StoredChecked> for Checked {
    fn from(stored: StoredChecked) -> Self {
        match stored {
            StoredChecked::ByServer => Self::ByServer,
            StoredChecked::AsRecorded => Self::AsRecorded,
            StoredChecked::Here => Self::Here,
            StoredChecked::OnApply => Self::OnApply,
        }
    }
}

impl From<&Change> for StoredChange {
    fn from(change: &Change) -> Self {
        Self {
            path: change.field.path.clone(),
            before: change.field.before.as_ref().map(StoredValue::from),
            after: change.field.after.as_ref().map(StoredValue::from),
            managers: change.managers.clone(),
            hidden: change.hidden.map(str::to_owned),
        }
    }
}

impl From<StoredChange> for Change {
    fn from(stored: StoredChange) -> Self {
        let rule = |name: String| {
            RULES.iter().find(|rule| rule.name == name).map_or(ANOTHER_RULE, |rule| rule.name)
        };
        Self {
            field: FieldChange {
                path: stored.path,
                before: stored.before.map(Value::from),
                after: stored.after.map(Value::from),
            },
            managers: stored.managers,
            hidden: stored.hidden.map(rule),
        }
    }
}

impl From<&Value> for StoredValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::Shown(text) => Self::Shown(text.clone()),
            Value::Masked(hash) => Self::Masked { masked: hash.clone() },
        }
    }
}

impl From<StoredValue> for Value {
    fn from(stored: StoredValue) -> Self {
        match stored {
            StoredValue::Shown(text) => Self::Shown(text),
            StoredValue::Masked { masked } => Self::Masked(masked),
        }
    }
}
