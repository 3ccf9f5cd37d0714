use expect_test::{Expect, expect};
use kelson_model::MemoryTree;

use super::*;

#[track_caller]
fn check_with(files: &str, root: &str, options: &Options, expected: &Expect) {
    let tree = MemoryTree::parse(files);
    let actual = match render(&tree, root, options, &Answers::default()) {
        Ok(Outcome::Built(mut build)) => to_apply_yaml(&mut build).unwrap_or_else(shown),
        Ok(Outcome::Needs(_)) => "something is needed".to_owned(),
        Err(failure) => shown(failure),
    };
    expected.assert_eq(&actual);
}

fn shown(failure: Failure) -> String {
    let line = |diagnostic: &kelson_model::Diagnostic| {
        let span = diagnostic.labels.first().and_then(|label| failure.sources.place(label.span));
        let place = span.map(|place| format!("{}:{}:{}: ", place.name, place.line, place.column));
        format!("{}{}\n", place.unwrap_or_default(), diagnostic.message)
    };
    failure.diagnostics.iter().map(line).collect()
}

#[track_caller]
fn check(files: &str, root: &str, expected: Expect) {
    check_with(files, root, &Options { places: true, ..Options::default() }, &expected);
}

#[test]
fn a_directory_without_a_kustomization_stands_for_its_manifests() {
    check(
        "#- app/b.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: b}
#- app/sub/a.yml
kind: List
apiVersion: v1
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
- {apiVersion: v1, kind: Namespace, metadata: {name: two}}
#- app/c.json
{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"c\"}}
#- app/overlay/kustomization.yaml
namePrefix: x-
resources: [d.yaml]
#- app/overlay/d.yaml
apiVersion: v1
kind: Secret
metadata: {name: d}
#- app/readme.txt
not: this
",
        "/app",
        expect![[r#"
            apiVersion: v1
            kind: Namespace
            metadata:
              name: two
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: one
            ---
            apiVersion: v1
            kind: Secret
            metadata:
              name: x-d
            ---
            apiVersion: v1
            kind: Service
            metadata:
              name: c
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: b
            ---
        "#]],
    );
}

#[test]
fn a_file_stands_for_its_own_objects() {
    let files = "#- app/kustomization.yaml
namePrefix: x-
resources: [a.yaml]
#- app/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
";
    let plain = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ";
    check_with(
        files,
        "/app/a.yaml",
        &Options::default(),
        &text_expect(&format!("{plain}a\n---\n")),
    );
    let overlay = format!("{plain}x-a\n---\n");
    check_with(files, "/app/kustomization.yaml", &Options::default(), &text_expect(&overlay));
    check_with(files, "/app", &Options::default(), &text_expect(&overlay));
}

fn text_expect(text: &str) -> Expect {
    let leaked: &'static str = Box::leak(text.to_owned().into_boxed_str());
    Expect { position: expect![""].position, data: leaked, indent: false }
}

#[test]
fn what_is_no_object_is_refused_with_its_place() {
    check(
        "#- a/b.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n",
        "/a",
        expect![[r#"
            /a/b.yaml:1:1: the ConfigMap has no name
        "#]],
    );
    check(
        "#- a/b.yaml\na: 1\n---\nb: 1\n",
        "/a/b.yaml",
        expect![[r#"
            /a/b.yaml:1:1: this is no Kubernetes object: it has neither kind nor metadata
        "#]],
    );
    check(
        "#- a/b.txt\n",
        "/a",
        expect![[r#"
            there is nothing to render in `/a`
        "#]],
    );
    check(
        "#- a/b.txt\n",
        "/c",
        expect![[r#"
            cannot read `/c`: no such file or directory
        "#]],
    );
}

#[test]
fn places_for_a_template_come_out_as_they_went_in() {
    check(
        "#- kustomization.yaml
namespace: {{.nuon.install.id}}
resources: [a.yaml]
patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {replicas: {{.nuon.inputs.replicas}}}
- target: {kind: Deployment}
  patch: |-
    - {op: add, path: /spec/paused, value: {{ .paused }}}
- target: {kind: Deployment}
  patch: |-
    - op: replace
      path: /spec/minReadySeconds
      value: {{ .seconds }}
secretGenerator:
- name: token
  literals: [token={{.nuon.token}}, {{.key}}=x]
#- a.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {port: \"{{.port}}\", id: x-{{.id}}-y}
spec:
  replicas: 3
  minReadySeconds: 1
  template:
    spec:
      containers:
      - name: web
        image: {{.image}}:{{.tag}}
        args: [--id={{.id}}, \"{{ .quoted }}\", {{ .plain }}]
",
        "/",
        expect![[r#"
            apiVersion: v1
            data:
              '{{.key}}': eA==
              token: e3subnVvbi50b2tlbn19
            kind: Secret
            metadata:
              name: token-9htdkbd7hd
              namespace: '{{.nuon.install.id}}'
            type: Opaque
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              annotations:
                id: x-{{.id}}-y
                port: '{{.port}}'
              name: web
              namespace: '{{.nuon.install.id}}'
            spec:
              minReadySeconds: {{ .seconds }}
              paused: {{ .paused }}
              replicas: {{.nuon.inputs.replicas}}
              template:
                spec:
                  containers:
                  - args:
                    - --id={{.id}}
                    - '{{ .quoted }}'
                    - {{ .plain }}
                    image: {{.image}}:{{.tag}}
                    name: web
            ---
        "#]],
    );
}

#[test]
fn without_being_asked_a_place_is_what_kustomize_makes_of_it() {
    check_with(
        "#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{.x}}}\n",
        "/a.yaml",
        &Options::default(),
        &expect![[r#"
            /a.yaml:1:1: ConfigMap `a` cannot be written: yaml: invalid map key: map[string]interface {}{".x":""}
        "#]],
    );
}

/// Lays `/patch.yaml` over objects.
#[track_caller]
fn check_laid(files: &str, objects: &str, expected: Expect) {
    let tree = MemoryTree::parse(files);
    let built = lay(&tree, "/p/patch.yaml", objects.to_owned()).and_then(|laid| {
        match render(&laid, laid.root(), &Options::default(), &Answers::default())? {
            Outcome::Built(build) => build.to_yaml(),
            Outcome::Needs(needs) => panic!("{needs:?}"),
        }
    });
    expected.assert_eq(&built.unwrap_or_else(shown));
}

#[test]
fn the_fields_of_a_file_are_laid_over_objects() {
    let files = "#- p/patch.yaml
namePrefix: x-
patches: [{path: more.yaml}]
#- p/more.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}
#- p/kustomization.yml
resources: [unrelated.yaml]
";
    check_laid(
        files,
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: c, configMap: {name: a}}]}}\n",
        expect![[r#"
            apiVersion: v1
            data:
              k: v
            kind: ConfigMap
            metadata:
              name: x-a
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: x-p
            spec:
              volumes:
              - configMap:
                  name: x-a
                name: c
        "#]],
    );
}

#[test]
fn what_is_laid_over_objects_brings_none_itself() {
    let object = "{apiVersion: v1, kind: A, metadata: {name: a}}\n";
    check_laid(
        "#- p/patch.yaml\nresources: [a.yaml]\n",
        object,
        expect![[r#"
        `/p/patch.yaml` has `resources`: what is laid over others brings no objects itself
    "#]],
    );
    check_laid(
        "#- p/patch.yaml\n- a\n",
        object,
        expect![[r#"
        `/p/patch.yaml` has no `field: value` lines
    "#]],
    );
    check_laid(
        "#- p/patch.yaml\na: [\n",
        object,
        expect![[r#"
        `/p/patch.yaml` is no YAML: line 1: did not find expected node content
    "#]],
    );
    check_laid(
        "#- p/patch.yaml\nnamePrefix: [a]\n",
        object,
        expect![[r#"
        /p/patch.yaml:1:13: `namePrefix` must be text, not a list
    "#]],
    );
    check_laid(
        "#- p/other.yaml\n",
        object,
        expect![[r#"
        `/p/patch.yaml` cannot be read: no such file or directory
    "#]],
    );
}
