//! Whose the objects of a component are, as labels.

use kelson_model::Object;
use kelson_yaml::{Entry, Node};

use crate::component::Error;
use crate::plan::DeployPlan;

/// The labels that a plan asks for: those whose ids it has.
pub(super) fn of(plan: &DeployPlan) -> Result<Vec<(&'static str, &str)>, Error> {
    let ids = [
        ("install_id", "nuon.co/install-id", plan.install_id.as_str()),
        ("component_id", "nuon.co/component-id", plan.component_id.as_str()),
    ];
    let given = ids.into_iter().filter(|(_, _, id)| !id.is_empty());
    given
        .map(|(field, label, id)| match is_label(id) {
            true => Ok((label, id)),
            false => Err(Error::Plan(format!(
                "{field} cannot be the value of the label `{label}`: it has at most 63 letters, digits and `-_.`, with a letter or digit at both ends"
            ))),
        })
        .collect()
}

fn is_label(text: &str) -> bool {
    let ends = |byte: u8| byte.is_ascii_alphanumeric();
    let bytes = text.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|&byte| ends(byte) || b"-_.".contains(&byte))
        && ends(bytes[0])
        && ends(bytes[bytes.len() - 1])
}

/// Gives labels to objects.
pub(super) fn add(objects: &mut [Object], labels: &[(&'static str, String)]) -> Result<(), Error> {
    for object in objects.iter_mut().filter(|_| !labels.is_empty()) {
        let id = object.id.to_string();
        let wrong = || Error::Objects(vec![format!("{id}: `metadata.labels` is no mapping")]);
        let metadata = object.node.get_mut("metadata").and_then(Node::as_mapping_mut);
        let metadata = metadata.ok_or_else(wrong)?;
        if metadata.get("labels").is_none_or(Node::is_null) {
            metadata.insert(Node::string("labels"), Node::mapping(Vec::<Entry>::new()));
        }
        let found = metadata.get_mut("labels").and_then(Node::as_mapping_mut).ok_or_else(wrong)?;
        for (label, value) in labels {
            found.insert(Node::string(*label), Node::string(value.as_str()));
        }
    }
    Ok(())
}
