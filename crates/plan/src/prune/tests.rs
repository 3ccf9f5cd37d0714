//! What becomes of what nobody wants, seen through short texts.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use kelson_model::Object;
use kelson_yaml::{Dialect, Span, first_document};

use super::*;
use crate::{Hash, State};

fn delivery() -> Delivery {
    Delivery::new("shop", "home").unwrap()
}

/// A live object of ours, from the rest of its metadata and of itself.
fn found(api_version: &str, kind: &str, name: &str, metadata: &str, rest: &str) -> Found {
    let text = format!(
        "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: {name}, {metadata}}}, {rest}}}"
    );
    let node = first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
    Found {
        object: Object::new(node).unwrap(),
        uid: "1".to_owned(),
        resource_version: "7".to_owned(),
        hash: Hash::parse(&"a".repeat(64)).unwrap(),
        owned: Hash::parse(&"b".repeat(64)).unwrap(),
    }
}

const OURS: &str = "labels: {kelson.dev/name: shop, kelson.dev/namespace: home}";

fn entry(id: &ObjectId) -> Entry {
    Entry {
        id: id.clone(),
        version: "v1".to_owned(),
        uid: Some("1".to_owned()),
        origin: Origin::Created,
        state: State::Applied,
        desired: None,
        owned: None,
    }
}

/// What a test is about: entries with what is live of them.
#[derive(Default)]
struct World {
    inventory: Inventory,
    live: HashMap<ObjectId, Live>,
    catalog: Catalog,
    wanted: Vec<Step>,
    options: PruneOptions,
}

impl World {
    fn with(mut self, found: Found) -> Self {
        let id = found.object.id.clone();
        self.inventory.put(entry(&id));
        self.know(&id);
        self.live.insert(id, Live::Found(Box::new(crate::Packed::new(found, None))));
        self
    }

    fn know(&mut self, id: &ObjectId) {
        self.catalog.add(Kind {
            group: id.group.clone(),
            version: "v1".to_owned(),
            kind: id.kind.clone(),
            plural: format!("{}s", id.kind.to_lowercase()),
            namespaced: !id.namespace.is_empty(),
            to_come: false,
        });
    }

    fn config_map(self, name: &str, metadata: &str) -> Self {
        self.with(found("v1", "ConfigMap", name, &format!("namespace: a, {metadata}"), ""))
    }

    fn change(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn steps(&self) -> Vec<Step> {
        let Self { inventory, live, catalog, wanted, options } = self;
        steps(&delivery(), inventory, live, catalog, wanted, options)
    }
}

#[track_caller]
fn check(world: World, expected: Expect) {
    let mut text = String::new();
    for step in world.steps() {
        let action = match &step.action {
            Action::Keep(Some(why)) => format!("keep: {why}"),
            Action::Fail(failure) => format!("fail: {failure}"),
            other => format!("{other:?}").to_lowercase(),
        };
        write!(text, "{} {action}", step.id).unwrap();
        let before: Vec<String> = step.depends_on.iter().map(ToString::to_string).collect();
        if !before.is_empty() {
            write!(text, " after {}", before.join(", ")).unwrap();
        }
        for note in &step.notes {
            write!(text, " ({note})").unwrap();
        }
        text.push('\n');
    }
    expected.assert_eq(&text);
}

#[test]
fn only_what_is_ours_beyond_doubt_is_deleted() {
    check(
        World::default()
            .config_map("ours", OURS)
            .config_map("other-uid", OURS)
            .config_map("no-labels", "")
            .config_map("one-label", "labels: {kelson.dev/name: shop}")
            .config_map("handed-over", "labels: {kelson.dev/name: web, kelson.dev/namespace: home}")
            .config_map("found", OURS)
            .config_map("absent", OURS)
            .config_map("unreadable", OURS)
            .config_map("recorded", OURS)
            .config_map("going", &format!("{OURS}, deletionTimestamp: now"))
            .change(|world| {
                for entry in &mut world.inventory.entries {
                    match entry.id.name.as_str() {
                        "other-uid" => entry.uid = Some("2".to_owned()),
                        "ours" => entry.uid = None,
                        "found" => entry.origin = Origin::Found,
                        _ => {}
                    }
                }
                for (id, live) in &mut world.live {
                    match id.name.as_str() {
                        "absent" => *live = Live::Absent,
                        "unreadable" => *live = Live::Unreadable("not allowed".to_owned()),
                        "recorded" => {
                            let hash = Hash::parse(&"a".repeat(64)).unwrap();
                            *live = Live::Recorded { resource_version: "1".to_owned(), hash };
                        }
                        _ => {}
                    }
                }
            }),
        expect![[r#"
            ConfigMap/a/absent forget
            ConfigMap/a/found release
            ConfigMap/a/going delete (it is being deleted already)
            ConfigMap/a/handed-over forget (it belongs to home/web now)
            ConfigMap/a/no-labels keep: its label `kelson.dev/name` does not say that it belongs to home/shop: delete it yourself, or put the label back
            ConfigMap/a/one-label keep: its label `kelson.dev/namespace` does not say that it belongs to home/shop: delete it yourself, or put the label back
            ConfigMap/a/other-uid forget (another object has its name now, which is not ours)
            ConfigMap/a/ours delete
            ConfigMap/a/recorded fail: it cannot be read: it was not read
            ConfigMap/a/unreadable fail: it cannot be read: not allowed
        "#]],
    );
}

#[test]
fn marks_keep_what_they_are_on() {
    check(
        World::default()
            .config_map("a", &format!("{OURS}, annotations: {{kelson.dev/prune: disabled}}"))
            .config_map("b", &format!("{OURS}, annotations: {{kelson.dev/prune: enabled}}"))
            .config_map("c", &format!("{OURS}, annotations: {{helm.sh/resource-policy: keep}}"))
            .config_map(
                "d",
                "labels: {kelson.dev/name: shop, kelson.dev/namespace: home, \
                 kustomize.toolkit.fluxcd.io/prune: disabled}",
            ),
        expect![[r#"
            ConfigMap/a/a keep: it is marked `kelson.dev/prune: disabled`
            ConfigMap/a/b delete
            ConfigMap/a/c keep: it is marked `helm.sh/resource-policy: keep`
            ConfigMap/a/d keep: it is marked `kustomize.toolkit.fluxcd.io/prune: disabled`
        "#]],
    );
}

#[test]
fn what_holds_data_goes_only_when_that_is_asked_for() {
    let world = || {
        World::default()
            .with(found(
                "v1",
                "PersistentVolumeClaim",
                "claim",
                &format!("namespace: a, {OURS}"),
                "spec: {volumeName: pv-7}, status: {capacity: {storage: 10Gi}}",
            ))
            .with(found("v1", "PersistentVolume", "volume", OURS, ""))
            .with(found(
                "apps/v1",
                "StatefulSet",
                "db",
                &format!("namespace: a, {OURS}"),
                "spec: {volumeClaimTemplates: [{metadata: {name: data}}]}",
            ))
            .with(found("apps/v1", "StatefulSet", "web", &format!("namespace: a, {OURS}"), ""))
            .with(found("v1", "Namespace", "unseen", OURS, ""))
            .with(found("v1", "Namespace", "empty", OURS, ""))
            .with(found("v1", "Namespace", "full", OURS, ""))
            .with(found("v1", "Namespace", "kube-public", OURS, ""))
            .with(found("v1", "Namespace", "default", OURS, ""))
            .with(found(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "things.x",
                OURS,
                "",
            ))
            .change(|world| {
                let ids: Vec<ObjectId> = world.live.keys().cloned().collect();
                for id in ids {
                    let contents = match id.name.as_str() {
                        "empty" => vec![],
                        "full" => (0..7).map(|number| format!("ConfigMap/c{number}")).collect(),
                        "things.x" => vec!["Thing/a/b".to_owned()],
                        _ => continue,
                    };
                    world.options.contents.insert(id, contents);
                }
            })
    };
    check(
        world(),
        expect![[r#"
            Namespace/default keep: a namespace of the cluster itself is never deleted
            Namespace/empty delete
            Namespace/full fail: with it would go what is not ours: `ConfigMap/c0`, `ConfigMap/c1`, `ConfigMap/c2`, `ConfigMap/c3`, `ConfigMap/c4` and 2 more
            Namespace/kube-public keep: a namespace of the cluster itself is never deleted
            Namespace/unseen fail: what else is in it is not known
            PersistentVolume/volume fail: the data of the volume `volume` may go with it
            PersistentVolumeClaim/a/claim fail: the data of its volume `pv-7` (10Gi) may go with it
            CustomResourceDefinition/things.x fail: all its instances would go with it: `Thing/a/b`
            StatefulSet/a/db fail: its Pods keep data in claims made from `data`
            StatefulSet/a/web delete
        "#]],
    );
    check(
        world().change(|world| world.options.data = true),
        expect![[r#"
            Namespace/default keep: a namespace of the cluster itself is never deleted
            Namespace/empty delete
            Namespace/full delete (with it would go what is not ours: `ConfigMap/c0`, `ConfigMap/c1`, `ConfigMap/c2`, `ConfigMap/c3`, `ConfigMap/c4` and 2 more)
            Namespace/kube-public keep: a namespace of the cluster itself is never deleted
            Namespace/unseen delete (what else is in it is not known)
            PersistentVolume/volume delete (the data of the volume `volume` may go with it)
            PersistentVolumeClaim/a/claim delete (the data of its volume `pv-7` (10Gi) may go with it)
            CustomResourceDefinition/things.x delete (all its instances would go with it: `Thing/a/b`)
            StatefulSet/a/db delete (its Pods keep data in claims made from `data`)
            StatefulSet/a/web delete
        "#]],
    );
}

#[test]
fn a_namespace_or_definition_stays_while_something_in_it_does() {
    let things = |plural: &str| {
        found(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            &format!("{plural}.example.com"),
            OURS,
            "",
        )
    };
    let world = World::default()
        .with(found("v1", "Namespace", "a", OURS, ""))
        .with(found("v1", "Namespace", "b", OURS, ""))
        .with(found("v1", "Namespace", "home", OURS, ""))
        .config_map("kept", &format!("{OURS}, annotations: {{kelson.dev/prune: disabled}}"))
        .with(found("v1", "ConfigMap", "going", &format!("namespace: b, {OURS}"), ""))
        .with(things("things"))
        .with(things("others"))
        .with(found("example.com/v1", "Other", "o", &format!("namespace: b, {OURS}"), ""));
    let empty = |world: &mut World| {
        world.options.contents = world.live.keys().map(|id| (id.clone(), vec![])).collect();
    };
    let wanted = World::default()
        .with(found("example.com/v1", "Thing", "t", &format!("namespace: c, {OURS}"), ""))
        .steps();
    check(
        world.change(empty).change(|world| world.wanted = wanted),
        expect![[r#"
            ConfigMap/a/kept keep: it is marked `kelson.dev/prune: disabled`
            ConfigMap/b/going delete
            Namespace/a keep: it holds `ConfigMap/a/kept`, which stays
            Namespace/b delete
            Namespace/home keep: it holds the inventory
            CustomResourceDefinition/others.example.com delete
            CustomResourceDefinition/things.example.com keep: it holds `Thing/c/t`, which stays
            Other/b/o delete
        "#]],
    );
    let alone = World::default().with(found("v1", "Namespace", "home", OURS, "")).change(empty);
    check(
        alone,
        expect![[r#"
        Namespace/home delete
    "#]],
    );
}

#[test]
fn what_was_there_before_us_is_released_whatever_keeps_it() {
    let marked = format!("{OURS}, annotations: {{helm.sh/resource-policy: keep}}");
    check(
        World::default()
            .with(found("v1", "Namespace", "kube-node-lease", OURS, ""))
            .config_map("marked", &marked)
            .change(|world| {
                world.inventory.entries.iter_mut().for_each(|entry| entry.origin = Origin::Found);
            }),
        expect![[r#"
            ConfigMap/a/marked release
            Namespace/kube-node-lease release
        "#]],
    );
}

#[test]
fn more_deletes_than_expected_are_all_refused() {
    let world = |most| {
        World::default()
            .config_map("a", OURS)
            .config_map("b", OURS)
            .config_map("c", "")
            .change(|world| world.options.most = most)
    };
    check(
        world(2),
        expect![[r#"
        ConfigMap/a/a delete
        ConfigMap/a/b delete
        ConfigMap/a/c keep: its label `kelson.dev/name` does not say that it belongs to home/shop: delete it yourself, or put the label back
    "#]],
    );
    check(
        world(1),
        expect![[r#"
        ConfigMap/a/a fail: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
        ConfigMap/a/b fail: 2 objects would be deleted, and one run may delete 1: if that is meant, raise it with `--max-deletions 2`
        ConfigMap/a/c keep: its label `kelson.dev/name` does not say that it belongs to home/shop: delete it yourself, or put the label back
    "#]],
    );
}

#[test]
fn nothing_is_pruned_where_that_is_off() {
    check(
        World::default().config_map("a", OURS).change(|world| world.options.enabled = false),
        expect![[r#"
            ConfigMap/a/a keep: pruning is off
        "#]],
    );
}

#[test]
fn a_kind_that_is_gone_took_its_objects_along() {
    let id = |group: &str| ObjectId {
        group: group.to_owned(),
        kind: "Thing".to_owned(),
        namespace: "a".to_owned(),
        name: "t".to_owned(),
    };
    check(
        World::default().change(|world| {
            world.inventory.put(entry(&id("gone.example.com")));
            world.inventory.put(entry(&id("down.example.com")));
            let down = ("down.example.com".to_owned(), "the server is unavailable".to_owned());
            world.catalog.unreadable.push(down);
        }),
        expect![[r#"
            Thing/a/t fail: it cannot be read: the server is unavailable
            Thing/a/t forget (the cluster no longer has its kind)
        "#]],
    );
}

#[test]
fn what_was_applied_after_something_goes_before_it() {
    let depends =
        "annotations: {config.kubernetes.io/depends-on: '/namespaces/a/ConfigMap/base, x'}";
    check(
        World::default().config_map("base", OURS).config_map("late", &format!("{OURS}, {depends}")),
        expect![[r#"
            ConfigMap/a/base delete after ConfigMap/a/late
            ConfigMap/a/late delete
        "#]],
    );
}

#[test]
fn the_contents_of_what_may_go_are_asked_for() {
    let world = World::default()
        .with(found("v1", "Namespace", "a", OURS, ""))
        .with(found("v1", "Namespace", "b", OURS, ""))
        .config_map("c", OURS);
    let names: Vec<String> = containers(&world.inventory, &|id| id.name == "b")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["Namespace/a"]);
}
