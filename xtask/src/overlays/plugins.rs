//! Built-in generators, transformers and validators with configurations of their own.

use super::dice::Dice;
use super::features::{choose, notes, pairs};
use super::forest::{Forest, Layer};
use super::manifests::{IMAGES, Object};
use super::patches::{json_patch, merge_patch, target};
use super::replacements::replacement;
use super::scalars;
use super::value::{Value, list, map, raw, text};
use std::io;

/// Entries of `transformers`.
pub(super) fn transformers(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let count = forest.dice.between(1, 2);
    let configs: Vec<Value> = (0..count).map(|_| transformer(&mut forest.dice, layer)).collect();
    external(forest, layer, configs, "transformer")
}

fn transformer(dice: &mut Dice, layer: &Layer) -> Value {
    let metadata = map([("name", text("extra")), ("namespace", text("two"))]);
    let config = map([("apiVersion", text("builtin")), ("metadata", metadata)]);
    let specs =
        |path: &str| ("fieldSpecs", list([map([("path", text(path)), ("create", raw("true"))])]));
    let object = choose(dice, &layer.objects, |object| !object.ambiguous);
    let object = object.unwrap_or_else(|| Object::new("v1", "ConfigMap", "absent".to_owned()));
    let (kind, fields) = match dice.below(12) {
        0 => {
            let path = dice.pick(&["metadata/annotations", "spec/template/metadata/annotations"]);
            ("AnnotationsTransformer", vec![("annotations", notes(dice)), specs(path)])
        }
        1 => ("LabelTransformer", vec![("labels", pairs(dice)), specs("metadata/labels")]),
        2 => ("PrefixTransformer", vec![("prefix", text("late-")), specs("metadata/name")]),
        3 => ("SuffixTransformer", vec![("suffix", text("-end")), specs("metadata/name")]),
        4 => ("NamespaceTransformer", namespace(dice)),
        5 => ("ImageTagTransformer", image(dice)),
        6 => {
            let replica = map([("name", text(&object.name)), ("count", raw(dice.below(20)))]);
            ("ReplicaCountTransformer", vec![("replica", replica), specs("spec/replicas")])
        }
        7 => {
            let patch = if dice.chance(50) {
                json_patch(dice, &object).json()
            } else {
                merge_patch(dice, &object).inline(dice)
            };
            let target = target(dice, &object);
            ("PatchTransformer", vec![("patch", text(patch)), ("target", target)])
        }
        8 => {
            let operations = json_patch(dice, &object).json();
            let target = map([("kind", text(object.kind)), ("name", text(&object.name))]);
            ("PatchJson6902Transformer", vec![("target", target), ("jsonOp", text(operations))])
        }
        9 => {
            let patch = merge_patch(dice, &object).document(dice);
            ("PatchStrategicMergeTransformer", vec![("patches", text(patch))])
        }
        10 => {
            let items: Vec<Value> = replacement(dice, layer).into_iter().collect();
            ("ReplacementTransformer", vec![("replacements", list(items))])
        }
        _ => ("ValueAddTransformer", value_add(dice, &object)),
    };
    fields
        .into_iter()
        .fold(config.with("kind", text(kind)), |config, (key, value)| config.with(key, value))
}

fn namespace(dice: &mut Dice) -> Vec<(&'static str, Value)> {
    let mut fields = Vec::new();
    if dice.chance(60) {
        fields.push(("unsetOnly", raw("true")));
    }
    let mode = dice.pick(&["", "none", "allServiceAccounts", "defaultOnly"]);
    if !mode.is_empty() {
        fields.push(("setRoleBindingSubjects", text(mode)));
    }
    if dice.chance(50) {
        let field = map([("path", text("metadata/namespace")), ("create", raw("true"))]);
        fields.push(("fieldSpecs", list([field])));
    }
    fields
}

fn image(dice: &mut Dice) -> Vec<(&'static str, Value)> {
    let tag = map([("name", text(dice.pick(IMAGES))), ("newTag", text("v77"))]);
    let path = dice.pick(&["spec/template/spec/containers[]/image", "spec/containers[]/image"]);
    vec![("imageTag", tag), ("fieldSpecs", list([map([("path", text(path))])]))]
}

fn value_add(dice: &mut Dice, object: &Object) -> Vec<(&'static str, Value)> {
    let selector = map([("kind", text(object.kind)), ("name", text(&object.name))]);
    let mut aim = map([("selector", selector), ("notInTarget", raw("false"))]);
    aim.set(
        "fieldPath",
        text(dice.pick(&["metadata/labels/added", "spec/added", "metadata/name"])),
    );
    if dice.chance(40) {
        aim.set("filePathPosition", raw(dice.pick(&["0", "1", "2"])));
    }
    vec![("value", text(scalars::label(dice))), ("targets", list([aim]))]
}

/// Entries of `generators`.
pub(super) fn generators(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let mut configs = Vec::new();
    for _ in 0..forest.dice.between(1, 2) {
        let kind = forest.dice.pick(&["ConfigMap", "Secret"]);
        let object = Object::new("v1", kind, forest.fresh_name());
        let value = scalars::string(&mut forest.dice);
        let mut config = map([
            ("apiVersion", text("builtin")),
            ("kind", text(format!("{kind}Generator"))),
            ("metadata", map([("name", text(&object.name))])),
            ("literals", list([text("a=b"), text(format!("c={value}"))])),
        ]);
        if forest.dice.chance(30) {
            let labels = pairs(&mut forest.dice);
            config.set("options", map([("labels", labels)]));
        }
        layer.objects.push(object);
        configs.push(config);
    }
    external(forest, layer, configs, "generator")
}

/// An entry of `validators`.
pub(super) fn validators(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let labels = map([("validated-by", text("kelson"))]);
    // Upstream forgives a validator this label, but compares the text of what it wrote anew.
    let path = if forest.dice.chance(15) { "metadata/labels" } else { "spec/absent/labels" };
    let create = if path == "metadata/labels" { "true" } else { "false" };
    let field = map([("path", text(path)), ("create", raw(create))]);
    let config = map([
        ("apiVersion", text("builtin")),
        ("kind", text("LabelTransformer")),
        ("metadata", map([("name", text("validator"))])),
        ("labels", labels),
        ("fieldSpecs", list([field])),
    ]);
    external(forest, layer, vec![config], "validator")
}

/// Names a file or a directory of configurations, or gives them in place.
fn external(
    forest: &mut Forest,
    layer: &Layer,
    configs: Vec<Value>,
    stem: &str,
) -> io::Result<Value> {
    let documents: Vec<String> =
        configs.iter().map(|config| config.document(&mut forest.dice)).collect();
    let content = documents.join("---\n");
    if forest.dice.chance(45) {
        return Ok(list([text(content)]));
    }
    if forest.dice.chance(25) {
        let dir = forest.fresh_file(stem, "d");
        forest.file(&format!("{}/{dir}/all.yaml", layer.dir), content)?;
        let kustomization = map([("resources", list([text("all.yaml")]))]);
        forest.document(&format!("{}/{dir}/kustomization.yaml", layer.dir), &kustomization)?;
        return Ok(list([text(dir)]));
    }
    let name = forest.fresh_file(stem, "yaml");
    forest.file(&format!("{}/{name}", layer.dir), content)?;
    Ok(list([text(name)]))
}
