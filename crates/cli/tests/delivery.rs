//! What the commands of deliveries say before they ever ask a cluster.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "program/run.rs"]
mod program;

use expect_test::{Expect, expect};

use program::Folder;

const FILES: &str = "#- a/one.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
#- broken/kustomization.yaml
resources: [nowhere.yaml]
#- own.yaml
resources: [a/one.yaml]
#- changed.json
{\"schema\": \"kelson.dev/plan/v1\", \"digest\": \"sha256:0\"}
#- kubeconfig
apiVersion: v1
kind: Config
";

/// Runs the program for each line of arguments and compares what it says.
#[track_caller]
fn check(lines: &[&str], expected: Expect) {
    let folder = Folder::new(FILES);
    let kubeconfig = folder.path("kubeconfig").display().to_string();
    let mut text = String::new();
    for line in lines {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        arguments.extend(["--kubeconfig", &kubeconfig]);
        text.push_str(&format!("$ kelson {line}\n{}", folder.run(&arguments).shown()));
    }
    expected.assert_eq(&text);
}

#[test]
fn where_nobody_can_answer_yes_must_be_said() {
    check(
        &[
            "apply a --name shop",
            "apply a --name shop --json",
            "delete shop",
            "inventory recover shop",
        ],
        expect![[r#"
            $ kelson apply a --name shop
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson apply a --name shop --json
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson delete shop
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson inventory recover shop
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
        "#]],
    );
}

#[test]
fn the_name_of_a_delivery_is_never_guessed() {
    check(
        &["apply a --yes", "apply a --name Shop --yes", "plan a"],
        expect![[r#"
        $ kelson apply a --yes
        error: what is applied needs a name: say --name NAME; it is never guessed
        exit code 64
        $ kelson apply a --name Shop --yes
        error: invalid value 'Shop' for '--name <NAME>': `Shop` cannot be the name of a delivery: it has 1 to 50 lower-case letters, digits and dashes, with a letter or digit at both ends

        For more information, try '--help'.
        exit code 64
        $ kelson plan a
        error: the following required arguments were not provided:
          --name <NAME>

        Usage: kelson plan --kubeconfig <FILE> --name <NAME> <SOURCE>...

        For more information, try '--help'.
        exit code 64
    "#]],
    );
}

#[test]
fn what_is_wrong_with_sources_is_said_before_a_cluster_is_asked() {
    check(
        &[
            "plan broken --name shop",
            "plan a a/one.yaml --name shop",
            "plan a --patch own.yaml --name shop",
            "plan a --patch gone.yaml --name shop",
            "plan gone --name shop",
            "diff gone",
        ],
        expect![[r#"
            $ kelson plan broken --name shop
            error[no-such-file]: there is no file or directory `nowhere.yaml`
             --> broken/kustomization.yaml:1:13
              |
            1 | resources: [nowhere.yaml]
              |             ^^^^^^^^^^^^
              |
              = help: it is looked for in `/here/broken`
            Error: accumulating resources: accumulation err='accumulating resources from 'nowhere.yaml': evalsymlink failure on '/here/broken/nowhere.yaml' : lstat /here/broken/nowhere.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/here/broken/nowhere.yaml' : lstat /here/broken/nowhere.yaml: no such file or directory
            error: `/here/broken` cannot be rendered
            exit code 1
            $ kelson plan a a/one.yaml --name shop
            error: ConfigMap/one is in two sources: `a` and `a/one.yaml`
            exit code 1
            $ kelson plan a --patch own.yaml --name shop
            error[own-resources]: `/here/own.yaml` has `resources`: what is laid over others brings no objects itself
             |
             = help: name them as further sources
            error: `own.yaml` cannot be rendered
            exit code 1
            $ kelson plan a --patch gone.yaml --name shop
            error[unreadable]: `/here/gone.yaml` cannot be read: no such file or directory
            error: `gone.yaml` cannot be rendered
            exit code 1
            $ kelson plan gone --name shop
            error[unreadable]: cannot read `/here/gone`: no such file or directory
            error: `/here/gone` cannot be rendered
            exit code 1
            $ kelson diff gone
            error[unreadable]: cannot read `/here/gone`: no such file or directory
            error: `/here/gone` cannot be rendered
            exit code 1
        "#]],
    );
}

#[test]
fn a_plan_file_says_how_it_is_applied() {
    check(
        &[
            "apply changed.json",
            "apply a --name shop --yes --replan",
            "apply a changed.json --name s --yes",
        ],
        expect![[r#"
            $ kelson apply changed.json
            error: in `changed.json`
            caused by: this is no plan that can be applied: missing field `cluster` at line 1 column 54
            exit code 1
            $ kelson apply a --name shop --yes --replan
            error: --replan is for plan files
            exit code 64
            $ kelson apply a changed.json --name s --yes
            error[not-an-object]: this is no Kubernetes object: it has neither kind nor metadata
             --> changed.json:1:1
              |
            1 | {"schema": "kelson.dev/plan/v1", "digest": "sha256:0"}
              | ^^^^^^^^^^ this
            Error: accumulating resources: accumulation err='accumulating resources from './changed.json': missing Resource metadata': must build at directory: '/here/changed.json': file is not directory
            error: `/here/changed.json` cannot be rendered
            exit code 1
        "#]],
    );
}

#[test]
fn no_cluster_is_an_error_that_says_so() {
    check(
        &["plan a --name shop", "inventory show", "delete shop --yes"],
        expect![[r#"
        $ kelson plan a --name shop
        error: cannot tell which cluster is meant
        caused by: `/here/kubeconfig` is no kubeconfig: it has no clusters, users or contexts
        exit code 1
        $ kelson inventory show
        error: cannot tell which cluster is meant
        caused by: `/here/kubeconfig` is no kubeconfig: it has no clusters, users or contexts
        exit code 1
        $ kelson delete shop --yes
        error: cannot tell which cluster is meant
        caused by: `/here/kubeconfig` is no kubeconfig: it has no clusters, users or contexts
        exit code 1
    "#]],
    );
}

#[test]
fn rules_are_shown_without_a_cluster() {
    let folder = Folder::new(FILES);
    let ran = folder.run(&["plan", "--show-rules"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("RULE "), "{}", ran.out);
    assert!(ran.out.contains("server-defaults"), "{}", ran.out);
}
