//! Plans from texts, with what is wrong in them named.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::CompositePlan;

/// Why a text is no plan. No value of it is quoted: it may be a credential.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    /// It is not even JSON.
    #[error("it is not JSON: {0}")]
    Json(String),
    /// A field is of another type than it must be.
    #[error("`{field}` is {found}, and {expected} is expected")]
    Field {
        /// The way to it.
        field: String,
        /// What it is.
        found: &'static str,
        /// What it must be.
        expected: String,
    },
    /// It is of another shape altogether.
    #[error("{0}")]
    Shape(String),
}

/// The members of a composite that are done here.
const PLANS: [&str; 3] = ["build_plan", "sync_oci_plan", "deploy_plan"];

/// What only a plan for a deploy has.
const DEPLOY: [&str; 4] =
    ["kubernetes_manifest", "install_id", "component_name", "apply_plan_contents"];

/// Reads a plan: one to build, to copy or to deploy, or one of them inside of a composite.
///
/// # Errors
///
/// Fails where the text is no JSON, or is of the wrong shape.
pub fn read(text: &str) -> Result<CompositePlan, Malformed> {
    let value: Value = json(text)?;
    let Some(fields) = value.as_object() else {
        return Err(Malformed::Shape(format!("a plan is an object, not {}", sort(&value))));
    };
    let is_there = |key: &&str| fields.get(*key).is_some_and(|plan| !plan.is_null());
    let inside: Vec<&str> = PLANS.into_iter().filter(is_there).collect();
    match inside.as_slice() {
        [] => {}
        [_] => return typed(value),
        several => {
            let several = several.join("`, `");
            return Err(Malformed::Shape(format!(
                "it is one plan of several, and has `{several}`"
            )));
        }
    }
    if DEPLOY.iter().any(is_there) || is_there(&"src_registry") && !is_there(&"dst_registry") {
        let deploy_plan = Some(typed(value)?);
        return Ok(CompositePlan { deploy_plan, ..CompositePlan::default() });
    }
    if is_there(&"src_registry") {
        let sync_oci_plan = Some(typed(value)?);
        return Ok(CompositePlan { sync_oci_plan, ..CompositePlan::default() });
    }
    let build_plan = Some(typed(value)?);
    Ok(CompositePlan { build_plan, ..CompositePlan::default() })
}

/// Reads a value all whose fields may be left out, and names the one that is wrong.
///
/// # Errors
///
/// Fails where the text is no JSON, or a field has the wrong type.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Malformed> {
    typed(json(text)?)
}

fn json(text: &str) -> Result<Value, Malformed> {
    serde_json::from_str(text).map_err(|error| Malformed::Json(error.to_string()))
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Malformed> {
    match T::deserialize(&value) {
        Ok(plan) => Ok(plan),
        Err(error) => Err(wrong::<T>(&value, &error)),
    }
}

/// What is wrong, by name. Since every field may be left out, the wrong one is that which is wrong alone, too.
fn wrong<T: DeserializeOwned>(value: &Value, error: &serde_json::Error) -> Malformed {
    let mut path = Vec::new();
    let mut here = value;
    let mut text = error.to_string();
    while let Some((step, inner, why)) = culprit::<T>(&path, here) {
        path.push(step);
        (here, text) = (inner, why);
    }
    let expected = match text.rsplit_once("expected ") {
        Some((_, expected)) => expected.split(" at line ").next().unwrap_or(expected).to_owned(),
        None => "something else".to_owned(),
    };
    // What a type is called here is nobody's business.
    let expected = if expected.starts_with("struct ") { "an object".to_owned() } else { expected };
    let found = sort(here);
    if path.is_empty() {
        return Malformed::Shape(format!("it is {found}, and {expected} is expected"));
    }
    let field: String = path.iter().map(Step::shown).collect();
    let field = field.trim_start_matches('.').to_owned();
    Malformed::Field { field, found, expected }
}

/// A step into a value.
enum Step {
    Key(String),
    Item,
}

impl Step {
    fn shown(&self) -> String {
        match self {
            Self::Key(key) => format!(".{key}"),
            Self::Item => "[]".to_owned(),
        }
    }

    /// A value with another as all that there is below this step.
    fn around(&self, inner: Value) -> Value {
        match self {
            Self::Key(key) => Value::Object(Map::from_iter([(key.clone(), inner)])),
            Self::Item => Value::Array(vec![inner]),
        }
    }
}

/// The part of a value that is wrong by itself, with what is said of it.
fn culprit<'a, T: DeserializeOwned>(
    path: &[Step],
    value: &'a Value,
) -> Option<(Step, &'a Value, String)> {
    let (parts, nothing): (Vec<(Step, &Value)>, Value) = match value {
        Value::Object(fields) => {
            let parts = fields.iter().map(|(key, inner)| (Step::Key(key.clone()), inner));
            (parts.collect(), Value::Object(Map::new()))
        }
        Value::Array(items) => {
            (items.iter().map(|inner| (Step::Item, inner)).collect(), Value::Array(Vec::new()))
        }
        _ => return None,
    };
    let error = |inner: Value| {
        let whole = path.iter().rev().fold(inner, |inner, step| step.around(inner));
        T::deserialize(&whole).err()
    };
    // Where nothing in it would be wrong, too, it is wrong itself.
    if error(nothing).is_some() {
        return None;
    }
    parts.into_iter().find_map(|(step, inner)| {
        let error = error(step.around(inner.clone()))?;
        Some((step, inner, error.to_string()))
    })
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match read(text) {
            Ok(plan) => {
                let is_there = [
                    ("build", plan.build_plan.is_some()),
                    ("sync", plan.sync_oci_plan.is_some()),
                    ("deploy", plan.deploy_plan.is_some()),
                ];
                let there: Vec<&str> =
                    is_there.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
                there.join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected);
    }

    #[test]
    fn each_plan_is_known_by_what_only_it_has() {
        check("{}", "build");
        check(r#"{"kubernetes_manifest_build_plan": {}}"#, "build");
        check(r#"{"src_registry": {}, "dst_registry": {}}"#, "sync");
        check(r#"{"src_registry": {}, "install_id": "i"}"#, "deploy");
        check(r#"{"kubernetes_manifest": {}}"#, "deploy");
        check(r#"{"build_plan": null, "deploy_plan": {"install_id": "i"}}"#, "deploy");
        check(
            r#"{"build_plan": {}, "deploy_plan": {}}"#,
            "it is one plan of several, and has `build_plan`, `deploy_plan`",
        );
    }

    #[test]
    fn what_is_wrong_is_named_and_never_quoted() {
        check("[3]", "a plan is an object, not a list");
        check(r#"{"dst_tag": 3}"#, "`dst_tag` is a number, and a string is expected");
        check(
            r#"{"deploy_plan": {"src_registry": {"password": {"hunter2": 1}}, "install_id": "x"}}"#,
            "`deploy_plan.src_registry.password` is an object, and a string is expected",
        );
        check(
            r#"{"kubernetes_manifest": "hunter2"}"#,
            "`kubernetes_manifest` is a text, and an object is expected",
        );
        check(
            r#"{"kubernetes_manifest_build_plan": {"kustomize_config": {"patches": ["a", 3]}}}"#,
            "`kubernetes_manifest_build_plan.kustomize_config.patches[]` is a number, and a string is expected",
        );
        check("{", "it is not JSON: EOF while parsing an object at line 1 column 1");
    }
}
