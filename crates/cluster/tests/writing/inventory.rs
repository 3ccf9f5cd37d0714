use kelson_cluster::{Error, Held, recover};
use kelson_model::ObjectId;
use kelson_plan::inventory::Origins;
use kelson_plan::{Action, Entry, Hash, Inventory, Origin, State, Step};
use kelson_testkit::Fault;

use crate::world::{Heard, MANAGER, World, config};

fn inventory(count: usize) -> Inventory {
    let entry = |number: usize| Entry {
        id: ObjectId {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: "shop".to_owned(),
            name: format!("web-{number:06}"),
        },
        version: "v1".to_owned(),
        uid: Some(format!("00000000-0000-0000-0000-{number:012}")),
        origin: Origin::Created,
        state: State::Applied,
        desired: Some(Hash::of_bytes(&number.to_le_bytes())),
        owned: Some(Hash::of_bytes(&number.to_be_bytes())),
    };
    Inventory {
        source: Some(Origins { sources: vec!["oci://example.com/shop".to_owned()] }),
        field_manager: MANAGER.to_owned(),
        key: vec![7; 32],
        entries: (0..count).map(entry).collect(),
        ..Inventory::default()
    }
}

fn secrets(world: &World) -> usize {
    world.names("secrets").len()
}

fn patch(world: &World, secret: &str, patch: &str) {
    world.kubectl(&["patch", "secret", secret, "--type=merge", "--patch", patch]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inventory_comes_back_as_it_was_saved() {
    let world = World::new().await;
    let mut held = world.held().await;
    assert!(!held.exists() && held.hash().is_none());
    held.inventory = inventory(1);
    held.save(&world.cluster).await.unwrap();
    let again = world.held().await;
    assert!(again.exists());
    assert_eq!(again.inventory, held.inventory);
    assert_eq!(again.hash(), held.hash());
    let secret = ["get", "secret", "kelson.shop", "-o", "jsonpath={.type} {.metadata.labels}"];
    let secret = world.kubectl(&secret);
    assert_eq!(
        secret,
        r#"kelson.dev/inventory {"app.kubernetes.io/managed-by":"kelson","kelson.dev/inventory":"shop"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_just_so_is_not_written() {
    let (world, detour) = World::behind_proxy().await;
    let mut held = world.held().await;
    held.inventory = inventory(3);
    held.save(&world.cluster).await.unwrap();
    detour.forget();
    held.save(&world.cluster).await.unwrap();
    assert_eq!(detour.seen().len(), 0);
    let mut again = world.held().await;
    again.save(&world.cluster).await.unwrap();
    assert_eq!(detour.seen_at("PATCH", "").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_entries_are_stored_in_parts() {
    let world = World::new().await;
    let mut held = world.held().await;
    held.inventory = inventory(10_000);
    held.save(&world.cluster).await.unwrap();
    assert!(secrets(&world) >= 3, "{:?}", world.names("secrets"));
    let again = world.held().await;
    assert_eq!(again.inventory, held.inventory);
    assert_eq!(again.hash(), held.hash());
    // Other parts come before the former ones go.
    let former = world.names("secrets");
    held.inventory.entries.remove(5000);
    held.save(&world.cluster).await.unwrap();
    let later = world.names("secrets");
    assert_eq!(later.len(), former.len());
    assert_eq!(later.iter().filter(|name| former.contains(name)).count(), 1, "{later:?}");
    assert_eq!(world.held().await.inventory, held.inventory);
    held.inventory.entries.truncate(10);
    held.save(&world.cluster).await.unwrap();
    assert_eq!(secrets(&world), 1);
    assert_eq!(world.held().await.inventory, held.inventory);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_among_the_parts_leaves_the_former_record_and_its_litter_is_swept() {
    let (world, detour) = World::behind_proxy().await;
    let mut held = world.held().await;
    held.inventory = inventory(10_000);
    held.save(&world.cluster).await.unwrap();
    let count = secrets(&world);
    held.inventory.entries.remove(0);
    detour.fault("PATCH", "/secrets/kelson.shop?", 1, Fault::refusal(403, "Forbidden", "no"));
    held.clone().save(&world.cluster).await.unwrap_err();
    assert!(secrets(&world) > count);
    assert_eq!(world.held().await.inventory.entries.len(), 10_000);
    held.inventory.entries.remove(0);
    held.save(&world.cluster).await.unwrap();
    assert_eq!(secrets(&world), count);
    assert_eq!(world.held().await.inventory.entries.len(), 9_998);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_writers_one_is_refused() {
    let world = World::new().await;
    let (mut first, mut second) = (world.held().await, world.held().await);
    first.inventory = inventory(1);
    second.inventory = inventory(2);
    first.save(&world.cluster).await.unwrap();
    let refused = second.save(&world.cluster).await;
    assert!(matches!(refused, Err(Error::InventoryMoved(_))), "{refused:?}");
    let (mut third, mut fourth) = (world.held().await, world.held().await);
    third.inventory = inventory(3);
    fourth.inventory = inventory(4);
    third.save(&world.cluster).await.unwrap();
    let refused = fourth.save(&world.cluster).await;
    assert!(matches!(refused, Err(Error::InventoryMoved(_))), "{refused:?}");
    // One that was deleted meanwhile does not come back unseen.
    world.kubectl(&["delete", "secret", "kelson.shop"]);
    third.inventory = inventory(5);
    let refused = third.save(&world.cluster).await;
    assert!(matches!(refused, Err(Error::InventoryMoved(_))), "{refused:?}");
    assert_eq!(secrets(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_that_nobody_answered_is_known_as_ours() {
    let (world, detour) = World::behind_proxy().await;
    let mut held = world.held().await;
    for count in 1..3 {
        held.inventory = inventory(count);
        detour.fault("PATCH", "/secrets/", 1, Fault::Unanswered);
        held.save(&world.cluster).await.unwrap();
        assert_eq!(world.held().await.inventory, held.inventory);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_record_is_told_and_can_be_replaced() {
    let world = World::new().await;
    let mut held = world.held().await;
    held.inventory = inventory(1);
    held.save(&world.cluster).await.unwrap();
    for (change, why) in [
        (r#"{"data":{"inventory":"AAAA"}}"#, "its digest is another"),
        (r#"{"data":{"inventory":null}}"#, "it holds nothing"),
        (r#"{"data":{"parts":"Li4vLi4vZXZpbA=="}}"#, "it names parts that it cannot have"),
        (r#"{"data":{"digest":null}}"#, "it has no digest"),
        (r#"{"data":{"schema":null}}"#, "it does not say its schema"),
    ] {
        patch(&world, "kelson.shop", change);
        let error = Held::load(&world.cluster, &world.delivery).await.unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("inventory recover"), "{error}");
    }
    let mut anyway = Held::load_anyway(&world.cluster, &world.delivery).await.unwrap();
    assert!(anyway.exists() && anyway.inventory.entries.is_empty());
    anyway.inventory = inventory(2);
    anyway.save(&world.cluster).await.unwrap();
    assert_eq!(world.held().await.inventory, inventory(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_is_missing_is_damage() {
    let world = World::new().await;
    let mut held = world.held().await;
    held.inventory = inventory(10_000);
    held.save(&world.cluster).await.unwrap();
    let part = world.names("secrets").into_iter().find(|name| name.ends_with(".1")).unwrap();
    world.kubectl(&["delete", &part]);
    let error = Held::load(&world.cluster, &world.delivery).await.unwrap_err();
    assert!(matches!(error, Error::InventoryDamaged { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_a_later_version_is_left_alone() {
    let world = World::new().await;
    let mut held = world.held().await;
    held.inventory = inventory(1);
    held.save(&world.cluster).await.unwrap();
    // kelson.dev/inventory/v2
    patch(&world, "kelson.shop", r#"{"data":{"schema":"a2Vsc29uLmRldi9pbnZlbnRvcnkvdjI="}}"#);
    for loaded in [
        Held::load(&world.cluster, &world.delivery).await,
        Held::load_anyway(&world.cluster, &world.delivery).await,
    ] {
        let error = loaded.unwrap_err().to_string();
        assert!(error.contains("later version") && error.contains("inventory/v2"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inventory_is_removed_only_when_it_lists_nothing() {
    let world = World::new().await;
    world.held().await.remove(&world.cluster).await.unwrap();
    let mut held = world.held().await;
    held.inventory = inventory(10_000);
    held.save(&world.cluster).await.unwrap();
    held.clone().remove(&world.cluster).await.unwrap_err();
    let stale = held.clone();
    held.inventory.entries.clear();
    held.remove(&world.cluster).await.unwrap();
    assert_eq!(secrets(&world), 0);
    let mut stale = stale;
    stale.inventory.entries.clear();
    let refused = stale.remove(&world.cluster).await;
    assert!(matches!(refused, Err(Error::InventoryMoved(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_listed_and_a_damaged_one_hides_no_other() {
    let world = World::new().await;
    for name in ["one", "two"] {
        let delivery = kelson_plan::Delivery::new(name, &world.namespace).unwrap();
        let mut held = Held::load(&world.cluster, &delivery).await.unwrap();
        held.inventory = inventory(1);
        held.save(&world.cluster).await.unwrap();
    }
    patch(&world, "kelson.one", r#"{"data":{"inventory":"AAAA"}}"#);
    world.kubectl(&["create", "secret", "generic", "other"]);
    let all = Held::list(&world.cluster, Some(&world.namespace)).await.unwrap();
    let names: Vec<_> = all
        .iter()
        .map(|(_, held)| held.as_ref().map(|held| held.delivery.name().to_owned()))
        .map(|name| name.unwrap_or_else(ToString::to_string))
        .collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().any(|name| name.contains("is damaged")), "{names:?}");
    assert!(names.contains(&"two".to_owned()), "{names:?}");
    let everywhere = Held::list(&world.cluster, None).await.unwrap();
    assert!(everywhere.len() >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inventory_is_rebuilt_from_labels() {
    let world = World::new().await;
    let create = |object: &str| world.step(Action::Create, object);
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}], selector: {a: b}}}";
    world.run(vec![create(&config("made", "1")), create(service)]).await.unwrap();
    // Laid over what somebody else has made.
    world.kubectl(&["create", "configmap", "theirs", "--from-literal=other=1"]);
    let over = world.step(Action::Change, &config("theirs", "1"));
    world.run(vec![Step { origin: Origin::Found, ..over }]).await.unwrap();
    // Labels alone make nothing ours.
    world.kubectl(&["create", "configmap", "copied"]);
    let labels = world.delivery.labels().map(|(key, value)| format!("{key}={value}"));
    let label = ["label", "configmap", "copied", &labels[0], &labels[1]];
    world.kubectl(&label);
    let recorded = world.held().await.inventory;
    let catalog = world.cluster.catalog().await.unwrap();
    let heard = Heard::default();
    let recovered =
        recover(&world.cluster, &world.delivery, &catalog, MANAGER, &heard).await.unwrap();
    let known = |inventory: &Inventory| -> Vec<_> {
        let entries = inventory.entries.iter();
        entries.map(|entry| (entry.id.clone(), entry.uid.clone(), entry.origin)).collect()
    };
    assert_eq!(known(&recovered), known(&recorded));
    assert_eq!(known(&recovered).len(), 3);
}
