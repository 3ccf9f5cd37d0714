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
        let source = choose(&mut forest.dice, &layer.objects, |object| !object.ambiguous);
        let Some(receiver) = choose(&mut forest.dice, &layer.objects, |_| true) else { break };
        let mut item = match source {
            Some(source) if forest.dice.chance(80) => {
                map([("source", replacement_source(&mut forest.dice, &source))])
            }
            _ => map([("sourceValue", text(scalars::string(&mut forest.dice)))]),
        };
        item.set("targets", list([replacement_target(&mut forest.dice, &receiver)]));
        if forest.dice.chance(20) {
            let name = forest.fresh_file("replacement", "yaml");
            forest.document(&format!("{}/{name}", layer.dir), &item)?;
            item = map([("path", text(name))]);
        }
        items.push(item);
    }
    Ok(Value::List(items))
}

fn replacement_source(dice: &mut Dice, object: &Object) -> Value {
    let mut source = map([("kind", text(object.kind)), ("name", text(&object.name))]);
    match object.kind {
        "Foo" | "Bar" if dice.chance(60) => {
            source.set("fieldPath", text(dice.pick(&["spec.size", "spec.items", "spec.config"])))
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
        "ConfigMap" => &["data.created", "metadata.annotations.[example.com/key]"],
        "Foo" | "Bar" => &[
            "spec.size",
            "spec.items.0.value",
            "spec.deep.er.value",
            "spec.items.[name=one].value",
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
    let select = map([("kind", text(object.kind)), ("name", text(&object.name))]);
    map([("select", select), ("fieldPaths", list([text(dice.pick(paths))])), ("options", options)])
}
