use std::collections::HashMap;
use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_model::Object;
use kelson_yaml::{Dialect, Span, documents};

use super::*;
use crate::{
    Catalog, Cause, DryRun, Entry, Found, Inventory, Live, Packed, ResolveOptions, Snapshot, State,
    resolve, wanted,
};

/// What is given to a plan, and what a server would say.
#[derive(Default)]
struct Case {
    desired: &'static str,
    live: &'static str,
    /// What dry runs would give, by id.
    would: &'static str,
    /// What dry runs without force are refused with, by id.
    refused: Vec<(&'static str, Refusal)>,
    /// Entries: id, uid, origin and state.
    entries: Vec<(&'static str, Option<&'static str>, Origin, State)>,
    options: Options,
}

fn objects(text: &str) -> Vec<Object> {
    let documents = documents(text, Span::NONE, Dialect::V3).unwrap();
    documents.into_iter().map(|node| Object::new(node).unwrap()).collect()
}

fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let kinds = [
        ("", "v1", "Namespace", "namespaces", false),
        ("", "v1", "ConfigMap", "configmaps", true),
        ("", "v1", "Secret", "secrets", true),
        ("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
        ("apps", "v1", "Deployment", "deployments", true),
        (
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            false,
        ),
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
    catalog
}

#[track_caller]
fn check(case: Case, expected: Expect) {
    let delivery = Delivery::new("shop", "prod").unwrap();
    let mut options = case.options.clone();
    options.field_manager = "kelson".to_owned();
    options.key = Key::new(vec![1; 32]);
    let desired = objects(case.desired);
    let mut catalog = catalog();
    catalog.add_definitions(&desired);
    let resolving = ResolveOptions { default_namespace: "prod".to_owned(), ..Default::default() };
    let resolved = resolve(desired, &catalog, Some(&delivery), &resolving);
    let mut inventory = Inventory::default();
    for wanted in wanted(&resolved.desired, &inventory, &catalog) {
        let text = wanted.id.to_string();
        if let Some((_, uid, origin, state)) = case.entries.iter().find(|(id, ..)| *id == text) {
            inventory.put(Entry {
                id: wanted.id,
                version: wanted.kind.version,
                uid: uid.map(str::to_owned),
                origin: *origin,
                state: *state,
                desired: None,
                owned: None,
            });
        }
    }
    let mut snapshot = Snapshot { cluster: "c".to_owned(), ..Default::default() };
    for wanted in wanted(&resolved.desired, &inventory, &catalog) {
        snapshot.live.insert(wanted.id, Live::Absent);
    }
    for object in objects(case.live) {
        let live = Live::Found(Box::new(Packed::new(Found::new(object.clone(), "kelson"), None)));
        snapshot.live.insert(object.id, live);
    }
    let would = objects(case.would);
    let mut draft = Draft::new(Some(&delivery), resolved, snapshot, &inventory, &options);
    draft.turn(usize::MAX);
    for _ in 0..2 {
        for question in draft.questions() {
            let id = question.id.to_string();
            let refused = case
                .refused
                .iter()
                .find(|(known, refusal)| *known == id && !(question.force && refusal.code == 409));
            let answer = match refused {
                Some((_, refusal)) => DryRun::Refused(refusal.clone()),
                None => {
                    let would = would.iter().find(|object| object.id == question.id);
                    let node = would.map_or(question.body, |object| object.node.clone());
                    DryRun::would(node, "kelson", false)
                }
            };
            draft.answer(HashMap::from([(question.id, answer)]));
        }
    }
    assert!(draft.questions().is_empty());
    expected.assert_eq(&show(&draft.finish(&catalog)));
}

fn show(plan: &Plan) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let action = match &step.action {
            Action::Fail(failure) => format!("Fail: {failure}"),
            other => format!("{other:?}"),
        };
        let force = if step.force { " by force" } else { "" };
        writeln!(text, "{}: {action}, {:?}, {:?}{force}", step.id, step.checked, step.origin)
            .unwrap();
        for change in &step.changes {
            let value = |value: &Option<crate::Value>| {
                value.as_ref().map_or("-".to_owned(), |value| value.to_string())
            };
            let field = &change.field;
            let hidden = change.hidden.map(|rule| format!(" #{rule}")).unwrap_or_default();
            let (before, after) = (value(&field.before), value(&field.after));
            writeln!(text, "  {}: {before} -> {after} {:?}{hidden}", field.path, change.managers)
                .unwrap();
        }
        for note in &step.notes {
            writeln!(text, "  ({note})").unwrap();
        }
        for id in &step.depends_on {
            writeln!(text, "  after {id}").unwrap();
        }
    }
    text
}

const DESIRED: &str =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '1', y: '2'}}";
const OURS: &str = "
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: prod
  uid: u1
  resourceVersion: '5'
  generation: 1
  labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}
  managedFields:
  - manager: kelson
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:data: {f:x: {}, f:y: {}}, f:metadata: {f:labels: {f:kelson.dev/name: {}, f:kelson.dev/namespace: {}}}}
  - manager: editor
    operation: Update
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:data: {f:z: {}}}
data: {x: '1', y: '2', z: '3'}
";

fn conflict(field: &str) -> Refusal {
    Refusal {
        code: 409,
        reason: "Conflict".to_owned(),
        message: "Apply failed with 1 conflict".to_owned(),
        causes: vec![Cause {
            reason: "FieldManagerConflict".to_owned(),
            field: field.to_owned(),
            message: "conflict with \"editor\" using v1".to_owned(),
        }],
    }
}

fn immutable(field: &str) -> Refusal {
    Refusal {
        code: 422,
        reason: "Invalid".to_owned(),
        message: "invalid".to_owned(),
        causes: vec![Cause {
            reason: "FieldValueInvalid".to_owned(),
            field: field.to_owned(),
            message: "Invalid value: 1: field is immutable".to_owned(),
        }],
    }
}

#[test]
fn what_is_absent_is_made_and_shown_in_full() {
    check(
        Case { desired: DESIRED, ..Case::default() },
        expect![[r#"
            ConfigMap/prod/a: Create, OnApply, Created
              data.x: - -> "1" []
              data.y: - -> "2" []
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
        "#]],
    );
    check(
        Case {
            desired: DESIRED,
            would: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, uid: new, labels: {kelson.dev/name: shop}},
                data: {x: '1', y: '2'}, immutable: false}",
            options: Options { check_creates: true, ..Options::default() },
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Create, ByServer, Created
              data.x: - -> "1" []
              data.y: - -> "2" []
              immutable: - -> false [] #server-defaults
              metadata.labels[kelson.dev/name]: - -> shop []
        "#]],
    );
}

#[test]
fn what_the_server_would_not_change_is_kept() {
    check(
        Case {
            desired: DESIRED,
            live: OURS,
            would: OURS,
            entries: vec![("ConfigMap/prod/a", Some("u1"), Origin::Created, State::Applied)],
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Keep(None), ByServer, Created
        "#]],
    );
}

#[test]
fn a_change_is_shown_with_old_value_new_value_and_owner() {
    check(
        Case {
            desired: DESIRED,
            live: OURS,
            would: "
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: prod
  labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}
  annotations: {injected: by-webhook}
  managedFields:
  - {manager: kelson, operation: Apply, fieldsV1: {f:data: {f:x: {}, f:y: {}, f:z: {}}, f:metadata: {f:labels: {f:kelson.dev/name: {}, f:kelson.dev/namespace: {}}}}}
data: {x: '1', y: '9', z: '3'}
",
            entries: vec![("ConfigMap/prod/a", Some("u1"), Origin::Adopted, State::Applied)],
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Adopted
              data.y: "2" -> "9" ["kelson"]
              metadata.annotations.injected: - -> by-webhook [] #server-defaults
              data.z: "3" -> "3" ["editor"] #ownership
        "#]],
    );
}

#[test]
fn conflicts_are_reported_or_won() {
    let case = |take| Case {
        desired: DESIRED,
        live: OURS,
        would: OURS,
        refused: vec![("ConfigMap/prod/a", conflict(".data.x"))],
        entries: vec![("ConfigMap/prod/a", Some("u1"), Origin::Created, State::Applied)],
        options: Options { take, ..Options::default() },
    };
    check(
        case(Take::Nothing),
        expect![[r#"
            ConfigMap/prod/a: Fail: other managers own `.data.x` (editor), ByServer, Created
        "#]],
    );
    check(
        case(Take::Fields(vec!["/data/y".to_owned()])),
        expect![[r#"
            ConfigMap/prod/a: Fail: other managers own `.data.x` (editor), ByServer, Created
        "#]],
    );
    check(
        case(Take::Fields(vec!["/data/*".to_owned()])),
        expect![[r#"
        ConfigMap/prod/a: Keep(None), ByServer, Created by force
    "#]],
    );
    check(
        case(Take::All),
        expect![[r#"
        ConfigMap/prod/a: Keep(None), ByServer, Created by force
    "#]],
    );
}

const KUBECTLS: &str = "
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: prod
  uid: u1
  resourceVersion: '5'
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}
  managedFields:
  - manager: kubectl-client-side-apply
    operation: Update
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:data: {.: {}, f:x: {}, f:old: {}, f:shared: {}}, f:metadata: {f:annotations: {f:kubectl.kubernetes.io/last-applied-configuration: {}}}}
  - {manager: other, operation: Update, fieldsV1: {f:data: {f:shared: {}}}}
data: {x: '1', y: '2', old: gone, shared: stays}
";

#[test]
fn what_another_tool_manages_is_taken_over_only_if_told_so() {
    let case = |adopt| Case {
        desired: DESIRED,
        live: KUBECTLS,
        would: "
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: prod
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}
  labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}
data: {x: '1', y: '2', old: gone, shared: stays}
",
        options: Options { adopt, ..Options::default() },
        ..Case::default()
    };
    check(
        case(false),
        expect![[r#"
        ConfigMap/prod/a: Fail: it is managed by kubectl, AsRecorded, Created
    "#]],
    );
    check(
        case(true),
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Adopted by force
              data.old: gone -> - ["kubectl-client-side-apply"]
              metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]: "{}" -> - ["kubectl-client-side-apply"] #other-tool
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              (taken over from kubectl)
        "#]],
    );
}

#[test]
fn what_somebody_else_has_made_is_laid_over_and_never_ours() {
    let case = |uid, state| Case {
        desired: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '1'}}",
        live: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, uid: u2}, data: {x: '1'}}",
        entries: vec![("ConfigMap/prod/a", uid, Origin::Created, state)],
        ..Case::default()
    };
    check(
        case(None, State::Pending),
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Found
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
        "#]],
    );
    check(
        case(Some("u1"), State::Applied),
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Found
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
        "#]],
    );
}

#[test]
fn a_crash_between_create_and_record_leaves_what_is_ours() {
    check(
        Case {
            desired: DESIRED,
            live: OURS,
            would: OURS,
            entries: vec![("ConfigMap/prod/a", None, Origin::Created, State::Pending)],
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Keep(None), ByServer, Created
        "#]],
    );
}

#[test]
fn an_immutable_field_is_named_or_leads_to_a_new_object() {
    let desired = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '7'}}";
    let case = |recreate, origin| Case {
        desired,
        live: OURS,
        refused: vec![("ConfigMap/prod/a", immutable("data"))],
        entries: vec![("ConfigMap/prod/a", Some("u1"), origin, State::Applied)],
        options: Options { recreate, ..Options::default() },
        ..Case::default()
    };
    check(
        case(false, Origin::Created),
        expect![[r#"
            ConfigMap/prod/a: Fail: `data` cannot be changed, ByServer, Created
        "#]],
    );
    check(
        case(true, Origin::Created),
        expect![[r#"
            ConfigMap/prod/a: Recreate(["data"]), OnApply, Created
              data.x: "1" -> "7" ["kelson"]
              data.y: "2" -> - ["kelson"]
        "#]],
    );
    check(
        case(true, Origin::Found),
        expect![[r#"
            ConfigMap/prod/a: Fail: `data` cannot be changed, and it was there before this delivery, so it is not deleted, ByServer, Found
        "#]],
    );
}

#[test]
fn what_holds_data_is_made_anew_only_if_it_says_so() {
    let live = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d, namespace: prod, uid: u1}, spec: {size: 1}}";
    let case = |desired| Case {
        desired,
        live,
        refused: vec![("PersistentVolumeClaim/prod/d", immutable("spec"))],
        entries: vec![(
            "PersistentVolumeClaim/prod/d",
            Some("u1"),
            Origin::Created,
            State::Applied,
        )],
        options: Options { recreate: true, ..Options::default() },
        ..Case::default()
    };
    check(
        case("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d}, spec: {size: 2}}"),
        expect![[r#"
            PersistentVolumeClaim/prod/d: Fail: `spec` cannot be changed, and its data would be lost; `kelson.dev/recreate: allowed` on the object lets it be made anew all the same, ByServer, Created
        "#]],
    );
    check(
        case(
            "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d, annotations: {kelson.dev/recreate: allowed}}, spec: {size: 2}}",
        ),
        expect![[r#"
            PersistentVolumeClaim/prod/d: Recreate(["spec"]), OnApply, Created
              metadata.annotations[kelson.dev/recreate]: - -> allowed []
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              spec.size: 1 -> 2 []
        "#]],
    );
}

#[test]
fn what_awaits_something_of_the_same_plan_is_shown_in_full_and_checked_here() {
    check(
        Case {
            desired: "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {n: {type: integer}}}}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: new}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: new}}
---
{apiVersion: example.com/v1, kind: Foo, metadata: {name: good, namespace: new}, spec: {n: 1}}
---
{apiVersion: example.com/v1, kind: Foo, metadata: {name: bad}, spec: {n: one}}
",
            options: Options { check_creates: true, ..Options::default() },
            ..Case::default()
        },
        expect![[r#"
            CustomResourceDefinition/foos.example.com: Create, ByServer, Created
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              spec.group: - -> example.com []
              spec.names.kind: - -> Foo []
              spec.names.plural: - -> foos []
              spec.scope: - -> Namespaced []
              spec.versions[name=v1].name: - -> v1 []
              spec.versions[name=v1].schema.openAPIV3Schema.properties.spec.properties.n.type: - -> integer []
              spec.versions[name=v1].schema.openAPIV3Schema.properties.spec.type: - -> object []
              spec.versions[name=v1].schema.openAPIV3Schema.type: - -> object []
              spec.versions[name=v1].served: - -> true []
              spec.versions[name=v1].storage: - -> true []
            Namespace/new: Create, ByServer, Created
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
            ConfigMap/new/a: Create, Here, Created
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              after Namespace/new
            Foo/new/good: Create, Here, Created
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              spec.n: - -> 1 []
              after CustomResourceDefinition/foos.example.com
              after Namespace/new
            Foo/prod/bad: Fail: spec.n: expected numeric (int or float), got string, AsRecorded, Created
              after CustomResourceDefinition/foos.example.com
        "#]],
    );
}

#[test]
fn ignored_fields_are_neither_compared_nor_taken_away() {
    check(
        Case {
            desired: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {kelson.dev/ignore: '/data/y,/data/z'}}, data: {x: '1', y: '7', z: '8'}}",
            live: OURS,
            entries: vec![("ConfigMap/prod/a", Some("u1"), Origin::Created, State::Applied)],
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Created
              metadata.annotations[kelson.dev/ignore]: - -> /data/y,/data/z []
              (`/data/y` is left to others: the object says so)
              (`/data/z` is left to others: the object says so)
        "#]],
    );
}

#[test]
fn what_is_being_deleted_cannot_be_changed() {
    check(
        Case {
            desired: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            live: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, uid: u, deletionTimestamp: t}}",
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Fail: it is being deleted; try again when it is gone, AsRecorded, Found
        "#]],
    );
}

#[test]
fn a_secret_shows_that_it_changes_and_not_how() {
    check(
        Case {
            desired: "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {p: new}}",
            live: "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: prod, uid: u}, data: {p: b2xk}}",
            ..Case::default()
        },
        expect![[r#"
            Secret/prod/s: Change, ByServer, Found
              data.p: ***(d3eb5660) -> ***(75556bc9) []
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
        "#]],
    );
}

#[test]
fn problems_and_circles_are_failures_of_their_objects_alone() {
    check(
        Case {
            desired: "
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/depends-on: /namespaces/prod/ConfigMap/b}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, annotations: {config.kubernetes.io/depends-on: /namespaces/prod/ConfigMap/a}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: example.com/v1, kind: Foo, metadata: {name: a}}
",
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Fail: these depend on each other in a circle: `ConfigMap/prod/a`, `ConfigMap/prod/b`, OnApply, Created
              metadata.annotations[config.kubernetes.io/depends-on]: - -> /namespaces/prod/ConfigMap/b []
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              after ConfigMap/prod/b
            ConfigMap/prod/b: Fail: these depend on each other in a circle: `ConfigMap/prod/a`, `ConfigMap/prod/b`, OnApply, Created
              metadata.annotations[config.kubernetes.io/depends-on]: - -> /namespaces/prod/ConfigMap/a []
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
              after ConfigMap/prod/a
            ConfigMap/prod/c: Create, OnApply, Created
              metadata.labels[kelson.dev/name]: - -> shop []
              metadata.labels[kelson.dev/namespace]: - -> prod []
            Foo/a: Fail: the cluster has no example.com/v1 Foo, and no CustomResourceDefinition of the set brings it; install what defines it first, or add that to the set, AsRecorded, Created
        "#]],
    );
}

#[test]
fn what_is_added_is_told_from_what_the_server_adds_to_it() {
    let live = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: prod, uid: u, labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}},
        spec: {containers: [{name: a, image: i, args: [x, y]}, {name: b, image: i, resources: {limits: {cpu: 1000m}}}]}}";
    check(
        Case {
            desired: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w},
                spec: {containers: [{name: b, image: i, resources: {limits: {cpu: '1'}}}, {name: a, image: i, args: [y, x]}, {name: c, image: k}]}}",
            live,
            would: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: prod, labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}},
                spec: {containers: [{name: b, image: i, resources: {limits: {cpu: '1'}}}, {name: a, image: i, args: [y, x]}, {name: c, image: k, pull: Always}]}}",
            ..Case::default()
        },
        expect![[r#"
            Deployment/prod/w: Change, ByServer, Found
              spec.containers[name=a].args: ["x","y"] -> ["y","x"] []
              spec.containers[name=b].resources.limits.cpu: 1000m -> "1" [] #quantities
              spec.containers[name=c].image: - -> k []
              spec.containers[name=c].name: - -> c []
              spec.containers[name=c].pull: - -> Always [] #server-defaults
              spec.containers: ["a","b"] -> ["b","a","c"] [] #set-order
        "#]],
    );
}

#[test]
fn a_comparison_without_a_delivery_is_about_values_alone() {
    let text = format!("{DESIRED}\n");
    let resolved = resolve(
        objects(&text),
        &catalog(),
        None,
        &ResolveOptions { default_namespace: "prod".to_owned(), ..Default::default() },
    );
    let mut snapshot = Snapshot::default();
    let live = objects(OURS).remove(0);
    snapshot.live.insert(
        live.id.clone(),
        Live::Found(Box::new(Packed::new(Found::new(live, "other"), None))),
    );
    let options = Options { field_manager: "other".to_owned(), ..Options::default() };
    let inventory = Inventory::default();
    let mut draft = Draft::new(None, resolved, snapshot, &inventory, &options);
    draft.turn(usize::MAX);
    let asked = draft.questions();
    assert!(asked.len() == 1 && asked[0].force);
    let would = OURS.replace("manager: kelson", "manager: other");
    let would = DryRun::would(objects(&would).remove(0).node, "other", false);
    draft.answer(HashMap::from([(asked[0].id.clone(), would)]));
    let plan = draft.finish(&catalog());
    expect![[r#"
        ConfigMap/prod/a: Keep(None), ByServer, Found by force
    "#]]
    .assert_eq(&show(&plan));
}

#[test]
fn what_was_delivered_under_another_name_is_taken_over() {
    const FORMERS: &str = "
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: prod
  uid: u1
  labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}
  managedFields:
  - manager: editor
    operation: Apply
    fieldsV1: {f:data: {f:x: {}, f:old: {}}, f:metadata: {f:labels: {f:kelson.dev/name: {}, f:kelson.dev/namespace: {}}}}
data: {x: '0', old: gone}
";
    check(
        Case {
            desired: DESIRED,
            live: FORMERS,
            would: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: prod, labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}},
                data: {x: '1', y: '2', old: gone}}",
            refused: vec![("ConfigMap/prod/a", conflict(".data.x"))],
            entries: vec![("ConfigMap/prod/a", Some("u1"), Origin::Created, State::Applied)],
            ..Case::default()
        },
        expect![[r#"
            ConfigMap/prod/a: Change, ByServer, Created by force
              data.old: gone -> - ["editor"]
              data.x: "0" -> "1" ["editor"]
              data.y: - -> "2" []
        "#]],
    );
}
