//! Configuration files: what `configurations:` lists.

use std::sync::Arc;

use hashbrown::HashSet;
use kelson_yaml::{Dialect, Node, Span};

use super::{NameReference, TransformerConfig, merge_references};
use crate::decode::{self, Decode, Reader, Reading, Str, record};
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Specs};
use crate::gotext;
use crate::id::Gvk;
use crate::kustomization::FieldSpecField;

record! {
    /// A configuration file.
    File = "builtinconfig" "TransformerConfig" {
        name_prefix: FsSlice = "namePrefix",
        name_suffix: FsSlice = "nameSuffix",
        namespace: FsSlice = "namespace",
        common_labels: FsSlice = "commonLabels",
        labels: FsSlice = "labels",
        template_labels: FsSlice = "templateLabels",
        common_annotations: FsSlice = "commonAnnotations",
        name_reference: NbrSlice = "nameReference",
        var_reference: FsSlice = "varReference",
        images: FsSlice = "images",
        replicas: FsSlice = "replicas",
    }
}

record! {
    /// The fields that name objects of one kind.
    BackReferences = "builtinconfig" "NameBackReferences" {
        group: Str = "Gvk.group",
        version: Str = "Gvk.version",
        kind: Str = "Gvk.kind",
        referrers: FsSlice = "fieldSpecs",
    }
}

/// Declares a list that has a type of its own in Go, which messages name.
macro_rules! named_list {
    ($(#[$meta:meta])* $name:ident = $go:literal of $item:ty) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name(Vec<$item>);

        impl Decode for $name {
            fn go_type() -> String {
                $go.to_owned()
            }

            fn decode(&mut self, node: &Node, reader: &mut Reader) {
                if node.as_sequence().is_some() || reader.kind(node) == "null" {
                    self.0.decode(node, reader);
                } else {
                    reader.mismatch(node, reader.kind(node), $go);
                }
            }
        }
    };
}

named_list! {
    /// Fields.
    FsSlice = "types.FsSlice" of FieldSpecField
}
named_list! {
    /// Rules for names.
    NbrSlice = "builtinconfig.nbrSlice" of BackReferences
}

impl TransformerConfig {
    /// Reads a configuration file. Unknown fields and repeated keys are errors.
    pub(crate) fn from_text(text: &str, at: Span) -> Result<Self> {
        let document = kelson_yaml::first_document(text, at, Dialect::V2).map_err(|error| {
            let message = format!("error converting YAML to JSON: yaml: {}", error.message);
            Fault::new("bad-yaml", message).at(error.span, error.message)
        })?;
        let Some(node) = document else { return Ok(Self::default()) };
        let (file, reader) = decode::decode_all::<File>(&node, Reading::StrictFile);
        // The reader of YAML 1.1 keeps only the last of equal keys; the other one keeps them all.
        let written = kelson_yaml::first_document(text, at, Dialect::V3).ok().flatten();
        if let Some(fault) = written.and_then(|node| repeated(&node, text, at)) {
            return Err(fault);
        }
        if let Some(fault) = reader.faults.into_iter().next() {
            return Err(fault.wrap("error unmarshaling JSON: while decoding JSON"));
        }
        Self::from_file(&file)
    }

    fn from_file(file: &File) -> Result<Self> {
        let mut config = Self {
            name_prefix: specs(&file.name_prefix, "NamePrefix")?,
            name_suffix: specs(&file.name_suffix, "NameSuffix")?,
            namespace: specs(&file.namespace, "NameSpace")?,
            common_labels: specs(&file.common_labels, "CommonLabels")?,
            labels: specs(&file.labels, "Labels")?,
            template_labels: specs(&file.template_labels, "TemplateLabels")?,
            common_annotations: specs(&file.common_annotations, "CommonAnnotations")?,
            name_reference: Arc::default(),
            var_reference: specs(&file.var_reference, "VarReference")?,
            images: specs(&file.images, "Images")?,
            replicas: specs(&file.replicas, "Replicas")?,
        };
        let references = file.name_reference.0.iter().map(reference).collect();
        merge_references(&mut config.name_reference, &Arc::new(references))
            .map_err(|fault| fault.wrap("failed to merge NameReference fieldSpec"))?;
        config.sort();
        Ok(config)
    }
}

/// The error of a document with keys that repeat.
fn repeated(node: &Node, text: &str, at: Span) -> Option<Box<Fault>> {
    let mut found = Vec::new();
    find_repeated(node, &mut found);
    let line = |span: Span| {
        let offset = (span.start.saturating_sub(at.start) as usize).min(text.len());
        text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
    };
    let lines = found.iter().map(|(key, span)| {
        format!("\n  line {}: key {} already set in map", line(*span), gotext::quote(key))
    });
    let (_, span) = found.first()?;
    let message: String = lines.collect();
    let head = "error converting YAML to JSON: yaml: unmarshal errors:";
    Some(Fault::new("repeated-key", format!("{head}{message}")).at(*span, "the same key again"))
}

fn find_repeated<'a>(node: &'a Node, found: &mut Vec<(&'a str, Span)>) {
    let mut seen = HashSet::new();
    for entry in node.as_mapping().into_iter().flatten() {
        find_repeated(&entry.value, found);
        let key = entry.key.text().unwrap_or_default();
        if !seen.insert(key) {
            found.push((key, entry.value.span));
        }
    }
    node.as_sequence().into_iter().flatten().for_each(|item| find_repeated(item, found));
}

/// The fields of a list, each once.
fn specs(list: &FsSlice, name: &str) -> Result<Arc<Specs>> {
    let fields: Vec<FieldSpec> = list.0.iter().map(FieldSpec::from).collect();
    let mut specs = Specs::default();
    specs
        .merge(&fields)
        .map_err(|fault| fault.wrap(format!("failed to merge {name} fieldSpec")))?;
    Ok(Arc::new(specs))
}

fn reference(rule: &BackReferences) -> NameReference {
    NameReference {
        target: Gvk {
            group: rule.group.text.clone(),
            version: rule.version.text.clone(),
            kind: rule.kind.text.clone(),
        },
        referrers: Specs::new(rule.referrers.0.iter().map(FieldSpec::from).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let config = TransformerConfig::from_text(text, Span::NONE).and_then(|config| {
            let mut all = TransformerConfig::builtin();
            all.merge(&config).map(|()| all)
        });
        assert_eq!(config.map_or_else(|fault| fault.text, |_| "fine".to_owned()), expected);
    }

    #[test]
    fn unknown_fields_and_wrong_types_are_refused_in_upstreams_words() {
        let decoding = "error unmarshaling JSON: while decoding JSON: json:";
        check("namePrefix:\n- path: x\nfoo: 1\n", &format!("{decoding} unknown field \"foo\""));
        check(
            "nameReference:\n- kind: Foo\n  fieldspecs:\n  - path: a\n    kinds: x\n",
            &format!("{decoding} unknown field \"kinds\""),
        );
        check(
            "namePrefix: text\n",
            &format!(
                "{decoding} cannot unmarshal string into Go struct field TransformerConfig.namePrefix of type types.FsSlice"
            ),
        );
        check(
            "nameReference:\n- kind: Foo\n  fieldSpecs: text\n",
            &format!(
                "{decoding} cannot unmarshal string into Go struct field NameBackReferences.nameReference.fieldSpecs of type types.FsSlice"
            ),
        );
        check("namePrefix:\n- path: 1\n", "fine");
        check("", "fine");
    }

    #[test]
    fn repeated_keys_and_conflicts_are_refused() {
        let conflict = "failed to merge NamePrefix fieldSpec: conflicting fieldspecs";
        check("namePrefix:\n- path: a\n  create: true\n- path: a\n", conflict);
        check("namePrefix:\n- path: metadata/name\n  create: true\n", conflict);
        check("namePrefix:\n- path: metadata/name\n  kind: Foo\n  create: true\n", "fine");
        check(
            "namePrefix: []\nnamePrefix: []\n",
            "error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key \"namePrefix\" already set in map",
        );
        check(
            "a: [\n",
            "error converting YAML to JSON: yaml: line 1: did not find expected node content",
        );
    }
}
