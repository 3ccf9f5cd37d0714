//! `--strict`: what upstream passes over in silence is an error with a place, a line and a remedy.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "program/run.rs"]
mod program;

use expect_test::{Expect, expect};
use program::Folder;

/// Builds with and without strictness: without, it must work.
#[track_caller]
fn check(files: &str, expected: Expect) {
    let folder = Folder::new(files);
    let lax = folder.run(&["build"]);
    assert_eq!(lax.code, 0, "{}", lax.err);
    let strict = folder.run(&["build", "--strict"]);
    assert_eq!((strict.code, strict.out.as_str()), (1, ""), "{}", strict.err);
    for part in ["-->", "^", "help:"] {
        assert!(strict.err.contains(part), "no `{part}` in\n{}", strict.err);
    }
    expected.assert_eq(&strict.err);
}

const DEPLOYMENT: &str = "#- a.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: shop
        image: example/shop:1
";

#[test]
fn a_patch_must_find_something() {
    let patch = "#- kustomization.yaml\nresources: [a.yaml]\npatches:\n- target:\n    kind: Deployment\n    name: shpo\n  patch: |-\n    - op: remove\n      path: /spec/replicas\n";
    check(
        &format!("{patch}{DEPLOYMENT}"),
        expect![[r#"
        error[patch-matches-nothing]: the target of the patch selects nothing (Deployment.[noVer].[noGrp]/shpo.[noNs]:a=:l=)
         --> kustomization.yaml:4:5
          |
        4 |     kind: Deployment
          |     ^^^^^ selects no object
          |
          = help: no Deployment named `shpo`; there is `shop`
    "#]],
    );
}

#[test]
fn a_replacement_must_find_something() {
    let replacement = "#- kustomization.yaml\nresources: [a.yaml]\nreplacements:\n- sourceValue: x\n  targets:\n  - select:\n      kind: Deployment\n      name: shpo\n    fieldPaths: [spec.paused]\n";
    check(
        &format!("{replacement}{DEPLOYMENT}"),
        expect![[r#"
        error[replacement-matches-nothing]: the target of the replacement selects nothing
         --> kustomization.yaml:5:5
          |
        5 |   - select:
          |     ^^^^^^^ selects no object
          |
          = help: no Deployment named `shpo`; there is `shop`
    "#]],
    );
}

#[test]
fn a_replacement_in_a_file_must_find_something_too() {
    let kustomization =
        "#- kustomization.yaml\nresources: [a.yaml]\nreplacements:\n- path: more/r.yaml\n";
    let target =
        "  targets:\n  - select: {kind: Deployment, name: shpo}\n    fieldPaths: [spec.paused]\n";
    for (file, expected) in [
        (
            format!("#- more/r.yaml\n- sourceValue: x\n{target}"),
            expect![[r#"
            error[replacement-matches-nothing]: the target of the replacement selects nothing
             --> more/r.yaml:3:5
              |
            3 |   - select: {kind: Deployment, name: shpo}
              |     ^^^^^^^ selects no object
              |
              = help: no Deployment named `shpo`; there is `shop`
        "#]],
        ),
        (
            format!(
                "#- more/r.yaml\n# one alone\n{}",
                "sourceValue: x\ntargets:\n- select:\n    kind: Deploiment\n"
            ),
            expect![[r#"
                error[replacement-matches-nothing]: the target of the replacement selects nothing
                 --> more/r.yaml:4:3
                  |
                4 | - select:
                  |   ^^^^^^^ selects no object
                  |
                  = help: take the target out, or make it select an object
            "#]],
        ),
    ] {
        check(&format!("{kustomization}{file}{DEPLOYMENT}"), expected);
    }
}

#[test]
fn an_image_must_be_used() {
    let image = "#- kustomization.yaml\nresources: [a.yaml]\nimages:\n- name: example/shpo\n  newTag: \"2\"\n";
    check(
        &format!("{image}{DEPLOYMENT}"),
        expect![[r#"
        error[image-matches-nothing]: no container uses the image `example/shpo`
         --> kustomization.yaml:3:9
          |
        3 | - name: example/shpo
          |         ^^^^^^^^^^^^ used nowhere
          |
          = help: there is the image `example/shop`
    "#]],
    );
}

#[test]
fn a_replica_entry_that_matches_nothing_fails_always() {
    let replicas =
        "#- kustomization.yaml\nresources: [a.yaml]\nreplicas:\n- name: shpo\n  count: 2\n";
    let ran = Folder::new(&format!("{replicas}{DEPLOYMENT}")).run(&["build"]);
    expect![[r#"
        error[replica-matches-nothing]: no object named `shpo` has replicas
         --> kustomization.yaml:3:9
          |
        3 | - name: shpo
          |         ^^^^ nothing has this name
          |
          = help: there is `shop`
        Error: resource with name shpo does not match a config with the following GVK [Deployment.[noVer].[noGrp] StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]
        exit code 1
    "#]].assert_eq(&ran.shown());
}

#[test]
fn keys_of_kustomizations_must_not_repeat() {
    let twice = "#- kustomization.yaml\nresources: [a.yaml]\nnamePrefix: a-\nnamePrefix: b-\n";
    check(
        &format!("{twice}{DEPLOYMENT}"),
        expect![[r#"
        error[repeated-key]: the key `namePrefix` is here more than once; the last one counts
         --> kustomization.yaml:3:1
          |
        3 | namePrefix: b-
          | ^^^^^^^^^^^ here again
          |
         ::: kustomization.yaml:2:1
          |
        2 | namePrefix: a-
          | ----------- it was here first
          |
          = help: take one of the two out, or put their values together
    "#]],
    );
}

#[test]
fn keys_of_resources_must_not_repeat_ever() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n  k: two\n";
    let ran = Folder::new(files).run(&["build", "--strict"]);
    expect![[r#"
        error[repeated-key]: ConfigMap `a` has a key more than once
         --> a.yaml:7:3
          |
        7 |   k: two
          |   ^^ here again
          |
         ::: a.yaml:6:3
          |
        6 |   k: one
          |   -- it was here first
          |
          = help: take one of the two out
        Error: map[string]interface {}(nil): yaml: unmarshal errors:
          line 7: mapping key "k" already defined at line 6
        exit code 1
    "#]]
    .assert_eq(&ran.shown());
}

#[test]
fn builtin_plugins_and_openapi_must_know_their_fields() {
    let plugin = "#- kustomization.yaml\nresources: [a.yaml]\ntransformers: [t.yaml]\n#- t.yaml\napiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: t\nprefixx: a-\nprefix: b-\nfieldSpecs:\n- path: metadata/name\n  creat: true\n";
    check(
        &format!("{plugin}{DEPLOYMENT}"),
        expect![[r#"
        error[unknown-field]: there is no field `creat` here
         --> t.yaml:9:3
          |
        9 |   creat: true
          |   ^^^^^^ not a known field
          |
          = help: did you mean `create`?
        error[unknown-field]: there is no field `prefixx` here
         --> t.yaml:5:1
          |
        5 | prefixx: a-
          | ^^^^^^^^ not a known field
          |
          = help: did you mean `prefix`?
    "#]],
    );
    let openapi = "#- kustomization.yaml\nresources: [a.yaml]\nopenapi:\n  pth: schema.json\n";
    check(
        &format!("{openapi}{DEPLOYMENT}"),
        expect![[r#"
        error[unknown-field]: `openapi` has no field `pth`
         --> kustomization.yaml:3:3
          |
        3 |   pth: schema.json
          |   ^^^^ not a known field
          |
          = help: `openapi` has the fields `path` and `version`
    "#]],
    );
}

#[test]
fn a_resource_must_not_be_listed_twice() {
    let twice = "#- kustomization.yaml\nresources: [empty.yaml]\ncomponents: [c, c]\n#- empty.yaml\n#- c/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: a-\n";
    check(
        twice,
        expect![[r#"
        error[listed-twice]: `c` is listed twice
         --> kustomization.yaml:2:17
          |
        2 | components: [c, c]
          |                 ^ here again
          |
         ::: kustomization.yaml:2:14
          |
        2 | components: [c, c]
          |              - it was here first
          |
          = help: take one of the two out
    "#]],
    );
}

#[test]
fn a_name_must_not_become_a_number() {
    let files = "#- kustomization.yaml\nnamePrefix: \"1\"\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: e1\n";
    check(
        files,
        expect![[r#"
        error[changed-type]: the name `1e1` of a ConfigMap is not text any more
         --> a.yaml:4:9
          |
        4 |   name: e1
          |         ^^ this became part of it
          |
          = help: choose a name or a prefix with which it does not read as a number
    "#]],
    );
}

#[test]
fn a_replacement_must_not_change_the_type() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\nreplacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.port\n  targets:\n  - select:\n      kind: ConfigMap\n    fieldPaths: [data.other]\n    options:\n      create: true\n#- a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  port: \"80\"\n";
    check(
        files,
        expect![[r#"
        error[changed-type]: the replacement makes a number of text in `data.other`
         --> kustomization.yaml:9:18
          |
        9 |     fieldPaths: [data.other]
          |                  ^^^^^^^^^^ becomes a number
          |
         ::: a.yaml:6:9
          |
        6 |   port: "80"
          |         ---- the value is from here
          |
          = help: write the field into the target with a value of its type; a replacement keeps that
    "#]],
    );
}

/// A replacement in which the second field of an object takes the value of the first.
fn copy(from: &str, to: &str, object: &str) -> String {
    format!(
        "#- kustomization.yaml\nresources: [a.yaml]\nreplacements:\n- source: {{kind: A, fieldPath: {from}}}\n  targets:\n  - select: {{kind: A}}\n    fieldPaths: [{to}]\n#- a.yaml\napiVersion: example.com/v1\nkind: A\nmetadata:\n  name: a\n{object}"
    )
}

#[test]
fn a_replacement_must_not_put_one_value_where_many_were() {
    check(
        &copy("spec.size", "spec.sizes", "spec:\n  size: large\n  sizes:\n  - small\n"),
        expect![[r#"
        error[changed-type]: the replacement makes text of a list in `spec.sizes`
         --> kustomization.yaml:6:18
          |
        6 |     fieldPaths: [spec.sizes]
          |                  ^^^^^^^^^^ becomes text
          |
         ::: a.yaml:6:9
          |
        6 |   size: large
          |         ----- the value is from here
          |
         ::: a.yaml:8:3
          |
        8 |   - small
          |   - it was a list here
          |
          = help: copy a list into it, or name the field that was meant
    "#]],
    );
    check(
        &copy("spec.list", "spec.map", "spec:\n  list: [a]\n  map: {a: b}\n"),
        expect![[r#"
        error[changed-type]: the replacement makes a list of a mapping in `spec.map`
         --> kustomization.yaml:6:18
          |
        6 |     fieldPaths: [spec.map]
          |                  ^^^^^^^^ becomes a list
          |
         ::: a.yaml:6:9
          |
        6 |   list: [a]
          |         -- the value is from here
          |
         ::: a.yaml:7:8
          |
        7 |   map: {a: b}
          |        --- it was a mapping here
          |
          = help: copy a mapping into it, or name the field that was meant
    "#]],
    );
    check(
        &copy("spec.map", "spec.size", "spec:\n  size: large\n  map: {a: b}\n"),
        expect![[r#"
        error[changed-type]: the replacement empties `spec.size`: it is text and cannot hold a mapping
         --> kustomization.yaml:6:18
          |
        6 |     fieldPaths: [spec.size]
          |                  ^^^^^^^^^ becomes empty
          |
         ::: a.yaml:7:8
          |
        7 |   map: {a: b}
          |        --- the value is from here
          |
         ::: a.yaml:6:9
          |
        6 |   size: large
          |         ----- it was text here
          |
          = help: copy text into it, or name the field that was meant
    "#]],
    );
}

#[test]
fn a_replacement_must_not_change_types_inside_a_text() {
    let object = "spec:\n  size: large\n  text: |\n    size: 1\n";
    check(
        &copy("spec.size", "spec.text.size", object),
        expect![[r#"
        error[changed-type]: the replacement makes text of a number in `spec.text.size`
         --> kustomization.yaml:6:18
          |
        6 |     fieldPaths: [spec.text.size]
          |                  ^^^^^^^^^^^^^^ becomes text
          |
         ::: a.yaml:6:9
          |
        6 |   size: large
          |         ----- the value is from here
          |
         ::: a.yaml:7:9
          |
        7 |   text: |
          |         - it was a number here
          |
          = help: copy a number into it, or name the field that was meant
    "#]],
    );
}

#[test]
fn a_patch_must_not_change_the_type() {
    let patch = |patch: &str| {
        format!(
            "#- kustomization.yaml\nresources: [a.yaml]\npatches:\n- path: p.yaml\n  target: {{kind: Deployment}}\n#- p.yaml\n{patch}{DEPLOYMENT}"
        )
    };
    check(
        &patch(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: \"1\"\n",
        ),
        expect![[r#"
            error[changed-type]: `spec.replicas` of Deployment `shop` was a number and becomes text
             --> p.yaml:6:13
              |
            6 |   replicas: "1"
              |             ^^^ this is text
              |
             ::: a.yaml:6:13
              |
            6 |   replicas: 1
              |             - it was a number here
              |
              = help: give it a number, or change the type where the field is first written
        "#]],
    );
    check(
        &patch("- op: replace\n  path: /spec/replicas\n  value: {a: b}\n"),
        expect![[r#"
            error[changed-type]: `spec.replicas` of Deployment `shop` was a number and becomes a mapping
             --> p.yaml:3:10
              |
            3 |   value: {a: b}
              |          ^^^ this is a mapping
              |
             ::: a.yaml:6:13
              |
            6 |   replicas: 1
              |             - it was a number here
              |
              = help: give it a number, or change the type where the field is first written
        "#]],
    );
}

#[test]
fn an_added_value_must_not_change_the_type() {
    let added = "#- kustomization.yaml\nresources: [a.yaml]\ntransformers: [t.yaml]\n#- t.yaml\napiVersion: builtin\nkind: ValueAddTransformer\nmetadata:\n  name: add\nvalue: many\ntargets:\n- fieldPath: spec/replicas\n";
    check(
        &format!("{added}{DEPLOYMENT}"),
        expect![[r#"
        error[changed-type]: `spec.replicas` of Deployment `shop` was a number and becomes text
         --> t.yaml:5:8
          |
        5 | value: many
          |        ^^^^ this is text
          |
         ::: a.yaml:6:13
          |
        6 |   replicas: 1
          |             - it was a number here
          |
          = help: give it a number, or change the type where the field is first written
    "#]],
    );
}

#[test]
fn a_port_may_be_a_number_or_a_name() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\npatches:\n- target: {kind: Service}\n  patch: |-\n    - {op: replace, path: /spec/ports/0/targetPort, value: web}\n#- a.yaml\napiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - targetPort: 80\n";
    assert_eq!(Folder::new(files).run(&["build", "--strict"]).code, 0);
}

#[test]
fn a_function_must_not_be_passed_over() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\ntransformers: [t.yaml]\n#- t.yaml\napiVersion: example.com/v1\nkind: Rename\nmetadata:\n  name: rename\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./rename.sh}\n";
    let folder = Folder::new(&format!("{files}{DEPLOYMENT}"));
    let ran = folder.run(&["build", "--strict", "--enable-alpha-plugins"]);
    expect![[r#"
        error[exec-disabled]: the function `./rename.sh` is not run
         --> t.yaml:1:1
          |
        1 | apiVersion: example.com/v1
          | ^^^^^^^^^^^ passed over
          |
          = help: allow programs on this machine with --enable-exec
        exit code 1
    "#]]
    .assert_eq(&ran.shown());
}

#[test]
fn what_upstream_does_twice_is_done_once() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\nimages:\n- name: example/shop\n  tagSuffix: -x\n";
    let folder = Folder::new(&format!("{files}{DEPLOYMENT}"));
    assert!(folder.run(&["build"]).out.contains("image: example/shop:1-x-x\n"));
    assert!(folder.run(&["build", "--strict"]).out.contains("image: example/shop:1-x\n"));
}

#[test]
fn elements_are_matched_by_their_whole_value() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\nreplacements:\n- sourceValue: new\n  targets:\n  - select: {kind: Pod}\n    fieldPaths: ['spec.containers.[name=foo].image']\n#- a.yaml\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: foo\n    image: a\n  - name: foobar\n    image: b\n";
    let folder = Folder::new(files);
    assert_eq!(folder.run(&["build"]).out.matches("image: new").count(), 2);
    assert_eq!(folder.run(&["build", "--strict"]).out.matches("image: new").count(), 1);
}
