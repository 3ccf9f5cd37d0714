//! The transformers of one kustomization on objects, in upstream's order. The expected texts are upstream's.

mod affix;
mod annotations;
mod images;
mod labels;
mod namespace;
mod replacement;
mod replicas;

use expect_test::Expect;
use kelson_yaml::{Dialect, Node, Span, Tag, Touch, emit};

use super::namespace::{Namespace, Subjects};
use crate::config::TransformerConfig;
use crate::fault::{Fault, Result};
use crate::kustomization::{self, Kustomization, ReplacementField, ReplacementInFile};
use crate::resource::Resource;

#[track_caller]
fn check(kustomization: &str, objects: &str, expected: Expect) {
    let built = build(kustomization, objects);
    expected.assert_eq(&built.unwrap_or_else(shown));
}

/// An error as the program prints it.
#[expect(clippy::boxed_local, reason = "errors are boxed everywhere")]
pub(super) fn shown(fault: Box<Fault>) -> String {
    format!("Error: {}\n", fault.text.trim_end())
}

/// Builds what the transformers make of some objects.
fn build(kustomization: &str, objects: &str) -> Result<String> {
    let it = kustomization::read(kustomization, Span::NONE, "/", Dialect::V2.into())?.kustomization;
    let mut resources = parse(objects);
    transform(&it, &mut resources)?;
    print(&mut resources)
}

/// The objects as the program prints them.
pub(super) fn print(resources: &mut [Resource]) -> Result<String> {
    let mut out = String::new();
    for (index, resource) in resources.iter_mut().enumerate() {
        if index > 0 {
            out.push_str("---\n");
        }
        normalize(&mut resource.node);
        emit::canonical(&resource.node, &mut out)
            .map_err(|error| Fault::new("emit", error.message))?;
    }
    Ok(out)
}

/// Objects from a text.
pub(super) fn parse(objects: &str) -> Vec<Resource> {
    let parse = |text| kelson_yaml::first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
    objects.split("---\n").map(|text| Resource::new(parse(text))).collect()
}

/// What the end of a build does to annotations.
fn normalize(object: &mut Node) {
    let Some(metadata) = object.get_mut("metadata").and_then(Node::as_mapping_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations") else { return };
    match annotations.as_mapping_mut() {
        Some(annotations) if !annotations.is_empty() => {
            for entry in &mut annotations.entries {
                entry.key = Node::string(entry.key.text().unwrap());
                entry.value =
                    Node::scalar(entry.value.text().unwrap(), Tag::Str, Default::default());
            }
        }
        _ => {
            metadata.remove("annotations");
        }
    }
}

fn is_cluster_scoped(resource: &Resource) -> bool {
    let gvk = resource.gvk();
    matches!(
        (&*gvk.group, &*gvk.kind),
        ("", "Namespace") | (_, "ClusterRole" | "CustomResourceDefinition")
    )
}

fn transform(it: &Kustomization, resources: &mut [Resource]) -> Result<()> {
    let config = TransformerConfig::builtin();
    let mut touch = Touch(0);
    let mut next = || {
        touch.0 += 1;
        touch
    };
    if !it.namespace.is_empty() {
        let (specs, touch) = (&*config.namespace, next());
        for resource in resources.iter_mut() {
            let scoped = is_cluster_scoped(resource);
            let subjects = Subjects::DefaultOnly;
            let it = Namespace { name: &it.namespace, specs, unset_only: false, subjects };
            super::namespace::apply(resource, it, scoped, touch)?;
        }
    }
    for (side, text) in [
        (super::affix::Side::Prefix, &it.name_prefix),
        (super::affix::Side::Suffix, &it.name_suffix),
    ] {
        let touch = next();
        for resource in resources.iter_mut().filter(|_| !text.is_empty()) {
            let scoped = is_cluster_scoped(resource);
            super::affix::apply(resource, side, text, &config.name_prefix, scoped, touch)?;
        }
    }
    let chosen: Vec<_> = it
        .labels
        .iter()
        .map(|entry| super::labels::specs_of(entry, &config))
        .collect::<Result<_>>()?;
    for (entry, specs) in it.labels.iter().zip(&chosen) {
        let touch = next();
        for resource in resources.iter_mut() {
            super::labels::apply(resource, &entry.pairs, specs, touch)?;
        }
    }
    let (labels_touch, annotations_touch) = (next(), next());
    for resource in resources.iter_mut() {
        super::labels::apply(resource, &it.common_labels, &config.common_labels, labels_touch)?;
    }
    for resource in resources.iter_mut() {
        let specs = &config.common_annotations;
        super::annotations::apply(resource, &it.common_annotations, specs, annotations_touch)?;
    }
    for replica in &it.replicas {
        let touch = next();
        let mut found = false;
        for resource in resources.iter_mut() {
            found |= super::replicas::apply(resource, replica, &config.replicas, touch)?;
        }
        if !found {
            return Err(super::replicas::no_match(replica, &config.replicas));
        }
    }
    let entry = |image: &kustomization::Image| super::images::Entry {
        edit: super::images::Edit::new(image.clone()),
        touch: Touch(99),
    };
    let entries: Vec<_> = it.images.iter().map(entry).collect();
    for resource in resources.iter_mut() {
        super::images::apply(
            resource,
            &entries,
            &config.images,
            super::images::Options::default(),
        )?;
    }
    let replacements: Vec<_> = it.replacements.iter().map(in_file).collect();
    super::replacement::apply(
        resources,
        &replacements,
        super::replacement::Options::default(),
        Touch(100),
    )?;
    Ok(())
}

fn in_file(field: &ReplacementField) -> ReplacementInFile {
    ReplacementInFile {
        span: field.span,
        source: field.source.clone(),
        targets: field.targets.clone(),
        source_value: field.source_value.clone(),
    }
}

const DEPLOYMENT: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: main
        image: nginx:1
      initContainers:
      - name: init
        image: reg:5000/tool@sha256:ab
"#;

const FOO: &str = r#"apiVersion: example.com/v1
kind: Foo
metadata:
  name: foo
spec:
  number: 80
  text: "80"
  word: abc
  map: {k: v}
  items:
  - name: one
    value: 1
  - name: one-two
    value: 2
"#;
