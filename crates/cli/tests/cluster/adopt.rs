//! What another tool manages, taken over on request.

use expect_test::{Expect, expect};

use crate::Stage;

const FILES: &str = "#- theirs.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {LABELS}
  annotations: {ANNOTATIONS}
data: {mode: slow, gone: later}
#- v1/settings.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow, gone: later}
#- v2/settings.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
";

/// Another tool applies, with labels and annotations of its own; then we are asked without and with `--adopt`, and a field
/// is removed afterwards.
#[track_caller]
fn check(theirs: &str, labels: &str, annotations: &str, expected: Expect) {
    let files = FILES.replace("{LABELS}", labels).replace("{ANNOTATIONS}", annotations);
    let stage = Stage::new(&files);
    stage.check(
        &[
            theirs,
            "use v1",
            "kelson apply app --name app --yes",
            "kelson plan app --name app --adopt",
            "kelson apply app --name app --yes --adopt",
            "kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields",
            "kelson plan app --name app",
            "use v2",
            "kelson apply app --name app --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}",
            "kelson inventory show app",
            "kelson delete app --yes",
            "kubectl get configmap settings --ignore-not-found -o name",
        ],
        expected,
    );
}

#[test]
fn from_kubectl_apply() {
    check(
        "kubectl apply -f /here/theirs.yaml",
        "{}",
        "{}",
        expect![[r#"
            $ kubectl apply -f /here/theirs.yaml
            configmap/settings created
            $ use v1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/settings: it is managed by kubectl; take it over with --adopt
            1 failed
            exit code 1
            $ kelson plan app --name app --adopt
            ~ ConfigMap/the-namespace/settings
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
                note: taken over from kubectl
            3 changes hidden as noise (other-tool: 1, ownership: 2); --show-all shows them
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
            $ kelson plan app --name app
            nothing to do: 1 object is as it should be
            $ use v2
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/settings  v1       adopted  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/settings
            1 deleted
            $ kubectl get configmap settings --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn from_kubectl_apply_on_the_servers_side() {
    check(
        "kubectl apply --server-side -f /here/theirs.yaml",
        "{}",
        "{}",
        expect![[r#"
            $ kubectl apply --server-side -f /here/theirs.yaml
            configmap/settings serverside-applied
            $ use v1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/settings: it is managed by kubectl; take it over with --adopt
            1 failed
            exit code 1
            $ kelson plan app --name app --adopt
            ~ ConfigMap/the-namespace/settings
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
                note: taken over from kubectl
            2 changes hidden as noise (ownership: 2); --show-all shows them
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
            $ kelson plan app --name app
            nothing to do: 1 object is as it should be
            $ use v2
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/settings  v1       adopted  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/settings
            1 deleted
            $ kubectl get configmap settings --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn from_helm() {
    check(
        "kubectl create --field-manager=helm -f /here/theirs.yaml",
        "{app.kubernetes.io/managed-by: Helm}",
        "{meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: the-namespace}",
        expect![[r#"
            $ kubectl create --field-manager=helm -f /here/theirs.yaml
            configmap/settings created
            $ use v1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/settings: it is managed by Helm (the-namespace/shop); take it over with --adopt
            1 failed
            exit code 1
            $ kelson plan app --name app --adopt
            ~ ConfigMap/the-namespace/settings
              - metadata.labels[app.kubernetes.io/managed-by]: Helm  (owner: helm)
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
                note: taken over from Helm (the-namespace/shop)
            4 changes hidden as noise (other-tool: 2, ownership: 2); --show-all shows them
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
            $ kelson plan app --name app
            nothing to do: 1 object is as it should be
            $ use v2
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/settings  v1       adopted  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/settings
            1 deleted
            $ kubectl get configmap settings --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn from_flux() {
    check(
        "kubectl apply --server-side --field-manager=kustomize-controller -f /here/theirs.yaml",
        "{kustomize.toolkit.fluxcd.io/name: shop, kustomize.toolkit.fluxcd.io/namespace: flux-system}",
        "{}",
        expect![[r#"
            $ kubectl apply --server-side --field-manager=kustomize-controller -f /here/theirs.yaml
            configmap/settings serverside-applied
            $ use v1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/settings: it is managed by Flux (flux-system/shop); take it over with --adopt
            1 failed
            exit code 1
            $ kelson plan app --name app --adopt
            ~ ConfigMap/the-namespace/settings
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
                note: taken over from Flux (flux-system/shop)
            4 changes hidden as noise (other-tool: 2, ownership: 2); --show-all shows them
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
            $ kelson plan app --name app
            nothing to do: 1 object is as it should be
            $ use v2
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/settings  v1       adopted  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/settings
            1 deleted
            $ kubectl get configmap settings --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn from_kustomizer() {
    check(
        "kubectl apply --server-side --field-manager=kustomizer -f /here/theirs.yaml",
        "{inventory.kustomizer.dev/name: shop, inventory.kustomizer.dev/namespace: the-namespace}",
        "{}",
        expect![[r#"
            $ kubectl apply --server-side --field-manager=kustomizer -f /here/theirs.yaml
            configmap/settings serverside-applied
            $ use v1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/settings: it is managed by kustomizer (the-namespace/shop); take it over with --adopt
            1 failed
            exit code 1
            $ kelson plan app --name app --adopt
            ~ ConfigMap/the-namespace/settings
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
                note: taken over from kustomizer (the-namespace/shop)
            4 changes hidden as noise (other-tool: 2, ownership: 2); --show-all shows them
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields
            kelson
            $ kelson plan app --name app
            nothing to do: 1 object is as it should be
            $ use v2
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            1 changed
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kubectl get configmap settings -o jsonpath={.metadata.labels}{.metadata.annotations}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT   BY     ARTIFACT                                                                 REVISION
            <time>  applied  admin  sha256:<digest>
            <time>  applied  admin  sha256:<digest>

            OBJECT                            VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/settings  v1       adopted  applied  <uid>
            $ kelson delete app --yes
            deleted   ConfigMap/the-namespace/settings
            1 deleted
            $ kubectl get configmap settings --ignore-not-found -o name
        "#]],
    );
}

#[test]
fn a_secret_of_kubectls_shows_nothing() {
    let stage = Stage::new(
        "#- app/secret.yaml
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2}
",
    );
    // The values are in the annotation of kubectl, too.
    stage.kubectl("apply -f /here/app/secret.yaml").unwrap();
    stage.run("kelson plan app --name app --adopt --json");
    stage.check(
        &[
            "kelson plan app --name app --adopt --show-all",
            "kelson apply app --name app --yes --adopt",
            "kubectl get secret password -o jsonpath={.metadata.annotations}",
        ],
        expect![[r#"
            $ kelson plan app --name app --adopt --show-all
            ~ Secret/the-namespace/password
              - metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]: ***(<hash>)  (owner: kubectl-client-side-apply; noise: other-tool)
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
              - type: Opaque  (owner: kubectl-client-side-apply; noise: server-defaults)
                data.password: *** (the same)  (owner: kubectl-client-side-apply; noise: ownership)
                note: taken over from kubectl
            1 to change
            exit code 2
            $ kelson apply app --name app --yes --adopt
            changed   Secret/the-namespace/password
            1 changed
            $ kubectl get secret password -o jsonpath={.metadata.annotations}
        "#]],
    );
}
