//! Why something cannot be done, in words.

use std::fmt;

use crate::{Cause, Failure, Refusal};

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflicts(conflicts) => {
                formatter.write_str("other managers own ")?;
                for (index, conflict) in conflicts.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(formatter, "{comma}`{}` ({})", conflict.field, conflict.manager)?;
                }
                Ok(())
            }
            Self::Managed(tool) => write!(formatter, "it is managed by {tool}"),
            Self::Immutable(fields) => {
                write!(formatter, "{} cannot be changed", quoted(fields))
            }
            Self::HoldsData(loss) => formatter.write_str(&loss.what),
            Self::Refused(refusal) => refusal.fmt(formatter),
            Self::Unreadable(why) => write!(formatter, "it cannot be read: {why}"),
            Self::Problem(what) => formatter.write_str(what),
        }
    }
}

fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}

impl Failure {
    /// What a person can do about it, where that is always the same.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Conflicts(_) => Some(
                "leave the fields to them with --ignore, or take them over with --take or --take-all",
            ),
            Self::Managed(_) => Some("take it over with --adopt"),
            Self::Immutable(_) => Some("delete it and make it anew with --recreate"),
            Self::HoldsData(_) => Some("let it go with --prune-data"),
            Self::Refused(_) | Self::Unreadable(_) | Self::Problem(_) => None,
        }
    }

    /// The same as a refusal: what comes of a step that is not even tried.
    pub fn refusal(&self) -> Refusal {
        let reason = match self {
            Self::Refused(refusal) => return refusal.clone(),
            Self::Conflicts(_) => "Conflict",
            Self::Managed(_) => "Managed",
            Self::Immutable(_) => "Immutable",
            Self::HoldsData(_) => "HoldsData",
            Self::Unreadable(_) => "Unreadable",
            Self::Problem(_) => "Invalid",
        };
        let cause = |field: &str, message: String| Cause {
            reason: reason.to_owned(),
            field: field.to_owned(),
            message,
        };
        let causes = match self {
            Self::Conflicts(conflicts) => {
                conflicts.iter().map(|one| cause(&one.field, one.manager.clone())).collect()
            }
            Self::Immutable(fields) => {
                fields.iter().map(|field| cause(field, "cannot be changed".to_owned())).collect()
            }
            _ => Vec::new(),
        };
        let message = match self.remedy() {
            Some(remedy) => format!("{self}; {remedy}"),
            None => self.to_string(),
        };
        Refusal { code: 0, reason: reason.to_owned(), message, causes }
    }
}
