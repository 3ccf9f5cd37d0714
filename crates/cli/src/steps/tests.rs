use expect_test::{Expect, expect};
use kelson_model::ObjectId;
use kelson_plan::{Conflict, DataLoss, FieldChange, Ground, Kind, Origin, Refusal, Value};

use super::*;

fn step(name: &str, action: Action) -> Step {
    let id = ObjectId {
        group: "apps".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
    };
    let kind = Kind {
        group: "apps".to_owned(),
        version: "v1".to_owned(),
        kind: "Deployment".to_owned(),
        plural: "deployments".to_owned(),
        namespaced: true,
        to_come: false,
    };
    Step {
        id,
        kind,
        action,
        ground: Ground::default(),
        changes: Vec::new(),
        checked: Checked::ByServer,
        body: None,
        desired: None,
        force: false,
        origin: Origin::Created,
        takeover: None,
        wave: 0,
        asked_wave: 0,
        depends_on: Vec::new(),
        notes: Vec::new(),
    }
}

fn change(path: &str, before: &str, after: &str) -> Change {
    let value = |text: &str| match text {
        "" => None,
        masked if masked.starts_with("***") => Some(Value::Masked(masked.to_owned())),
        text => Some(Value::Shown(text.to_owned())),
    };
    let field = FieldChange { path: path.to_owned(), before: value(before), after: value(after) };
    Change { field, managers: Vec::new(), hidden: None }
}

#[track_caller]
fn check(steps: Vec<Step>, all: bool, expected: Expect) {
    let plan = Plan {
        delivery: None,
        cluster: String::new(),
        artifact: String::new(),
        field_manager: "kelson".to_owned(),
        steps,
    };
    expected.assert_eq(&text(&plan, Detail { all }));
}

fn fields() -> Vec<Change> {
    vec![
        Change { managers: vec!["kubectl".to_owned()], ..change("spec.replicas", "2", "3") },
        Change { hidden: Some("server-defaults"), ..change("spec.paused", "", "false") },
        change("data.password", "*** 1", "*** 2"),
        Change { hidden: Some("ownership"), ..change("data.user", "*** 1", "*** 1") },
        change("data.text", r#""a\nb\nc\n""#, r#""a\nB\nc\n""#),
        change("metadata.labels.old", "yes", ""),
    ]
}

#[test]
fn every_sort_of_step_has_its_mark() {
    let fail = |failure| Action::Fail(failure);
    let text = str::to_owned;
    let conflict = Conflict { field: text(".spec.replicas"), manager: text("hpa") };
    let loss = step("g", Action::Delete).id;
    check(
        vec![
            step("a", Action::Create),
            Step { changes: fields(), ..step("b", Action::Change) },
            step("c", Action::Recreate(vec![text("spec.selector")])),
            step("d", Action::Delete),
            step("e", Action::Release),
            step("f", Action::Keep(Some(text("it says so")))),
            step("g", fail(Failure::HoldsData(DataLoss { id: loss, what: text("it has claims") }))),
            step("h", fail(Failure::Conflicts(vec![conflict]))),
            step(
                "i",
                fail(Failure::Refused(Refusal { message: text("no"), ..Refusal::default() })),
            ),
            step("j", Action::Forget),
            step("k", Action::Keep(None)),
        ],
        false,
        expect![[r#"
            + Deployment/shop/a
            ~ Deployment/shop/b
                spec.replicas: 2 → 3  (owner: kubectl)
                data.password: *** (changed)
                data.text:
                  - b
                  + B
              - metadata.labels.old: yes
            ± Deployment/shop/c (made anew: spec.selector cannot be changed)
            - Deployment/shop/d
            < Deployment/shop/e (our fields are taken back)
            = Deployment/shop/f (kept: it says so)
            ! Deployment/shop/g: it has claims
                let it go with --prune-data
            ! Deployment/shop/h: fields that others own
                .spec.replicas (owner: hpa)
                leave the fields to them with --ignore, or take them over with --take or --take-all
            ! Deployment/shop/i: no
              Deployment/shop/j is gone and leaves the inventory
            2 changes hidden as noise (ownership: 1, server-defaults: 1); --show-all shows them
            1 to create, 1 to change, 1 to make anew, 1 to delete, 1 to release, 3 failing, 1 kept, 1 unchanged
        "#]],
    );
}

#[test]
fn what_rules_hide_is_shown_on_demand() {
    check(
        vec![Step { changes: fields(), ..step("b", Action::Change) }],
        true,
        expect![[r#"
            ~ Deployment/shop/b
                spec.replicas: 2 → 3  (owner: kubectl)
              + spec.paused: false  (noise: server-defaults)
                data.password: *** (changed)
                data.user: *** (the same)  (noise: ownership)
                data.text:
                  - b
                  + B
              - metadata.labels.old: yes
            1 to change
        "#]],
    );
}

#[test]
fn what_no_server_has_seen_is_shown_in_full() {
    let new = || vec![change("spec.replicas", "", "3")];
    check(
        vec![
            Step { checked: Checked::Here, changes: new(), ..step("a", Action::Create) },
            Step { checked: Checked::OnApply, changes: new(), ..step("b", Action::Create) },
            Step { notes: vec!["a note".to_owned()], ..step("c", Action::Change) },
        ],
        false,
        expect![[r#"
            + Deployment/shop/a ?
              + spec.replicas: 3
            + Deployment/shop/b ?
            ~ Deployment/shop/c
                note: a note
            ? is checked by the server when it is applied
            2 to create, 1 to change
        "#]],
    );
}

#[test]
fn nothing_to_do_is_said() {
    check(
        vec![step("a", Action::Keep(None))],
        false,
        expect![[r#"
        nothing to do: 1 object is as it should be
    "#]],
    );
    check(
        vec![],
        false,
        expect![[r#"
        nothing to do: 0 objects are as they should be
    "#]],
    );
}
