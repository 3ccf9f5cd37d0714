use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_yaml::{Dialect, Span, documents};

use super::*;

fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let kinds = [
        ("", "v1", "Namespace", "namespaces", false),
        ("", "v1", "ConfigMap", "configmaps", true),
        ("", "v1", "Secret", "secrets", true),
        ("apps", "v1", "Deployment", "deployments", true),
        (
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            false,
        ),
        ("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", true),
    ];
    for (group, version, kind, plural, namespaced) in kinds {
        catalog.add(Kind {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            namespaced,
            to_come: false,
        });
    }
    catalog.unreadable.push(("metrics.k8s.io".to_owned(), "503 ServiceUnavailable".to_owned()));
    catalog
}

/// Resolves objects and shows what came of each: id, what it awaits, and the rest where there is any.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let documents = documents(text, Span::NONE, Dialect::V3).unwrap();
    let objects: Vec<Object> =
        documents.into_iter().map(|node| Object::new(node).unwrap()).collect();
    let mut catalog = catalog();
    catalog.add_definitions(&objects);
    let options = ResolveOptions {
        default_namespace: "default".to_owned(),
        ignore: vec![Ignore::parse("Secret:/data/x").unwrap()],
        scaled: Vec::new(),
    };
    let delivery = Delivery::new("shop", "prod").unwrap();
    let resolved = resolve(objects, &catalog, Some(&delivery), &options);
    let mut shown = String::new();
    for desired in &resolved.desired {
        writeln!(shown, "{} {}", desired.object.id, desired.kind.api_version()).unwrap();
        if let Some(awaits) = &desired.awaits {
            writeln!(shown, "  awaits {}", awaits.id()).unwrap();
        }
        if desired.wave != 0 {
            writeln!(shown, "  wave {}", desired.wave).unwrap();
        }
        for id in &desired.depends_on {
            writeln!(shown, "  after {id}").unwrap();
        }
        for (path, why) in &desired.ignored {
            writeln!(shown, "  not {path}: {why}").unwrap();
        }
        for note in &desired.notes {
            writeln!(shown, "  note: {note}").unwrap();
        }
    }
    for problem in &resolved.problems {
        writeln!(shown, "problem: {}: {}", problem.id, problem.message).unwrap();
    }
    expected.assert_eq(&shown);
}

#[test]
fn objects_get_the_namespace_that_their_kind_has() {
    check(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n\
         {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: n}}\n---\n\
         {apiVersion: v1, kind: Namespace, metadata: {name: n, namespace: x}}\n",
        expect![[r#"
            ConfigMap/default/a v1
            ConfigMap/n/a v1
              awaits Namespace/n
            Namespace/n v1
              note: its namespace `x` is left out: a Namespace has none
        "#]],
    );
}

#[test]
fn two_objects_with_one_id_are_named_together() {
    check(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n\
         {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}\n---\n\
         {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n",
        expect![[r#"
            ConfigMap/default/b v1
            problem: ConfigMap/default/a: there are 2 objects with this id (v1 without a namespace, v1); leave one, or give them other names
        "#]],
    );
}

#[test]
fn a_missing_kind_is_said_to_be_missing_and_an_unreadable_one_not() {
    check(
        "{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a}}\n---\n\
         {apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}}\n---\n\
         {apiVersion: apps/v1, kind: Deploymnet, metadata: {name: a}}\n---\n\
         {apiVersion: example.com/v1, kind: Foo, metadata: {name: a}}\n---\n\
         {apiVersion: metrics.k8s.io/v1, kind: PodMetrics, metadata: {name: a}}\n",
        expect![[r#"
            problem: Deployment/a: the cluster has no apps/v1beta1 Deployment, but apps/v1; write that as `apiVersion`
            problem: Deployment/a: the cluster has no extensions/v1beta1 Deployment; it has apps/v1 Deployment
            problem: Deploymnet/a: the cluster has no apps/v1 Deploymnet; it has apps/v1 Deployment
            problem: Foo/a: the cluster has no example.com/v1 Foo, and no CustomResourceDefinition of the set brings it; install what defines it first, or add that to the set
            problem: PodMetrics/a: whether the cluster has metrics.k8s.io/v1 PodMetrics is not known: the kinds of metrics.k8s.io could not be read: 503 ServiceUnavailable
        "#]],
    );
}

#[test]
fn a_definition_of_the_set_brings_its_kind() {
    check(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n\
         spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Foo, plural: foos}\n  \
         versions: [{name: v1, served: true}, {name: v0, served: false}]\n---\n\
         {apiVersion: example.com/v1, kind: Foo, metadata: {name: a}}\n---\n\
         {apiVersion: example.com/v0, kind: Foo, metadata: {name: b}}\n",
        expect![[r#"
            CustomResourceDefinition/foos.example.com apiextensions.k8s.io/v1
            Foo/default/a example.com/v1
              awaits CustomResourceDefinition/foos.example.com
            problem: Foo/b: the cluster has no example.com/v0 Foo, but example.com/v1; write that as `apiVersion`
        "#]],
    );
}

#[test]
fn annotations_are_read_and_all_their_faults_told() {
    check(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n    kelson.dev/wave: '-3'\n    \
         kelson.dev/ignore: /data/a~1b, /metadata/labels/x\n    \
         config.kubernetes.io/depends-on: apps/namespaces/n/Deployment/web, /namespaces/n/ConfigMap/c,/Namespace/n\n---\n\
         apiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n  annotations:\n    kelson.dev/wave: first\n    \
         kelson.dev/ignore: spec\n    config.kubernetes.io/depends-on: web,/namespaces/default/Secret/b\n",
        expect![[r#"
            Secret/default/a v1
              wave -3
              after Deployment/n/web
              after ConfigMap/n/c
              after Namespace/n
              not /data/a~1b: the object says so
              not /metadata/labels/x: the object says so
              not /data/x: --ignore Secret:/data/x
            problem: Secret/default/b: `first` cannot be the value of `kelson.dev/wave`: it is a whole number in quotes, such as "1"; `web` in `config.kubernetes.io/depends-on` is not of the form `group/namespaces/namespace/Kind/name` or `group/Kind/name`; `config.kubernetes.io/depends-on` names the object itself; `kelson.dev/ignore`: `spec` is no JSON pointer: it begins with a slash, as in `/spec/replicas`
        "#]],
    );
}

#[test]
fn what_an_autoscaler_scales_is_left_to_it() {
    check(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\n\
         spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n---\n\
         {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3}}\n---\n\
         {apiVersion: apps/v1, kind: Deployment, metadata: {name: other}}\n",
        expect![[r#"
            HorizontalPodAutoscaler/default/h autoscaling/v2
            Deployment/default/web apps/v1
              not /spec/replicas: HorizontalPodAutoscaler/default/h scales it
            Deployment/default/other apps/v1
        "#]],
    );
}

#[test]
fn objects_are_labelled_and_what_a_server_writes_is_taken_out() {
    let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, creationTimestamp: null, labels: null}\n\
                data: {a: YQ==}\nstringData: {a: new, b: x}\nstatus: {}\n";
    let documents = documents(text, Span::NONE, Dialect::V3).unwrap();
    let objects = documents.into_iter().map(|node| Object::new(node).unwrap()).collect();
    let delivery = Delivery::new("shop", "prod").unwrap();
    let options = ResolveOptions { default_namespace: "default".to_owned(), ..Default::default() };
    let resolved = resolve(objects, &catalog(), Some(&delivery), &options);
    let mut shown = String::new();
    kelson_yaml::emit::canonical(&resolved.desired[0].object.node, &mut shown).unwrap();
    expect![[r#"
        apiVersion: v1
        data:
          a: bmV3
          b: eA==
        kind: Secret
        metadata:
          labels:
            kelson.dev/name: shop
            kelson.dev/namespace: prod
          name: a
          namespace: default
    "#]]
    .assert_eq(&shown);
}

#[test]
fn ignored_fields_do_not_move_the_hash() {
    let hash = |replicas: &str| {
        let text = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, annotations: {{kelson.dev/ignore: /data/a}}}}, data: {{{replicas}}}}}"
        );
        let documents = documents(&text, Span::NONE, Dialect::V3).unwrap();
        let objects = documents.into_iter().map(|node| Object::new(node).unwrap()).collect();
        let resolved = resolve(objects, &catalog(), None, &ResolveOptions::default());
        resolved.desired[0].hash.clone()
    };
    assert_eq!(hash("a: x, b: y"), hash("a: z, b: y"));
    assert_ne!(hash("a: x, b: y"), hash("a: x, b: z"));
}
