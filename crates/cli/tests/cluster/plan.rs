//! What a plan shows.

use expect_test::expect;
use kelson_testkit::{Verdict, Webhook};

use crate::{Stage, check};

const FIRST_INSTALL: &str = "#- app/definition.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.the-namespace.example}
spec:
  group: the-namespace.example
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, maximum: 10}
              colour: {type: string, default: red}
---
# The same kind and name in another group.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.other.the-namespace.example}
spec:
  group: other.the-namespace.example
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
#- app/objects.yaml
apiVersion: the-namespace.example/v1
kind: Widget
metadata: {name: one, namespace: the-namespace-inner}
spec: {size: 3}
---
apiVersion: other.the-namespace.example/v1
kind: Widget
metadata: {name: one}
spec: {size: large}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: inside, namespace: the-namespace-inner}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: outside}
---
apiVersion: v1
kind: Namespace
metadata: {name: the-namespace-inner}
";

#[test]
fn a_first_install_is_one_plan() {
    check(
        FIRST_INSTALL,
        &[
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get widgets.the-namespace.example -n the-namespace-inner -o jsonpath={.items[*].spec}",
            "kubectl get widgets.other.the-namespace.example -o jsonpath={.items[*].spec}",
            "kubectl get configmaps -A -l kelson.dev/namespace=the-namespace -o jsonpath={.items[*].metadata.name}",
            "kelson plan app --name app",
            "kelson delete app --yes --prune-data",
            "kubectl get crds -l kelson.dev/namespace=the-namespace -o name",
        ],
        expect![[r#"
            $ kelson plan app --name app
            + CustomResourceDefinition/widgets.the-namespace.example
            + CustomResourceDefinition/widgets.other.the-namespace.example
            + Namespace/the-namespace-inner
            + ConfigMap/the-namespace/outside
            + ConfigMap/the-namespace-inner/inside ?
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
            + Widget/the-namespace-inner/one ?
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
              + spec.size: 3
            + Widget/one ?
              + metadata.labels[kelson.dev/name]: app
              + metadata.labels[kelson.dev/namespace]: the-namespace
              + spec.size: large
            4 changes hidden as noise (server-defaults: 4); --show-all shows them
            ? is checked by the server when it is applied
            7 to create
            exit code 2
            $ kelson apply app --name app --yes
            created   CustomResourceDefinition/widgets.the-namespace.example
            created   CustomResourceDefinition/widgets.other.the-namespace.example
            created   Namespace/the-namespace-inner
            created   ConfigMap/the-namespace/outside
            created   ConfigMap/the-namespace-inner/inside
            created   Widget/the-namespace-inner/one
            created   Widget/one
            7 created
            $ kubectl get widgets.the-namespace.example -n the-namespace-inner -o jsonpath={.items[*].spec}
            {"colour":"red","size":3}
            $ kubectl get widgets.other.the-namespace.example -o jsonpath={.items[*].spec}
            {"size":"large"}
            $ kubectl get configmaps -A -l kelson.dev/namespace=the-namespace -o jsonpath={.items[*].metadata.name}
            inside outside
            $ kelson plan app --name app
            nothing to do: 7 objects are as they should be
            $ kelson delete app --yes --prune-data
            deleted   ConfigMap/the-namespace-inner/inside
            deleted   ConfigMap/the-namespace/outside
            deleted   CustomResourceDefinition/widgets.other.the-namespace.example
            deleted   CustomResourceDefinition/widgets.the-namespace.example
            deleted   Namespace/the-namespace-inner
            deleted   Widget/one
            deleted   Widget/the-namespace-inner/one
            7 deleted
            $ kubectl get crds -l kelson.dev/namespace=the-namespace -o name
        "#]],
    );
}

#[test]
fn custom_resources_are_held_against_a_definition_of_the_same_plan() {
    let files = FIRST_INSTALL.replace("{size: 3}", "{size: 11, weight: heavy}");
    check(
        &files,
        &["kelson plan app --name app"],
        expect![[r#"
        $ kelson plan app --name app
        + CustomResourceDefinition/widgets.the-namespace.example
        + CustomResourceDefinition/widgets.other.the-namespace.example
        + Namespace/the-namespace-inner
        + ConfigMap/the-namespace/outside
        + ConfigMap/the-namespace-inner/inside ?
          + metadata.labels[kelson.dev/name]: app
          + metadata.labels[kelson.dev/namespace]: the-namespace
        ! Widget/the-namespace-inner/one: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10; spec.weight: field not declared in schema
        + Widget/one ?
          + metadata.labels[kelson.dev/name]: app
          + metadata.labels[kelson.dev/namespace]: the-namespace
          + spec.size: large
        4 changes hidden as noise (server-defaults: 4); --show-all shows them
        ? is checked by the server when it is applied
        6 to create, 1 failing
        exit code 1
    "#]],
    );
}

const SHOP: &str = "#- v1/shop.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:v1
        resources: {limits: {cpu: 1000m, memory: 1Gi}}
        env:
        - {name: MODE, value: slow}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {port: 80, targetPort: 8080}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2, user: someone}
#- v2/shop.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:v2
        resources: {limits: {cpu: '1', memory: 1024Mi}}
        env:
        - {name: LEVEL, value: debug}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {port: 80, targetPort: 8080}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter3, user: someone}
";

#[test]
fn a_change_is_shown_field_by_field() {
    check(
        SHOP,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "kelson plan app --name app",
            "use v2",
            "kelson plan app --name app",
            "kubectl get deployment web -o jsonpath={.spec.template.spec.containers[0].image}",
            "kelson diff app --name app",
            "kelson apply app --name app --yes",
            "kelson plan app --name app",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   Secret/the-namespace/password
            created   Service/the-namespace/web
            created   Deployment/the-namespace/web
            3 created
            $ kelson plan app --name app
            nothing to do: 3 objects are as they should be
            $ use v2
            $ kelson plan app --name app
            ~ Secret/the-namespace/password
                data.password: *** (changed)  (owner: kelson)
            ~ Deployment/the-namespace/web
              - spec.template.spec.containers[name=web].env[name=MODE]: {"name":"MODE","value":"slow"}  (owner: kelson)
              + spec.template.spec.containers[name=web].env[name=LEVEL].name: LEVEL
              + spec.template.spec.containers[name=web].env[name=LEVEL].value: debug
                spec.template.spec.containers[name=web].image: registry.example/web:v1 → registry.example/web:v2  (owner: kelson)
            2 to change, 1 unchanged
            exit code 2
            $ kubectl get deployment web -o jsonpath={.spec.template.spec.containers[0].image}
            registry.example/web:v1
            $ kelson diff app --name app
            ~ Secret/the-namespace/password
                data.password: *** (changed)  (owner: kelson)
            ~ Deployment/the-namespace/web
              - spec.template.spec.containers[name=web].env[name=MODE]: {"name":"MODE","value":"slow"}  (owner: kelson)
              + spec.template.spec.containers[name=web].env[name=LEVEL].name: LEVEL
              + spec.template.spec.containers[name=web].env[name=LEVEL].value: debug
                spec.template.spec.containers[name=web].image: registry.example/web:v1 → registry.example/web:v2  (owner: kelson)
            2 to change, 1 unchanged
            exit code 2
            $ kelson apply app --name app --yes
            changed   Secret/the-namespace/password
            changed   Deployment/the-namespace/web
            2 changed, 1 unchanged
            $ kelson plan app --name app
            nothing to do: 3 objects are as they should be
        "#]],
    );
}

#[test]
fn a_source_is_compared_with_a_cluster_without_a_delivery() {
    check(
        SHOP,
        &[
            "kelson diff v1",
            "kubectl apply --server-side -f /here/v1",
            "kelson diff v1",
            "kelson diff v2",
        ],
        expect![[r#"
            $ kelson diff v1
            + Secret/the-namespace/password
            + Service/the-namespace/web
            + Deployment/the-namespace/web
            21 changes hidden as noise (server-defaults: 21); --show-all shows them
            3 to create
            exit code 2
            $ kubectl apply --server-side -f /here/v1
            deployment.apps/web serverside-applied
            service/web serverside-applied
            secret/password serverside-applied
            $ kelson diff v1
            nothing to do: 3 objects are as they should be
            $ kelson diff v2
            ~ Secret/the-namespace/password
                data.password: *** (changed)
            ~ Deployment/the-namespace/web
              + spec.template.spec.containers[name=web].env[name=LEVEL].name: LEVEL
              + spec.template.spec.containers[name=web].env[name=LEVEL].value: debug
                spec.template.spec.containers[name=web].image: registry.example/web:v1 → registry.example/web:v2  (owner: kubectl)
            2 to change, 1 unchanged
            exit code 2
        "#]],
    );
}

#[test]
fn the_owner_of_a_changed_field_is_named() {
    check(
        SHOP,
        &[
            "use v1",
            "kelson apply app --name app --yes",
            "kubectl scale deployment web --replicas=5",
            "kelson plan app --name app",
            "kelson apply app --name app --yes --take-all",
            "kubectl get deployment web -o jsonpath={.spec.replicas}",
        ],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   Secret/the-namespace/password
            created   Service/the-namespace/web
            created   Deployment/the-namespace/web
            3 created
            $ kubectl scale deployment web --replicas=5
            deployment.apps/web scaled
            $ kelson plan app --name app
            ! Deployment/the-namespace/web: fields that others own
                .spec.replicas (owner: kubectl)
                leave the fields to them with --ignore, or take them over with --take or --take-all
            1 failing, 2 unchanged
            exit code 1
            $ kelson apply app --name app --yes --take-all
            changed   Deployment/the-namespace/web
            1 changed, 2 unchanged
            $ kubectl get deployment web -o jsonpath={.spec.replicas}
            2
        "#]],
    );
}

#[test]
fn rules_are_printed_on_request() {
    let stage = Stage::new(SHOP);
    let ran = stage.run("kelson plan v1 --name app --show-rules");
    for word in ["default", "quantit", "webhook", "order"] {
        assert!(ran.shown().contains(word), "{word}: {}", ran.shown());
    }
}

#[test]
fn a_plan_writes_nothing() {
    let stage = Stage::new(SHOP);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    assert_eq!(stage.run("kelson plan v1 --name app").code, 2);
    for seen in detour.seen() {
        assert!(seen.method == "GET" || seen.target.contains("dryRun=All"), "{seen}");
    }
    assert_eq!(stage.kubectl("get secrets,leases -o name").unwrap(), "");
}

const SCALED: &str = "#- app/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
#- app/scaler.yaml
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 9
#- alone/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
#- scaler.yaml
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 9
";

#[test]
fn replicas_are_left_to_an_autoscaler_of_the_set() {
    check(
        SCALED,
        &[
            "kelson apply app --name app --yes",
            "kubectl scale deployment web --replicas=7",
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get deployment web -o jsonpath={.spec.replicas}",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   Deployment/the-namespace/web
            created   HorizontalPodAutoscaler/the-namespace/web
            2 created
            $ kubectl scale deployment web --replicas=7
            deployment.apps/web scaled
            $ kelson plan app --name app
            nothing to do: 2 objects are as they should be
            $ kelson apply app --name app --yes
            2 unchanged
            $ kubectl get deployment web -o jsonpath={.spec.replicas}
            7
        "#]],
    );
}

#[test]
fn replicas_are_left_to_an_autoscaler_of_the_cluster() {
    check(
        SCALED,
        &[
            "kelson apply alone --name app --yes",
            "kubectl apply -f /here/scaler.yaml",
            "kubectl scale deployment web --replicas=7",
            "kelson plan alone --name app",
            "kelson apply alone --name app --yes",
            "kubectl get deployment web -o jsonpath={.spec.replicas}",
        ],
        expect![[r#"
            $ kelson apply alone --name app --yes
            created   Deployment/the-namespace/web
            1 created
            $ kubectl apply -f /here/scaler.yaml
            horizontalpodautoscaler.autoscaling/web created
            $ kubectl scale deployment web --replicas=7
            deployment.apps/web scaled
            $ kelson plan alone --name app
            nothing to do: 1 object is as it should be
            $ kelson apply alone --name app --yes
            1 unchanged
            $ kubectl get deployment web -o jsonpath={.spec.replicas}
            7
        "#]],
    );
}

#[test]
fn fields_are_left_to_others_where_that_is_said() {
    check(
        "#- app/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: annotated
  annotations: {kelson.dev/ignore: /data/counter}
data: {counter: '0', mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: flagged}
data: {counter: '0', mode: slow}
",
        &[
            "kelson apply app --name app --yes --ignore ConfigMap:/data/counter",
            "kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].data}",
            "kubectl patch configmap annotated --type=merge -p {\"data\":{\"counter\":\"8\"}}",
            "kubectl patch configmap flagged --type=merge -p {\"data\":{\"counter\":\"9\"}}",
            "kelson plan app --name app --ignore ConfigMap:/data/counter",
            "kelson plan app --name app",
            "kelson plan app --name app --ignore nonsense",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes --ignore ConfigMap:/data/counter
            created   ConfigMap/the-namespace/annotated
            created   ConfigMap/the-namespace/flagged
            2 created
            $ kubectl get configmaps -l kelson.dev/name -o jsonpath={.items[*].data}
            {"counter":"0","mode":"slow"} {"counter":"0","mode":"slow"}
            $ kubectl patch configmap annotated --type=merge -p {"data":{"counter":"8"}}
            configmap/annotated patched
            $ kubectl patch configmap flagged --type=merge -p {"data":{"counter":"9"}}
            configmap/flagged patched
            $ kelson plan app --name app --ignore ConfigMap:/data/counter
            nothing to do: 2 objects are as they should be
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/flagged: fields that others own
                .data.counter (owner: kubectl-patch)
                leave the fields to them with --ignore, or take them over with --take or --take-all
            1 failing, 1 unchanged
            exit code 1
            $ kelson plan app --name app --ignore nonsense
            error: invalid value 'nonsense' for '--ignore <KIND:/PATH>': `nonsense` is not of the form KIND:/path, such as `Deployment:/spec/replicas`

            For more information, try '--help'.
            exit code 64
        "#]],
    );
}

#[test]
fn what_a_webhook_changes_is_shown_as_it_will_be() {
    let stage = Stage::new(SHOP);
    let patch =
        serde_json::json!([{"op": "add", "path": "/metadata/labels/injected", "value": "yes"}]);
    let webhook = Webhook::start(move |_| Verdict::Patch(patch.clone())).unwrap();
    crate::faults::install(&stage, "Mutating", &webhook.client_config(), "services", "Fail");
    stage.check(
        &[
            "kelson plan v1 --name app",
            "kelson apply v1 --name app --yes",
            "kubectl get service web -o jsonpath={.metadata.labels}",
            "kelson plan v1 --name app",
        ],
        expect![[r#"
            $ kelson plan v1 --name app
            + Secret/the-namespace/password
            + Service/the-namespace/web
            + Deployment/the-namespace/web
            22 changes hidden as noise (server-defaults: 22); --show-all shows them
            3 to create
            exit code 2
            $ kelson apply v1 --name app --yes
            created   Secret/the-namespace/password
            created   Service/the-namespace/web
            created   Deployment/the-namespace/web
            3 created
            $ kubectl get service web -o jsonpath={.metadata.labels}
            {"injected":"yes","kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kelson plan v1 --name app
            nothing to do: 3 objects are as they should be
        "#]],
    );
}

#[test]
fn what_is_wrong_with_one_object_leaves_the_rest() {
    check(
        "#- app/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: Not A Name}
---
apiVersion: nobody.example/v1
kind: Unknown
metadata: {name: unknown}
---
apiVersion: v1
kind: Service
metadata: {name: wrong}
spec: {ports: [{port: 99999}]}
---
apiVersion: v1
kind: Service
metadata: {name: misspelt}
spec: {prots: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: the-namespace-missing}
---
apiVersion: v1
kind: Secret
metadata: {name: secret}
data: {password: 'hunter2 is no base64'}
",
        &[
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kubectl get configmaps,services,secrets -l kelson.dev/name -o name",
            "kelson inventory show app",
        ],
        expect![[r#"
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/Not A Name: ConfigMap "Not A Name" is invalid: metadata.name: Invalid value: "Not A Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*') (422 Invalid)
            + ConfigMap/the-namespace/good
            ! ConfigMap/the-namespace-missing/elsewhere: namespaces "the-namespace-missing" not found (404 NotFound)
            ! Secret/the-namespace/secret: failed to convert new object (the-namespace/secret; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 7 (500)
            ! Service/the-namespace/misspelt: failed to create typed patch object (the-namespace/misspelt; /v1, Kind=Service): .spec.prots: field not declared in schema (500)
            ! Service/the-namespace/wrong: Service "wrong" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (422 Invalid)
            ! Unknown/unknown: the cluster has no nobody.example/v1 Unknown, and no CustomResourceDefinition of the set brings it; install what defines it first, or add that to the set
            1 to create, 6 failing
            exit code 1
            $ kelson apply app --name app --yes
            failed    Unknown/unknown: the cluster has no nobody.example/v1 Unknown, and no CustomResourceDefinition of the set brings it; install what defines it first, or add that to the set
            failed    ConfigMap/the-namespace/Not A Name: ConfigMap "Not A Name" is invalid: metadata.name: Invalid value: "Not A Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*') (422 Invalid)
            created   ConfigMap/the-namespace/good
            failed    ConfigMap/the-namespace-missing/elsewhere: namespaces "the-namespace-missing" not found (404 NotFound)
            failed    Secret/the-namespace/secret: failed to convert new object (the-namespace/secret; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 7 (500)
            failed    Service/the-namespace/misspelt: failed to create typed patch object (the-namespace/misspelt; /v1, Kind=Service): .spec.prots: field not declared in schema (500)
            failed    Service/the-namespace/wrong: Service "wrong" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (422 Invalid)
            1 created, 6 failed
            exit code 1
            $ kubectl get configmaps,services,secrets -l kelson.dev/name -o name
            configmap/good
            $ kelson inventory show app
            Delivery:      the-namespace/app
            Source:        /here/app
            Field manager: kelson

            AT                    RESULT  BY     ARTIFACT                                                                 REVISION
            <time>  failed  admin  sha256:<digest>

            OBJECT                        VERSION  ORIGIN   STATE    UID
            ConfigMap/the-namespace/good  v1       created  applied  <uid>
        "#]],
    );
}

#[test]
fn two_objects_with_one_id_are_both_named() {
    check(
        "#- app/one.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: twice}
#- app/two.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: twice, namespace: the-namespace}
",
        &[
            "kelson plan app --name app",
            "kelson apply app --name app --yes",
            "kelson plan app/one.yaml app/two.yaml --name app",
        ],
        expect![[r#"
            $ kelson plan app --name app
            ! ConfigMap/the-namespace/twice: there are 2 objects with this id (v1 without a namespace in app/one.yaml:1, v1 in app/two.yaml:1); leave one, or give them other names
            1 failing
            exit code 1
            $ kelson apply app --name app --yes
            failed    ConfigMap/the-namespace/twice: there are 2 objects with this id (v1 without a namespace in app/one.yaml:1, v1 in app/two.yaml:1); leave one, or give them other names
            1 failed
            exit code 1
            $ kelson plan app/one.yaml app/two.yaml --name app
            ! ConfigMap/the-namespace/twice: there are 2 objects with this id (v1 without a namespace in app/one.yaml, v1 in app/two.yaml); leave one, or give them other names
            1 failing
            exit code 1
        "#]],
    );
}

#[test]
fn a_namespace_is_given_only_to_what_has_one() {
    check(
        "#- app/objects.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: the-namespace-role, namespace: ignored}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: role}
rules: []
",
        &[
            "kelson apply app --name app --yes",
            "kubectl get clusterrole the-namespace-role -o jsonpath={.metadata.labels}",
            "kubectl get role role -o jsonpath={.metadata.namespace}",
            "kelson plan app --name app",
            "kelson delete app --yes",
        ],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ClusterRole/the-namespace-role
            created   Role/the-namespace/role
            2 created
            $ kubectl get clusterrole the-namespace-role -o jsonpath={.metadata.labels}
            {"kelson.dev/name":"app","kelson.dev/namespace":"the-namespace"}
            $ kubectl get role role -o jsonpath={.metadata.namespace}
            the-namespace
            $ kelson plan app --name app
            nothing to do: 2 objects are as they should be
            $ kelson delete app --yes
            deleted   ClusterRole/the-namespace-role
            deleted   Role/the-namespace/role
            2 deleted
        "#]],
    );
}

#[test]
fn the_machine_gets_a_plan_in_the_form_of_plan_files() {
    let stage = Stage::new(SHOP);
    let ran = stage.run("kelson plan v1 --name app --json -o plan.json");
    let printed: serde_json::Value = serde_json::from_str(&ran.out).expect(&ran.out);
    let stored = std::fs::read_to_string(stage.folder.path("plan.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&stored).unwrap();
    assert!(printed["digest"].is_string(), "{}", ran.out);
    assert_eq!(printed["digest"], stored["digest"]);
}
