//! A plan as it is shown, approved and given back.

use kelson_cluster::Held;
use kelson_model::{Object, ObjectId};
use kelson_plan::file::{self, Approved, Asked};
use kelson_plan::{Options, Refusal};
use kelson_yaml::{Node, emit};

use super::diff;
use crate::component::Error;
use crate::deliver::Planned;
use crate::plan::{self, DIFF_VERSION, KubernetesManifestPlanContents, PlanOp};

/// What was approved.
pub(super) struct Approval {
    pub(super) op: PlanOp,
    pub(super) approved: Approved,
}

/// Takes back what was approved.
pub(super) fn read(compressed: &str) -> Result<Approval, Error> {
    let wrong = |why: String| Error::Plan(format!("apply_plan_contents {why}"));
    if compressed.trim().is_empty() {
        return Err(wrong("is required: there is nothing that was approved".to_owned()));
    }
    let text = plan::expand(compressed).map_err(|error| wrong(error.to_string()))?;
    let contents: KubernetesManifestPlanContents =
        plan::parse(&text).map_err(|error| wrong(format!("has no plan in it: {error}")))?;
    let mut versions = contents.k8s_content_diff.iter().map(|diff| diff.version.as_str());
    if let Some(other) = versions.find(|version| *version != DIFF_VERSION) {
        let other: String = other.chars().take(20).collect();
        let why = format!("has a diff of version `{other}`, and only `{DIFF_VERSION}` is known");
        return Err(wrong(why));
    }
    if !file::is_meant(&contents.plan) {
        let why = "was not made by kelson: its `plan` is no plan file; make it with the operation create-apply-plan";
        return Err(wrong(why.to_owned()));
    }
    let approved =
        file::read(&contents.plan).map_err(|error| wrong(format!("cannot be used: {error}")))?;
    check(&contents.op, &approved).map_err(wrong)?;
    Ok(Approval { op: contents.op, approved })
}

/// What is said of a plan beside it must be what it says itself.
fn check(op: &PlanOp, approved: &Approved) -> Result<(), String> {
    let deletes = approved.plan.artifact.is_empty();
    match op {
        PlanOp::Apply if !deletes => Ok(()),
        PlanOp::Delete if deletes => Ok(()),
        PlanOp::Apply => Err("has the op `apply`, and its plan deletes".to_owned()),
        PlanOp::Delete => Err("has the op `delete`, and its plan applies".to_owned()),
        PlanOp::Other(other) => {
            let other: String = other.chars().take(50).collect();
            Err(format!("has the op `{other}`, and only `apply` and `delete` are known"))
        }
    }
}

/// A plan and what it was made for.
pub(super) struct Shown<'a> {
    pub(super) planned: &'a Planned,
    pub(super) options: &'a Options,
    pub(super) asked: &'a Asked,
    pub(super) op: &'a PlanOp,
    /// What the server would not delete.
    pub(super) refused: &'a [(ObjectId, Refusal)],
}

/// Writes a plan down.
pub(super) fn contents(shown: &Shown<'_>) -> KubernetesManifestPlanContents {
    let Shown { planned, options, asked, op, refused } = *shown;
    let approved = Approved {
        plan: planned.plan.clone(),
        options: options.clone(),
        inventory: planned.held.as_ref().and_then(Held::hash),
        request: asked.clone(),
    };
    KubernetesManifestPlanContents {
        plan: file::write(&approved),
        op: op.clone(),
        k8s_content_diff: diff::diffs(&planned.plan, refused),
        dry_run_output: bodies(planned),
        ..KubernetesManifestPlanContents::default()
    }
}

/// The objects that are sent, as they are sent. Values of Secrets are not in them.
fn bodies(planned: &Planned) -> String {
    let mut text = String::new();
    for body in planned.plan.steps.iter().filter_map(|step| step.body.as_ref()) {
        let Ok(object) = Object::new(body.clone()) else { continue };
        let node = if object.is_secret() { masked(object.node) } else { object.node };
        let mut document = String::new();
        if emit::canonical(&node, &mut document).is_ok() {
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&document);
        }
    }
    text
}

/// A Secret without its values.
fn masked(mut secret: Node) -> Node {
    for field in ["data", "stringData"] {
        let values = secret.get_mut(field).and_then(Node::as_mapping_mut);
        for entry in values.into_iter().flat_map(|values| &mut values.entries) {
            entry.value = Node::string("***");
        }
    }
    let metadata = secret.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
    if let Some(annotations) = metadata.and_then(Node::as_mapping_mut) {
        // kubectl keeps the whole object there once more.
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(contents: &str, expected: &str) {
        let error = read(&plan::compress(contents)).err().unwrap().to_string();
        assert_eq!(error, format!("apply_plan_contents {expected}"));
    }

    #[test]
    fn what_was_not_approved_here_is_refused_by_name() {
        assert!(read(" ").err().unwrap().to_string().contains("is required"));
        assert!(read("%").err().unwrap().to_string().ends_with("is not base64"));
        check(
            "{",
            "has no plan in it: it is not JSON: EOF while parsing an object at line 1 column 1",
        );
        check("{\"plan\": 3}", "has no plan in it: `plan` is a number, and a string is expected");
        let other = "was not made by kelson: its `plan` is no plan file; make it with the operation create-apply-plan";
        check("{\"plan\": \"apply 3 resources\", \"op\": \"apply\"}", other);
        check(
            "{\"plan\": \"\", \"k8s_content_diff\": [{\"_version\": \"3\"}]}",
            "has a diff of version `3`, and only `2` is known",
        );
        let later = "{\"plan\": \"{\\\"schema\\\": \\\"kelson.dev/plan/v9\\\"}\"}";
        let error = read(&plan::compress(later)).err().unwrap().to_string();
        assert!(error.contains("kelson.dev/plan/v9"), "{error}");
    }

    #[test]
    fn a_secret_is_written_down_without_its_values() {
        let text = "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: hunter2}, data: {b: aHVudGVyMg==}}";
        let node =
            kelson_yaml::first_document(text, kelson_yaml::Span::NONE, kelson_yaml::Dialect::V3);
        let mut out = String::new();
        emit::canonical(&masked(node.unwrap().unwrap()), &mut out).unwrap();
        assert!(!out.contains("hunter2") && !out.contains("aHVudGVyMg"), "{out}");
        assert!(out.contains("a: '***'") || out.contains("a: \"***\""), "{out}");
    }
}
