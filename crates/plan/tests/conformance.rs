//! The vectors of Flux's library for server-side apply, as far as they are about plans. What they say about reading
//! manifests is held to in `crates/render/tests/read_objects.rs`.
//!
//! The corpus lies beside the project, not in it.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::{BTreeMap, HashMap, HashSet};

use kelson_model::{Object, ObjectId};
use kelson_plan::inventory::identifier;
use kelson_plan::{
    Action, Catalog, Delivery, Draft, Entry, Inventory, Kind, Live, Options, Origin,
    ResolveOptions, Snapshot, Stage, State, Value, difference, normalize, normalize_dry_run, rank,
    resolve,
};
use kelson_yaml::{Data, Dialect, Node, Span, documents, first_document, json};
use serde_json::Value as Json;

/// Areas of which Kelson has nothing of its own; COMPAT.md says why.
const ELSEWHERE: [&str; 5] =
    ["read-objects", "common-metadata", "selector", "group-kind-set", "is-job"];

/// Cases that come out differently on purpose, with what comes out; COMPAT.md says why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        // The server is told, and refuses: a field in the wrong place is a mistake that somebody must see.
        "normalize/probe-secret-with-an-unknown-field",
        r#"{"apiVersion":"v1","data":{"a":"Yg=="},"kind":"Secret","metadata":{"name":"s"},"x":1}"#,
    ),
    (
        // Flux leaves an object alone where one field has a type it does not expect.
        "normalize/probe-deployment-wrong-type",
        r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":"3","template":{"spec":{"containers":[{"image":"b","name":"a","ports":[{"containerPort":80,"protocol":"TCP"}]}],"initContainers":[{"name":"i","ports":[{"containerPort":81}]}]}}}}"#,
    ),
];

#[test]
fn the_vectors_of_flux_come_out_as_there() {
    let test = "the_vectors_of_flux_come_out_as_there";
    let Some(corpus) = kelson_testkit::conformance(test, "ssa") else { return };
    let text = std::fs::read_to_string(corpus.join("cases.json")).unwrap();
    let cases: Json = serde_json::from_str(&text).unwrap();
    let mut score: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let area = case["area"].as_str().unwrap();
        let entry = score.entry(area).or_default();
        entry.2 += 1;
        match judge(area, case) {
            Ok(true) => entry.0 += 1,
            Ok(false) => entry.1 += 1,
            Err(text) => wrong.push(format!("=== {}\n{text}", case["name"])),
        }
    }
    println!("same, different on purpose or elsewhere, of");
    for (area, (same, different, all)) in &score {
        println!("{same:4} {different:4} {all:4}  {area}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a case comes out as it does in Flux; the error says how it differs where it should not.
fn judge(area: &str, case: &Json) -> Result<bool, String> {
    if ELSEWHERE.contains(&area) {
        return Ok(false);
    }
    let (input, expected) = (&case["input"], &case["expected"]);
    let (actual, wanted) = match area {
        "normalize" | "ca-bundle" => {
            (normalized(input, normalize), canonical(&parse(&expected["object"])))
        }
        "normalize-dry-run" => {
            (normalized(input, normalize_dry_run), canonical(&parse(&expected["object"])))
        }
        "sanitize" => masked(&input["old"], &input["new"]),
        "mask-patch" => masked_patch(&input["patch"]),
        "id-parse" => (parsed_id(input), expected_id(case)),
        "id-format" => formatted_id(input, expected),
        "inventory" => (entries(input), expected["entries"].to_string()),
        "inventory-diff" => (stale(input), expected["ids"].to_string()),
        "sort" => (sorted(input, |id| (0, rank(&id.kind))), expected["ids"].to_string()),
        "stages" => (sorted(input, |id| (place(id), rank(&id.kind))), stages(expected)),
        other => return Err(format!("nobody knows the area {other}")),
    };
    let known = DIFFERENT.iter().find(|(name, _)| case["name"] == *name);
    match known {
        Some((_, ours)) if actual == *ours => Ok(false),
        None if actual == wanted => Ok(true),
        _ => Err(format!("ours:   {actual}\ntheirs: {wanted}")),
    }
}

fn node(text: &str) -> Node {
    first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()
}

fn parse(text: &Json) -> Node {
    node(text.as_str().unwrap())
}

/// The id of an object that may lack everything.
fn id(node: &Node) -> ObjectId {
    let text =
        |path: &[&str]| node.lookup(path).and_then(Node::as_str).unwrap_or_default().to_owned();
    let api_version = text(&["apiVersion"]);
    ObjectId {
        group: api_version.split_once('/').map_or("", |(group, _)| group).to_owned(),
        kind: text(&["kind"]),
        namespace: text(&["metadata", "namespace"]),
        name: text(&["metadata", "name"]),
    }
}

fn objects(text: &Json) -> Vec<Object> {
    let text = text.as_str().unwrap();
    let nodes = documents(text, Span::NONE, Dialect::V3).unwrap();
    nodes.into_iter().filter_map(|node| Object::new(node).ok()).collect()
}

fn list(ids: impl IntoIterator<Item = String>) -> String {
    Json::from_iter(ids).to_string()
}

/// An object in one form, without the empty values that are left when a Go struct is written: nobody means them, and we
/// do not send them.
fn canonical(node: &Node) -> String {
    let mut text = String::new();
    json::write(&without_empty(node), &mut text).unwrap();
    text
}

fn without_empty(node: &Node) -> Node {
    let mut node = node.clone();
    match &mut node.data {
        Data::Mapping(mapping) => {
            for entry in &mut mapping.entries {
                entry.value = without_empty(&entry.value);
            }
            mapping.entries.retain(|entry| !is_empty(entry.key.text(), &entry.value));
        }
        Data::Sequence(list) => list.items = list.items.iter().map(without_empty).collect(),
        Data::Scalar(_) => {}
    }
    node
}

fn is_empty(key: Option<&str>, node: &Node) -> bool {
    const NUMBERS: [&str; 3] = ["targetPort", "maxReplicas", "desiredReplicas"];
    let is_zero = key.is_some_and(|key| NUMBERS.contains(&key)) && node.text() == Some("0");
    let is_text = node.as_str() == Some("") && key != Some("caBundle");
    let is_mapping = node.as_mapping().is_some_and(|mapping| mapping.is_empty());
    is_zero || is_text || is_mapping || node.is_null()
}

fn normalized(input: &Json, normalize: fn(&mut Node)) -> String {
    let mut node = parse(&input["object"]);
    normalize(&mut node);
    canonical(&node)
}

/// What is shown of the difference of two Secrets, and what may be: each key that differs, and no value.
fn masked(old: &Json, new: &Json) -> (String, String) {
    let data = |text: &Json| match text.as_str() {
        Some(text) => node(text).get("data").cloned().unwrap_or_else(Node::null),
        None => Node::mapping(vec![]),
    };
    masked_data(&data(old), &data(new))
}

fn masked_data(old: &Node, new: &Node) -> (String, String) {
    let secret = |data: &Node| {
        let mut node = node("{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {}}");
        *node.get_mut("data").unwrap() = data.clone();
        Object::new(node).unwrap()
    };
    let shown = difference(&[secret(old)], &[secret(new)]);
    let shown: Vec<String> = shown
        .changed
        .into_iter()
        .flat_map(|changed| changed.fields)
        .map(|change| format!("{} {:?} {:?}", change.path, change.before, change.after))
        .collect();
    let masked = |value: Option<&Node>| value.map(|_| Value::Masked(String::new()));
    let keys = |node: &Node| -> Vec<String> {
        let entries = node.as_mapping().map(|mapping| mapping.entries.as_slice());
        let keys = entries.unwrap_or_default().iter().filter_map(|entry| entry.key.text());
        keys.map(str::to_owned).collect()
    };
    let mut all = [keys(old), keys(new)].concat();
    all.sort();
    all.dedup();
    let expected: Vec<String> = all
        .iter()
        .map(|key| (key, old.get(key), new.get(key)))
        .filter(|(_, old, new)| old.map(Node::text) != new.map(Node::text))
        .map(|(key, old, new)| format!("data.{key} {:?} {:?}", masked(old), masked(new)))
        .collect();
    (shown.join("\n"), expected.join("\n"))
}

/// A patch of a Secret, as the two Secrets it leads from and to.
fn masked_patch(patch: &Json) -> (String, String) {
    let (mut old, mut new) = (serde_json::Map::new(), serde_json::Map::new());
    for operation in patch.as_array().unwrap() {
        let path = operation["path"].as_str().unwrap();
        for (side, field) in [(&mut old, "old"), (&mut new, "value")] {
            match (path.strip_prefix('/').unwrap().split_once('/'), &operation[field]) {
                (_, Json::Null) => {}
                (Some((_, key)), value) => {
                    side.insert(key.to_owned(), value.clone());
                }
                (None, value) => side.extend(value.as_object().unwrap().clone()),
            }
        }
    }
    let node = |map| node(&Json::Object(map).to_string());
    masked_data(&node(old), &node(new))
}

fn parsed_id(input: &Json) -> String {
    match identifier::parse(input["id"].as_str().unwrap()) {
        Some(id) => format!("{id:?}"),
        None => "error".to_owned(),
    }
}

fn expected_id(case: &Json) -> String {
    let text = |key: &str| case["expected"][key].as_str().unwrap_or_default().to_owned();
    let (group, kind, namespace, name) =
        (text("group"), text("kind"), text("namespace"), text("name"));
    match case.get("error") {
        Some(_) => "error".to_owned(),
        None => format!("{:?}", ObjectId { group, kind, namespace, name }),
    }
}

fn formatted_id(input: &Json, expected: &Json) -> (String, String) {
    let id = id(&parse(&input["object"]));
    let wanted = |key: &str| expected[key].as_str().unwrap().to_owned();
    (format!("{} {id}", identifier::format(&id)), wanted("id") + " " + &wanted("subject"))
}

fn entries(input: &Json) -> String {
    let entry = |object: Object| serde_json::json!({"id": identifier::format(&object.id), "v": object.version});
    Json::from_iter(objects(&input["text"]).into_iter().map(entry)).to_string()
}

/// What a plan no longer wants of what was applied: nothing is live, so it is forgotten.
fn stale(input: &Json) -> String {
    let (old, new) = (objects(&input["old"]), objects(&input["new"]));
    let mut catalog = Catalog::default();
    let mut known = HashSet::new();
    for object in old.iter().chain(&new) {
        let ObjectId { group, kind, namespace, .. } = object.id.clone();
        if known.insert((group.clone(), object.version.clone(), kind.clone())) {
            let (version, plural) = (object.version.clone(), kind.to_lowercase());
            let namespaced = !namespace.is_empty();
            catalog.add(Kind { group, version, kind, plural, namespaced, to_come: false });
        }
    }
    let mut inventory = Inventory::default();
    let mut live = HashMap::new();
    for object in old {
        live.insert(object.id.clone(), Live::Absent);
        inventory.put(Entry {
            id: object.id,
            version: object.version,
            uid: None,
            origin: Origin::Created,
            state: State::Applied,
            desired: None,
            owned: None,
        });
    }
    live.extend(new.iter().map(|object| (object.id.clone(), Live::Absent)));
    let delivery = Delivery::new("shop", "home").unwrap();
    let resolved = resolve(new, &catalog, Some(&delivery), &ResolveOptions::default());
    let snapshot = Snapshot { live, ..Snapshot::default() };
    let options = Options::default();
    let draft = Draft::new(Some(&delivery), resolved, snapshot, &inventory, &options);
    let plan = draft.finish(&catalog);
    let stale = plan.steps.iter().filter(|step| step.action == Action::Forget);
    let mut ids: Vec<String> = stale.map(|step| identifier::format(&step.id)).collect();
    ids.sort();
    list(ids)
}

fn sorted<K: Ord>(input: &Json, key: impl Fn(&ObjectId) -> K) -> String {
    let mut ids: Vec<ObjectId> =
        objects(&input["objects"]).into_iter().map(|object| object.id).collect();
    ids.sort_by(|one, other| (key(one), one).cmp(&(key(other), other)));
    list(ids.iter().map(identifier::format))
}

/// Where Flux has one stage we may have several: what matters is what comes before what.
fn place(id: &ObjectId) -> usize {
    match Stage::of(id) {
        Stage::Definitions => 0,
        Stage::Namespaces => 1,
        Stage::Roles => 2,
        Stage::Classes => 3,
        Stage::Bindings => 4,
        Stage::Others => 5,
        Stage::Webhooks => 6,
    }
}

fn stages(expected: &Json) -> String {
    let stages = ["definitions", "classes", "resources"].map(|stage| &expected[stage]);
    let ids = stages.into_iter().filter_map(Json::as_array).flatten();
    list(ids.map(|id| id.as_str().unwrap().to_owned()))
}
