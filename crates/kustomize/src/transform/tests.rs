//! The transformers of one kustomization on objects, in upstream's order. The expected texts are upstream's.

use expect_test::{Expect, expect};
use kelson_yaml::{Dialect, Node, Span, Tag, Touch, emit};

use super::namespace::{Namespace, Subjects};
use super::{affix, annotations, images, labels, namespace, replacement, replicas};
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
    let it = kustomization::read(kustomization, Span::NONE, "/")?.kustomization;
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
            namespace::apply(resource, it, scoped, touch)?;
        }
    }
    for (side, text) in
        [(affix::Side::Prefix, &it.name_prefix), (affix::Side::Suffix, &it.name_suffix)]
    {
        let touch = next();
        for resource in resources.iter_mut().filter(|_| !text.is_empty()) {
            let scoped = is_cluster_scoped(resource);
            affix::apply(resource, side, text, &config.name_prefix, scoped, touch)?;
        }
    }
    let chosen: Vec<_> =
        it.labels.iter().map(|entry| labels::specs_of(entry, &config)).collect::<Result<_>>()?;
    for (entry, specs) in it.labels.iter().zip(&chosen) {
        let touch = next();
        for resource in resources.iter_mut() {
            labels::apply(resource, &entry.pairs, specs, touch)?;
        }
    }
    let (labels_touch, annotations_touch) = (next(), next());
    for resource in resources.iter_mut() {
        labels::apply(resource, &it.common_labels, &config.common_labels, labels_touch)?;
    }
    for resource in resources.iter_mut() {
        let specs = &config.common_annotations;
        annotations::apply(resource, &it.common_annotations, specs, annotations_touch)?;
    }
    for replica in &it.replicas {
        let touch = next();
        let mut found = false;
        for resource in resources.iter_mut() {
            found |= replicas::apply(resource, replica, &config.replicas, touch)?;
        }
        if !found {
            return Err(replicas::no_match(replica, &config.replicas));
        }
    }
    let entry = |image: &kustomization::Image| images::Entry {
        edit: images::Edit::new(image.clone()),
        touch: Touch(99),
    };
    let entries: Vec<_> = it.images.iter().map(entry).collect();
    for resource in resources.iter_mut() {
        images::apply(resource, &entries, &config.images, images::Options::default())?;
    }
    let replacements: Vec<_> = it.replacements.iter().map(in_file).collect();
    replacement::apply(resources, &replacements, replacement::Options::default(), Touch(100))?;
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

#[test]
fn namespace_is_set_where_objects_have_one() {
    check(
        r##"namespace: "123""##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: old}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: c}
---
apiVersion: v1
kind: Namespace
metadata: {name: ns}
---
apiVersion: example.com/v1
kind: Namespace
metadata: {name: mine, namespace: ~}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {conversion: {webhook: {clientConfig: {service: {namespace: old}}}}}
"##,
        expect![[r##"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: a
              namespace: "123"
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata:
              name: c
            ---
            apiVersion: v1
            kind: Namespace
            metadata:
              name: "123"
            ---
            apiVersion: example.com/v1
            kind: Namespace
            metadata:
              name: mine
              namespace: "123"
            ---
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: crd
            spec:
              conversion:
                webhook:
                  clientConfig:
                    service:
                      namespace: "123"
        "##]],
    );
}

#[test]
fn namespace_reaches_subjects_named_default() {
    check(
        r##"namespace: ns"##,
        r##"apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: other}
- {kind: Group, name: default, namespace: old}
"##,
        expect![[r##"
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata:
              name: b
              namespace: ns
            subjects:
            - kind: ServiceAccount
              name: default
              namespace: ns
            - kind: ServiceAccount
              name: other
            - kind: Group
              name: default
              namespace: ns
        "##]],
    );
}

#[test]
fn namespace_refuses_subjects_that_are_no_mappings() {
    check(
        r##"namespace: ns"##,
        r##"apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
subjects: [default]
"##,
        expect![[r##"
            Error: setting namespace on (cluster)role binding subjects: looking up name on (cluster)role binding subject: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            default
        "##]],
    );
}

#[test]
fn names_are_typed_anew_by_prefix_and_suffix() {
    check(
        r##"namePrefix: "1"
nameSuffix: "1""##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: e}
---
apiVersion: v1
kind: Secret
metadata: {name: "e"}
---
apiVersion: v1
kind: Secret
metadata: {name: 23}
---
apiVersion: v1
kind: Namespace
metadata: {name: kept}
"##,
        expect![[r##"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: 10
            ---
            apiVersion: v1
            kind: Secret
            metadata:
              name: "1e1"
            ---
            apiVersion: v1
            kind: Secret
            metadata:
              name: 1231
            ---
            apiVersion: v1
            kind: Namespace
            metadata:
              name: kept
        "##]],
    );
}

#[test]
fn labels_reach_metadata_alone_unless_asked() {
    check(
        r##"labels:
- pairs: {a: "1", b: yes-man}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: "1"
                b: yes-man
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_reach_templates() {
    check(
        r##"labels:
- pairs: {a: on-off}
  includeTemplates: true"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: on-off
              name: web
            spec:
              template:
                metadata:
                  labels:
                    a: on-off
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_reach_selectors_and_their_own_fields() {
    check(
        r##"labels:
- pairs: {a: b}
  includeSelectors: true
  fields:
  - path: spec/extra/labels
    create: true
  - path: spec/none/labels"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                a: b
              name: web
            spec:
              extra:
                labels:
                  a: b
              selector:
                matchLabels:
                  a: b
              template:
                metadata:
                  labels:
                    a: b
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn labels_overwrite_and_keep_nulls_elsewhere() {
    check(
        r##"commonLabels: {a: b}"##,
        r##"apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: n, labels: {a: 1, c: ~}}
spec:
  podSelector: {matchLabels: null}
  ingress:
  - from:
    - podSelector: {matchLabels: {x: y}}
    - podSelector: {}
"##,
        expect![[r##"
            apiVersion: networking.k8s.io/v1
            kind: NetworkPolicy
            metadata:
              labels:
                a: b
                c: null
              name: "n"
            spec:
              ingress:
              - from:
                - podSelector:
                    matchLabels:
                      a: b
                      x: "y"
                - podSelector: {}
              podSelector:
                matchLabels: null
        "##]],
    );
}

#[test]
fn labels_refuse_what_is_no_mapping() {
    check(
        r##"commonLabels: {a: b}"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: n, labels: text}
"##,
        expect![[r##"
            Error: considering field 'metadata/labels' of object ConfigMap.v1.[noGrp]/n.[noNs]: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            text
        "##]],
    );
}

#[test]
fn labels_refuse_conflicting_fields() {
    check(
        r##"labels:
- pairs: {a: b}
  fields:
  - path: metadata/labels"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: n}
"##,
        expect![[r##"
            Error: failed to merge labels: conflicting fieldspecs
        "##]],
    );
}

#[test]
fn a_label_made_at_several_places_is_one_value() {
    check(
        r##"commonLabels: {app: x}
replacements:
- sourceValue: new
  targets:
  - select: {kind: Deployment}
    fieldPaths: [metadata.labels.app]"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              labels:
                app: new
              name: web
            spec:
              selector:
                matchLabels:
                  app: new
              template:
                metadata:
                  labels:
                    app: new
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn annotations_reach_pod_templates() {
    check(
        r##"commonAnnotations: {a: "1", b: "on"}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              annotations:
                a: "1"
                b: "on"
              name: web
            spec:
              template:
                metadata:
                  annotations:
                    a: "1"
                    b: "on"
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn replicas_are_made_and_typed() {
    check(
        r##"namePrefix: p-
replicas:
- {name: web, count: 3}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: p-web
            spec:
              replicas: 3
              template:
                spec:
                  containers:
                  - image: nginx:1
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
        "##]],
    );
}

#[test]
fn replicas_need_a_match() {
    check(
        r##"replicas:
- {name: none, count: 3}"##,
        DEPLOYMENT,
        expect![[r##"
            Error: resource with name none does not match a config with the following GVK [Deployment.[noVer].[noGrp] StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]
        "##]],
    );
}

#[test]
fn tag_suffix_is_put_twice_where_both_passes_reach() {
    check(
        r##"images:
- {name: nginx, tagSuffix: -x}"##,
        r##"apiVersion: apps/v1
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
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: "nginx:1"}]}}}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {containers: [{image: "nginx:1"}]}
"##,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: nginx:1-x-x
                    name: main
                  initContainers:
                  - image: reg:5000/tool@sha256:ab
                    name: init
            ---
            apiVersion: batch/v1
            kind: CronJob
            metadata:
              name: c
            spec:
              jobTemplate:
                spec:
                  template:
                    spec:
                      containers:
                      - image: nginx:1-x
            ---
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: crd
            spec:
              containers:
              - image: nginx:1
        "##]],
    );
}

#[test]
fn images_change_name_tag_and_digest() {
    check(
        r##"images:
- {name: nginx, newName: other, newTag: "2"}
- {name: "reg:5000/tool", newTag: v1}
- {name: other, digest: "sha256:dd"}"##,
        DEPLOYMENT,
        expect![[r##"
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              template:
                spec:
                  containers:
                  - image: other@sha256:dd
                    name: main
                  initContainers:
                  - image: reg:5000/tool:v1
                    name: init
        "##]],
    );
}

#[test]
fn images_turn_null_lists_into_empty_ones() {
    check(
        r##"images:
- {name: nginx, newTag: "2"}"##,
        r##"apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: null, initContainers: ~, volumes:
}
"##,
        expect![[r##"
            apiVersion: v1
            kind: Pod
            metadata:
              name: p
            spec:
              containers: []
              initContainers: []
              volumes: []
        "##]],
    );
}

#[test]
fn images_refuse_containers_that_are_no_mappings() {
    check(
        r##"images:
- {name: nginx, newTag: "2"}"##,
        r##"apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [nginx]}
"##,
        expect![[r##"
            Error: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            nginx
        "##]],
    );
}

#[test]
fn a_copied_text_takes_the_type_of_its_new_place() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.number}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.word, spec.new]
    options: {create: true}
- source: {kind: Foo, fieldPath: spec.text}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.number, spec.newer]
    options: {create: true}"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              map:
                k: v
              new: 80
              newer: 80
              number: 80
              text: "80"
              word: "80"
        "##]],
    );
}

#[test]
fn a_map_is_copied_whole_or_not_at_all() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.map}
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.items, spec.word]"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
                k: v
              map:
                k: v
              number: 80
              text: "80"
              word: ""
        "##]],
    );
}

#[test]
fn values_in_brackets_match_anywhere() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: F.*}
    fieldPaths: ["spec.items.[name=one].value"]"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 7
              - name: one-two
                value: 7
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn items_are_made_from_their_description() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {name: foo}
    fieldPaths: ["spec.items.[name=new].value", spec.list.0.a, spec.items.3]
    options: {create: true}"##,
        FOO,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              - name: new
                value: x
              - x
              list:
              - a: x
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn parts_of_a_text_are_replaced() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: metadata.annotations.a, options: {delimiter: /, index: 1}}
  targets:
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.b]
    options: {delimiter: ":", index: 1}
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.c]
    options: {delimiter: ":", index: -1}
  - select: {kind: Foo}
    fieldPaths: [metadata.annotations.d]
    options: {delimiter: ":", index: 9}"##,
        r##"apiVersion: example.com/v1
kind: Foo
metadata:
  name: foo
  annotations: {a: x/y/z, b: "1:2:3", c: "1:2", d: "1"}
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
"##,
        expect![[r##"
            apiVersion: example.com/v1
            kind: Foo
            metadata:
              annotations:
                a: x/y/z
                b: 1:y:3
                c: y:1:2
                d: 1:y
              name: foo
            spec:
              items:
              - name: one
                value: 1
              - name: one-two
                value: 2
              map:
                k: v
              number: 80
              text: "80"
              word: abc
        "##]],
    );
}

#[test]
fn texts_that_hold_yaml_or_json_are_edited_inside() {
    check(
        r##"replacements:
- sourceValue: "<new>"
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: ["data.[a.json].b.c", "data.[p.json].x.0", "data.[y.yaml].k.[name=n].v"]"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  a.json: '{"z":1,"b":{"c":"old"}}'
  p.json: |
    {
      "x": [1, {}], "e": []
    }
  y.yaml: |
    k:
      - name: n
        v: "old"
      - name: m
"##,
        expect![[r##"
            apiVersion: v1
            data:
              a.json: '{"b":{"c":"\u003cnew\u003e"},"z":1}'
              p.json: |
                {
                  "x": [1, {}], "e": []
                }
              y.yaml: |-
                k:
                - name: n
                  v: "<new>"
                - name: m
            kind: ConfigMap
            metadata:
              name: c
        "##]],
    );
}

#[test]
fn rejected_objects_are_left_alone() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {kind: ConfigMap}
    reject:
    - {name: b}
    - {labelSelector: "app in (c,d)"}
    fieldPaths: [data.k]"##,
        r##"apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {app: a}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {app: b}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, labels: {app: c}}
data: {k: v}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d, labels: {app: d}}
data: {k: v}
"##,
        expect![[r##"
            apiVersion: v1
            data:
              k: x
            kind: ConfigMap
            metadata:
              labels:
                app: a
              name: a
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: b
              name: b
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: c
              name: c
            ---
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              labels:
                app: d
              name: d
        "##]],
    );
}

#[test]
fn a_source_must_select_one_object() {
    check(
        r##"replacements:
- source: {kind: ConfigMap}
  targets:
  - select: {kind: ConfigMap}"##,
        DEPLOYMENT,
        expect![[r##"
            Error: nothing selected by ConfigMap.[noVer].[noGrp]/[noName].[noNs]
        "##]],
    );
}

#[test]
fn a_source_must_not_select_two() {
    check(
        r##"replacements:
- source: {version: v1, fieldPath: x.y, options: {delimiter: "-", index: 2}}
  targets:
  - select: {kind: ConfigMap}"##,
        r##"apiVersion: apps/v1
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
---
apiVersion: example.com/v1
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
"##,
        expect![[r##"
            Error: multiple matches for selector [noKind].v1.[noGrp]/[noName].[noNs]:x.y:-(2), create=false
        "##]],
    );
}

#[test]
fn a_source_field_must_be_there() {
    check(
        r##"replacements:
- source: {kind: Foo, fieldPath: spec.nope}
  targets:
  - select: {kind: Foo}"##,
        FOO,
        expect![[r##"
            Error: fieldPath `spec.nope` is missing for replacement source Foo.[noVer].[noGrp]/[noName].[noNs]
        "##]],
    );
}

#[test]
fn a_target_field_must_be_there() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.nope.x]"##,
        FOO,
        expect![[r##"
            Error: unable to find field "spec.nope.x" in replacement target
        "##]],
    );
}

#[test]
fn a_target_must_select() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - fieldPaths: [spec.nope.x]"##,
        FOO,
        expect![[r##"
            Error: target must specify resources to select
        "##]],
    );
}

#[test]
fn a_bad_pattern_is_named() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {name: "a(b"}"##,
        FOO,
        expect![[r##"
            Error: error creating target selector: error parsing regexp: missing closing ): `^(?:a(b)$`
        "##]],
    );
}

#[test]
fn a_bad_label_selector_is_named() {
    check(
        r##"replacements:
- sourceValue: x
  targets:
  - select: {labelSelector: "a in b"}"##,
        FOO,
        expect![[r##"
            Error: unable to parse requirement: found 'b' expected: '('
        "##]],
    );
}

#[test]
fn a_path_below_a_text_is_refused() {
    check(
        r##"replacements:
- sourceValue: "7"
  targets:
  - select: {kind: Foo}
    fieldPaths: [spec.word.x]"##,
        FOO,
        expect![[r##"
            Error: unable to find field "spec.word.x" in replacement target: wrong node kind: expected MappingNode but got ScalarNode: node contents:
            abc
        "##]],
    );
}
