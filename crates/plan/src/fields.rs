//! Two values against each other, field by field.

use std::collections::HashMap;
use std::fmt::Write as _;

use kelson_yaml::{Data, Dialect, Mapping, Node, Tag};

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The way to it, such as `spec.containers[name=web].image`.
    pub path: String,
    /// What it was; nothing where it was not there.
    pub before: Option<Value>,
    /// What it is; nothing where it is gone.
    pub after: Option<Value>,
}

/// A value on its way to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It can be shown: plain text where that is unmistakable, JSON otherwise.
    Shown(String),
    /// It is secret.
    Masked,
}

/// The fields in which two values differ, in the order of their paths' first letters at each level.
pub(crate) fn changes(before: &Node, after: &Node) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare(before, after, &mut String::new(), &mut changes);
    changes
}

fn compare(before: &Node, after: &Node, path: &mut String, changes: &mut Vec<FieldChange>) {
    match (&before.data, &after.data) {
        (Data::Mapping(one), Data::Mapping(other)) => mappings(one, other, path, changes),
        (Data::Sequence(one), Data::Sequence(other)) => {
            sequences(&one.items, &other.items, path, changes);
        }
        _ if same(before, after) => {}
        _ => changes.push(FieldChange {
            path: path.clone(),
            before: Some(Value::of(before)),
            after: Some(Value::of(after)),
        }),
    }
}

fn mappings(before: &Mapping, after: &Mapping, path: &mut String, changes: &mut Vec<FieldChange>) {
    let mut keys: Vec<&str> =
        before.iter().chain(after.iter()).filter_map(|entry| entry.key.text()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let mark = path.len();
        push_key(path, key);
        either(before.get(key), after.get(key), path, changes);
        path.truncate(mark);
    }
}

/// Compares what may be there on one side only.
fn either(
    before: Option<&Node>,
    after: Option<&Node>,
    path: &mut String,
    changes: &mut Vec<FieldChange>,
) {
    match (before, after) {
        (Some(before), Some(after)) => compare(before, after, path, changes),
        (None, None) => {}
        _ => changes.push(FieldChange {
            path: path.clone(),
            before: before.map(Value::of),
            after: after.map(Value::of),
        }),
    }
}

/// Elements that all have a name of their own are matched by it; others by their place, what is the same at both ends
/// left out.
fn sequences(before: &[Node], after: &[Node], path: &mut String, changes: &mut Vec<FieldChange>) {
    match (by_name(before), by_name(after)) {
        (Some(one), Some(other)) => {
            let name = |node: &Node| node.get("name").and_then(Node::as_str).map(str::to_owned);
            let added = after.iter().filter_map(name).filter(|it| !one.contains_key(it.as_str()));
            for name in before.iter().filter_map(name).chain(added) {
                let mark = path.len();
                write!(path, "[name={name}]").ok();
                let [one, other] = [&one, &other].map(|side| side.get(name.as_str()).copied());
                either(one, other, path, changes);
                path.truncate(mark);
            }
        }
        _ => by_place(before, after, path, changes),
    }
}

fn by_place(before: &[Node], after: &[Node], path: &mut String, changes: &mut Vec<FieldChange>) {
    let start = before.iter().zip(after).take_while(|(one, other)| same(one, other)).count();
    let (before, after) = (&before[start..], &after[start..]);
    let ends = before.iter().rev().zip(after.iter().rev());
    let end = ends.take_while(|(one, other)| same(one, other)).count();
    let (before, after) = (&before[..before.len() - end], &after[..after.len() - end]);
    for index in 0..before.len().max(after.len()) {
        let mark = path.len();
        write!(path, "[{}]", start + index).ok();
        either(before.get(index), after.get(index), path, changes);
        path.truncate(mark);
    }
}

/// The elements by their names, where each has one and no two the same.
fn by_name(items: &[Node]) -> Option<HashMap<&str, &Node>> {
    let names: HashMap<&str, &Node> = items
        .iter()
        .map(|item| Some((item.get("name")?.as_str()?, item)))
        .collect::<Option<_>>()?;
    (names.len() == items.len()).then_some(names)
}

/// Whether two values are the same, however they are written and their keys ordered.
fn same(one: &Node, other: &Node) -> bool {
    match (&one.data, &other.data) {
        (Data::Scalar(one), Data::Scalar(other)) => {
            one.resolved() == other.resolved() && one.text == other.text
                || one.resolved() == Tag::Null && other.resolved() == Tag::Null
        }
        (Data::Sequence(one), Data::Sequence(other)) => {
            one.items.len() == other.items.len()
                && one.items.iter().zip(&other.items).all(|(one, other)| same(one, other))
        }
        (Data::Mapping(one), Data::Mapping(other)) => {
            let found = |key: &Node| key.text().and_then(|key| other.get(key));
            one.len() == other.len()
                && one
                    .iter()
                    .all(|entry| found(&entry.key).is_some_and(|it| same(&entry.value, it)))
        }
        _ => false,
    }
}

/// Adds a key to a path, in brackets where a dot in it would mislead.
fn push_key(path: &mut String, key: &str) {
    if key.contains(['.', '[', ']', '/']) {
        write!(path, "[{key}]").ok();
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
}

impl Value {
    /// A value as a person reads it: text without quotes where nobody could take it for anything else.
    fn of(node: &Node) -> Self {
        if let Some(scalar) = node.as_scalar()
            && scalar.resolved() == Tag::Str
            && kelson_yaml::resolve(&scalar.text, Dialect::V3) == Tag::Str
            && !scalar.text.is_empty()
            && !scalar.text.contains(['\n', '"', '{', '[', '\t', '#'])
            && scalar.text.trim() == scalar.text
        {
            return Self::Shown(scalar.text.to_string());
        }
        let mut text = String::new();
        match kelson_yaml::json::write(node, &mut text) {
            Ok(()) => Self::Shown(text),
            // A number that JSON lacks, such as `.nan`.
            Err(_) => Self::Shown(node.text().unwrap_or_default().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use kelson_yaml::{Span, first_document};

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Expect) {
        let [before, after] = [before, after]
            .map(|text| first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap());
        let shown = |value: Option<Value>| match value {
            Some(Value::Shown(text)) => text,
            Some(Value::Masked) => "***".to_owned(),
            None => "-".to_owned(),
        };
        let mut text = String::new();
        for change in changes(&before, &after) {
            let (before, after) = (shown(change.before), shown(change.after));
            writeln!(text, "{}: {before} -> {after}", change.path).unwrap();
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn named_elements_are_matched_by_name() {
        check(
            "{c: [{name: a, image: x}, {name: b, image: y}]}",
            "{c: [{name: n, image: z}, {name: b, image: y2}, {name: a, image: x}]}",
            expect![[r#"
                c[name=b].image: y -> y2
                c[name=n]: - -> {"image":"z","name":"n"}
            "#]],
        );
    }

    #[test]
    fn other_elements_are_matched_by_place_between_equal_ends() {
        check(
            "[a, b, c, d]",
            "[a, x, y, c, d]",
            expect![[r#"
            [1]: b -> x
            [2]: - -> y
        "#]],
        );
        check(
            "[{name: a}, {name: a}]",
            "[{name: a}]",
            expect![[r#"
            [1]: {"name":"a"} -> -
        "#]],
        );
    }

    #[test]
    fn a_value_of_another_type_is_another_value() {
        check(
            "{a: 1, b: yes, c: null}",
            "{a: '1', b: 'yes', c: ~}",
            expect![[r#"
            a: 1 -> "1"
        "#]],
        );
    }

    #[test]
    fn keys_with_dots_stand_in_brackets() {
        check(
            "{m: {a.b/c: x}}",
            "{m: {a.b/c: y}}",
            expect![[r#"
            m[a.b/c]: x -> y
        "#]],
        );
    }
}
