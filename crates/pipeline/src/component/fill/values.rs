//! What places are filled with.

use serde_json::{Map, Value};

/// What everything in a state is known by.
const ROOT: &str = "nuon";

/// Values by their paths. They may be secrets: nothing here shows them.
#[derive(Clone, Default)]
pub struct Values(Map<String, Value>);

/// Why something cannot be a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadValue {
    /// A state is no object.
    #[error("the state is an object, not {0}")]
    State(&'static str),
    /// A path is none.
    #[error("`{0}` is not the way to a value, such as nuon.install.id")]
    Path(String),
    /// There is a single value on the way.
    #[error("`{0}` cannot be below a single value")]
    Below(String),
}

/// What is at a path.
pub(super) enum Found {
    Text(String),
    Nothing,
    Several(&'static str),
}

impl std::fmt::Debug for Values {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Values(***)")
    }
}

impl Values {
    /// Takes all that a state says. It is known as `nuon`, whether the state says so itself or not. What is known already
    /// stays unless the state has it, too.
    ///
    /// # Errors
    ///
    /// Fails where it is no object.
    pub fn add_state(&mut self, state: &Value) -> Result<(), BadValue> {
        let Value::Object(fields) = state else { return Err(BadValue::State(sort(state))) };
        match fields.contains_key(ROOT) {
            true => merge(&mut self.0, fields),
            false => merge(&mut self.0, &Map::from_iter([(ROOT.to_owned(), state.clone())])),
        }
        Ok(())
    }

    /// Sets one value, instead of what is there.
    ///
    /// # Errors
    ///
    /// Fails where the path is none, or leads through a single value.
    pub fn set(&mut self, path: &str, text: &str) -> Result<(), BadValue> {
        let path = path.strip_prefix('.').unwrap_or(path);
        let mut names: Vec<&str> = path.split('.').collect();
        let last = names.pop().unwrap_or_default();
        if last.is_empty() || names.iter().any(|name| name.is_empty()) {
            return Err(BadValue::Path(path.to_owned()));
        }
        let below = names.iter().try_fold(&mut self.0, |fields, name| {
            let inner = fields.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            inner.as_object_mut()
        });
        let fields = below.ok_or_else(|| BadValue::Below(path.to_owned()))?;
        fields.insert(last.to_owned(), Value::String(text.to_owned()));
        Ok(())
    }

    /// All of them as one state.
    pub fn into_state(self) -> Value {
        Value::Object(self.0)
    }

    /// Whether a place that begins with this name is meant for us.
    pub(super) fn knows(&self, root: &str) -> bool {
        root == ROOT || self.0.contains_key(root)
    }

    pub(super) fn at(&self, path: &[&str]) -> Found {
        let Some((first, rest)) = path.split_first() else { return Found::Nothing };
        let found = rest.iter().try_fold(self.0.get(*first), |value, name| match value {
            Some(Value::Object(fields)) => Some(fields.get(*name)),
            // A list has no names, and a single value nothing below it.
            _ => None,
        });
        match found.flatten() {
            Some(Value::String(text)) => Found::Text(text.clone()),
            Some(Value::Number(number)) => Found::Text(number.to_string()),
            Some(Value::Bool(value)) => Found::Text(value.to_string()),
            Some(several @ (Value::Array(_) | Value::Object(_))) => Found::Several(sort(several)),
            Some(Value::Null) | None => Found::Nothing,
        }
    }
}

/// Lays fields over others.
fn merge(into: &mut Map<String, Value>, fields: &Map<String, Value>) {
    for (key, value) in fields {
        match (into.get_mut(key), value) {
            (Some(Value::Object(into)), Value::Object(fields)) => merge(into, fields),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => "null",
    }
}
