//! Replacements between fields that are mostly there.

use super::dice::Dice;
use super::features::choose;
use super::forest::{Forest, Layer};
use super::manifests::Object;
use super::scalars;
use super::value::{Value, list, map, raw, text};
use std::io;

/// Entries of `replacements`, some of them in files.
pub(super) fn replacements(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let mut items = Vec::new();
    for _ in 0..forest.dice.between(1, 3) {
        let Some(mut item) = replacement(&mut forest.dice, layer) else { break };
        if forest.dice.chance(20) {
            let name = forest.fresh_file("replacement", "yaml");
            forest.document(&format!("{}/{name}", layer.dir), &item)?;
            item = map([("path", text(name))]);
        }
        items.push(item);
    }
    Ok(Value::List(items))
}

/// One entry.
pub(super) fn replacement(dice: &mut Dice, layer: &Layer) -> Option<Value> {
    let source = choose(dice, &layer.objects, |object| !object.ambiguous);
    let mut item = match source {
        Some(source) if dice.chance(80) => map([("source", replacement_source(dice, &source))]),
        _ => map([("sourceValue", text(scalars::string(dice)))]),
    };
    let mut targets = Vec::new();
    for _ in 0..dice.between(1, 2) {
        let receiver = choose(dice, &layer.objects, |_| true)?;
        targets.push(replacement_target(dice, &receiver));
    }
    item.set("targets", Value::List(targets));
    Some(item)
}

fn replacement_source(dice: &mut Dice, object: &Object) -> Value {
    let mut source = map([("kind", text(object.kind)), ("name", text(&object.name))]);
    match object.kind {
        "Foo" | "Bar" if dice.chance(60) => {
            let paths = ["spec.size", "spec.items", "spec.config", "spec.free", "spec.items.0"];
            source.set("fieldPath", text(dice.pick(&paths)));
        }
        _ if object.has_template() && dice.chance(60) => {
            source.set("fieldPath", text("spec.template.spec.containers.[name=main].image"));
            if dice.chance(40) {
                source.set("options", map([("delimiter", text(":")), ("index", raw(0))]));
            }
        }
        _ => {}
    }
    source
}

fn replacement_target(dice: &mut Dice, object: &Object) -> Value {
    let paths: &[&str] = match object.kind {
        _ if object.has_template() => &[
            "spec.template.spec.containers.[name=main].image",
            "spec.template.spec.containers.*.image",
            "spec.template.spec.containers.0.name",
            "metadata.labels.app",
        ],
        "ConfigMap" => &[
            "data.created",
            "metadata.annotations.[example.com/key]",
            "metadata.annotations.example\\.com/dots",
            "data.json.inner.value",
        ],
        "Foo" | "Bar" => &[
            "spec.size",
            "spec.items.0.value",
            "spec.deep.er.value",
            "spec.items.[name=one].value",
            "spec.items.[name=o.*].value",
            "spec.items.[name=new].deep.er",
            "spec.items.*.value",
            "spec.items.1",
            "spec.free.x",
            "spec",
        ],
        _ => &["metadata.annotations.note", "metadata.labels.copied"],
    };
    let mut options = map([]);
    if dice.chance(97) {
        options.set("create", raw("true"));
    }
    if dice.chance(10) {
        options.set("delimiter", text("/"));
        options.set("index", raw(dice.pick(&["0", "1", "-1", "5"])));
    }
    let mut select = map([("kind", text(object.kind))]);
    if dice.chance(85) {
        select.set("name", text(dice.pick(&[&object.name, &format!("{}.*", object.name)])));
    }
    let mut fields = vec![text(dice.pick(paths))];
    if dice.chance(15) {
        fields.push(text(dice.pick(paths)));
    }
    let target = map([("select", select), ("fieldPaths", Value::List(fields))]);
    let reject = map([("name", text(dice.pick(&["web-.*", "none", &object.name])))]);
    let target = if dice.chance(8) { target.with("reject", list([reject])) } else { target };
    target.with("options", options)
}
