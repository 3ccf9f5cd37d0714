//! Which fields each transformer looks at: built-in tables, and what `configurations:` and `crds:` add.

mod crds; // fields that annotated type definitions name
mod read; // configuration files
mod tables; // the built-in fields

use std::sync::Arc;

use crate::fault::Result;
use crate::fieldspec::{FieldSpec, Specs};
use crate::id::Gvk;

pub(crate) use crds::from_crds;

/// The fields of every transformer.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransformerConfig {
    pub(crate) name_prefix: Arc<Specs>,
    pub(crate) name_suffix: Arc<Specs>,
    pub(crate) namespace: Arc<Specs>,
    pub(crate) common_labels: Arc<Specs>,
    pub(crate) labels: Arc<Specs>,
    pub(crate) template_labels: Arc<Specs>,
    pub(crate) common_annotations: Arc<Specs>,
    pub(crate) name_reference: Arc<Vec<NameReference>>,
    pub(crate) var_reference: Arc<Specs>,
    pub(crate) images: Arc<Specs>,
    pub(crate) replicas: Arc<Specs>,
}

/// The fields that name objects of one kind.
#[derive(Clone, Debug)]
pub(crate) struct NameReference {
    /// The objects that are named.
    pub(crate) target: Gvk,
    /// The fields that name them.
    pub(crate) referrers: Specs,
}

impl TransformerConfig {
    /// The built-in fields, in upstream's order.
    pub(crate) fn builtin() -> Self {
        tables::all()
    }

    /// Adds what `other` has and this has not.
    ///
    /// Lists that are shared between the two are equal and cost nothing.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        merge(&mut self.name_prefix, &other.name_prefix, "NamePrefix")?;
        merge(&mut self.name_suffix, &other.name_suffix, "NameSuffix")?;
        merge(&mut self.namespace, &other.namespace, "NameSpace")?;
        merge(&mut self.common_annotations, &other.common_annotations, "CommonAnnotations")?;
        merge(&mut self.common_labels, &other.common_labels, "CommonLabels")?;
        merge(&mut self.labels, &other.labels, "Labels")?;
        merge(&mut self.template_labels, &other.template_labels, "TemplateLabels")?;
        merge(&mut self.var_reference, &other.var_reference, "VarReference")?;
        merge_references(&mut self.name_reference, &other.name_reference)
            .map_err(|fault| fault.wrap("failed to merge NameReference fieldSpec"))?;
        merge(&mut self.images, &other.images, "Images")?;
        merge(&mut self.replicas, &other.replicas, "Replicas")
    }

    /// Adds a field that names objects of a kind.
    pub(crate) fn add_reference(&mut self, target: Gvk, referrer: FieldSpec) -> Result<()> {
        let referrers = Specs::new(vec![referrer]);
        merge_references(
            &mut self.name_reference,
            &Arc::new(vec![NameReference { target, referrers }]),
        )
    }

    fn sort(&mut self) {
        for specs in [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.common_annotations,
            &mut self.var_reference,
            &mut self.images,
            &mut self.replicas,
        ] {
            Arc::make_mut(specs).sort();
        }
        Arc::make_mut(&mut self.name_reference).sort_by_cached_key(|rule| order(&rule.target));
    }
}

fn merge(mine: &mut Arc<Specs>, theirs: &Arc<Specs>, name: &str) -> Result<()> {
    if Arc::ptr_eq(mine, theirs) || theirs.list().is_empty() {
        return Ok(());
    }
    if mine.list().is_empty() {
        *mine = Arc::clone(theirs);
        return Ok(());
    }
    let mine = Arc::make_mut(mine);
    mine.merge(theirs.list())
        .map_err(|fault| fault.wrap(format!("failed to merge {name} fieldSpec")))?;
    mine.sort();
    Ok(())
}

fn merge_references(
    mine: &mut Arc<Vec<NameReference>>,
    theirs: &Arc<Vec<NameReference>>,
) -> Result<()> {
    if Arc::ptr_eq(mine, theirs) || theirs.is_empty() {
        return Ok(());
    }
    let is_in_order = || theirs.windows(2).all(|it| order(&it[0].target) < order(&it[1].target));
    if mine.is_empty() && is_in_order() {
        *mine = Arc::clone(theirs);
        return Ok(());
    }
    let mine = Arc::make_mut(mine);
    for rule in theirs.iter() {
        match mine.iter_mut().find(|known| known.target == rule.target) {
            Some(known) => known.referrers.merge(rule.referrers.list())?,
            None => mine.push(rule.clone()),
        }
    }
    mine.sort_by_cached_key(|rule| order(&rule.target));
    Ok(())
}

/// Where a kind stands among others: what is referred to comes before what refers.
pub(crate) fn order(gvk: &Gvk) -> (i8, String) {
    fn or<'a>(text: &'a str, placeholder: &'a str) -> &'a str {
        if text.is_empty() { placeholder } else { text }
    }
    let key = [or(&gvk.group, "~G"), "_", or(&gvk.version, "~V"), "_", or(&gvk.kind, "~K")];
    (tables::rank(&gvk.kind), key.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_every_field_that_upstream_has() {
        let config = TransformerConfig::builtin();
        let count = |specs: &Specs| specs.list().len();
        let referrers: usize =
            config.name_reference.iter().map(|rule| count(&rule.referrers)).sum();
        let counts = [
            count(&config.name_prefix),
            count(&config.name_suffix),
            count(&config.namespace),
            count(&config.common_labels),
            count(&config.labels),
            count(&config.template_labels),
            count(&config.common_annotations),
            config.name_reference.len(),
            referrers,
            count(&config.var_reference),
            count(&config.images),
            count(&config.replicas),
        ];
        assert_eq!(counts, [1, 1, 3, 32, 0, 10, 9, 16, 166, 72, 6, 4]);
    }

    #[test]
    fn tables_are_ordered_by_kind() {
        let config = TransformerConfig::builtin();
        let kinds = |specs: &Specs| -> Vec<String> {
            specs.list().iter().map(|spec| spec.gvk.kind.to_string()).collect()
        };
        assert_eq!(
            kinds(&config.replicas),
            ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"]
        );
        let targets: Vec<&str> =
            config.name_reference.iter().map(|rule| &*rule.target.kind).collect();
        assert_eq!(targets[..4], ["StorageClass", "ServiceAccount", "Role", "ClusterRole"]);
    }

    #[test]
    fn merging_the_same_tables_changes_nothing() {
        let mut config = TransformerConfig::builtin();
        let shared = config.clone();
        config.merge(&shared).unwrap();
        assert!(Arc::ptr_eq(&config.images, &shared.images));
        config.merge(&TransformerConfig::builtin()).unwrap();
        assert_eq!(config.common_labels.list().len(), shared.common_labels.list().len());
    }
}
