//! Failures as they are stored.

use serde::{Deserialize, Serialize};

use crate::stored::StoredId;
use crate::{Cause, Conflict, DataLoss, Failure, Refusal};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StoredFailure {
    Conflicts(Vec<StoredConflict>),
    Managed(String),
    Immutable(Vec<String>),
    HoldsData(StoredLoss),
    Refused(StoredRefusal),
    Unreadable(String),
    Problem(String),
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredConflict {
    field: String,
    manager: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredLoss {
    object: StoredId,
    what: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredRefusal {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    causes: Vec<StoredCause>,
}

#[derive(Serialize, Deserialize)]
struct StoredCause {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    field: String,
    #[serde(default)]
    message: String,
}

impl From<&Failure> for StoredFailure {
    fn from(failure: &Failure) -> Self {
        match failure.clone() {
            Failure::Conflicts(conflicts) => Self::Conflicts(
                conflicts
                    .into_iter()
                    .map(|Conflict { field, manager }| StoredConflict { field, manager })
                    .collect(),
            ),
            Failure::Managed(tool) => Self::Managed(tool),
            Failure::Immutable(fields) => Self::Immutable(fields),
            Failure::HoldsData(DataLoss { id, what }) => {
                Self::HoldsData(StoredLoss { object: (&id).into(), what })
            }
            Failure::Refused(Refusal { code, reason, message, causes }) => {
                let causes = causes
                    .into_iter()
                    .map(|Cause { reason, field, message }| StoredCause { reason, field, message });
                Self::Refused(StoredRefusal { code, reason, message, causes: causes.collect() })
            }
            Failure::Unreadable(why) => Self::Unreadable(why),
            Failure::Problem(what) => Self::Problem(what),
        }
    }
}

impl From<StoredFailure> for Failure {
    fn from(stored: StoredFailure) -> Self {
        match stored {
            StoredFailure::Conflicts(conflicts) => Self::Conflicts(
                conflicts
                    .into_iter()
                    .map(|StoredConflict { field, manager }| Conflict { field, manager })
                    .collect(),
            ),
            StoredFailure::Managed(tool) => Self::Managed(tool),
            StoredFailure::Immutable(fields) => Self::Immutable(fields),
            StoredFailure::HoldsData(StoredLoss { object, what }) => {
                Self::HoldsData(DataLoss { id: object.into(), what })
            }
            StoredFailure::Refused(StoredRefusal { code, reason, message, causes }) => {
                let causes = causes
                    .into_iter()
                    .map(|StoredCause { reason, field, message }| Cause { reason, field, message });
                Self::Refused(Refusal { code, reason, message, causes: causes.collect() })
            }
            StoredFailure::Unreadable(why) => Self::Unreadable(why),
            StoredFailure::Problem(what) => Self::Problem(what),
        }
    }
}
