//! A set of fields, as `FieldsV1` writes it: a tree of steps, where each place says whether it is in the set itself.

use std::collections::{BTreeMap, HashMap};

use kelson_yaml::{Entry, Node, Span, json};

use crate::hash::{Hasher, canonical};
use crate::{FieldPath, Hash};

/// A set of fields, as `FieldsV1` writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    /// Whether this place itself is in the set.
    itself: bool,
    below: BTreeMap<Step, Self>,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// To a field, `f:name`.
    Field(String),
    /// To the element of a list with these values in its key fields, `k:{"name":"web"}`, as canonical JSON.
    Key(String),
    /// To the element of a set with this value, `v:"a"`, as canonical JSON.
    Value(String),
    /// To the element at a place, `i:0`.
    Index(usize),
}

impl FieldSet {
    /// Reads `FieldsV1`. What is none of it is left out: a set that lacks something makes us ask the server once more,
    /// and nothing worse.
    pub(crate) fn of(node: &Node) -> Self {
        let mut set = Self::default();
        let Some(mapping) = node.as_mapping() else { return set };
        for entry in mapping {
            let Some(key) = entry.key.text() else { continue };
            if key == "." {
                set.itself = true;
            } else if let Some(step) = Step::parse(key) {
                let mut below = Self::of(&entry.value);
                // A place that nothing is said about is meant itself.
                below.itself |= below.below.is_empty();
                set.below.insert(step, below);
            }
        }
        set
    }

    /// Whether it has a field itself, or anything below it, or what the field is an indivisible part of. Elements of lists
    /// are found by their place in the object; `*` in the path stands for any.
    pub fn owns(&self, object: &Node, path: &FieldPath) -> bool {
        let segments: Vec<&str> = path.segments().iter().map(String::as_str).collect();
        self.owns_at(Some(object), &segments)
    }

    pub(crate) fn owns_at(&self, object: Option<&Node>, path: &[&str]) -> bool {
        let Some((segment, rest)) = path.split_first() else { return true };
        if self.itself && self.below.is_empty() {
            return true;
        }
        if *segment == "*" {
            return self.below.iter().any(|(step, below)| {
                below.owns_at(object.and_then(|object| step.find(object)), rest)
            });
        }
        let items = object.and_then(Node::as_sequence);
        match items.and_then(|items| Some((segment.parse::<usize>().ok()?, items))) {
            Some((index, items)) => items.get(index).is_some_and(|item| {
                let mut steps = self.below.iter();
                steps
                    .any(|(step, below)| step.is_of(index, item) && below.owns_at(Some(item), rest))
            }),
            None => {
                let below = self.below.get(&Step::Field((*segment).to_owned()));
                below.is_some_and(|below| {
                    below.owns_at(object.and_then(|object| object.get(segment)), rest)
                })
            }
        }
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        !self.itself && self.below.is_empty()
    }

    /// Both sets in one.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.itself |= other.itself;
        for (step, below) in &other.below {
            let merged = match union.below.get(step) {
                Some(known) => known.union(below),
                None => below.clone(),
            };
            union.below.insert(step.clone(), merged);
        }
        union
    }

    /// What is in this set and not in the other.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut rest = Self { itself: self.itself && !other.itself, ..Self::default() };
        for (step, below) in &self.below {
            let left = match other.below.get(step) {
                Some(known) => below.without(known),
                None => below.clone(),
            };
            if !left.is_empty() {
                rest.below.insert(step.clone(), left);
            }
        }
        rest
    }

    /// The places of an object that are in the set and have nothing of it below them, as paths of keys and indices.
    /// Places that the object lacks are left out.
    pub(crate) fn leaves(&self, object: &Node) -> Vec<Vec<String>> {
        let mut leaves = Vec::new();
        self.gather(object, &mut Vec::new(), &mut leaves);
        leaves
    }

    fn gather(&self, object: &Node, path: &mut Vec<String>, leaves: &mut Vec<Vec<String>>) {
        if self.below.is_empty() && self.itself {
            leaves.push(path.clone());
        }
        let elements = Elements::new(object);
        for (step, below) in &self.below {
            let Some((segment, node)) = elements.find(step, object) else { continue };
            path.push(segment);
            below.gather(node, path, leaves);
            path.pop();
        }
    }

    /// The hash of what an object holds in these fields (and of which fields they are).
    pub fn hash(&self, object: &Node) -> Hash {
        let mut hasher = Hasher::new();
        self.feed(Some(object), &mut hasher);
        hasher.finish()
    }

    fn feed(&self, object: Option<&Node>, hasher: &mut Hasher) {
        match object {
            None => hasher.text("-"),
            // What is in the set as a whole counts as a whole; what has parts in it, only with those.
            Some(node) if self.below.is_empty() => hasher.node(node),
            Some(_) => {}
        }
        hasher.text(if self.itself { "{." } else { "{" });
        let elements = object.map(Elements::new);
        for (step, below) in &self.below {
            step.feed(hasher);
            let found = object.zip(elements.as_ref());
            let found = found.and_then(|(object, elements)| elements.find(step, object));
            below.feed(found.map(|(_, node)| node), hasher);
        }
        hasher.text("}");
    }

    /// As `FieldsV1` again.
    pub fn to_node(&self) -> Node {
        let pair = |key: String, value: Node| Entry { key: Node::string(key), value };
        let mut entries = Vec::with_capacity(self.below.len() + 1);
        if self.itself && !self.below.is_empty() {
            entries.push(pair(".".to_owned(), Node::mapping(Vec::new())));
        }
        let below = self.below.iter();
        entries.extend(below.map(|(step, below)| pair(step.to_string(), below.to_node())));
        Node::mapping(entries)
    }
}

impl Step {
    fn parse(text: &str) -> Option<Self> {
        let (sort, rest) = text.split_once(':')?;
        match sort {
            "f" => Some(Self::Field(rest.to_owned())),
            "k" => {
                let key = json::read(rest, Span::NONE).ok()?;
                key.as_mapping()?;
                Some(Self::Key(text_of(&key)))
            }
            "v" => Some(Self::Value(text_of(&json::read(rest, Span::NONE).ok()?))),
            "i" => rest.parse().ok().map(Self::Index),
            _ => None,
        }
    }

    /// What the step leads to.
    fn find<'a>(&self, object: &'a Node) -> Option<&'a Node> {
        match self {
            Self::Field(name) => object.get(name),
            _ => {
                let mut items = object.as_sequence()?.iter().enumerate();
                items.find(|(index, item)| self.is_of(*index, item)).map(|(_, item)| item)
            }
        }
    }

    /// Whether it leads to this element of a list.
    fn is_of(&self, index: usize, item: &Node) -> bool {
        match self {
            Self::Field(_) => false,
            Self::Key(key) => names(key).is_some_and(|names| &key_of(item, &names) == key),
            Self::Value(value) => &text_of(item) == value,
            Self::Index(wanted) => *wanted == index,
        }
    }

    fn feed(&self, hasher: &mut Hasher) {
        let (sort, text) = match self {
            Self::Field(name) => ("f", name.as_str()),
            Self::Key(key) => ("k", key.as_str()),
            Self::Value(value) => ("v", value.as_str()),
            Self::Index(index) => return hasher.text(&format!("i{index}:")),
        };
        hasher.text(&format!("{sort}{}:", text.len()));
        hasher.text(text);
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(name) => write!(formatter, "f:{name}"),
            Self::Key(key) => write!(formatter, "k:{key}"),
            Self::Value(value) => write!(formatter, "v:{value}"),
            Self::Index(index) => write!(formatter, "i:{index}"),
        }
    }
}

/// The elements of a list by what steps name them by, so that a list with many is not searched for each.
struct Elements<'a> {
    items: &'a [Node],
    /// By the names of the key fields, then by their values; filled when first asked for.
    by_key: std::cell::RefCell<HashMap<Vec<String>, HashMap<String, usize>>>,
}

impl<'a> Elements<'a> {
    fn new(object: &'a Node) -> Self {
        Self { items: object.as_sequence().unwrap_or_default(), by_key: Default::default() }
    }

    /// What a step leads to, and the segment of a path that does the same.
    fn find(&self, step: &Step, object: &'a Node) -> Option<(String, &'a Node)> {
        let index = match step {
            Step::Field(name) => return object.get(name).map(|node| (name.clone(), node)),
            Step::Index(index) => *index,
            Step::Key(text) => self.place(names(text)?, text, key_of)?,
            Step::Value(text) => self.place(Vec::new(), text, |item, _| text_of(item))?,
        };
        self.items.get(index).map(|item| (index.to_string(), item))
    }

    fn place(
        &self,
        names: Vec<String>,
        text: &str,
        of: impl Fn(&Node, &[String]) -> String,
    ) -> Option<usize> {
        let mut by_key = self.by_key.borrow_mut();
        let places = by_key.entry(names).or_insert_with_key(|names| {
            let places = self.items.iter().enumerate().rev();
            places.map(|(index, item)| (of(item, names), index)).collect()
        });
        places.get(text).copied()
    }
}

/// The names of the fields in a key.
fn names(key: &str) -> Option<Vec<String>> {
    let key = json::read(key, Span::NONE).ok()?;
    let names = key.as_mapping()?.iter().filter_map(|entry| entry.key.text());
    Some(names.map(str::to_owned).collect())
}

/// The key that an element has, of fields with these names.
fn key_of(item: &Node, names: &[String]) -> String {
    let fields = names.iter().filter_map(|name| {
        Some(Entry { key: Node::string(name.as_str()), value: item.get(name)?.clone() })
    });
    text_of(&Node::mapping(fields.collect()))
}

fn text_of(node: &Node) -> String {
    let mut text = String::new();
    canonical(node, &mut text).ok();
    text
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, first_document};

    use super::*;

    fn node(text: &str) -> Node {
        first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()
    }

    fn set(text: &str) -> FieldSet {
        FieldSet::of(&node(text))
    }

    const OWNED: &str = r#"{"f:spec": {"f:replicas": {}, "f:selector": {}, "f:c": {'k:{"name":"b"}': {".": {}, "f:image": {}}},
        "f:fin": {'v:"x"': {}}, "f:at": {"i:1": {}}}}"#;
    const OBJECT: &str = "{spec: {replicas: 2, selector: {a: b}, c: [{name: a, image: i}, {name: b, image: j, tty: true}],
        fin: [y, x], at: [p, q]}}";

    #[test]
    fn a_field_is_owned_by_itself_below_or_as_a_part_of_a_whole() {
        let (set, object) = (set(OWNED), node(OBJECT));
        let owned = [
            "/spec",
            "/spec/replicas",
            "/spec/selector/a",
            "/spec/c",
            "/spec/c/1",
            "/spec/c/1/image",
            "/spec/c/*/image",
            "/spec/fin/1",
            "/spec/at/1",
        ];
        for path in owned {
            assert!(set.owns(&object, &FieldPath::parse(path).unwrap()), "{path}");
        }
        for path in [
            "/metadata/labels",
            "/spec/c/0",
            "/spec/c/1/tty",
            "/spec/c/7",
            "/spec/fin/0",
            "/spec/at/0",
        ] {
            assert!(!set.owns(&object, &FieldPath::parse(path).unwrap()), "{path}");
        }
    }

    #[test]
    fn the_hash_moves_with_owned_values_alone() {
        let (set, before) = (set(OWNED), set(OWNED).hash(&node(OBJECT)));
        let unmoved = [
            ("image: i", "image: k"),
            ("tty: true", "tty: false"),
            ("[y, x]", "[x, y, z]"),
            ("[p, q]", "[r, q]"),
            ("{name: a, image: i}, {name: b, image: j, tty: true}", "{image: j, name: b}"),
        ];
        for (was, is) in unmoved {
            assert_eq!(set.hash(&node(&OBJECT.replace(was, is))), before, "{is}");
        }
        let moved = [
            ("replicas: 2", "replicas: 3"),
            ("replicas: 2, ", ""),
            ("a: b}", "a: b, c: d}"),
            ("image: j", "image: k"),
            ("[y, x]", "[y]"),
            ("[p, q]", "[p, r]"),
        ];
        for (was, is) in moved {
            assert_ne!(set.hash(&node(&OBJECT.replace(was, is))), before, "{is}");
        }
        let mut smaller = OWNED.replace(r#""f:replicas": {}, "#, "");
        assert_ne!(FieldSet::of(&node(&smaller)).hash(&node(OBJECT)), before);
        smaller = OWNED.replace(r#"".": {}, "#, "");
        assert_ne!(FieldSet::of(&node(&smaller)).hash(&node(OBJECT)), before);
    }

    #[test]
    fn sets_are_written_as_they_were_read() {
        let text = |set: &FieldSet| text_of(&set.to_node());
        assert_eq!(text(&set(OWNED)), text_of(&node(OWNED)));
        let (one, other) = (set("{f:a: {f:b: {}}}"), set("{f:a: {., f:c: {}}, f:d: {}}"));
        assert_eq!(text(&one.union(&other)), r#"{"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{}}"#);
        assert_eq!(text(&one.union(&other).without(&other)), r#"{"f:a":{"f:b":{}}}"#);
        assert_eq!(text(&one.without(&one)), "{}");
        assert_eq!(set(OWNED).leaves(&node(OBJECT)).len(), 5);
    }

    #[test]
    fn garbage_is_no_set() {
        for garbage in [
            "[]",
            "a",
            "{x: {}}",
            "{'k:{': {}}",
            "{'k:[]': {}}",
            "{'i:-1': {}}",
            "{'v:': {}}",
            "{f: 1}",
        ] {
            assert!(set(garbage).is_empty(), "{garbage}");
        }
        assert_eq!(set("{f:a: 1}").leaves(&node("{a: x}")), [["a"]]);
    }
}
