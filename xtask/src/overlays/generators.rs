//! Generators with odd data, new or merged into what is there.

use super::dice::Dice;
use super::features::{notes, pairs};
use super::forest::{Forest, Layer};
use super::manifests::Object;
use super::scalars;
use super::value::{Value, list, map, raw, text};
use std::io;

/// Entries of `configMapGenerator`.
pub(super) fn config_maps(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    generator_entries(forest, layer, "ConfigMap")
}

/// Entries of `secretGenerator`.
pub(super) fn secrets(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    generator_entries(forest, layer, "Secret")
}

fn generator_entries(
    forest: &mut Forest,
    layer: &mut Layer,
    kind: &'static str,
) -> io::Result<Value> {
    let mut entries = Vec::new();
    for _ in 0..forest.dice.between(1, 2) {
        let present: Vec<Object> = layer
            .objects
            .iter()
            .filter(|object| object.kind == kind && !object.ambiguous && object.namespace.is_none())
            .cloned()
            .collect();
        let merges = !present.is_empty() && forest.dice.chance(25);
        let mut entry = if merges {
            let index = forest.dice.below(present.len());
            let behavior = forest.dice.pick(&["merge", "merge", "replace"]);
            map([("name", text(&present[index].name)), ("behavior", text(behavior))])
        } else {
            let object = Object::new("v1", kind, forest.fresh_name());
            layer.objects.push(object.clone());
            map([("name", text(object.name))])
        };
        generator_sources(forest, layer, &mut entry)?;
        if kind == "Secret" && forest.dice.chance(20) {
            entry.set("type", text("kubernetes.io/tls"));
        }
        if forest.dice.chance(20) {
            entry.set("options", options(&mut forest.dice));
        }
        entries.push(entry);
    }
    Ok(Value::List(entries))
}

fn generator_sources(forest: &mut Forest, layer: &Layer, entry: &mut Value) -> io::Result<()> {
    if forest.dice.chance(70) {
        let mut literals: Vec<Value> = Vec::new();
        for index in 0..forest.dice.between(1, 4) {
            literals.push(text(format!(
                "literal{}={}",
                index + 1,
                scalars::string(&mut forest.dice)
            )));
        }
        entry.set("literals", Value::List(literals));
    }
    if forest.dice.chance(35) {
        let name = forest.fresh_file("file", "txt");
        let content = file_content(&mut forest.dice);
        forest.file(&format!("{}/{name}", layer.dir), content)?;
        let name = if forest.dice.chance(40) { format!("renamed.conf={name}") } else { name };
        entry.set("files", list([text(name)]));
    }
    if forest.dice.chance(25) {
        let name = forest.fresh_file("vars", "env");
        let lines = [
            "PLAIN=value",
            "QUOTED=\"kept\"",
            "# comment",
            "",
            "EMPTY=",
            "BARE",
            "  INDENTED= a b ",
            "TWO=a=b",
            "UNI=é😀",
        ];
        let content = lines.join(forest.dice.pick(&["\n", "\r\n"]));
        forest.file(&format!("{}/{name}", layer.dir), content)?;
        let key = if forest.dice.chance(15) { "env" } else { "envs" };
        entry.set(key, if key == "env" { text(name) } else { list([text(name)]) });
    }
    Ok(())
}

fn file_content(dice: &mut Dice) -> Vec<u8> {
    match dice.below(5) {
        0 => (0..dice.between(1, 300)).map(|_| dice.below(256) as u8).collect(),
        1 => scalars::string(dice).repeat(dice.between(1, 20)).into_bytes(),
        _ => scalars::string(dice).into_bytes(),
    }
}

fn options(dice: &mut Dice) -> Value {
    let mut options = map([]);
    if dice.chance(40) {
        options.set("disableNameSuffixHash", raw("true"));
    }
    if dice.chance(20) {
        options.set("immutable", raw("true"));
    }
    if dice.chance(40) {
        options.set("labels", pairs(dice));
    }
    if dice.chance(30) {
        options.set("annotations", notes(dice));
    }
    options
}

/// The field `generatorOptions`.
pub(super) fn generator_options(forest: &mut Forest, _: &mut Layer) -> io::Result<Value> {
    Ok(options(&mut forest.dice))
}
