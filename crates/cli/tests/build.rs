//! `kelson build` as people and scripts use it. What is compared with upstream was recorded from kustomize v5.8.1.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "program/run.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use program::Folder;

const SHOP: &str = "#- shop/kustomization.yaml
namePrefix: P-
resources: [a.yaml]
#- shop/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: two, namespace: Other}
---
apiVersion: v1
kind: Namespace
metadata: {name: three}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: \"sys:four\"}
#- site/kustomization.yaml
resources: [../shop/a.yaml]
#- broken/kustomization.yaml
resources: [nothing.yaml]
";

#[track_caller]
fn check(files: &str, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&Folder::new(files).run(arguments).shown());
}

fn names(folder: &Folder, directory: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder.path(directory)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_gets_what_would_be_printed() {
    let folder = Folder::new(SHOP);
    let printed = folder.run(&["build", "shop"]);
    let written = folder.run(&["build", "shop", "-o", "out.yaml"]);
    assert_eq!((written.code, written.shown().as_str()), (0, ""));
    assert_eq!(fs::read_to_string(folder.path("out.yaml")).unwrap(), printed.out);
    expect![[r#"
        error: cannot write `no/out.yaml`
        caused by: No such file or directory (os error 2)
        exit code 1
    "#]]
    .assert_eq(&folder.run(&["build", "shop", "-o", "no/out.yaml"]).shown());
}

#[test]
fn a_directory_gets_one_file_an_object_named_as_upstream_names_them() {
    let folder = Folder::new(SHOP);
    fs::create_dir(folder.path("out")).unwrap();
    assert_eq!(folder.run(&["build", "shop", "--output", "out"]).shown(), "");
    let expected = [
        "default_v1_configmap_p-one.yaml",
        "other_apps_v1_deployment_p-two.yaml",
        "rbac.authorization.k8s.io_v1_clusterrole_p-sys:four.yaml",
        "v1_namespace_three.yaml",
    ];
    assert_eq!(names(&folder, "out"), expected.map(str::to_owned).into());
    let text = fs::read_to_string(folder.path("out/v1_namespace_three.yaml")).unwrap();
    assert_eq!(text, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: three\n");
}

#[test]
fn several_directories_get_a_file_each_and_one_that_fails_stops_no_other() {
    let folder = Folder::new(SHOP);
    let arguments = ["build", "shop", "broken", "shop/../shop", "--output", "out"];
    expect![[r#"
        2 built, 1 failed, 8 objects in out
        error[no-such-file]: there is no file or directory `nothing.yaml`
         --> broken/kustomization.yaml:1:13
          |
        1 | resources: [nothing.yaml]
          |             ^^^^^^^^^^^^
          |
          = help: it is looked for in `/here/broken`
        Error: accumulating resources: accumulation err='accumulating resources from 'nothing.yaml': evalsymlink failure on '/here/broken/nothing.yaml' : lstat /here/broken/nothing.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/here/broken/nothing.yaml' : lstat /here/broken/nothing.yaml: no such file or directory
        exit code 1
    "#]].assert_eq(&folder.run(&arguments).shown());
    assert_eq!(names(&folder, "out"), ["shop.yaml", "shop-shop.yaml"].map(str::to_owned).into());
    let printed = folder.run(&["build", "broken", "shop"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.out, folder.run(&["build", "shop"]).out);
}

#[test]
fn an_object_that_cannot_be_written_stops_no_other_directory() {
    let twice = "#- twice/kustomization.yaml\nresources: [a.yaml]\n#- twice/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n  k: two\n";
    let folder = Folder::new(&format!("{SHOP}{twice}"));
    let ran = folder.run(&["build", "twice", "shop"]);
    assert_eq!((ran.code, ran.out), (1, folder.run(&["build", "shop"]).out));
    expect![[r#"
        error[repeated-key]: ConfigMap `a` has a key more than once
         --> twice/a.yaml:7:3
          |
        7 |   k: two
          |   ^^ here again
          |
         ::: twice/a.yaml:6:3
          |
        6 |   k: one
          |   -- it was here first
          |
          = help: take one of the two out
        Error: map[string]interface {}(nil): yaml: unmarshal errors:
          line 7: mapping key "k" already defined at line 6
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn json_has_objects_and_diagnostics_of_every_directory() {
    let ran = Folder::new(SHOP).run(&["build", "shop", "broken", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let list: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(list[0]["built"], true);
    assert_eq!(list[0]["path"], "shop");
    assert_eq!(list[0]["objects"][0]["metadata"]["name"], "three");
    assert_eq!(list[1]["built"], false);
    let problem = &list[1]["diagnostics"][0];
    assert_eq!(problem["code"], "no-such-file");
    assert_eq!(problem["places"][0]["file"], "broken/kustomization.yaml");
    assert_eq!(problem["places"][0]["line"], 1);
    assert!(problem["upstream"].as_str().unwrap().starts_with("accumulating resources: "));
}

#[test]
fn the_current_directory_is_built_where_none_is_named() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    check(
        files,
        &["build"],
        expect![[r#"
        apiVersion: v1
        kind: Namespace
        metadata:
          name: a
    "#]],
    );
}

#[test]
fn files_outside_need_the_flag() {
    check(
        SHOP,
        &["build", "site"],
        expect![[r#"
        error[outside-root]: security; file '/here/shop/a.yaml' is not in or below '/here/site'
         --> site/kustomization.yaml:1:13
          |
        1 | resources: [../shop/a.yaml]
          |             ^^^^^^^^^^^^^^
          |
          = help: move the file below the kustomization, or allow it with --load-restrictor LoadRestrictionsNone
        Error: accumulating resources: accumulation err='accumulating resources from '../shop/a.yaml': security; file '/here/shop/a.yaml' is not in or below '/here/site'': must build at directory: '/here/shop/a.yaml': file is not directory
        exit code 1
    "#]],
    );
    let allowed = ["build", "site", "--load-restrictor", "LoadRestrictionsNone"];
    assert_eq!(Folder::new(SHOP).run(&allowed).code, 0);
}

#[test]
fn the_order_can_be_chosen() {
    let kinds = |order: &str| -> Vec<String> {
        let out = Folder::new(SHOP).run(&["build", "shop", "--reorder", order]).out;
        out.lines().filter_map(|line| line.strip_prefix("kind: ")).map(str::to_owned).collect()
    };
    assert_eq!(kinds("legacy"), ["Namespace", "ClusterRole", "ConfigMap", "Deployment"]);
    assert_eq!(kinds("none"), ["ConfigMap", "Deployment", "Namespace", "ClusterRole"]);
}

#[test]
fn deprecated_flags_are_named_as_upstream_does() {
    let ran =
        Folder::new(SHOP).run(&["build", "shop", "--reorder=none", "--enable-managedby-label"]);
    assert_eq!(ran.code, 0);
    expect![[r#"
        Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.
        Flag --enable-managedby-label has been deprecated, The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn switches_may_have_a_value_as_in_go() {
    let files = "#- kustomization.yaml\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    let folder = Folder::new(files);
    for (value, is_on) in [("true", true), ("1", true), ("false", false), ("F", false)] {
        let ran = folder.run(&["build", &format!("--enable-managedby-label={value}")]);
        assert_eq!((ran.code, ran.out.contains("managed-by")), (0, is_on), "{}", ran.shown());
    }
    assert_eq!(folder.run(&["build", "--enable-helm=yes"]).code, 64);
}

/// Writes a text as UTF-16 with a byte order mark.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn of_a_file_in_utf16_the_first_document_counts() {
    const OBJECTS: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels: {x: é}\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n";
    const PATCHES: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels: {y: z}\n---\nkind: Nonsense\nmetadata: {name: c}\n";
    const KUSTOMIZATION: &str =
        "resources: [a.yaml]\nnamePrefix: p-\npatches: [{path: p.yaml}]\n---\nnamePrefix: q-\n";
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let folder = Folder::new("#- empty\n");
        for (name, text) in
            [("a.yaml", OBJECTS), ("p.yaml", PATCHES), ("kustomization.yaml", KUSTOMIZATION)]
        {
            std::fs::write(folder.path(name), utf16(text, order)).unwrap();
        }
        expect![[r#"
            apiVersion: v1
            kind: Namespace
            metadata:
              labels:
                x: é
                "y": z
              name: a
        "#]]
        .assert_eq(&folder.run(&["build"]).shown());
    }
}

/// A schema in which the list `items` is merged by name, as YAML that is no JSON although it begins with a brace.
const SCHEMA: &str = "{definitions: {v1.My: {properties: {spec: {properties: {items: {type: array, x-kubernetes-patch-merge-key: name, x-kubernetes-patch-strategy: merge, items: {type: object}}}}}, x-kubernetes-group-version-kind: [{group: example.com, kind: My, version: v1}]}}}\n";

#[test]
fn a_schema_in_utf16_is_yaml() {
    let files = "#- kustomization.yaml\nopenapi: {path: schema}\nresources: [a.yaml]\npatches: [{path: p.yaml}]\n#- a.yaml\napiVersion: example.com/v1\nkind: My\nmetadata: {name: a}\nspec:\n  items: [{name: x}]\n#- p.yaml\napiVersion: example.com/v1\nkind: My\nmetadata: {name: a}\nspec:\n  items: [{name: y}]\n";
    let half = |mut bytes: Vec<u8>| {
        bytes.push(b'x');
        bytes
    };
    let documents = format!("{SCHEMA}---\na: b\n");
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for schema in [utf16(SCHEMA, order), half(utf16(&documents, order))] {
            let folder = Folder::new(files);
            std::fs::write(folder.path("schema"), schema).unwrap();
            let ran = folder.run(&["build"]);
            assert!(
                ran.out.ends_with("  items:\n  - name: \"y\"\n  - name: x\n"),
                "{}",
                ran.shown()
            );
        }
    }
    for (schema, words) in [
        (half(utf16(SCHEMA, u16::to_le_bytes)), "yaml: incomplete UTF-16 character"),
        (SCHEMA.into(), "invalid character 'd'"),
        (Vec::new(), "EOF"),
        (b"definitions: [a]\n".into(), "json: cannot unmarshal"),
    ] {
        let folder = Folder::new(files);
        std::fs::write(folder.path("schema"), schema).unwrap();
        let ran = folder.run(&["build"]);
        assert!(
            ran.err.contains("invalid schema file: ") && ran.err.contains(words),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_file_of_configuration_that_is_no_text_is_refused() {
    for (field, words) in [
        (
            "configurations",
            "Error: error converting YAML to JSON: yaml: incomplete UTF-16 character\n",
        ),
        (
            "crds",
            "Error: loading CRDs [c.yaml]: unable to parse open API definition from 'c.yaml': error converting YAML to JSON: yaml: incomplete UTF-16 character\n",
        ),
    ] {
        let folder = Folder::new(&format!("#- kustomization.yaml\n{field}: [c.yaml]\n"));
        std::fs::write(folder.path("c.yaml"), b"\xFF\xFEa").unwrap();
        let ran = folder.run(&["build"]);
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn warnings_are_the_lines_that_upstream_prints() {
    let files = "#- kustomization.yaml\ncommonLabels: {app: a}\nresources: [a.yaml]\n#- a.yaml\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    let ran = Folder::new(files).run(&["build"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.err,
        "# Warning: 'commonLabels' is deprecated. Please use 'labels' instead. Run 'kustomize edit fix' to update your Kustomization automatically.\n"
    );
}

#[test]
fn errors_have_a_place_a_line_and_the_words_of_upstream() {
    check(
        SHOP,
        &["build", "broken"],
        expect![[r#"
        error[no-such-file]: there is no file or directory `nothing.yaml`
         --> broken/kustomization.yaml:1:13
          |
        1 | resources: [nothing.yaml]
          |             ^^^^^^^^^^^^
          |
          = help: it is looked for in `/here/broken`
        Error: accumulating resources: accumulation err='accumulating resources from 'nothing.yaml': evalsymlink failure on '/here/broken/nothing.yaml' : lstat /here/broken/nothing.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/here/broken/nothing.yaml' : lstat /here/broken/nothing.yaml: no such file or directory
        exit code 1
    "#]],
    );
    let patch = "#- kustomization.yaml\nresources: [a.yaml]\npatches:\n- path: p.yaml\n#- a.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n#- p.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shpo\n";
    check(
        patch,
        &["build"],
        expect![[r#"
        error[patch-matches-nothing]: there is no Deployment `shpo` to patch
         --> p.yaml:1:1
          |
        1 | apiVersion: apps/v1
          | ^^^^^^^^^^^ this patch
          |
          = help: no Deployment named `shpo`; there is `shop`
        Error: no resource matches strategic merge patch "Deployment.v1.apps/shpo.[noNs]": no matches for Id Deployment.v1.apps/shpo.[noNs]; failed to find unique target for patch Deployment.v1.apps/shpo.[noNs]
        exit code 1
    "#]],
    );
    check(
        "#- kustomization.yaml\nresuorces: []\n",
        &["build"],
        expect![[r#"
        error[unknown-field]: there is no field `resuorces` here
         --> kustomization.yaml:1:1
          |
        1 | resuorces: []
          | ^^^^^^^^^^ not a known field
          |
          = help: did you mean `resources`?
        Error: invalid Kustomization: json: unknown field "resuorces"
        exit code 1
    "#]],
    );
}

#[test]
fn exit_codes_tell_failure_from_wrong_usage() {
    let folder = Folder::new(SHOP);
    assert_eq!(folder.run(&["build", "shop"]).code, 0);
    assert_eq!(folder.run(&["build", "broken"]).code, 1);
    assert_eq!(folder.run(&["build", "--no-such-flag"]).code, 64);
    assert_eq!(folder.run(&["build", "shop", "--reorder", "sideways"]).code, 64);
    assert_eq!(folder.run(&["--version"]).code, 0);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut files = String::from("#- kustomization.yaml\nresources: [a.yaml]\n#- a.yaml\n");
    for number in 0..2000 {
        files.push_str(&format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a{number}\ndata:\n  k: {:0100}\n",
            1
        ));
    }
    let folder = Folder::new(&files);
    let mut child = Command::new(env!("CARGO_BIN_EXE_kelson"))
        .args(["build"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), [].as_slice()));
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let folder = Folder::new("#- empty\n");
    for shell in ["bash", "zsh", "fish"] {
        let ran = folder.run(&["completions", shell]);
        assert_eq!(ran.code, 0, "{shell}");
        for word in ["explain", "load-restrictor", "strict"] {
            assert!(ran.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(folder.run(&["man", "pages"]).code, 0);
    assert!(names(&folder, "pages").contains("kelson-build.1"));
    assert!(folder.run(&["man"]).out.contains("kelson"));
}

#[test]
fn remote_bases_and_charts_are_refused_where_they_are_asked_for() {
    let files = "#- kustomization.yaml\nresources:\n- https://github.com/example/repo//base?ref=v1\nhelmCharts:\n- name: db\n  repo: https://charts.example.com\n";
    check(
        files,
        &["build", "--enable-helm"],
        expect![[r#"
        error[remote-source]: `https://github.com/example/repo//base?ref=v1` is remote, and remote sources are not fetched yet
         --> kustomization.yaml:2:3
          |
        2 | - https://github.com/example/repo//base?ref=v1
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ asked for here
          |
          = help: copy it into the tree and name it by its path
        error[chart]: the chart `db` is not rendered: charts are not built in yet
         --> kustomization.yaml:4:3
          |
        4 | - name: db
          |   ^^^^^ asked for here
          |
          = help: render it with `helm template` and list the result
        exit code 1
    "#]],
    );
    check(
        files,
        &["build"],
        expect![[r#"
        error[remote-source]: `https://github.com/example/repo//base?ref=v1` is remote, and remote sources are not fetched yet
         --> kustomization.yaml:2:3
          |
        2 | - https://github.com/example/repo//base?ref=v1
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ asked for here
          |
          = help: copy it into the tree and name it by its path
        exit code 1
    "#]],
    );
}

#[cfg(unix)]
mod functions {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const FUNCTION: &str = "#- kustomization.yaml
resources: [r.yaml]
transformers: [t.yaml]
#- r.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
#- t.yaml
apiVersion: example.com/v1
kind: Rename
metadata:
  name: t
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: ./rename.sh
#- rename.sh
#!/bin/sh
sed 's/name: one/name: two/'
";

    const PLUGIN: &str = "#- kustomization.yaml
generators: [g.yaml]
#- g.yaml
apiVersion: example.com/v1
kind: Maker
metadata:
  name: g
argsOneLiner: hello world
#- plugins/example.com/v1/maker/Maker
#!/bin/sh
echo \"apiVersion: v1
kind: ConfigMap
metadata:
  name: made
data:
  args: $2-$3\"
";

    #[track_caller]
    fn check(files: &str, program: &str, flags: &[&str], expected: Expect) {
        let folder = Folder::new(files);
        fs::set_permissions(folder.path(program), fs::Permissions::from_mode(0o755)).unwrap();
        expected.assert_eq(&folder.run(&[&["build"], flags].concat()).shown());
    }

    #[test]
    fn functions_run_with_both_flags_alone() {
        let both = ["--enable-alpha-plugins", "--enable-exec"];
        check(
            FUNCTION,
            "rename.sh",
            &[],
            expect![[r#"
            error[plugins-disabled]: external plugins disabled; unable to load external plugin 'Rename'
             --> t.yaml:1:1
              |
            1 | apiVersion: example.com/v1
              | ^^^^^^^^^^^ this is no builtin plugin
              |
              = help: allow plugins with --enable-alpha-plugins
            exit code 1
        "#]],
        );
        check(
            FUNCTION,
            "rename.sh",
            &both[..1],
            expect![[r#"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: one
            warning[exec-disabled]: the function `./rename.sh` is not run
             --> t.yaml:1:1
              |
            1 | apiVersion: example.com/v1
              | ^^^^^^^^^^^ passed over
              |
              = help: allow programs on this machine with --enable-exec
        "#]],
        );
        check(
            FUNCTION,
            "rename.sh",
            &both,
            expect![[r#"
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: two
        "#]],
        );
    }

    #[test]
    fn plugins_run_with_their_flag_alone() {
        let maker = "plugins/example.com/v1/maker/Maker";
        check(
            PLUGIN,
            maker,
            &[],
            expect![[r#"
            error[plugins-disabled]: external plugins disabled; unable to load external plugin 'Maker'
             --> g.yaml:1:1
              |
            1 | apiVersion: example.com/v1
              | ^^^^^^^^^^^ this is no builtin plugin
              |
              = help: allow plugins with --enable-alpha-plugins
            Error: loading generator plugins: failed to load generator: external plugins disabled; unable to load external plugin 'Maker'
            exit code 1
        "#]],
        );
        check(
            PLUGIN,
            maker,
            &["--enable-alpha-plugins"],
            expect![[r#"
            apiVersion: v1
            data:
              args: hello-world
            kind: ConfigMap
            metadata:
              name: made
        "#]],
        );
    }

    #[test]
    fn a_function_that_fails_is_an_error_with_its_place() {
        let files = FUNCTION.replace("sed ", "echo broken >&2; exit 3; sed ");
        let both = ["--enable-alpha-plugins", "--enable-exec"];
        check(
            &files,
            "rename.sh",
            &both,
            expect![[r#"
            broken
            error[function]: `/here/./rename.sh` failed (exit status: 3)
             --> t.yaml:1:1
              |
            1 | apiVersion: example.com/v1
              | ^^^^^^^^^^^ asked for here
            exit code 1
        "#]],
        );
    }
}
