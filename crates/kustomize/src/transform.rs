//! The transformers: each changes one object, or a list of them, and says whether it found anything to change.

pub(crate) mod affix; // namePrefix, nameSuffix
pub(crate) mod annotations; // commonAnnotations
pub(crate) mod images; // images
pub(crate) mod labels; // labels, commonLabels
pub(crate) mod namespace; // namespace
mod pairs; // keys with text, set at every field of a list
pub(crate) mod patches; // patches, patchesStrategicMerge, patchesJson6902
pub(crate) mod replacement; // replacements
pub(crate) mod replicas; // replicas
pub(crate) mod value_add; // ValueAddTransformer
pub(crate) mod vars; // vars

#[cfg(test)]
mod tests; // all of them together, against what upstream prints
