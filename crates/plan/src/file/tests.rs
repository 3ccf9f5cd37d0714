//! Plans that were stored.

use expect_test::{Expect, expect};
use kelson_model::ObjectId;

use super::*;
use crate::{
    Action, Cause, Change, Checked, Conflict, DataLoss, Delivery, Failure, FieldChange, Ground,
    Kind, Origin, Plan, PruneOptions, Refusal, Step, Take, Value,
};

fn id(name: &str) -> ObjectId {
    ObjectId {
        group: "apps".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
    }
}

fn hash(digit: &str) -> Hash {
    Hash::parse(&digit.repeat(64)).unwrap()
}

fn step(name: &str, action: Action) -> Step {
    Step {
        id: id(name),
        kind: Kind {
            group: "apps".to_owned(),
            version: "v1".to_owned(),
            kind: "Deployment".to_owned(),
            plural: "deployments".to_owned(),
            namespaced: true,
            to_come: false,
        },
        action,
        ground: Ground {
            uid: Some("u".to_owned()),
            hash: Some(hash("a")),
            resource_version: Some("12".to_owned()),
            ..Ground::default()
        },
        changes: vec![Change {
            field: FieldChange {
                path: "spec.replicas".to_owned(),
                before: Some(Value::Shown("1".to_owned())),
                after: Some(Value::Masked("12ab34cd".to_owned())),
            },
            managers: vec!["kubectl".to_owned()],
            hidden: None,
        }],
        checked: Checked::ByServer,
        body: Some(Node::string("never stored")),
        desired: Some(hash("b")),
        force: true,
        origin: Origin::Adopted,
        takeover: None,
        wave: 3,
        asked_wave: -1,
        depends_on: vec![id("db")],
        notes: vec!["a note".to_owned()],
    }
}

fn approved() -> Approved {
    let refusal = Refusal {
        code: 422,
        reason: "Invalid".to_owned(),
        message: "no".to_owned(),
        causes: vec![Cause { field: "spec".to_owned(), ..Cause::default() }],
    };
    let failures = [
        Failure::Conflicts(vec![Conflict {
            field: ".spec.replicas".to_owned(),
            manager: "hpa".to_owned(),
        }]),
        Failure::Managed("Helm (shop/web)".to_owned()),
        Failure::Immutable(vec!["spec.selector".to_owned()]),
        Failure::HoldsData(DataLoss { id: id("x"), what: "all of it".to_owned() }),
        Failure::Refused(refusal),
        Failure::Unreadable("not allowed".to_owned()),
        Failure::Problem("wrong".to_owned()),
    ];
    let actions = [
        Action::Create,
        Action::Change,
        Action::Recreate(vec!["spec.selector".to_owned()]),
        Action::Delete,
        Action::Release,
        Action::Keep(None),
        Action::Keep(Some("marked".to_owned())),
        Action::Forget,
    ];
    let actions = actions.into_iter().chain(failures.into_iter().map(Action::Fail));
    let steps = actions.enumerate().map(|(at, action)| step(&format!("n{at}"), action));
    Approved {
        plan: Plan {
            delivery: Some(Delivery::new("shop", "home").unwrap()),
            cluster: "0-1-2".to_owned(),
            artifact: "sha256:00".to_owned(),
            field_manager: "kelson".to_owned(),
            steps: steps.collect(),
        },
        options: Options {
            field_manager: "kelson".to_owned(),
            take: Take::Fields(vec![".spec.replicas".to_owned()]),
            adopt: true,
            check_creates: true,
            prune: PruneOptions { most: 7, ..PruneOptions::default() },
            key: crate::Key::new(b"very secret".to_vec()),
            ..Options::default()
        },
        inventory: Some(hash("c")),
        request: Asked {
            sources: vec!["./shop".to_owned()],
            default_namespace: "shop".to_owned(),
            ignore: vec!["Deployment:/spec/replicas".to_owned()],
            ..Asked::default()
        },
    }
}

/// Without what is not stored.
fn stripped(mut approved: Approved) -> String {
    for step in &mut approved.plan.steps {
        step.body = None;
        step.ground.resource_version = None;
    }
    approved.options.key = crate::Key::default();
    format!("{approved:#?}")
}

#[test]
fn a_plan_comes_back_as_it_was() {
    let text = write(&approved());
    assert_eq!(stripped(read(&text).unwrap()), stripped(approved()));
    assert!(!text.contains("never stored") && !text.contains("secret"), "{text}");
    assert_eq!(write(&read(&text).unwrap()), text);
}

#[test]
fn the_stored_form_is_the_documented_one() {
    let mut approved = approved();
    approved.plan.steps.truncate(1);
    let expected = expect![[r#"
        {
          "schema": "kelson.dev/plan/v1",
          "digest": "sha256:03245fc55329400831883630a2c2e4ae56caef98a22e33dc467e384ea9dd5a7b",
          "cluster": "0-1-2",
          "delivery": {
            "name": "shop",
            "namespace": "home"
          },
          "artifact": "sha256:00",
          "field_manager": "kelson",
          "inventory": "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
          "request": {
            "sources": [
              "./shop"
            ],
            "default_namespace": "shop",
            "ignore": [
              "Deployment:/spec/replicas"
            ]
          },
          "options": {
            "take": {
              "fields": [
                ".spec.replicas"
              ]
            },
            "adopt": true,
            "recreate": false,
            "check_creates": true,
            "prune": {
              "enabled": true,
              "data": false,
              "most": 7
            }
          },
          "steps": [
            {
              "wave": 3,
              "asked_wave": -1,
              "action": "create",
              "object": {
                "group": "apps",
                "kind": "Deployment",
                "namespace": "shop",
                "name": "n0"
              },
              "version": "v1",
              "plural": "deployments",
              "namespaced": true,
              "ground": {
                "uid": "u",
                "hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              },
              "checked": "by-server",
              "desired": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
              "force": true,
              "origin": "adopted",
              "depends_on": [
                {
                  "group": "apps",
                  "kind": "Deployment",
                  "namespace": "shop",
                  "name": "db"
                }
              ],
              "notes": [
                "a note"
              ],
              "changes": [
                {
                  "path": "spec.replicas",
                  "before": "1",
                  "after": {
                    "masked": "12ab34cd"
                  },
                  "managers": [
                    "kubectl"
                  ]
                }
              ]
            }
          ]
        }
    "#]];
    expected.assert_eq(&write(&approved));
}

#[test]
fn the_documented_plan_can_be_read() {
    let text = include_str!("../../../../docs/plan-file.md");
    let (_, text) = text.split_once("```json\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let steps = read(text).unwrap().plan.steps;
    let actions: Vec<&Action> = steps.iter().map(|step| &step.action).collect();
    assert_eq!(actions, [&Action::Create, &Action::Change]);
}

#[track_caller]
fn refused(text: &str, expected: Expect) {
    expected.assert_eq(&read(text).unwrap_err().0);
}

#[test]
fn a_plan_that_was_touched_is_refused() {
    let text = write(&approved());
    refused(
        &text.replace("\"most\": 7", "\"most\": 700"),
        expect![
            "its content is not what its digest says: it was changed after it was made. Make a new plan"
        ],
    );
    refused(
        &text.replace("\"digest\": \"sha256:", "\"digest\": \"sha256:0"),
        expect![
            "its content is not what its digest says: it was changed after it was made. Make a new plan"
        ],
    );
    refused(
        &text.replace(SCHEMA, "kelson.dev/plan/v2"),
        expect![
            "its schema is `kelson.dev/plan/v2`, and this version of kelson knows `kelson.dev/plan/v1`: a later version wrote it, use that one"
        ],
    );
    refused("{}", expect!["missing field `schema` at line 1 column 2"]);
    refused("kind: ConfigMap", expect!["expected value at line 1 column 1"]);
    let later = text.replacen("\"cluster\"", "\"later\": 1,\n  \"cluster\"", 1);
    refused(
        &later,
        expect![
            "its content is not what its digest says: it was changed after it was made. Make a new plan"
        ],
    );
}

#[test]
fn other_bytes_with_the_same_content_are_the_same_plan() {
    let text = write(&approved());
    let compact: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(read(&serde_json::to_string(&compact).unwrap()).is_ok());
}

#[test]
fn a_plan_is_told_from_a_manifest() {
    let text = write(&approved());
    assert!(is_meant(&text));
    assert!(is_meant(&text[..100]), "a broken plan is a plan");
    assert!(is_meant("{\"a\":1,\"schema\" : \"kelson.dev/plan/v9\"}"));
    for other in [
        "",
        "{}",
        "apiVersion: v1\nkind: ConfigMap\ndata: {schema: kelson.dev/plan/v1}\n",
        "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"{\\\"schema\\\": \\\"kelson.dev/plan/v1\\\"}\"}}",
        "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"kelson.dev/plan/v1\"}}",
    ] {
        assert!(!is_meant(other), "{other}");
    }
}

#[test]
fn a_text_cut_off_or_changed_anywhere_is_refused_or_the_same() {
    let mut approved = approved();
    approved.plan.steps.truncate(2);
    let text = write(&approved);
    for at in 0..text.len() {
        assert!(read(&text[..at]).is_err() || at + 1 == text.len());
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        if let Ok(read) = String::from_utf8(bytes).map(|text| read(&text)) {
            assert!(
                read.is_err_and(|error| error.0.len() < 400)
                    || !text.as_bytes()[at].is_ascii_alphanumeric()
            );
        }
    }
    let _ = read(&"[".repeat(1 << 20));
}

#[track_caller]
fn check(change: impl FnOnce(&mut Plan, &mut Option<Hash>), expected: Expect) {
    let approved = approved();
    let (mut now, mut inventory) = (approved.plan.clone(), approved.inventory.clone());
    change(&mut now, &mut inventory);
    expected.assert_eq(&moved(&approved, &now, inventory.as_ref()).join("\n"));
}

#[test]
fn what_has_not_moved_is_no_matter() {
    check(|_, _| {}, expect![[""]]);
    check(
        |now, _| {
            for step in &mut now.steps {
                step.ground.resource_version = Some("99".to_owned());
                step.notes.clear();
                step.wave += 1;
                step.changes[0].field.after = Some(Value::Masked("99999999".to_owned()));
                let mut hidden = step.changes[0].clone();
                hidden.hidden = Some("server-defaults");
                step.changes.push(hidden);
            }
            now.steps[6].action = Action::Keep(Some("for another reason".to_owned()));
        },
        expect![[""]],
    );
}

#[test]
fn whatever_has_moved_is_named() {
    check(
        |now, _| now.cluster = "9".to_owned(),
        expect![
            "the plan is for another cluster: the uid of its `kube-system` is 0-1-2, and that of this one 9"
        ],
    );
    check(
        |now, inventory| {
            now.artifact = "sha256:11".to_owned();
            now.delivery = None;
            now.field_manager = "other".to_owned();
            *inventory = Some(hash("d"));
        },
        expect![[r#"
            the plan is for another delivery: home/shop, not none
            the plan is for another artifact: sha256:00, not sha256:11
            the plan is for another field manager: kelson, not other
            the inventory of home/shop has changed: something was applied since"#]],
    );
    check(|_, inventory| *inventory = None, expect!["the inventory of home/shop is gone"]);
    check(
        |now, _| {
            now.steps[0].ground = Ground::default();
            now.steps[1].ground.uid = Some("v".to_owned());
            now.steps[2].ground.hash = Some(hash("e"));
            now.steps[3].action = Action::Keep(Some("marked".to_owned()));
            now.steps[4].desired = Some(hash("e"));
            now.steps[5].changes.clear();
            now.steps[6].force = false;
            now.steps[7].id = id("new");
        },
        expect![[r#"
            Deployment/shop/n0 is gone, and was there when the plan was made
            Deployment/shop/n1 is another object now: its uid was u and is v
            Deployment/shop/n2 has changed since the plan was made
            Deployment/shop/n3 would be deleted in the plan, and now would be left as it is
            Deployment/shop/n4 would be changed in another way than the plan shows
            Deployment/shop/n5 would be changed in another way than the plan shows
            Deployment/shop/n6 would be changed in another way than the plan shows
            Deployment/shop/new was not part of the plan, and would be forgotten
            Deployment/shop/n7 is no longer part of the plan"#]],
    );
}
