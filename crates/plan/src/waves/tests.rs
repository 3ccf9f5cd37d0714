//! Waves, seen through short lines: `kind/namespace/name`, what is done, and what it depends on.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;

/// An object from `Kind/name` or `Kind/namespace/name`, its group from its kind.
fn id(text: &str) -> ObjectId {
    let mut parts: Vec<&str> = text.split('/').collect();
    let name = parts.pop().unwrap();
    let namespace = parts.get(1).copied().unwrap_or_default();
    let group = match parts[0] {
        "CustomResourceDefinition" => "apiextensions.k8s.io",
        "ClusterRole" | "ClusterRoleBinding" => "rbac.authorization.k8s.io",
        "Deployment" => "apps",
        "Thing" => "example.com",
        "ValidatingWebhookConfiguration" => "admissionregistration.k8s.io",
        _ => "",
    };
    ObjectId {
        group: group.to_owned(),
        kind: parts[0].to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn step(text: &str) -> Step {
    let (head, depends_on) = text.split_once(" < ").unwrap_or((text, ""));
    let mut words = head.split(' ');
    let (action, id) = (words.next().unwrap(), id(words.next().unwrap()));
    let plural = format!("{}s", id.kind.to_lowercase());
    let kind = Kind { plural, ..Kind::unknown(&id, "v1") };
    Step {
        action: match action {
            "create" => Action::Create,
            "delete" => Action::Delete,
            "keep" => Action::Keep(None),
            "kept" => Action::Keep(Some("why".to_owned())),
            _ => panic!("{action}"),
        },
        asked_wave: words.next().map_or(0, |wave| wave.parse().unwrap()),
        depends_on: depends_on.split(", ").filter(|text| !text.is_empty()).map(self::id).collect(),
        ..Step::new(id, kind)
    }
}

#[track_caller]
fn check(steps: &[&str], expected: Expect) {
    let mut steps: Vec<Step> = steps.iter().map(|text| step(text)).collect();
    let circles = assign(&mut steps, Some("home"));
    steps.sort_by(|one, other| (one.wave, &one.id).cmp(&(other.wave, &other.id)));
    let mut text = String::new();
    for step in &steps {
        write!(text, "{} {}", step.wave, step.id).unwrap();
        let before: Vec<String> = step.depends_on.iter().map(ToString::to_string).collect();
        match before.is_empty() {
            true => text.push('\n'),
            false => writeln!(text, " < {}", before.join(", ")).unwrap(),
        }
    }
    for (id, why) in circles {
        writeln!(text, "{id}: {why}").unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn what_others_need_comes_first_and_webhooks_last() {
    check(
        &[
            "create ValidatingWebhookConfiguration/w -5",
            "create Deployment/shop/web",
            "create ConfigMap/shop/c",
            "create Ingress/shop/i",
            "create ClusterRoleBinding/b",
            "create StorageClass/fast",
            "create FooClass/slow",
            "create ClusterRole/r",
            "create Thing/shop/t",
            "create Namespace/shop",
            "create CustomResourceDefinition/things.example.com",
        ],
        expect![[r#"
            0 CustomResourceDefinition/things.example.com
            1 Namespace/shop
            2 ClusterRole/r
            3 FooClass/slow
            3 StorageClass/fast
            4 ClusterRoleBinding/b
            5 ConfigMap/shop/c < Namespace/shop
            6 Deployment/shop/web < Namespace/shop
            7 Ingress/shop/i < Namespace/shop
            7 Thing/shop/t < Namespace/shop, CustomResourceDefinition/things.example.com
            8 ValidatingWebhookConfiguration/w
        "#]],
    );
}

#[test]
fn objects_choose_their_wave() {
    check(
        &["create Job/b 1", "create ConfigMap/a 2", "create Deployment/z -1", "create Job/a"],
        expect![[r#"
            0 Deployment/z
            1 Job/a
            2 Job/b
            3 ConfigMap/a
        "#]],
    );
}

#[test]
fn what_depends_on_something_comes_right_behind_it() {
    check(
        &[
            "create ConfigMap/first < Deployment/web",
            "create ConfigMap/second < ConfigMap/first, Deployment/gone",
            "create Deployment/web",
            "create Ingress/i",
            "create Secret/s < ConfigMap/third",
            "create ConfigMap/third",
        ],
        expect![[r#"
            0 ConfigMap/third
            1 Secret/s < ConfigMap/third
            2 Deployment/web
            3 ConfigMap/first < Deployment/web
            4 ConfigMap/second < ConfigMap/first, Deployment/gone
            5 Ingress/i
        "#]],
    );
}

#[test]
fn circles_are_given_back_and_what_depends_on_them_is_not_part_of_them() {
    check(
        &[
            "create ConfigMap/a < ConfigMap/b",
            "create ConfigMap/b < ConfigMap/c",
            "create ConfigMap/c < ConfigMap/a, ConfigMap/e",
            "create ConfigMap/d < ConfigMap/a",
            "create ConfigMap/e",
            "create ConfigMap/self < ConfigMap/self",
        ],
        expect![[r#"
            0 ConfigMap/a < ConfigMap/b
            0 ConfigMap/b < ConfigMap/c
            0 ConfigMap/c < ConfigMap/a, ConfigMap/e
            0 ConfigMap/e
            0 ConfigMap/self < ConfigMap/self
            1 ConfigMap/d < ConfigMap/a
            ConfigMap/a: these depend on each other in a circle: `ConfigMap/a`, `ConfigMap/b`, `ConfigMap/c`
            ConfigMap/b: these depend on each other in a circle: `ConfigMap/a`, `ConfigMap/b`, `ConfigMap/c`
            ConfigMap/c: these depend on each other in a circle: `ConfigMap/a`, `ConfigMap/b`, `ConfigMap/c`
            ConfigMap/self: it depends on itself
        "#]],
    );
}

#[test]
fn deletes_come_last_in_reverse_and_the_home_of_the_inventory_after_all() {
    check(
        &[
            "delete CustomResourceDefinition/things.example.com",
            "delete Namespace/home",
            "delete Namespace/shop",
            "delete Deployment/shop/web",
            "delete ConfigMap/shop/c < ConfigMap/shop/d",
            "delete ConfigMap/shop/d",
            "delete Thing/shop/t",
            "delete ValidatingWebhookConfiguration/w",
            "kept Secret/shop/s",
            "create Secret/shop/n < ConfigMap/shop/c",
        ],
        expect![[r#"
            0 Secret/shop/n < ConfigMap/shop/c
            1 Secret/shop/s
            2 ValidatingWebhookConfiguration/w
            3 Thing/shop/t
            4 Deployment/shop/web
            5 ConfigMap/shop/d
            6 ConfigMap/shop/c < ConfigMap/shop/d
            7 Namespace/shop < Deployment/shop/web, ConfigMap/shop/c, ConfigMap/shop/d, Thing/shop/t
            8 CustomResourceDefinition/things.example.com < Thing/shop/t
            9 Namespace/home
        "#]],
    );
}

#[test]
fn what_exists_and_stays_is_nothing_to_wait_for() {
    check(
        &[
            "keep Namespace/shop",
            "create ConfigMap/shop/c",
            "keep CustomResourceDefinition/things.example.com",
            "create Thing/shop/t",
        ],
        expect![[r#"
            0 CustomResourceDefinition/things.example.com
            1 Namespace/shop
            2 ConfigMap/shop/c
            3 Thing/shop/t
        "#]],
    );
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

#[test]
fn whatever_depends_on_whatever_each_comes_after_what_it_needs() {
    let kinds = ["Namespace", "ConfigMap", "Deployment", "Thing", "ClusterRole", "FooClass"];
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let count = 1 + dice.below(30);
        let names: Vec<String> = (0..count)
            .map(|number| format!("{}/n{number}", kinds[dice.below(kinds.len())]))
            .collect();
        let mut steps: Vec<Step> = names
            .iter()
            .map(|name| {
                let action = if dice.below(4) == 0 { "delete" } else { "create" };
                let mut one = step(&format!("{action} {name} {}", dice.below(3)));
                let edges = dice.below(3);
                one.depends_on = (0..edges).map(|_| id(&names[dice.below(count)])).collect();
                one
            })
            .collect();
        let circles: Vec<ObjectId> =
            assign(&mut steps, None).into_iter().map(|(id, _)| id).collect();
        check_order(&steps, &circles);
    }
}

fn check_order(steps: &[Step], circles: &[ObjectId]) {
    let find = |id: &ObjectId| steps.iter().find(|step| step.id == *id).unwrap();
    let highest = steps.iter().map(|step| step.wave).max().unwrap();
    for wave in 0..=highest {
        assert!(steps.iter().any(|step| step.wave == wave), "no step in wave {wave}");
    }
    for step in steps.iter().filter(|step| !circles.contains(&step.id)) {
        for before in step.depends_on.iter().map(find) {
            let counts = removes(step) == removes(before) && !circles.contains(&before.id);
            assert!(!counts || before.wave < step.wave, "{} before {}", before.id, step.id);
        }
    }
    for circle in circles {
        assert!(reaches(circle, circle, &find), "{circle} is in no circle");
    }
    let applied = steps.iter().filter(|step| !removes(step)).map(|step| step.wave).max();
    let removed = steps.iter().filter(|step| removes(step)).map(|step| step.wave).min();
    assert!(applied.zip(removed).is_none_or(|(applied, removed)| applied < removed));
}

/// Whether following dependencies leads from one object to another.
fn reaches<'s>(from: &ObjectId, to: &ObjectId, find: &impl Fn(&ObjectId) -> &'s Step) -> bool {
    let mut open = vec![from.clone()];
    let mut seen: Vec<ObjectId> = vec![];
    while let Some(at) = open.pop() {
        let step = find(&at);
        for next in &step.depends_on {
            if removes(find(next)) && !removes(step) {
                continue;
            }
            if next == to {
                return true;
            }
            if !seen.contains(next) {
                seen.push(next.clone());
                open.push(next.clone());
            }
        }
    }
    false
}

#[test]
fn a_chain_as_long_as_the_set_is_no_trouble() {
    let name = |number: usize| format!("ConfigMap/n{number}");
    let mut steps: Vec<Step> = (0..20_000)
        .map(|number| match number {
            0 => step(&format!("create {}", name(0))),
            _ => step(&format!("create {} < {}", name(number), name(number - 1))),
        })
        .collect();
    assert!(assign(&mut steps, None).is_empty());
    assert_eq!(steps[19_999].wave, 19_999);
}
