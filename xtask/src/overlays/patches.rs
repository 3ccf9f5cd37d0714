//! Patches of every form, most of which find what they look for.

use super::dice::Dice;
use super::manifests::{IMAGES, Object};
use super::scalars;
use super::value::{Value, list, map, raw, text};

/// A strategic-merge patch for one object.
pub(super) fn merge_patch(dice: &mut Dice, object: &Object) -> Value {
    let mut patch = object.head();
    if dice.chance(40) {
        add_metadata(dice, &mut patch);
    }
    if dice.chance(3) {
        return patch.with("$patch", text(dice.pick(&["delete", "replace", "merge"])));
    }
    match object.kind {
        "ConfigMap" => patch.with("data", data(dice, object)),
        "Secret" => patch.with("stringData", data(dice, object)),
        "Service" => patch.with("spec", map([("ports", ports(dice))])),
        "Pod" => patch.with("spec", pod_spec(dice)),
        "CronJob" => {
            let job = map([("template", map([("spec", pod_spec(dice))]))]);
            patch.with("spec", map([("jobTemplate", map([("spec", job)]))]))
        }
        "Foo" | "Bar" => patch.with("spec", custom(dice)),
        _ if object.has_template() => {
            let mut spec = map([("template", map([("spec", pod_spec(dice))]))]);
            if dice.chance(30) {
                spec.set("replicas", raw(dice.below(9)));
            }
            patch.with("spec", spec)
        }
        _ => patch,
    }
}

fn add_metadata(dice: &mut Dice, patch: &mut Value) {
    let Value::Map(entries) = patch else { return };
    let Some((_, metadata)) = entries.iter_mut().find(|(key, _)| key == "metadata") else { return };
    let (key, label) = (scalars::label_key(dice), scalars::label(dice));
    let label = if dice.chance(15) { raw("null") } else { text(label) };
    metadata.set("labels", map([(&key, label)]));
    if dice.chance(30) {
        let note = scalars::string(dice);
        metadata.set("annotations", map([("patched", text(note))]));
    }
    if dice.chance(10) {
        metadata.set("finalizers", list([text("a"), text("b")]));
    }
}

fn data(dice: &mut Dice, object: &Object) -> Value {
    let mut value = map([]);
    for key in &object.keys {
        if dice.chance(40) {
            let entry = if dice.chance(25) { raw("null") } else { text(scalars::string(dice)) };
            value.set(key, entry);
        }
    }
    let (key, entry) = (scalars::key(dice), scalars::string(dice));
    value.with(&key, text(entry))
}

fn ports(dice: &mut Dice) -> Value {
    let choices = [
        map([("port", raw(80)), ("targetPort", raw(8080))]),
        map([("port", raw(80)), ("protocol", text("TCP")), ("targetPort", raw(8081))]),
        map([("port", raw(443)), ("targetPort", text("tls"))]),
        map([("port", raw(443)), ("protocol", text("TCP")), ("$patch", text("delete"))]),
        map([("port", raw(53)), ("protocol", text("UDP")), ("name", text("dns"))]),
        map([("port", raw(9090)), ("name", text("metrics"))]),
    ];
    let count = dice.between(1, 2);
    list((0..count).map(|_| choices[dice.below(choices.len())].clone()))
}

fn pod_spec(dice: &mut Dice) -> Value {
    let mut containers = vec![container(dice, "main")];
    if dice.chance(25) {
        let name = dice.pick(&["side", "added", "init"]);
        containers.push(container(dice, name));
    }
    if dice.chance(5) {
        containers.insert(0, map([("$patch", text("replace"))]));
    }
    let mut spec = map([("containers", Value::List(containers))]);
    if dice.chance(25) {
        let volume = map([("name", text(dice.pick(&["config", "extra"]))), ("emptyDir", map([]))]);
        spec.set("volumes", list([volume]));
    }
    if dice.chance(15) {
        spec.set("serviceAccountName", raw("null"));
    }
    if dice.chance(15) {
        spec.set(
            "tolerations",
            list([map([("key", text("dedicated")), ("operator", text("Exists"))])]),
        );
    }
    spec
}

fn container(dice: &mut Dice, name: &str) -> Value {
    let mut container = map([("name", text(name))]);
    if name == "added" || dice.chance(30) {
        container.set("image", text(dice.pick(IMAGES)));
    }
    if dice.chance(40) {
        let first = map([("name", text("FIRST")), ("value", text(scalars::string(dice)))]);
        let third = map([("name", text("THIRD")), ("value", text(scalars::string(dice)))]);
        container.set("env", list([third, first]));
    }
    if dice.chance(20) {
        container.set("ports", list([map([("containerPort", raw(8080)), ("name", text("http"))])]));
    }
    if dice.chance(20) {
        container.set("args", list([text(scalars::string(dice))]));
    }
    if dice.chance(15) {
        let limits = map([("cpu", text("100m")), ("memory", text("64Mi"))]);
        container.set("resources", map([("limits", limits)]));
    }
    if name == "side" && dice.chance(10) {
        container.set("$patch", text("delete"));
    }
    container
}

fn custom(dice: &mut Dice) -> Value {
    let mut spec = map([("size", raw(dice.below(9))), ("new", scalars::tree(dice, 2))]);
    if dice.chance(40) {
        spec.set("items", list([map([("name", text("two")), ("value", scalars::scalar(dice))])]));
    }
    if dice.chance(20) {
        spec.set("free", raw("null"));
    }
    spec
}

/// The operations of a JSON patch that fits objects of this kind.
pub(super) fn json_patch(dice: &mut Dice, object: &Object) -> Value {
    let mut operations = Vec::new();
    for _ in 0..dice.between(1, 3) {
        operations.push(operation(dice, object));
    }
    Value::List(operations)
}

fn operation(dice: &mut Dice, object: &Object) -> Value {
    let value = || text("patched");
    let step = |op: &str, path: &str, value: Value| {
        map([("op", text(op)), ("path", text(path)), ("value", value)])
    };
    match dice.below(12) {
        0 => return step("add", "/metadata/labels", map([("json", value())])),
        1 => {
            return step(
                "add",
                "/metadata/annotations",
                map([("json", text(scalars::string(dice)))]),
            );
        }
        2 => return step("test", "/kind", text(object.kind)),
        3 if dice.chance(6) => return step("remove", "/spec/no/such", value()),
        4 => {
            return map([
                ("op", text("copy")),
                ("from", text("/metadata/name")),
                ("path", text("/copied")),
            ]);
        }
        _ => {}
    }
    match object.kind {
        "ConfigMap" => step("add", "/data/json", text(scalars::string(dice))),
        "Service" => step("replace", "/spec/ports/0/port", raw(81)),
        "Foo" | "Bar" if dice.chance(50) => step("add", "/spec/items/-", scalars::scalar(dice)),
        "Foo" | "Bar" => step("replace", "/spec/size", raw("1.5")),
        "Deployment" | "StatefulSet" if dice.chance(30) => {
            step("replace", "/spec/replicas", raw(7))
        }
        _ if object.has_template() => {
            step("replace", "/spec/template/spec/containers/0/image", text("json:1"))
        }
        "Pod" => step("add", "/spec/containers/0/command", list([text("run"), raw("yes")])),
        _ => step("add", "/json", scalars::scalar(dice)),
    }
}

/// A selector that finds `object`, and perhaps others.
pub(super) fn target(dice: &mut Dice, object: &Object) -> Value {
    let group = object.api_version.split_once('/').map_or("", |(group, _)| group);
    let mut target = map([("kind", text(object.kind))]);
    if dice.chance(50) || object.kind == "Foo" {
        target.set("name", text(pattern(dice, &object.name)));
    }
    if dice.chance(15) && !group.is_empty() {
        target.set("group", text(group));
    }
    if dice.chance(10) {
        target.set(
            "labelSelector",
            text(dice.pick(&["app", "tier in (shop, 1)", "!env", "team=shop"])),
        );
    }
    if dice.chance(5) {
        target.set("annotationSelector", text("number"));
    }
    target
}

fn pattern(dice: &mut Dice, name: &str) -> String {
    match dice.below(4) {
        0 => format!("{name}.*"),
        1 => format!("({name}|other)"),
        2 => ".*".to_owned(),
        _ => name.to_owned(),
    }
}
