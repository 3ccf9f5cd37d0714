//! `replicas`.

use kelson_yaml::{Tag, Touch};

use crate::fault::{Fault, Result};
use crate::fieldspec::{Make, Specs, visit};
use crate::gotext;
use crate::kustomization::Replica;
use crate::resource::Resource;
use crate::write::Writer;

/// Sets the count of an object that has, or had, the name; says whether it is one of those.
pub(crate) fn apply(
    resource: &mut Resource,
    replica: &Replica,
    specs: &Specs,
    touch: Touch,
) -> Result<bool> {
    let gvk = resource.gvk();
    let mut writer = Writer::new(touch);
    let mut is_meant = false;
    for spec in specs.list() {
        let kind = &spec.gvk.kind;
        let mut names = resource.history.iter().map(|earlier| (&*earlier.name, &*earlier.kind));
        let is_named = (resource.name() == &*replica.name && spec.gvk.selects(&gvk))
            || names.any(|(name, earlier_kind)| {
                name == &*replica.name
                    && (kind.is_empty() || kind == earlier_kind)
                    && (spec.gvk.group.is_empty() || spec.gvk.group == gvk.group)
                    && (spec.gvk.version.is_empty() || spec.gvk.version == gvk.version)
            });
        if !is_named {
            continue;
        }
        is_meant = true;
        if spec.gvk.selects(&gvk) {
            let count = replica.count.value.to_string();
            let make = Make::Scalar(Tag::Int);
            visit(&mut resource.node, spec, make, &mut writer, &mut |writer, node| {
                writer.scalar(node, &count, Tag::Int, replica.count.at)
            })?;
        }
    }
    Ok(is_meant)
}

/// The error when no object has the name.
pub(crate) fn no_match(replica: &Replica, specs: &Specs) -> Box<Fault> {
    let kinds = specs.list().iter().map(|spec| spec.gvk.to_string());
    let name = &*replica.name;
    Fault::new(
        "replica-matches-nothing",
        format!(
            "resource with name {name} does not match a config with the following GVK {}",
            gotext::list(kinds)
        ),
    )
    .saying(format!("no object named `{name}` has replicas"))
    .at(replica.name.span, "nothing has this name")
}
