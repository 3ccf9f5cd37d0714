//! Two sets of objects against each other.

use std::collections::{HashMap, HashSet};

use kelson_model::{Object, ObjectId};
use kelson_yaml::Node;

use crate::fields::walk::Segment;
use crate::fields::{self, FieldChange};
use crate::mask::{Key, Mask};
use crate::names;

/// How one set of objects differs from another.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// What only the second has, in its order.
    pub added: Vec<ObjectId>,
    /// What only the first has, in its order.
    pub removed: Vec<ObjectId>,
    /// What both have, but not the same, in the order of the second.
    pub changed: Vec<Changed>,
    /// How many are the same.
    pub unchanged: usize,
}

/// An object that both sets have.
#[derive(Clone, Debug)]
pub struct Changed {
    /// What it was.
    pub before: ObjectId,
    /// What it is; another name where a hash at its end has changed.
    pub after: ObjectId,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
}

impl Difference {
    /// Whether the two sets are the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// Compares two sets of objects. An object whose name ends in a hash of its content is matched with its predecessor;
/// values of Secrets are masked.
pub fn difference(before: &[Object], after: &[Object]) -> Difference {
    let pairs = Pairs::of(before, after);
    let key = Key::default();
    let mut difference = Difference::default();
    for (index, object) in after.iter().enumerate() {
        let Some(&was) = pairs.predecessors.get(&index) else {
            difference.added.push(object.id.clone());
            continue;
        };
        let was = &before[was];
        let mask = Mask::new(object, &key);
        let value = |path: &[Segment<'_>], node: &Node| mask.value(path, node);
        let fields = fields::changes(&was.node, &object.node, &value);
        match fields.is_empty() {
            true => difference.unchanged += 1,
            false => difference.changed.push(Changed {
                before: was.id.clone(),
                after: object.id.clone(),
                fields,
            }),
        }
    }
    let removed = pairs.left_over.iter().map(|&index| before[index].id.clone());
    difference.removed.extend(removed);
    difference
}

/// Which object was which before.
struct Pairs {
    /// From the place in the second set to that in the first.
    predecessors: HashMap<usize, usize>,
    /// What nobody continues.
    left_over: Vec<usize>,
}

impl Pairs {
    fn of(before: &[Object], after: &[Object]) -> Self {
        // The same id twice is a mistake that somebody else reports; here the n-th continues the n-th.
        let mut open: HashMap<&ObjectId, Vec<usize>> = HashMap::new();
        for (index, object) in before.iter().enumerate().rev() {
            open.entry(&object.id).or_default().push(index);
        }
        let mut predecessors = HashMap::new();
        for (index, object) in after.iter().enumerate() {
            if let Some(was) = open.get_mut(&object.id).and_then(Vec::pop) {
                predecessors.insert(index, was);
            }
        }
        let mut left_over: Vec<usize> = open.into_values().flatten().collect();
        left_over.sort_unstable();
        let mut hashed: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for &index in left_over.iter().rev() {
            if let Some(id) = names::without_hash(&before[index].id) {
                hashed.entry(id).or_default().push(index);
            }
        }
        for (index, object) in after.iter().enumerate() {
            if predecessors.contains_key(&index) {
                continue;
            }
            let was = names::without_hash(&object.id).and_then(|id| hashed.get_mut(&id)?.pop());
            if let Some(was) = was {
                predecessors.insert(index, was);
            }
        }
        let continued: HashSet<usize> = predecessors.values().copied().collect();
        left_over.retain(|index| !continued.contains(index));
        Self { predecessors, left_over }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use kelson_yaml::{Dialect, Span, documents};

    use super::*;

    fn objects(text: &str) -> Vec<Object> {
        let documents = documents(text, Span::NONE, Dialect::V3).unwrap();
        documents.into_iter().map(|node| Object::new(node).unwrap()).collect()
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: Expect) {
        let difference = difference(&objects(before), &objects(after));
        let mut text = String::new();
        for id in &difference.added {
            writeln!(text, "+ {id}").unwrap();
        }
        for id in &difference.removed {
            writeln!(text, "- {id}").unwrap();
        }
        for changed in &difference.changed {
            writeln!(text, "~ {} was {}", changed.after, changed.before).unwrap();
            for field in &changed.fields {
                writeln!(text, "    {}: {:?} -> {:?}", field.path, field.before, field.after)
                    .unwrap();
            }
        }
        writeln!(text, "{} unchanged", difference.unchanged).unwrap();
        expected.assert_eq(&text);
    }

    #[test]
    fn objects_are_added_removed_changed_and_left_alone() {
        check(
            "{apiVersion: v1, kind: A, metadata: {name: a}}\n---\n\
             {apiVersion: v1, kind: A, metadata: {name: b}, spec: {x: 1, y: 2}}\n---\n\
             {apiVersion: v1, kind: A, metadata: {name: c}}\n",
            "{kind: A, apiVersion: v1, metadata: {name: c}}\n---\n\
             {apiVersion: v1, kind: A, metadata: {name: b}, spec: {x: '1', z: 3}}\n---\n\
             {apiVersion: v1, kind: A, metadata: {name: d}}\n",
            expect![[r#"
                + A/d
                - A/a
                ~ A/b was A/b
                    spec.x: Some(Shown("1")) -> Some(Shown("\"1\""))
                    spec.y: Some(Shown("2")) -> None
                    spec.z: None -> Some(Shown("3"))
                1 unchanged
            "#]],
        );
    }

    #[test]
    fn a_hashed_name_is_matched_with_its_predecessor() {
        check(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: conf-f2m8k9h6t4}, data: {a: '1'}}",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: conf-5g26k7fbm8}, data: {a: '2'}}",
            expect![[r#"
                ~ ConfigMap/conf-5g26k7fbm8 was ConfigMap/conf-f2m8k9h6t4
                    data.a: Some(Shown("\"1\"")) -> Some(Shown("\"2\""))
                    metadata.name: Some(Shown("conf-f2m8k9h6t4")) -> Some(Shown("conf-5g26k7fbm8"))
                0 unchanged
            "#]],
        );
    }

    #[test]
    fn a_changed_secret_shows_as_changed_and_nothing_more() {
        check(
            "{apiVersion: v1, kind: Secret, metadata: {name: s}, type: a, data: {p: aHVudGVy, q: Yg==}}",
            "{apiVersion: v1, kind: Secret, metadata: {name: s}, type: b, data: {p: Mg==, r: Yg==}}",
            expect![[r#"
                ~ Secret/s was Secret/s
                    data.p: Some(Masked("")) -> Some(Masked(""))
                    data.q: Some(Masked("")) -> None
                    data.r: None -> Some(Masked(""))
                    type: Some(Shown("a")) -> Some(Shown("b"))
                0 unchanged
            "#]],
        );
    }
}
