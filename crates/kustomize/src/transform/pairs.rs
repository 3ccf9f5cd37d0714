//! Keys with text, set at every field of a list: what labels and annotations have in common.

use kelson_yaml::Touch;

use crate::decode::value::Map;
use crate::fault::Result;
use crate::fieldspec::{FieldSpec, Make, Specs, visit};
use crate::resource::Resource;
use crate::write::{Writer, bond_of};

/// Sets every pair at every field of `specs` that the object has or may be given.
pub(super) fn set(
    resource: &mut Resource,
    pairs: &Map,
    specs: &Specs,
    touch: Touch,
) -> Result<bool> {
    let gvk = resource.gvk();
    let specs: Vec<&FieldSpec> = specs.of(&gvk).collect();
    let mut writer = Writer::new(touch);
    for (key, value) in &pairs.pairs {
        let bond = bond_of(touch, key);
        for spec in &specs {
            visit(&mut resource.node, spec, Make::Mapping, &mut writer, &mut |writer, node| {
                writer.entry(node, key, value, bond)
            })?;
        }
    }
    Ok(writer.writes() > 0)
}
