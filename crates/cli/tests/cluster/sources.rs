//! Sources and names.

use expect_test::expect;

use crate::check;

const FILES: &str = "#- app/settings.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow}
#- other/settings.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
#- more.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: more}
#- extra.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
#- packed/packed.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: packed}
#- patch.yaml
namePrefix: team-
labels:
- pairs: {team: blue}
";

#[test]
fn the_name_is_never_guessed() {
    check(
        FILES,
        &[
            "kelson apply app --yes",
            "kelson plan app",
            "kelson apply app --yes --name Not_A_Name",
            "kubectl get configmaps -l kelson.dev/name -o name",
        ],
        expect![[r#"
            $ kelson apply app --yes
            error: what is applied needs a name: say --name NAME; it is never guessed
            exit code 64
            $ kelson plan app
            error: the following required arguments were not provided:
              --name <NAME>

            Usage: kelson plan --kubeconfig <FILE> --namespace <NAMESPACE> --parallel <NUMBER> --name <NAME> <SOURCE>...

            For more information, try '--help'.
            exit code 64
            $ kelson apply app --yes --name Not_A_Name
            error: invalid value 'Not_A_Name' for '--name <NAME>': `Not_A_Name` cannot be the name of a delivery: it has 1 to 50 lower-case letters, digits and dashes, with a letter or digit at both ends

            For more information, try '--help'.
            exit code 64
            $ kubectl get configmaps -l kelson.dev/name -o name
        "#]],
    );
}

#[test]
fn several_sources_and_a_patch_are_one_delivery() {
    check(
        FILES,
        &[
            "kelson push packed oci-layout:out:v1",
            "cat extra.yaml | kelson apply app more.yaml - oci-layout:out:v1 --patch patch.yaml --name app --yes",
            "kubectl get configmaps -l team=blue,kelson.dev/name=app,kelson.dev/namespace=the-namespace -o name",
            "cat extra.yaml | kelson plan app more.yaml - oci-layout:out:v1 --patch patch.yaml --name app",
        ],
        expect![[r#"
            $ kelson push packed oci-layout:out:v1
            oci-layout:out:v1@sha256:<digest>
            1 object; 2 blobs sent (381 B), 0 there already
            $ cat extra.yaml | kelson apply app more.yaml - oci-layout:out:v1 --patch patch.yaml --name app --yes
            created   ConfigMap/the-namespace/team-extra
            created   ConfigMap/the-namespace/team-more
            created   ConfigMap/the-namespace/team-packed
            created   ConfigMap/the-namespace/team-settings
            4 created
            $ kubectl get configmaps -l team=blue,kelson.dev/name=app,kelson.dev/namespace=the-namespace -o name
            configmap/team-extra
            configmap/team-more
            configmap/team-packed
            configmap/team-settings
            $ cat extra.yaml | kelson plan app more.yaml - oci-layout:out:v1 --patch patch.yaml --name app
            nothing to do: 4 objects are as they should be
        "#]],
    );
}

#[test]
fn another_source_is_refused_unless_it_is_meant() {
    check(
        FILES,
        &[
            "kelson apply app --name app --yes",
            "kelson plan other --name app",
            "kelson apply other --name app --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson apply other --name app --yes --change-source",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson apply app --name app --yes",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/settings
            1 created
            $ kelson plan other --name app
            error: the-namespace/app was delivered from /here/app, not from /here/other; if that is meant, say so with --change-source
            exit code 1
            $ kelson apply other --name app --yes
            error: the-namespace/app was delivered from /here/app, not from /here/other; if that is meant, say so with --change-source
            exit code 1
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"slow"}
            $ kelson apply other --name app --yes --change-source
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kelson apply app --name app --yes
            error: the-namespace/app was delivered from /here/other, not from /here/app; if that is meant, say so with --change-source
            exit code 1
        "#]],
    );
}

#[test]
fn another_tag_is_not_another_source() {
    check(
        FILES,
        &[
            "kelson push app oci-layout:out:v1",
            "kelson push other oci-layout:out:v2",
            "kelson apply oci-layout:out:v1 --name app --yes",
            "kelson apply oci-layout:out:v2 --name app --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
        ],
        expect![[r#"
            $ kelson push app oci-layout:out:v1
            oci-layout:out:v1@sha256:<digest>
            1 object; 2 blobs sent (392 B), 0 there already
            $ kelson push other oci-layout:out:v2
            oci-layout:out:v2@sha256:<digest>
            1 object; 2 blobs sent (392 B), 0 there already
            $ kelson apply oci-layout:out:v1 --name app --yes
            created   ConfigMap/the-namespace/settings
            1 created
            $ kelson apply oci-layout:out:v2 --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
        "#]],
    );
}

#[test]
fn two_deliveries_do_not_share_an_object() {
    check(
        FILES,
        &[
            "kelson apply app --name one --yes",
            "kelson apply other --name two --yes",
            "kelson apply other --name two --yes --take-all",
            "kubectl get configmap settings -o jsonpath={.data}{.metadata.labels}",
            "kelson delete two --yes",
            "kubectl get configmap settings -o jsonpath={.data}{.metadata.labels}",
        ],
        expect![[r#"
            $ kelson apply app --name one --yes
            created   ConfigMap/the-namespace/settings
            1 created
            $ kelson apply other --name two --yes
            failed    ConfigMap/the-namespace/settings: it is managed by another delivery (the-namespace/one); take it over with --adopt
            1 failed
            exit code 1
            $ kelson apply other --name two --yes --take-all
            failed    ConfigMap/the-namespace/settings: it is managed by another delivery (the-namespace/one); take it over with --adopt
            1 failed
            exit code 1
            $ kubectl get configmap settings -o jsonpath={.data}{.metadata.labels}
            {"mode":"slow"}{"kelson.dev/name":"one","kelson.dev/namespace":"the-namespace"}
            $ kelson delete two --yes
            nothing is delivered as the-namespace/two
            $ kubectl get configmap settings -o jsonpath={.data}{.metadata.labels}
            {"mode":"slow"}{"kelson.dev/name":"one","kelson.dev/namespace":"the-namespace"}
        "#]],
    );
}

#[test]
fn a_cluster_that_is_not_there_is_named() {
    check(
        FILES,
        &[
            "kelson plan app --name app --context nowhere",
            "kelson plan app --name app --kubeconfig missing",
            "kelson plan app --name app --kubeconfig app/settings.yaml",
        ],
        expect![[r#"
            $ kelson plan app --name app --context nowhere
            error: cannot tell which cluster is meant
            caused by: `/kubeconfig`: there is no context `nowhere` (there are: `local`)
            exit code 1
            $ kelson plan app --name app --kubeconfig missing
            error: cannot tell which cluster is meant
            caused by: cannot read the kubeconfig `missing`
            caused by: No such file or directory (os error 2)
            exit code 1
            $ kelson plan app --name app --kubeconfig app/settings.yaml
            error: cannot tell which cluster is meant
            caused by: `app/settings.yaml` is no kubeconfig: it has no clusters, users or contexts
            exit code 1
        "#]],
    );
}

#[test]
fn nothing_is_applied_unasked() {
    check(
        FILES,
        &["kelson apply app --name app", "kubectl get configmaps -l kelson.dev/name -o name"],
        expect![[r#"
            $ kelson apply app --name app
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kubectl get configmaps -l kelson.dev/name -o name
        "#]],
    );
}
