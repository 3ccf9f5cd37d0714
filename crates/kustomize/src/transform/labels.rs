//! `labels` and `commonLabels`.

use kelson_yaml::Touch;

use crate::config::TransformerConfig;
use crate::decode::value::Map;
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Specs};
use crate::id::Gvk;
use crate::kustomization::Label;
use crate::resource::Resource;

/// Sets every label at every field of `specs`.
pub(crate) fn apply(
    resource: &mut Resource,
    labels: &Map,
    specs: &Specs,
    touch: Touch,
) -> Result<bool> {
    super::pairs::set(resource, labels, specs, touch)
}

/// The fields that an entry of `labels` is about.
pub(crate) fn specs_of(entry: &Label, config: &TransformerConfig) -> Result<Specs> {
    let outer = |fault: Box<Fault>| fault.wrap("failed to merge labels");
    let mut specs = Specs::new(entry.fields.iter().map(FieldSpec::from).collect());
    specs.merge(config.labels.list()).map_err(outer)?;
    if entry.include_selectors {
        specs.merge(config.common_labels.list()).map_err(outer)?;
        return Ok(specs);
    }
    if entry.include_templates {
        specs
            .merge(config.template_labels.list())
            .map_err(|fault| fault.wrap("failed to merge template fieldSpec"))?;
    }
    let own = FieldSpec::new(Gvk::default(), "metadata/labels", true);
    specs.merge(&[own]).map_err(outer)?;
    Ok(specs)
}
