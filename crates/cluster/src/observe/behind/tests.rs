use kelson_yaml::{Dialect, Span, first_document};

use super::*;

fn object(text: &str) -> Object {
    Object::new(first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()).unwrap()
}

fn owned(kind: &str, name: &str, owner: &str, more: &str) -> Object {
    let version = if kind == "Pod" { "v1" } else { "apps/v1" };
    object(&format!(
        "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}, namespace: n, uid: {name}, \
         ownerReferences: [{{uid: {owner}}}], managedFields: [1]}}, {more}}}"
    ))
}

fn warning(name: &str, about: &str) -> Object {
    object(&format!(
        "{{apiVersion: v1, kind: Event, metadata: {{name: {name}, namespace: n, uid: {name}}}, \
         involvedObject: {{uid: {about}}}}}"
    ))
}

/// Lets objects arrive, as from a list with this number, below a target 7 with the uid `web`; says what is below it, what of that is
/// not well, and how many Warnings there are.
#[track_caller]
fn check(behind: &mut Behind, round: u64, objects: Vec<Object>, expected: &str) {
    for object in objects {
        behind.arrive(Arrival { object, source: 1, round }, 0);
    }
    let below: Vec<_> = behind.all(7).map(|(uid, _)| uid).collect();
    let unwell: Vec<_> =
        behind.unwell(7).iter().filter_map(|node| text(node, &["metadata", "name"])).collect();
    let warnings = behind.all_warnings(7, Some("web")).len();
    assert_eq!(format!("{} / {} / {warnings}", below.join(" "), unwell.join(" ")), expected);
}

fn behind() -> Behind {
    let mut behind = Behind::default();
    behind.root("web", 7, 0);
    behind
}

const PENDING: &str = "status: {phase: Pending}";

#[test]
fn what_a_target_owns_is_kept_and_nothing_else() {
    let objects = vec![
        owned("ReplicaSet", "set", "web", "spec: {replicas: 1}"),
        owned("Pod", "pod", "set", PENDING),
        owned("Pod", "theirs", "other", PENDING),
        owned("ReplicaSet", "other", "elsewhere", ""),
    ];
    check(&mut behind(), 1, objects, "pod set / pod set / 0");
}

#[test]
fn owners_may_come_later() {
    let objects = vec![
        warning("w", "pod"),
        owned("Pod", "pod", "set", PENDING),
        owned("ReplicaSet", "set", "web", "spec: {replicas: 1}"),
    ];
    check(&mut behind(), 1, objects, "pod set / pod set / 1");
}

#[test]
fn the_objects_of_others_take_no_room() {
    let mut behind = behind();
    let others = (0..5000).map(|number| owned("Pod", &format!("p{number}"), "other", PENDING));
    check(&mut behind, 1, others.collect(), " /  / 0");
    let warnings = (0..5000).map(|number| warning(&format!("w{number}"), "web"));
    check(&mut behind, 1, warnings.collect(), " /  / 4");
    assert!(behind.known.is_empty() && behind.warnings.len() == 1);
}

#[test]
fn what_is_gone_is_forgotten() {
    let mut behind = behind();
    let pods =
        |names: &[&str]| names.iter().map(|name| owned("Pod", name, "web", PENDING)).collect();
    check(&mut behind, 1, pods(&["a", "b", "c"]), "a b c / a b c / 0");
    check(&mut behind, 2, pods(&["a", "b"]), "a b c / a b c / 0");
    assert_eq!(behind.sweep(1, 2), [7]);
    check(&mut behind, 2, vec![warning("w", "a")], "a b / a b / 1");
    assert_eq!(behind.leave(&owned("Pod", "a", "web", "")), Some(7));
    check(&mut behind, 2, Vec::new(), "b / b / 0");
}

#[test]
fn of_what_is_well_only_the_name_is_kept() {
    let ready = "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}";
    let failed = "status: {phase: Failed}";
    let objects = vec![
        owned("Pod", "ready", "web", ready),
        owned("Pod", "failed", "web", failed),
        owned("Pod", "pending", "web", PENDING),
    ];
    let mut behind = behind();
    check(&mut behind, 1, objects, "failed pending ready / failed pending / 0");
    assert!(
        behind.unwell(7).iter().all(|node| node.lookup(&["metadata", "managedFields"]).is_none())
    );
}

#[test]
fn a_target_that_was_replaced_has_another_family() {
    let mut behind = behind();
    check(&mut behind, 1, vec![owned("Pod", "old", "web", PENDING)], "old / old / 0");
    behind.root("anew", 7, 0);
    let pods = vec![owned("Pod", "new", "anew", PENDING), owned("Pod", "late", "web", PENDING)];
    check(&mut behind, 1, pods, "new old / new old / 0");
}
