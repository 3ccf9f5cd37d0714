//! JSON patches (RFC 6902) as kustomize applies them.
//!
//! Kustomize turns the whole object into JSON, lets a library patch it and turns it back. What the library
//! allows beyond the RFC is allowed here; and since all numbers pass through 64-bit floats on the way and dates
//! become text, they do so here, patched or not.

mod pointer; // finding a place in a document
pub(crate) mod reread; // what kustomize cannot read of what it wrote
mod retype; // what the way through JSON does to values
#[cfg(test)]
mod tests;

use hashbrown::HashMap;
use kelson_yaml::{Data, Dialect, Node, Reading, Span, Tag, Text, Touch, first_document, json};

use crate::fault::{Fault, Result};
use crate::growth::{self, Room, check_depth};
use pointer::Place;

/// A list of operations.
#[derive(Clone, Debug)]
pub(crate) struct JsonPatch {
    operations: Vec<Operation>,
    odd: Odd,
}

/// Strings of a patch that are not written as Go would write them, by their place.
type Odd = HashMap<Span, Text, foldhash::fast::FixedState>;

/// One operation, not yet checked: what is wrong with it is said when its turn comes.
#[derive(Clone, Debug)]
struct Operation {
    kind: Option<Text>,
    path: Field,
    from: Field,
    value: Option<Node>,
    span: Span,
}

/// A field that should be text.
#[derive(Clone, Debug)]
enum Field {
    Missing,
    Text(Text),
    /// Something else, by the name that JSON has for it.
    Other(&'static str),
}

impl JsonPatch {
    /// Reads a patch: JSON if the text begins with `[`, else YAML 1.1.
    pub(crate) fn read(text: &str, at: Span, places: bool) -> Result<Self> {
        if !text.starts_with('[') {
            let root = first_document(text, at, Reading { dialect: Dialect::V2, places })
                .map_err(|error| Fault::new("json-patch", error.upstream()).at(error.span, ""))?;
            return Self::parse(&root.unwrap_or_else(Node::null));
        }
        let root = json::read(text, at)
            .map_err(|error| Fault::new("json-patch", error.message).at(error.span, ""))?;
        let mut patch = Self::parse(&root)?;
        for operation in &patch.operations {
            if let Some(value) = &operation.value {
                retype::odd_strings(value, text, at, &mut patch.odd);
            }
        }
        Ok(patch)
    }

    /// Takes the operations out of a document.
    pub(crate) fn parse(root: &Node) -> Result<Self> {
        let items = match &root.data {
            Data::Sequence(sequence) => sequence.items.as_slice(),
            _ if is_null(root) => &[],
            _ => return Err(mistyped(root, "jsonpatch.Patch")),
        };
        let operations = items.iter().map(Operation::parse).collect::<Result<_>>()?;
        Ok(Self { operations, odd: Odd::default() })
    }

    /// How many operations there are.
    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }

    /// Applies all operations, or none if one fails.
    pub(crate) fn apply(&self, node: &mut Node, touch: Touch) -> Result<()> {
        let mut document = node.clone();
        retype::into_json(&mut document, touch)?;
        self.run(&mut document, touch)?;
        if document.as_mapping().is_none() {
            return Err(mistyped(&document, "map[string]interface {}"));
        }
        retype::out_of_json(&mut document, touch)?;
        *node = document;
        Ok(())
    }

    fn run(&self, document: &mut Node, touch: Touch) -> Result<()> {
        let run = Run { odd: &self.odd, touch, room: &Room::default() };
        for operation in &self.operations {
            run.operation(document, operation).map_err(|text| {
                Fault::new("json-patch", text).at(operation.span, "this operation")
            })?;
        }
        Ok(())
    }
}

impl Operation {
    fn parse(node: &Node) -> Result<Self> {
        if node.as_mapping().is_none() && !is_null(node) {
            return Err(mistyped(node, "jsonpatch.Operation"));
        }
        // Where a key repeats, the last one counts.
        let mapping = node.as_mapping();
        let get = |name: &str| {
            let mut entries = mapping?.entries.iter().rev();
            Some(&entries.find(|entry| entry.key.text() == Some(name))?.value)
        };
        let kind = match Field::new(get("op")) {
            Field::Text(kind) => Some(kind),
            _ => None,
        };
        let value = get("value").cloned().map(retype::without_repeats);
        let (path, from) = (Field::new(get("path")), Field::new(get("from")));
        Ok(Self { kind, path, from, value, span: node.span })
    }
}

impl Field {
    fn new(node: Option<&Node>) -> Self {
        match node {
            None => Self::Missing,
            Some(node) if is_null(node) => Self::Missing,
            Some(node) => match node.as_scalar() {
                Some(scalar) if scalar.resolved() == Tag::Str => Self::Text(scalar.text.clone()),
                _ => Self::Other(json_kind(node)),
            },
        }
    }

    /// The text, or what is wrong; a missing field is called by the words of its owner.
    fn text(&self, missing: &str) -> std::result::Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Missing => Err(format!("{missing}: missing value")),
            Self::Other(kind) => {
                Err(format!("json: cannot unmarshal {kind} into Go value of type string"))
            }
        }
    }
}

/// How many steps a pointer has.
fn steps(path: &str) -> usize {
    path.matches('/').count()
}

/// A patch being applied.
#[derive(Clone, Copy)]
struct Run<'p> {
    odd: &'p Odd,
    touch: Touch,
    room: &'p Room,
}

type Step<T = ()> = std::result::Result<T, String>;

const NO_PATH: &str = "operation missing path field";
const NO_FROM: &str = "operation, missing from field";

impl Run<'_> {
    fn operation(self, document: &mut Node, operation: &Operation) -> Step {
        match operation.kind.as_deref() {
            Some("add") => self.add(document, operation),
            Some("remove") => remove(document, operation),
            Some("replace") => self.replace(document, operation),
            Some("move") => self.shift(document, operation),
            Some("copy") => self.copy(document, operation),
            Some("test") => self.test(document, operation),
            kind => Err(format!("Unexpected kind: {}", kind.unwrap_or("unknown"))),
        }
    }

    fn add(self, document: &mut Node, operation: &Operation) -> Step {
        let path = operation
            .path
            .text("")
            .map_err(|_| "add operation failed to decode path: missing value")?;
        let place = Place::find(document, path).ok_or_else(|| {
            format!("add operation does not apply: doc is missing path: \"{path}\": missing value")
        })?;
        let value = self.value(operation);
        check_depth(steps(path), &value)?;
        place
            .add(value, self.key_at(operation))
            .map_err(|why| format!("error in add for path: '{path}': {why}"))
    }

    fn replace(self, document: &mut Node, operation: &Operation) -> Step {
        let path = operation
            .path
            .text(NO_PATH)
            .map_err(|why| format!("replace operation failed to decode path: {why}"))?;
        let value = self.value(operation);
        if path.is_empty() {
            if matches!(value.data, Data::Scalar(_)) {
                return Err("replace operation value must be object or array: %!w(<nil>)".into());
            }
            *document = value;
            return Ok(());
        }
        let place = Place::find(document, path).ok_or_else(|| {
            format!("replace operation does not apply: doc is missing path: {path}: missing value")
        })?;
        if !place.is_valid() {
            return Err(format!(
                "replace operation does not apply: doc is missing key: {path}: missing value"
            ));
        }
        check_depth(steps(path), &value)?;
        place
            .set(value, self.key_at(operation))
            .map_err(|why| format!("error in remove for path: '{path}': {why}"))
    }

    fn shift(self, document: &mut Node, operation: &Operation) -> Step {
        let from = operation
            .from
            .text(NO_FROM)
            .map_err(|why| format!("move operation failed to decode from: {why}"))?;
        let place = Place::find(document, from).ok_or_else(|| {
            format!(
                "move operation does not apply: doc is missing from path: {from}: missing value"
            )
        })?;
        let key = place.key.clone();
        let mut value =
            place.take().map_err(|why| format!("error in move for path: '{key}': {why}"))?;
        value.touch = self.touch;
        let path = operation
            .path
            .text(NO_PATH)
            .map_err(|why| format!("move operation failed to decode path: {why}"))?;
        let place = Place::find(document, path).ok_or_else(|| {
            format!("move operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        check_depth(steps(path), &value)?;
        place
            .add(value, self.key_at(operation))
            .map_err(|why| format!("error in move for path: '{path}': {why}"))
    }

    fn copy(self, document: &mut Node, operation: &Operation) -> Step {
        let from = operation
            .from
            .text(NO_FROM)
            .map_err(|why| format!("copy operation failed to decode from: {why}"))?;
        let place = Place::find(document, from).ok_or_else(|| {
            format!(
                "copy operation does not apply: doc is missing from path: {from}: missing value"
            )
        })?;
        let value =
            place.get().map_err(|why| format!("error in copy for from: '{from}': {why}"))?;
        let mut value =
            value.cloned().unwrap_or_else(|| Node::null().at(operation.span, self.touch));
        value.touch = self.touch;
        let path = operation
            .path
            .text("")
            .map_err(|_| "copy operation failed to decode path: missing value")?;
        check_depth(steps(path), &value)?;
        self.room.take(document, growth::size(&value))?;
        let place = Place::find(document, path).ok_or_else(|| {
            format!("copy operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        place
            .add(value, self.key_at(operation))
            .map_err(|why| format!("error while adding value during copy: {why}"))
    }

    fn test(self, document: &mut Node, operation: &Operation) -> Step {
        let path = operation
            .path
            .text(NO_PATH)
            .map_err(|why| format!("test operation failed to decode path: {why}"))?;
        let failed = || format!("testing value {path} failed: test failed");
        let found = if path.is_empty() {
            Some(&*document)
        } else {
            let place = Place::find(document, path).ok_or_else(|| {
                format!("test operation does not apply: is missing path: {path}: missing value")
            })?;
            place.get().map_err(|why| format!("error in test for path: '{path}': {why}"))?
        };
        let expected = operation.value.as_ref().filter(|value| !is_null(value));
        match (found.filter(|value| !is_null(value)), expected) {
            (None, None) => Ok(()),
            (Some(found), Some(expected)) if self.equal(found, expected) => Ok(()),
            _ => Err(failed()),
        }
    }

    /// Whether two values are the same. Scalars are compared as they are written: `1.0` is not `1`.
    fn equal(self, a: &Node, b: &Node) -> bool {
        match (&a.data, &b.data) {
            (Data::Sequence(a), Data::Sequence(b)) => {
                a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| self.equal(a, b))
            }
            (Data::Mapping(a), Data::Mapping(b)) => {
                let same = |key: &Node, value| {
                    b.get(key.text().unwrap_or_default()).is_some_and(|b| self.equal(value, b))
                };
                a.len() == b.len() && a.iter().all(|entry| same(&entry.key, &entry.value))
            }
            (Data::Scalar(x), Data::Scalar(y)) => {
                let text = |tag| if tag == Tag::Str { Tag::Str } else { Tag::Unresolved };
                text(x.tag) == text(y.tag) && x.text == y.text && self.written(a) == self.written(b)
            }
            _ => false,
        }
    }

    /// How a string is written, where Go would write it otherwise.
    fn written(&self, node: &Node) -> Option<&Text> {
        let ours = node.touch == self.touch || node.touch == Touch::NONE;
        self.odd.get(&node.span).filter(|_| ours)
    }

    /// The value of an operation, marked as written by it; null where it has none.
    fn value(self, operation: &Operation) -> Node {
        let mut value =
            operation.value.clone().unwrap_or_else(|| Node::null().at(operation.span, self.touch));
        retype::stamp(&mut value, self.touch);
        value
    }

    fn key_at(self, operation: &Operation) -> (Span, Touch) {
        (operation.span, self.touch)
    }
}

fn remove(document: &mut Node, operation: &Operation) -> Step {
    let path = operation
        .path
        .text("")
        .map_err(|_| "remove operation failed to decode path: missing value")?;
    let place = Place::find(document, path).ok_or_else(|| {
        format!("remove operation does not apply: doc is missing path: \"{path}\": missing value")
    })?;
    place.take().map(drop).map_err(|why| format!("error in remove for path: '{path}': {why}"))
}

fn is_null(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.tag == Tag::Null)
}

/// What JSON calls a value.
fn json_kind(node: &Node) -> &'static str {
    match &node.data {
        Data::Sequence(_) => "array",
        Data::Mapping(_) => "object",
        Data::Scalar(scalar) => match scalar.resolved() {
            Tag::Bool => "bool",
            Tag::Int | Tag::Float => "number",
            _ => "string",
        },
    }
}

fn mistyped(node: &Node, wanted: &str) -> Box<Fault> {
    let text = format!("json: cannot unmarshal {} into Go value of type {wanted}", json_kind(node));
    Fault::new("json-patch", text).at(node.span, "")
}
