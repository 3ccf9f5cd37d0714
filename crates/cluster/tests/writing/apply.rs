use std::time::Duration;

use expect_test::{Expect, expect};
use kelson_cluster::{Error, records};
use kelson_model::ObjectId;
use kelson_plan::{Action, Checked, Entry, Event, Failure, Origin, Silent, State, Step};
use kelson_testkit::Fault;
use kelson_testkit::proxy::Gate;
use tokio::sync::watch;

use crate::world::{Heard, World, config};

const WEB: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, \
                   selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, \
                   spec: {containers: [{name: web, image: 'example.com/web:1'}]}}}}";

async fn check(world: &World, steps: Vec<Step>, expected: Expect) {
    expected.assert_eq(&world.told(steps).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_is_recorded_with_uid_and_hashes() {
    let world = World::new().await;
    let steps = vec![
        world.step(Action::Create, &config("a", "1")),
        Step { wave: 1, ..world.step(Action::Create, WEB) },
    ];
    check(
        &world,
        steps,
        expect![[r#"
            ConfigMap/NS/a: Created
            Deployment/NS/web: Created
            - ConfigMap/NS/a Created Applied
            - Deployment/NS/web Created Applied
        "#]],
    )
    .await;
    let (found, held) = (world.found("configmaps/a").unwrap(), world.held().await);
    let entry = &held.inventory.entries[0];
    assert_eq!((entry.uid.as_ref(), entry.owned.as_ref()), (Some(&found.uid), Some(&found.owned)));
    assert_eq!(found.label("kelson.dev/name"), Some("shop"));
    assert_eq!(world.names("leases"), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_as_recorded_costs_no_write() {
    let world = World::new().await;
    world.run(vec![world.step(Action::Create, &config("a", "1"))]).await.unwrap();
    let step = world.step(Action::Keep(None), &config("a", "1"));
    let recorded = Step { checked: Checked::AsRecorded, ..step.clone() };
    let held = world.held().await;
    assert!(!records(&world.plan(vec![recorded]), &held.inventory));
    assert!(!records(&world.plan(vec![step.clone()]), &held.inventory));
    // A crash left it pending: that is worth a write.
    let mut crashed = held.clone();
    let entry = crashed.inventory.entries[0].clone();
    let entry = Entry { state: State::Pending, uid: None, owned: None, desired: None, ..entry };
    crashed.inventory.put(entry);
    crashed.save(&world.cluster).await.unwrap();
    assert!(records(&world.plan(vec![step.clone()]), &crashed.inventory));
    check(
        &world,
        vec![step],
        expect![[r#"
            ConfigMap/NS/a: Unchanged
            - ConfigMap/NS/a Created Applied
        "#]],
    )
    .await;
    assert_eq!(world.held().await.inventory, held.inventory);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_exists_meanwhile_is_neither_touched_nor_claimed() {
    let world = World::new().await;
    let steps = vec![
        world.step(Action::Create, &config("a", "1")),
        world.step(Action::Create, &config("b", "1")),
    ];
    world.kubectl(&["create", "configmap", "a", "--from-literal=key=theirs"]);
    check(
        &world,
        steps,
        expect![[r#"
            ConfigMap/NS/a: Failed: it exists: somebody has made it since the plan was made; plan again (409 AlreadyExists)
            ConfigMap/NS/b: Created
            - ConfigMap/NS/b Created Applied
        "#]],
    )
    .await;
    let theirs = world.found("configmaps/a").unwrap();
    assert_eq!(theirs.label("kelson.dev/name"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crashed_run_has_made_is_ours() {
    let world = World::new().await;
    let create = |value| world.step(Action::Create, &config("a", value));
    world.run(vec![create("1")]).await.unwrap();
    let mut held = world.held().await;
    held.inventory.entries.clear();
    held.save(&world.cluster).await.unwrap();
    check(
        &world,
        vec![create("2")],
        expect![[r#"
            ConfigMap/NS/a: Created
            - ConfigMap/NS/a Created Applied
        "#]],
    )
    .await;
    let value = world.kubectl(&["get", "configmap", "a", "-o", "jsonpath={.data.key}"]);
    assert_eq!(value, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_refuses_is_told_and_leaves_the_record() {
    let world = World::new().await;
    let bad =
        "{apiVersion: v1, kind: Service, metadata: {name: bad}, spec: {ports: [{port: 99999}]}}";
    let steps = vec![
        world.step(Action::Create, bad),
        world.step(Action::Create, &config("good", "1")),
        world.step(Action::Create, &config("number", "1").replace("'1'", "1")),
    ];
    check(
        &world,
        steps,
        expect![[r#"
            Service/NS/bad: Failed: Service "bad" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (422 Invalid)
            ConfigMap/NS/good: Created
            ConfigMap/NS/number: Failed: failed to create typed patch object (NS/number; /v1, Kind=ConfigMap): .data.key: expected string, got &value.valueUnstructured{Value:1} (500)
            - ConfigMap/NS/good Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_write_in_between_is_no_move() {
    let world = World::new().await;
    world.run(vec![world.step(Action::Create, WEB)]).await.unwrap();
    let step = world.step(Action::Change, &WEB.replace("web:1", "web:2"));
    let status = r#"{"status": {"conditions": [{"type": "Odd", "status": "True"}]}}"#;
    let patch =
        ["patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", status];
    world.kubectl(&patch);
    check(
        &world,
        vec![step],
        expect![[r#"
            Deployment/NS/web: Changed
            - Deployment/NS/web Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_moved_is_not_written() {
    let world = World::new().await;
    let create = |name| world.step(Action::Create, &config(name, "1"));
    world.run(vec![create("changed"), create("deleted"), create("replaced")]).await.unwrap();
    let change = |name| world.step(Action::Change, &config(name, "2"));
    let steps = vec![change("changed"), change("deleted"), change("replaced")];
    world.kubectl(&["patch", "configmap", "changed", "-p", r#"{"data": {"other": "x"}}"#]);
    world.kubectl(&["delete", "configmap", "deleted", "replaced"]);
    world.kubectl(&["create", "configmap", "replaced"]);
    check(
        &world,
        steps,
        expect![[r#"
            ConfigMap/NS/changed: Failed: its content was changed since the plan was made; plan again (409 Moved)
            ConfigMap/NS/deleted: Failed: it was deleted since the plan was made; plan again (409 Moved)
            ConfigMap/NS/replaced: Failed: it was deleted and made anew since the plan was made; plan again (409 Moved)
            - ConfigMap/NS/changed Created Applied
            - ConfigMap/NS/deleted Created Applied
            - ConfigMap/NS/replaced Created Applied
        "#]],
    )
    .await;
    let values = world.kubectl(&["get", "configmaps", "-o", "jsonpath={.items[*].data.key}"]);
    assert!(!values.contains('2'), "{values}");
    assert!(world.found("configmaps/deleted").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_approved_is_changed_upon_what_has_moved_while_it_is_the_same() {
    let mut world = World::new().await;
    world.options.bound = false;
    let create = |name| world.step(Action::Create, &config(name, "1"));
    let names = ["anew", "changed", "replaced", "taken"];
    world.run(names.into_iter().map(create).collect()).await.unwrap();
    let change = |name| world.step(Action::Change, &config(name, "2"));
    let recreate = world.step(Action::Recreate(vec!["data".to_owned()]), &config("anew", "2"));
    let steps = vec![recreate, change("changed"), change("replaced"), change("taken")];
    for name in ["anew", "changed"] {
        world.kubectl(&["annotate", "configmap", name, "a=b"]);
    }
    world.kubectl(&["delete", "configmap", "replaced"]);
    world.kubectl(&["create", "configmap", "replaced"]);
    world.kubectl(&["patch", "configmap", "taken", "-p", r#"{"data": {"key": "theirs"}}"#]);
    check(
        &world,
        steps,
        expect![[r#"
            ConfigMap/NS/anew: Recreated
            ConfigMap/NS/changed: Changed
            ConfigMap/NS/replaced: Failed: it was deleted and made anew since the plan was made; plan again (409 Moved)
            ConfigMap/NS/taken: Failed: Apply failed with 1 conflict: conflict with "kubectl-patch" using v1: .data.key (409 Conflict)
            - ConfigMap/NS/anew Created Applied
            - ConfigMap/NS/changed Created Applied
            - ConfigMap/NS/replaced Created Applied
            - ConfigMap/NS/taken Created Applied
        "#]],
    )
    .await;
    let changed =
        ["get", "configmap", "changed", "-o", "jsonpath={.data.key} {.metadata.annotations.a}"];
    assert_eq!(world.kubectl(&changed), "2 b");
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_of_others_are_reported_and_taken_only_where_that_is_meant() {
    let world = World::new().await;
    world.kubectl(&["create", "configmap", "a", "--from-literal=key=theirs"]);
    let step = world.step(Action::Change, &config("a", "ours"));
    check(
        &world,
        vec![step.clone()],
        expect![[r#"
            ConfigMap/NS/a: Failed: Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .data.key (409 Conflict)
        "#]],
    )
    .await;
    check(
        &world,
        vec![Step { force: true, origin: Origin::Found, ..step }],
        expect![[r#"
            ConfigMap/NS/a: Changed
            - ConfigMap/NS/a Found Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_changed_is_made_anew() {
    let world = World::new().await;
    let object = |value: &str| config("a", value).replace(", data:", ", immutable: true, data:");
    world.run(vec![world.step(Action::Create, &object("1"))]).await.unwrap();
    let before = world.found("configmaps/a").unwrap().uid;
    let recreate = Action::Recreate(vec!["data".to_owned()]);
    check(
        &world,
        vec![world.step(recreate.clone(), &object("2"))],
        expect![[r#"
            ConfigMap/NS/a: Recreated
            - ConfigMap/NS/a Created Applied
        "#]],
    )
    .await;
    let after = world.found("configmaps/a").unwrap().uid;
    assert_ne!(before, after);
    // One that has moved is not deleted.
    let step = world.step(recreate, &object("3"));
    world.kubectl(&["annotate", "configmap", "a", "a=b"]);
    check(
        &world,
        vec![step],
        expect![[r#"
            ConfigMap/NS/a: Failed: its content was changed since the plan was made; plan again (409 Moved)
            - ConfigMap/NS/a Created Applied
        "#]],
    )
    .await;
    assert_eq!(world.found("configmaps/a").unwrap().uid, after);
}

#[tokio::test(flavor = "multi_thread")]
async fn our_fields_are_taken_back_from_what_we_only_found() {
    let world = World::new().await;
    world.kubectl(&["create", "configmap", "a", "--from-literal=other=theirs"]);
    let over = world.step(Action::Change, &config("a", "ours"));
    world.run(vec![Step { origin: Origin::Found, ..over }]).await.unwrap();
    check(
        &world,
        vec![world.step(Action::Release, &config("a", "ours"))],
        expect![[r#"
            ConfigMap/NS/a: Released
        "#]],
    )
    .await;
    let left = ["get", "configmap", "a", "-o", "jsonpath={.data} {.metadata.labels}"];
    assert_eq!(world.kubectl(&left), r#"{"other":"theirs"} "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_tool_owns_is_taken_over_so_that_a_field_really_goes() {
    let world = World::new().await;
    let object =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {key: '1', old: '1'}}";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(&world.namespace);
    std::fs::write(&file, object).unwrap();
    world.kubectl(&["apply", "--filename", file.to_str().unwrap()]);
    let adopt = || {
        let step = world.step(Action::Change, &config("a", "1"));
        let takeover =
            kelson_plan::takeover(&world.found("configmaps/a").unwrap(), "kelson", Origin::Adopted);
        assert!(takeover.is_some());
        Step { origin: Origin::Adopted, force: true, takeover, ..step }
    };
    let step = adopt();
    // Somebody writes the version on, but no content.
    let managers = r#"[{"op": "add", "path": "/metadata/managedFields/-", "value": {"manager": "x", "operation": "Update",
        "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:key": {}}}}}]"#;
    world.kubectl(&["patch", "configmap", "a", "--type=json", "--patch", managers]);
    check(
        &world,
        vec![step],
        expect![[r#"
            ConfigMap/NS/a: Changed
            - ConfigMap/NS/a Adopted Applied
        "#]],
    )
    .await;
    let data = ["get", "configmap", "a", "-o", "jsonpath={.data} {.metadata.annotations}"];
    assert_eq!(world.kubectl(&data), r#"{"key":"1"} "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_and_namespaces_can_be_used_by_the_next_wave() {
    let world = World::new().await;
    let group = format!("tocome.{}.example.com", world.namespace);
    let definition = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: widgets.{group}}}, \
         spec: {{group: {group}, scope: Namespaced, names: {{kind: Widget, plural: widgets, singular: widget}}, \
         versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, \
         properties: {{spec: {{type: object, properties: {{size: {{type: integer}}}}}}}}}}}}}}]}}}}"
    );
    let widget = format!(
        "{{apiVersion: {group}/v1, kind: Widget, metadata: {{name: w}}, spec: {{size: 1}}}}"
    );
    let namespace = format!(
        "{{apiVersion: v1, kind: Namespace, metadata: {{name: {}-more}}}}",
        world.namespace
    );
    let mut inside = world.step(Action::Create, &config("inside", "1"));
    inside.id.namespace = format!("{}-more", world.namespace);
    let metadata = inside.body.as_mut().unwrap().get_mut("metadata").unwrap();
    let metadata = metadata.as_mapping_mut().unwrap();
    let text = kelson_yaml::Node::string;
    metadata.insert(text("namespace"), text(format!("{}-more", world.namespace).as_str()));
    let steps = vec![
        world.step(Action::Create, &definition),
        Step { wave: 1, ..world.step(Action::Create, &namespace) },
        Step { wave: 2, ..world.step(Action::Create, &widget) },
        Step { wave: 2, ..inside },
    ];
    check(
        &world,
        steps,
        expect![[r#"
            CustomResourceDefinition/widgets.tocome.NS.example.com: Created
            Namespace/NS-more: Created
            Widget/NS/w: Created
            ConfigMap/NS-more/inside: Created
            - ConfigMap/NS-more/inside Created Applied
            - Namespace/NS-more Created Applied
            - CustomResourceDefinition/widgets.tocome.NS.example.com Created Applied
            - Widget/NS/w Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_depends_on_a_failure_is_not_tried_and_the_rest_is() {
    let world = World::new().await;
    let create = |name: &str| world.step(Action::Create, &config(name, "1"));
    let id = |name: &str| create(name).id;
    let mut missing = create("inside");
    missing.id.namespace = "not-made".to_owned();
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: not-made}}";
    let problem = Action::Fail(Failure::Problem("it is wrong".to_owned()));
    world.kubectl(&["create", "configmap", "first"]);
    let steps = vec![
        world.step(problem, namespace),
        create("first"),
        Step { wave: 1, depends_on: vec![id("first")], ..create("second") },
        Step { wave: 1, ..create("free") },
        Step { wave: 1, ..missing },
        Step { wave: 2, depends_on: vec![id("second")], ..create("third") },
    ];
    check(
        &world,
        steps,
        expect![[r#"
            Namespace/not-made: Failed: it is wrong
            ConfigMap/NS/first: Failed: it exists: somebody has made it since the plan was made; plan again (409 AlreadyExists)
            ConfigMap/NS/second: Skipped: ConfigMap/NS/first
            ConfigMap/NS/free: Created
            ConfigMap/not-made/inside: Skipped: Namespace/not-made
            ConfigMap/NS/third: Skipped: ConfigMap/NS/second
            - ConfigMap/NS/free Created Applied
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_told_to_stop_finishes_what_is_under_way_and_begins_nothing() {
    let (world, detour) = World::behind_proxy().await;
    let steps = vec![
        world.step(Action::Create, &config("first", "1")),
        Step { wave: 1, ..world.step(Action::Create, &config("second", "1")) },
    ];
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/first", 1, Fault::Hold(gate.clone()));
    let (stop, stopped) = watch::channel(false);
    let run = world.run_until(steps, &stopped, &Silent);
    let order = tokio::task::spawn_blocking(move || {
        gate.wait(Duration::from_secs(60)).unwrap();
        stop.send(true).unwrap();
        gate.release(None);
        stop
    });
    let (run, _stop) = tokio::join!(run, order);
    assert!(matches!(run, Err(Error::Interrupted)), "{run:?}");
    assert_eq!(world.listed().await, "- ConfigMap/NS/first Created Applied\n");
    assert!(world.found("configmaps/second").is_none());
    assert_eq!(world.names("leases"), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_loses_the_lease_writes_no_more_and_leaves_the_record_to_the_other() {
    let (world, detour) = World::behind_proxy().await;
    let steps = vec![
        world.step(Action::Create, &config("first", "1")),
        Step { wave: 1, ..world.step(Action::Create, &config("second", "1")) },
    ];
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/first", 1, Fault::Hold(gate.clone()));
    let (plane, namespace) = (world.plane, world.namespace.clone());
    let thief = tokio::task::spawn_blocking(move || {
        gate.wait(Duration::from_secs(60)).unwrap();
        let spec = r#"{"spec": {"holderIdentity": "elsewhere"}}"#;
        let patch = ["patch", "lease", "kelson.shop", "-n", &namespace, "--type=merge", "-p", spec];
        plane.kubectl(&patch).unwrap();
        gate.release(None);
    });
    let (run, thief) = tokio::join!(world.run(steps), thief);
    thief.unwrap();
    assert!(matches!(run, Err(Error::LeaseLost(_))), "{run:?}");
    assert!(world.found("configmaps/first").is_some());
    assert!(world.found("configmaps/second").is_none());
    assert_eq!(
        world.listed().await,
        "- ConfigMap/NS/first Created Pending, no uid, no hashes\n\
         - ConfigMap/NS/second Created Pending, no uid, no hashes\n"
    );
    world.kubectl(&["delete", "lease", "kelson.shop"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_hears_that_the_lease_is_lost_begins_nothing_more_of_a_wave() {
    let (mut world, detour) = World::behind_proxy().await;
    world.lease = Duration::from_secs(1);
    let create = |number| world.step(Action::Create, &config(&format!("c{number}"), "1"));
    let steps = (0..8).map(create).collect();
    // Four are under way at once; none gets on before the Lease is gone and that is known.
    let gate = Gate::new();
    detour.fault("PATCH", "/configmaps/", 4, Fault::Hold(gate.clone()));
    let (plane, namespace) = (world.plane, world.namespace.clone());
    let thief = tokio::task::spawn_blocking(move || {
        for _ in 0..4 {
            gate.wait(Duration::from_secs(60)).unwrap();
        }
        let spec = r#"{"spec": {"holderIdentity": "elsewhere"}}"#;
        let patch = ["patch", "lease", "kelson.shop", "-n", &namespace, "--type=merge", "-p", spec];
        plane.kubectl(&patch).unwrap();
        gate
    });
    let renewed = async {
        let gate = thief.await.unwrap();
        let asked = detour.seen_at("GET", "/leases/").len();
        // A renewal is refused, and whoever renews looks why.
        while detour.seen_at("GET", "/leases/").len() == asked {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        (0..4).for_each(|_| gate.release(None));
    };
    let (run, ()) = tokio::join!(world.run(steps), renewed);
    assert!(matches!(run, Err(Error::LeaseLost(_))), "{run:?}");
    assert_eq!(detour.seen_at("PATCH", "/configmaps/").len(), 4);
    world.kubectl(&["delete", "lease", "kelson.shop"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_listed_before_anything_is_made() {
    let (world, detour) = World::behind_proxy().await;
    let steps: Vec<_> = (0..20)
        .map(|number| world.step(Action::Create, &config(&format!("c{number}"), "1")))
        .collect();
    world.run(steps).await.unwrap();
    let seen = detour.seen_at("PATCH", "");
    let first = seen.iter().position(|seen| seen.target.contains("/configmaps/")).unwrap();
    let saved = seen.iter().position(|seen| seen.target.contains("/secrets/kelson.shop")).unwrap();
    assert!(saved < first);
    // One write for each object, two of the record, one of the Lease.
    assert_eq!(seen.len(), 20 + 2 + 1, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_told_as_it_happens() {
    let world = World::new().await;
    let (_keep, stop) = watch::channel(false);
    let heard = Heard::default();
    let steps = vec![
        world.step(Action::Keep(Some("it is dear".to_owned())), &config("kept", "1")),
        world.step(Action::Create, &config("a", "1")),
        Step { wave: 3, ..world.step(Action::Create, &config("b", "1")) },
    ];
    world.run_until(steps, &stop, &heard).await.unwrap();
    let told: Vec<String> = heard
        .0
        .into_inner()
        .unwrap()
        .iter()
        .map(|event| match event {
            Event::Step { id, outcome } => format!("{} {outcome:?}", id.name),
            Event::Wave { number, of, steps } => format!("wave {number}/{of} of {steps}"),
            Event::Done(summary) => format!("done {} {}", summary.created, summary.kept),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "kept Kept(\"it is dear\")",
            "wave 1/2 of 1",
            "a Created",
            "wave 2/2 of 1",
            "b Created",
            "done 2 1"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_of_our_own_is_known_again_and_a_foreign_one_is_not_claimed() {
    let world = World::new().await;
    let name = format!("{}-home", world.namespace);
    let delivery = kelson_plan::Delivery::new("shop", &name).unwrap();
    let make = |labels: [(&'static str, String); 2]| {
        let (cluster, name) = (world.cluster.clone(), name.clone());
        async move {
            let labels = labels.each_ref().map(|(key, value)| (*key, value.as_str()));
            cluster.create_namespace(&name, &labels, "kelson").await.unwrap()
        }
    };
    let labels = || delivery.labels().map(|(key, value)| (key, value.to_owned()));
    let made = make(labels()).await.unwrap();
    let again = make(labels()).await.unwrap();
    assert_eq!(made.uid, again.uid);
    let mut others = labels();
    others[0].1 = "another".to_owned();
    assert_eq!(make(others).await, None);
    let id = ObjectId {
        group: String::new(),
        kind: "Namespace".to_owned(),
        namespace: String::new(),
        name: name.clone(),
    };
    // Its create step finds it to be ours.
    let object = format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}");
    let mut home = World::new().await;
    (home.namespace, home.delivery) = (name.clone(), delivery);
    let told = home.told(vec![home.step(Action::Create, &object)]).await;
    assert_eq!(told, "Namespace/NS: Created\n- Namespace/NS Created Applied\n");
    assert_eq!(home.held().await.inventory.entry(&id).unwrap().uid, made.uid);

    // It goes when nothing else is listed, and the inventory with it.
    home.run(vec![home.step(Action::Create, &config("a", "1"))]).await.unwrap();
    let go = || home.step(Action::Delete, &object);
    let told = home.told(vec![go()]).await;
    assert_eq!(
        told,
        "Namespace/NS: Kept: it holds the inventory, which lists 1 more\n\
         - ConfigMap/NS/a Created Applied\n- Namespace/NS Created Applied\n"
    );
    let all = vec![home.step(Action::Delete, &config("a", "1")), Step { wave: 1, ..go() }];
    let told = home.told(all).await;
    assert_eq!(told, "ConfigMap/NS/a: Deleted\nNamespace/NS: Deleted\n");
    assert!(home.plane.kubectl(&["get", "namespace", &name]).is_err());
}
