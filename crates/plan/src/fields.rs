//! Two values against each other, field by field.

pub(crate) mod walk; // side by side, from the top down

use std::fmt;

use kelson_yaml::{Dialect, Node, Tag};

use walk::{Detail, Segment, walk};

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
    /// It is secret. A short hash with a key that nobody is shown tells one value from another; without a key there is none.
    Masked(String),
}

/// The fields in which two values differ, in the order of their paths' first letters at each level. What becomes of a value on
/// its way to a person is `value`'s business.
pub(crate) fn changes(
    before: &Node,
    after: &Node,
    value: &dyn Fn(&[Segment<'_>], &Node) -> Value,
) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    walk(Some(before), Some(after), Detail::default(), &mut |path, before, after| {
        changes.push(FieldChange {
            path: walk::text(path),
            before: before.map(|node| value(path, node)),
            after: after.map(|node| value(path, node)),
        });
    });
    changes
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shown(text) => formatter.write_str(text),
            Self::Masked(hash) if hash.is_empty() => formatter.write_str("***"),
            Self::Masked(hash) => write!(formatter, "***({hash})"),
        }
    }
}

impl Value {
    /// A value as a person reads it: text without quotes where nobody could take it for anything else.
    pub(crate) fn of(node: &Node) -> Self {
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
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use kelson_yaml::{Span, first_document};

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Expect) {
        let [before, after] = [before, after]
            .map(|text| first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap());
        let shown = |value: Option<Value>| value.map_or("-".to_owned(), |value| value.to_string());
        let mut text = String::new();
        for change in changes(&before, &after, &|_, node| Value::of(node)) {
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
