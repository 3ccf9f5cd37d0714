//! What cannot be delivered: what is still encrypted, and what a template has not filled.

use anyhow::bail;
use kelson_model::Object;
use kelson_yaml::{Data, Node, Scalar, Style};

/// What places in texts begin with; other braces are nobody's business: rules of alerts are full of them.
const PLACES: [&str; 2] = ["{{.nuon.", "{{ .nuon."];

/// Refuses objects that nobody could use as they are, naming the first of each sort.
pub(super) fn check(objects: &[Object]) -> anyhow::Result<()> {
    for object in objects {
        if kelson_render::is_sealed(&object.node) {
            bail!(
                "{} is encrypted with SOPS, and cannot be decrypted here yet; decrypt it with `sops` first",
                object.id
            );
        }
        let mut path = String::new();
        if let Some(place) = unfilled(&object.node, &mut path) {
            bail!("{}: `{path}` still has the place {place}, which nobody has filled", object.id);
        }
    }
    Ok(())
}

/// The first place that is still open, with the way to it.
fn unfilled(node: &Node, path: &mut String) -> Option<String> {
    let mark = path.len();
    match &node.data {
        Data::Scalar(scalar) => place(scalar),
        Data::Mapping(mapping) => mapping.iter().find_map(|entry| {
            path.truncate(mark);
            if mark > 0 {
                path.push('.');
            }
            path.push_str(entry.key.text().unwrap_or_default());
            entry.key.as_scalar().and_then(place).or_else(|| unfilled(&entry.value, path))
        }),
        Data::Sequence(sequence) => sequence.items.iter().enumerate().find_map(|(index, item)| {
            path.truncate(mark);
            path.push_str(&format!("[{index}]"));
            unfilled(item, path)
        }),
    }
}

fn place(scalar: &Scalar) -> Option<String> {
    let text: &str = &scalar.text;
    let start = match scalar.style {
        Style::Place => text.find("{{"),
        _ => PLACES.into_iter().find_map(|place| text.find(place)),
    }?;
    let end = text[start..].find("}}").map_or(text.len(), |end| start + end + 2);
    Some(text[start..end].chars().take(100).collect())
}
