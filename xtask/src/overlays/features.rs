//! One function for each field of a kustomization.

use super::dice::Dice;
use super::forest::{Forest, Layer, Rank};
use super::generators::{config_maps, generator_options, secrets};
use super::manifests::{IMAGES, Object};
use super::patches::{json_patch, merge_patch, target};
use super::plugins::{generators, transformers, validators};
use super::replacements::replacements;
use super::scalars;
use super::value::{Value, list, map, raw, text};
use std::io;

type Entry = (String, Value);
type Field = fn(&mut Forest, &mut Layer) -> io::Result<Value>;

/// Every field with its chance, in percent, to be in a kustomization.
const FIELDS: &[(&str, usize, Field)] = &[
    ("configMapGenerator", 40, config_maps),
    ("secretGenerator", 22, secrets),
    ("generatorOptions", 15, generator_options),
    ("components", 18, components),
    ("namespace", 35, |forest, _| Ok(text(forest.dice.pick(&["one", "two", "shop", "default"])))),
    ("namePrefix", 40, |forest, _| Ok(text(forest.dice.pick(&["dev-", "p.", "1", "a-"])))),
    ("nameSuffix", 20, |forest, _| Ok(text(forest.dice.pick(&["-v2", "-x", "9"])))),
    ("labels", 40, labels),
    ("commonLabels", 12, |forest, _| Ok(pairs(&mut forest.dice))),
    ("commonAnnotations", 25, |forest, _| Ok(notes(&mut forest.dice))),
    ("images", 35, images),
    ("imageTags", 3, images),
    ("replicas", 15, replicas),
    ("patches", 50, patches),
    ("patchesStrategicMerge", 10, patches_strategic_merge),
    ("patchesJson6902", 8, patches_json6902),
    ("replacements", 28, replacements),
    ("vars", 8, vars),
    ("configurations", 10, configurations),
    ("transformers", 12, transformers),
    ("generators", 6, generators),
    ("validators", 3, validators),
    ("crds", 4, crds),
    ("openapi", 4, openapi),
    ("buildMetadata", 8, build_metadata),
    ("sortOptions", 10, sort_options),
    ("metadata", 2, |_, _| Ok(map([("name", text("mine"))]))),
];

/// The fields of one kustomization, but for `resources`.
pub(super) fn fields(forest: &mut Forest, layer: &mut Layer, rank: Rank) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (name, chance, field) in FIELDS {
        let fits = rank != Rank::Component || !matches!(*name, "sortOptions" | "vars");
        if fits && forest.dice.chance(*chance) {
            let value = field(forest, layer)?;
            if !matches!(&value, Value::List(items) if items.is_empty()) {
                entries.push(((*name).to_owned(), value));
            }
        }
    }
    Ok(entries)
}

/// One or two labels.
pub(super) fn pairs(dice: &mut Dice) -> Value {
    let mut value = map([]);
    for _ in 0..dice.between(1, 2) {
        let (key, label) = (scalars::label_key(dice), scalars::label(dice));
        value.set(&key, text(label));
    }
    value
}

/// A few annotations.
pub(super) fn notes(dice: &mut Dice) -> Value {
    let (key, note) = (scalars::label_key(dice), scalars::string(dice));
    map([(&key, text(note)), ("note", text("hello"))])
}

fn labels(forest: &mut Forest, _: &mut Layer) -> io::Result<Value> {
    let dice = &mut forest.dice;
    let mut items = Vec::new();
    for _ in 0..dice.between(1, 2) {
        let mut item = map([("pairs", pairs(dice))]);
        match dice.below(6) {
            0..=2 => item.set("includeSelectors", raw("true")),
            3 => item.set("includeTemplates", raw("true")),
            4 => {
                let field = map([
                    ("path", text("spec/labels")),
                    ("kind", text("Foo")),
                    ("create", raw("true")),
                ]);
                item.set("fields", list([field]));
            }
            _ => {}
        }
        items.push(item);
    }
    Ok(Value::List(items))
}

fn components(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let mut items = Vec::new();
    for _ in 0..forest.dice.between(1, 2) {
        items.push(text(format!("../{}", forest.component(layer)?)));
    }
    Ok(Value::List(items))
}

fn images(forest: &mut Forest, _: &mut Layer) -> io::Result<Value> {
    let dice = &mut forest.dice;
    let mut items = Vec::new();
    for _ in 0..dice.between(1, 3) {
        let mut item = map([("name", text(dice.pick(IMAGES)))]);
        if dice.chance(35) {
            item.set("newName", text(dice.pick(&["mirror:5000/img", "other", "nginx"])));
        }
        match dice.below(5) {
            0..=1 => item.set("newTag", text(dice.pick(&["v9", "1.0", "2020-01-01", "1e3"]))),
            2 => item.set(
                "digest",
                text("sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3"),
            ),
            3 => item.set("tagSuffix", text("-alpine")),
            _ => {}
        }
        items.push(item);
    }
    Ok(Value::List(items))
}

/// One of the objects for which `fits` holds.
pub(super) fn choose(
    dice: &mut Dice,
    objects: &[Object],
    fits: impl Fn(&Object) -> bool,
) -> Option<Object> {
    let fitting: Vec<&Object> = objects.iter().filter(|object| fits(object)).collect();
    (!fitting.is_empty()).then(|| dice.pick(&fitting).clone())
}

fn replicas(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let counted =
        |object: &Object| matches!(object.kind, "Deployment" | "StatefulSet" | "ReplicaSet");
    let chosen = choose(&mut forest.dice, &layer.objects, counted);
    Ok(list(
        chosen
            .map(|object| map([("name", text(object.name)), ("count", raw(forest.dice.below(9)))])),
    ))
}

fn patches(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let mut items = Vec::new();
    for _ in 0..forest.dice.between(1, 4) {
        let Some(object) = choose(&mut forest.dice, &layer.objects, |_| true) else { break };
        let targeted = object.ambiguous || forest.dice.chance(45);
        let json = targeted && forest.dice.chance(45);
        let patch = if json {
            json_patch(&mut forest.dice, &object)
        } else {
            merge_patch(&mut forest.dice, &object)
        };
        let mut item = map([]);
        if forest.dice.chance(40) {
            let name = forest.fresh_file("patch", "yaml");
            forest.document(&format!("{}/{name}", layer.dir), &patch)?;
            item.set("path", text(name));
        } else if json && forest.dice.chance(50) {
            item.set("patch", text(patch.json()));
        } else {
            item.set("patch", text(inline(&mut forest.dice, &patch)));
        }
        if targeted {
            item.set("target", target(&mut forest.dice, &object));
        }
        if targeted && !json && forest.dice.chance(6) {
            item.set("options", map([("allowNameChange", raw("true"))]));
        }
        items.push(item);
    }
    Ok(Value::List(items))
}

/// Writes a patch to stand inside a kustomization.
fn inline(dice: &mut Dice, patch: &Value) -> String {
    // Upstream takes text that begins with a bracket for JSON.
    let is_list = matches!(patch, Value::List(_));
    if !is_list && dice.chance(40) { patch.inline(dice) } else { patch.document(dice) }
}

fn patches_strategic_merge(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let Some(object) = choose(&mut forest.dice, &layer.objects, |object| !object.ambiguous) else {
        return Ok(list([]));
    };
    let patch = merge_patch(&mut forest.dice, &object);
    if forest.dice.chance(50) {
        return Ok(list([text(inline(&mut forest.dice, &patch))]));
    }
    let name = forest.fresh_file("merge", "yaml");
    forest.document(&format!("{}/{name}", layer.dir), &patch)?;
    Ok(list([text(name)]))
}

fn patches_json6902(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let Some(object) = choose(&mut forest.dice, &layer.objects, |object| !object.ambiguous) else {
        return Ok(list([]));
    };
    let operations = json_patch(&mut forest.dice, &object);
    let target = map([("kind", text(object.kind)), ("name", text(object.name))]);
    let patch = text(inline(&mut forest.dice, &operations));
    Ok(list([map([("target", target), ("patch", patch)])]))
}

fn vars(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    // A variable of a base that is built twice is there twice, which upstream refuses.
    if forest.is_diamond {
        return Ok(list([]));
    }
    let name = forest.fresh_var();
    let chosen = choose(&mut forest.dice, &layer.objects, |object| object.namespace.is_none());
    Ok(list(chosen.map(|object| {
        let reference = map([
            ("apiVersion", text(object.api_version)),
            ("kind", text(object.kind)),
            ("name", text(object.name)),
        ]);
        map([("name", text(&name)), ("objref", reference)])
    })))
}

fn configurations(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let field = |kind: &str, path: &str| {
        map([("kind", text(kind)), ("path", text(path)), ("create", raw("true"))])
    };
    let reference = map([
        ("kind", text("ConfigMap")),
        ("version", text("v1")),
        ("fieldSpecs", list([map([("kind", text("Foo")), ("path", text("spec/config"))])])),
    ]);
    let mut sections = vec![
        ("nameReference", list([reference])),
        ("commonLabels", list([field("Foo", "spec/selector")])),
        ("commonAnnotations", list([field("Bar", "spec/notes")])),
        ("varReference", list([field("Foo", "spec/config")])),
        ("labels", list([field("Bar", "spec/labels")])),
        ("templateLabels", list([field("Foo", "spec/template/labels")])),
        ("namePrefix", list([map([("path", text("spec/config")), ("kind", text("Bar"))])])),
        ("nameSuffix", list([map([("path", text("metadata/name"))])])),
        ("namespace", list([field("Foo", "spec/namespace")])),
        ("images", list([map([("path", text("spec/free/image")), ("kind", text("Foo"))])])),
        ("replicas", list([field("Foo", "spec/size")])),
    ];
    forest.dice.shuffle(&mut sections);
    sections.truncate(forest.dice.between(1, 6));
    let content = sections.into_iter().fold(map([]), |content, (key, it)| content.with(key, it));
    let name = forest.fresh_file("config", "yaml");
    forest.document(&format!("{}/{name}", layer.dir), &content)?;
    Ok(list([text(name)]))
}

fn crds(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    let string = || map([("type", text("string"))]);
    let properties = map([
        ("apiVersion", string()),
        ("kind", string()),
        ("metadata", map([("type", text("object"))])),
        ("spec", map([("$ref", text("example.com/v1.FooSpec"))])),
    ]);
    let reference = map([
        ("x-kubernetes-object-ref-api-version", text("v1")),
        ("x-kubernetes-object-ref-kind", text("Secret")),
    ]);
    let notes = map([("x-kubernetes-annotation", text(""))]);
    let spec = map([("secretRef", reference), ("notes", notes)]);
    let schema = |properties: Value| map([("Schema", map([("properties", properties)]))]);
    let content =
        map([("example.com/v1.Foo", schema(properties)), ("example.com/v1.FooSpec", schema(spec))]);
    let name = forest.fresh_file("crd", "yaml");
    if forest.dice.chance(50) {
        forest.file(&format!("{}/{name}", layer.dir), content.json())?;
    } else {
        forest.document(&format!("{}/{name}", layer.dir), &content)?;
    }
    Ok(list([text(name)]))
}

fn openapi(forest: &mut Forest, layer: &mut Layer) -> io::Result<Value> {
    if forest.dice.chance(30) {
        return Ok(map([("version", text("v1.21.2"))]));
    }
    let items = map([
        ("type", text("array")),
        ("items", map([("type", text("object"))])),
        ("x-kubernetes-patch-merge-key", text("name")),
        ("x-kubernetes-patch-strategy", text("merge")),
    ]);
    let spec = map([("type", text("object")), ("properties", map([("items", items)]))]);
    let kind =
        map([("group", text("example.com")), ("kind", text("Foo")), ("version", text("v1"))]);
    let definition = map([
        ("type", text("object")),
        ("properties", map([("spec", spec)])),
        ("x-kubernetes-group-version-kind", list([kind])),
    ]);
    let content = map([("definitions", map([("com.example.v1.Foo", definition)]))]);
    let name = forest.fresh_file("schema", "json");
    forest.file(&format!("{}/{name}", layer.dir), content.json())?;
    Ok(map([("path", text(name))]))
}

fn build_metadata(forest: &mut Forest, _: &mut Layer) -> io::Result<Value> {
    let mut wanted: Vec<Value> =
        ["originAnnotations", "transformerAnnotations", "managedByLabel"].map(text).into();
    forest.dice.shuffle(&mut wanted);
    wanted.truncate(forest.dice.between(1, 3));
    Ok(Value::List(wanted))
}

fn sort_options(forest: &mut Forest, _: &mut Layer) -> io::Result<Value> {
    Ok(match forest.dice.below(3) {
        0 => map([("order", text("fifo"))]),
        1 => map([("order", text("legacy"))]),
        _ => {
            let lists = map([
                ("orderFirst", list([text("Foo"), text("Service")])),
                ("orderLast", list([text("ConfigMap")])),
            ]);
            map([("order", text("legacy")), ("legacySortOptions", lists)])
        }
    })
}
