//! `namePrefix` and `nameSuffix`.

use kelson_yaml::{Node, Tag, Touch};

use crate::decode::Str;
use crate::fault::Result;
use crate::fieldspec::{FieldSpec, Make, Specs, visit};
use crate::id::Gvk;
use crate::resource::Resource;
use crate::write::Writer;

/// On which side of a name a text is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Before it.
    Prefix,
    /// After it.
    Suffix,
}

/// Puts `text` before or after the fields of `specs`. A changed name is remembered in the history.
pub(crate) fn apply(
    resource: &mut Resource,
    side: Side,
    text: &Str,
    specs: &Specs,
    is_cluster_scoped: bool,
    touch: Touch,
) -> Result<bool> {
    let original = resource.original_gvk();
    if keeps_its_name(&original) {
        return Ok(false);
    }
    let mut writer = Writer::new(touch);
    for spec in specs.of(&original) {
        if &*spec.path == "metadata/name" && !text.is_empty() {
            remember(resource, side, text, is_cluster_scoped);
        }
        if spec.gvk.selects(&resource.gvk()) {
            put(&mut resource.node, spec, side, text, &mut writer)?;
        }
    }
    Ok(writer.writes() > 0)
}

/// Kinds whose names are fixed by what they stand for.
fn keeps_its_name(gvk: &Gvk) -> bool {
    match &*gvk.kind {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => gvk.group == "apiregistration.k8s.io",
        _ => false,
    }
}

fn remember(resource: &mut Resource, side: Side, text: &Str, is_cluster_scoped: bool) {
    let affixes = match side {
        Side::Prefix => &mut resource.prefixes,
        Side::Suffix => &mut resource.suffixes,
    };
    affixes.reserve_exact(1);
    affixes.push(text.text.clone());
    resource.store_previous(is_cluster_scoped);
}

fn put(
    node: &mut Node,
    spec: &FieldSpec,
    side: Side,
    text: &str,
    writer: &mut Writer,
) -> Result<()> {
    visit(node, spec, Make::Scalar(Tag::Str), writer, &mut |writer, node| {
        let value = node.text().unwrap_or_default();
        let value = match side {
            Side::Prefix => format!("{text}{value}"),
            Side::Suffix => format!("{value}{text}"),
        };
        writer.scalar(node, &value, Tag::Unresolved, None)
    })
}
