//! What each field of an output says of itself: its value, the line that gave it, and what touched it last.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_kustomize::{Build, Options, Outcome, build};
use kelson_model::{Answers, MemoryTree};
use kelson_yaml::{Data, Node, Span};

/// Lists the fields of the last object as `field | value | file:line | transformer file:line`.
#[track_caller]
fn check(files: &str, expected: Expect) {
    let tree = MemoryTree::parse(files);
    let Ok(Outcome::Built(built)) = build(&tree, "/", &Options::default(), &Answers::default())
    else {
        panic!("the case builds");
    };
    let mut table = String::new();
    if let Some(object) = built.objects.last() {
        list(&object.node, "", &built, &mut table);
    }
    expected.assert_eq(&table);
}

fn list(node: &Node, path: &str, built: &Build, table: &mut String) {
    let child = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match &node.data {
        Data::Mapping(mapping) => {
            for entry in mapping {
                list(&entry.value, &child(entry.key.text().unwrap_or_default()), built, table);
            }
        }
        Data::Sequence(sequence) => {
            for (number, item) in sequence.items.iter().enumerate() {
                list(item, &child(&number.to_string()), built, table);
            }
        }
        Data::Scalar(scalar) => {
            let place = |span: Span| match built.sources.place(span) {
                Some(place) => format!("{}:{}", place.name.trim_start_matches('/'), place.line),
                None => "nowhere".to_owned(),
            };
            let touched = built
                .touched(node)
                .map_or_else(|| "-".to_owned(), |(it, at)| format!("{} {}", it.name, place(at)));
            let _ = writeln!(table, "{path} | {} | {} | {touched}", scalar.text, place(node.span));
        }
    }
}

const MAP: &str = "#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

#[test]
fn what_names_an_object_keeps_its_own_line() {
    let files = "#- kustomization.yaml\nnamePrefix: p-\nnameSuffix: -s\nnamespace: shop\nresources:\n- a.yaml\n";
    check(
        &format!("{files}{MAP}"),
        expect![[r#"
        apiVersion | v1 | a.yaml:1 | -
        kind | ConfigMap | a.yaml:2 | -
        metadata.name | p-a-s | a.yaml:4 | SuffixTransformer kustomization.yaml:2
        metadata.namespace | shop | kustomization.yaml:3 | NamespaceTransformer kustomization.yaml:3
    "#]],
    );
}

#[test]
fn labels_and_annotations_name_their_pairs() {
    let files = "#- kustomization.yaml\nlabels:\n- pairs:\n    one: x\n    two: w\ncommonAnnotations:\n  three: z\nresources:\n- a.yaml\n";
    check(
        &format!("{files}{MAP}"),
        expect![[r#"
        apiVersion | v1 | a.yaml:1 | -
        kind | ConfigMap | a.yaml:2 | -
        metadata.name | a | a.yaml:4 | -
        metadata.labels.one | x | kustomization.yaml:3 | LabelTransformer kustomization.yaml:2
        metadata.labels.two | w | kustomization.yaml:4 | LabelTransformer kustomization.yaml:2
        metadata.annotations.three | z | kustomization.yaml:6 | AnnotationsTransformer kustomization.yaml:6
    "#]],
    );
}

#[test]
fn layers_are_told_apart() {
    let files = "#- kustomization.yaml\nnamePrefix: over-\nresources:\n- base\ncomponents:\n- part\n#- part/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nlabels:\n- pairs:\n    one: x\n#- base/kustomization.yaml\nnameSuffix: -base\nresources:\n- a.yaml\n#- base/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    check(
        files,
        expect![[r#"
        apiVersion | v1 | base/a.yaml:1 | -
        kind | ConfigMap | base/a.yaml:2 | -
        metadata.name | over-a-base | base/a.yaml:4 | PrefixTransformer kustomization.yaml:1
        metadata.labels.one | x | part/kustomization.yaml:5 | LabelTransformer part/kustomization.yaml:4
    "#]],
    );
}

#[test]
fn generated_data_names_the_line_that_gave_it() {
    let files = "#- kustomization.yaml\nconfigMapGenerator:\n- name: g\n  literals:\n  - one=1\n  files:\n  - two.txt\n  envs:\n  - three.env\n  options:\n    labels:\n      l: v\n#- two.txt\ncontent\n#- three.env\n# a remark\nthree=3\n";
    check(
        files,
        expect![[r#"
        apiVersion | v1 | kustomization.yaml:2 | ConfigMapGenerator kustomization.yaml:2
        kind | ConfigMap | kustomization.yaml:2 | ConfigMapGenerator kustomization.yaml:2
        metadata.name | g-726bf6h75f | kustomization.yaml:2 | HashTransformer kustomization.yaml:2
        metadata.labels.l | v | kustomization.yaml:11 | ConfigMapGenerator kustomization.yaml:2
        data.one | 1 | kustomization.yaml:4 | ConfigMapGenerator kustomization.yaml:2
        data.three | 3 | three.env:2 | ConfigMapGenerator kustomization.yaml:2
        data.two.txt | content
         | two.txt:1 | ConfigMapGenerator kustomization.yaml:2
    "#]],
    );
}

#[test]
fn a_merged_generator_names_the_overlay_for_what_it_gave() {
    let files = "#- kustomization.yaml\nresources:\n- base\nconfigMapGenerator:\n- name: g\n  behavior: merge\n  literals:\n  - two=over\n#- base/kustomization.yaml\nconfigMapGenerator:\n- name: g\n  literals:\n  - one=base\n  - two=base\n";
    check(
        files,
        expect![[r#"
        apiVersion | v1 | kustomization.yaml:4 | ConfigMapGenerator kustomization.yaml:4
        kind | ConfigMap | kustomization.yaml:4 | ConfigMapGenerator kustomization.yaml:4
        metadata.name | g-6bg829d62g | kustomization.yaml:4 | HashTransformer kustomization.yaml:4
        data.one | base | base/kustomization.yaml:4 | ConfigMapGenerator base/kustomization.yaml:2
        data.two | over | kustomization.yaml:7 | ConfigMapGenerator kustomization.yaml:4
    "#]],
    );
}

const DEPLOYMENT: &str = "#- d.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: c
        image: app:1
        envFrom:
        - configMapRef:
            name: g
";

#[test]
fn images_and_replicas_name_their_entries() {
    let files = "#- kustomization.yaml\nresources:\n- d.yaml\nimages:\n- name: app\n  newTag: \"2\"\nreplicas:\n- name: d\n  count: 3\n";
    check(
        &format!("{files}{DEPLOYMENT}"),
        expect![[r#"
        apiVersion | apps/v1 | d.yaml:1 | -
        kind | Deployment | d.yaml:2 | -
        metadata.name | d | d.yaml:4 | -
        spec.replicas | 3 | kustomization.yaml:8 | ReplicaCountTransformer kustomization.yaml:7
        spec.template.spec.containers.0.name | c | d.yaml:10 | -
        spec.template.spec.containers.0.image | app:2 | kustomization.yaml:5 | ImageTagTransformer kustomization.yaml:4
        spec.template.spec.containers.0.envFrom.0.configMapRef.name | g | d.yaml:14 | -
    "#]],
    );
}

#[test]
fn references_name_the_name_they_follow() {
    let files = "#- kustomization.yaml\nresources:\n- d.yaml\nconfigMapGenerator:\n- name: g\n  literals:\n  - one=1\n";
    check(
        &format!("{files}{DEPLOYMENT}"),
        expect![[r#"
        apiVersion | apps/v1 | d.yaml:1 | -
        kind | Deployment | d.yaml:2 | -
        metadata.name | d | d.yaml:4 | -
        spec.replicas | 1 | d.yaml:6 | -
        spec.template.spec.containers.0.name | c | d.yaml:10 | -
        spec.template.spec.containers.0.image | app:1 | d.yaml:11 | -
        spec.template.spec.containers.0.envFrom.0.configMapRef.name | g-h2794dt8gt | kustomization.yaml:4 | NameReferenceTransformer kustomization.yaml:4
    "#]],
    );
}

#[test]
fn patches_name_their_own_lines() {
    let files = "#- kustomization.yaml\nresources:\n- d.yaml\npatches:\n- path: p.yaml\n- target:\n    kind: Deployment\n  patch: |-\n    - op: replace\n      path: /spec/template/spec/containers/0/image\n      value: app:9\n#- p.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  replicas: 5\n";
    check(
        &format!("{files}{DEPLOYMENT}"),
        expect![[r#"
        apiVersion | apps/v1 | d.yaml:1 | -
        kind | Deployment | d.yaml:2 | -
        metadata.name | d | d.yaml:4 | -
        spec.replicas | 5 | p.yaml:6 | PatchTransformer kustomization.yaml:4
        spec.template.spec.containers.0.name | c | d.yaml:10 | -
        spec.template.spec.containers.0.image | app:9 | kustomization.yaml:10 | PatchTransformer kustomization.yaml:5
        spec.template.spec.containers.0.envFrom.0.configMapRef.name | g | d.yaml:14 | -
    "#]],
    );
}

#[test]
fn replacements_and_variables_name_the_value_they_copy() {
    let files = "#- kustomization.yaml\nresources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.from\n  targets:\n  - select:\n      kind: Pod\n    fieldPaths:\n    - spec.hostname\n    - metadata.annotations.made\n    options:\n      create: true\nvars:\n- name: WORD\n  objref:\n    apiVersion: v1\n    kind: ConfigMap\n    name: a\n  fieldref:\n    fieldpath: data.word\n#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  from: here\n  word: hello\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  hostname: old\n  containers:\n  - name: c\n    args:\n    - $(WORD)\n    - say $(WORD)\n";
    check(
        files,
        expect![[r#"
        apiVersion | v1 | a.yaml:9 | -
        kind | Pod | a.yaml:10 | -
        metadata.name | p | a.yaml:12 | -
        metadata.annotations.made | here | a.yaml:6 | ReplacementTransformer kustomization.yaml:4
        spec.hostname | here | a.yaml:6 | ReplacementTransformer kustomization.yaml:4
        spec.containers.0.name | c | a.yaml:16 | -
        spec.containers.0.args.0 | hello | a.yaml:7 | RefVarTransformer kustomization.yaml:16
        spec.containers.0.args.1 | say hello | a.yaml:19 | RefVarTransformer kustomization.yaml:16
    "#]],
    );
}

#[test]
fn builtin_plugins_name_their_configuration() {
    let files = "#- kustomization.yaml\nresources:\n- a.yaml\ntransformers:\n- t.yaml\n#- t.yaml\napiVersion: builtin\nkind: AnnotationsTransformer\nmetadata:\n  name: t\nannotations:\n  one: x\nfieldSpecs:\n- path: metadata/annotations\n  create: true\n";
    check(
        &format!("{files}{MAP}"),
        expect![[r#"
        apiVersion | v1 | a.yaml:1 | -
        kind | ConfigMap | a.yaml:2 | -
        metadata.name | a | a.yaml:4 | -
        metadata.annotations.one | x | t.yaml:6 | AnnotationsTransformer t.yaml:1
    "#]],
    );
}

#[test]
fn what_no_field_asks_for_names_its_cause() {
    let files = "#- kustomization.yaml
resources: [base, pod.yaml]
vars:
- name: WHERE
  objref: {apiVersion: v1, kind: Service, name: web}
- name: OTHER
  objref: {apiVersion: v1, kind: Service, name: web}
#- base/kustomization.yaml
resources: [a.yaml]
configMapGenerator:
- name: settings
  literals: [a=b]
namePrefix: p-
#- base/a.yaml
apiVersion: v1
kind: Service
metadata:
  name: web
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: who
#- pod.yaml
apiVersion: v1
kind: Pod
metadata:
  name: pod
spec:
  serviceAccountName: who
  containers:
  - name: one
    args: [$(WHERE), a-$(OTHER)]
    envFrom:
    - configMapRef: {name: settings}
";
    check(
        files,
        expect![[r#"
        apiVersion | v1 | pod.yaml:1 | -
        kind | Pod | pod.yaml:2 | -
        metadata.name | pod | pod.yaml:4 | -
        spec.serviceAccountName | p-who | base/a.yaml:9 | NameReferenceTransformer base/kustomization.yaml:5
        spec.containers.0.name | one | pod.yaml:8 | -
        spec.containers.0.args.0 | p-web | base/a.yaml:4 | RefVarTransformer kustomization.yaml:3
        spec.containers.0.args.1 | a-p-web | pod.yaml:9 | RefVarTransformer kustomization.yaml:5
        spec.containers.0.envFrom.0.configMapRef.name | p-settings-4h2mbtbbt6 | base/kustomization.yaml:3 | NameReferenceTransformer base/kustomization.yaml:3
    "#]],
    );
}
