//! Under strictness: fields to which a transformer gave another type.

use kelson_yaml::{Data, Node, Tag};

use crate::context::Context;
use crate::fault::{Fault, Result};
use crate::resmap::ResMap;
use crate::resource::Resource;

/// Fields that the API lets be a number or text.
const EITHER: [&str; 5] = ["maxSurge", "maxUnavailable", "minAvailable", "port", "targetPort"];

/// Changes an object of a map; where strictness was asked for, each field that has another type then is noted.
pub(crate) fn watched<T>(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    at: usize,
    change: impl FnOnce(&mut Resource) -> Result<T>,
) -> Result<T> {
    let before = context.options.strict.then(|| resources.get(at).node.clone());
    let result = resources.update(at, change)?;
    if let Some(before) = before {
        let resource = resources.get(at);
        let object = format!("{} `{}`", resource.kind(), resource.name());
        for change in changes(&before, &resource.node) {
            context.note_strict(|| change.fault(&object));
        }
    }
    Ok(result)
}

/// A field before and after its change of type.
struct Change<'n> {
    path: String,
    before: &'n Node,
    after: &'n Node,
}

impl Change<'_> {
    fn fault(&self, object: &str) -> Box<Fault> {
        let (was, now) = (type_of(self.before), type_of(self.after));
        let text = format!("`{}` of {object} was {was} and becomes {now}", self.path);
        let fault = Fault::new("changed-type", text).at(self.after.span, format!("this is {now}"));
        let fault = match self.before.span == self.after.span {
            true => fault,
            false => fault.at(self.before.span, format!("it was {was} here")),
        };
        fault.help(format!("give it {was}, or change the type where the field is first written"))
    }
}

/// The fields that are in both and of different types.
fn changes<'n>(before: &'n Node, after: &'n Node) -> Vec<Change<'n>> {
    let mut found = Vec::new();
    compare(before, after, String::new(), &mut found);
    found
}

fn compare<'n>(before: &'n Node, after: &'n Node, path: String, found: &mut Vec<Change<'n>>) {
    match (&before.data, &after.data) {
        (Data::Mapping(mapping), Data::Mapping(_)) => {
            for entry in mapping {
                let key = entry.key.text().unwrap_or_default();
                let Some(value) = after.get(key) else { continue };
                let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                compare(&entry.value, value, path, found);
            }
        }
        (Data::Sequence(old), Data::Sequence(new)) => {
            for (index, item) in old.items.iter().enumerate() {
                if let Some(other) = counterpart(item, index, &old.items, &new.items) {
                    compare(item, other, format!("{path}[{index}]"), found);
                }
            }
        }
        _ if before.is_null() || after.is_null() => {}
        _ if is_other_type(type_of(before), type_of(after), &path) => {
            found.push(Change { path, before, after });
        }
        _ => {}
    }
}

/// The element that a change left of another: the one of its name, or of its place where nothing moved.
fn counterpart<'n>(item: &Node, index: usize, old: &[Node], new: &'n [Node]) -> Option<&'n Node> {
    let name = |node: &Node| node.get("name").and_then(Node::text).map(str::to_owned);
    match name(item) {
        Some(wanted) => new.iter().find(|node| name(node).as_ref() == Some(&wanted)),
        None if old.len() == new.len() => new.get(index),
        None => None,
    }
}

/// Whether two types, in our words, differ more than the API allows for the last field of the path.
pub(crate) fn is_other_type(was: &str, now: &str, path: &str) -> bool {
    let field = path.rsplit('.').next().unwrap_or(path);
    let is_either =
        EITHER.contains(&field) && [was, now].iter().all(|it| matches!(*it, "a number" | "text"));
    was != now && !is_either
}

/// Our words for the type of a value.
pub(crate) fn type_of(node: &Node) -> &'static str {
    match &node.data {
        Data::Mapping(_) => "a mapping",
        Data::Sequence(_) => "a list",
        Data::Scalar(scalar) => type_name(scalar.resolved()),
    }
}

/// Our words for the type that a tag stands for.
pub(crate) fn type_name(tag: Tag) -> &'static str {
    match tag {
        Tag::Int | Tag::Float => "a number",
        Tag::Bool => "a truth value",
        Tag::Null => "null",
        Tag::Timestamp => "a date",
        _ => "text",
    }
}
