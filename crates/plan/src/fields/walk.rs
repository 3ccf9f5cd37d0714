//! Two values side by side, from the top down.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use kelson_yaml::{Data, Mapping, Node, Tag};

/// One step down in two values at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    /// To the value of a key.
    Key(&'a str),
    /// To the element with a name.
    Named(&'a str),
    /// To the element at a place.
    Place(usize),
}

/// What is reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// Whether what is added is reported field by field, not as a whole.
    pub(crate) parts: bool,
    /// Whether lists with the same elements in another order are reported, as a pair of lists.
    pub(crate) orders: bool,
}

/// Hears of what differs: the way to it, and what is on each side.
pub(crate) type Report<'a, 'r> = dyn FnMut(&[Segment<'a>], Option<&'a Node>, Option<&'a Node>) + 'r;

/// Reports what differs.
pub(crate) fn walk<'a>(
    before: Option<&'a Node>,
    after: Option<&'a Node>,
    detail: Detail,
    report: &mut Report<'a, '_>,
) {
    Walk { path: Vec::new(), detail, report }.either(before, after);
}

struct Walk<'a, 'r, 'f> {
    path: Vec<Segment<'a>>,
    detail: Detail,
    report: &'r mut Report<'a, 'f>,
}

impl<'a> Walk<'a, '_, '_> {
    fn below(&mut self, segment: Segment<'a>, before: Option<&'a Node>, after: Option<&'a Node>) {
        self.path.push(segment);
        self.either(before, after);
        self.path.pop();
    }

    fn either(&mut self, before: Option<&'a Node>, after: Option<&'a Node>) {
        match (before, after) {
            (Some(before), Some(after)) => self.both(before, after),
            (None, Some(node)) if self.detail.parts => self.added(node),
            (None, None) => {}
            _ => (self.report)(&self.path, before, after),
        }
    }

    fn both(&mut self, before: &'a Node, after: &'a Node) {
        match (&before.data, &after.data) {
            (Data::Mapping(one), Data::Mapping(other)) => self.mappings(one, other),
            (Data::Sequence(one), Data::Sequence(other)) => {
                if !self.sequences(&one.items, &other.items) && self.detail.orders {
                    (self.report)(&self.path, Some(before), Some(after));
                }
            }
            _ if same(before, after) => {}
            _ => (self.report)(&self.path, Some(before), Some(after)),
        }
    }

    /// Reports what is added, field by field.
    fn added(&mut self, node: &'a Node) {
        match &node.data {
            Data::Mapping(mapping) if !mapping.is_empty() => {
                // However an object was written, its fields are shown in one order.
                for (key, value) in sorted(mapping) {
                    self.below(Segment::Key(key), None, Some(value));
                }
            }
            Data::Sequence(sequence)
                if sequence.items.iter().any(|item| item.as_mapping().is_some()) =>
            {
                let named = by_name(&sequence.items).is_some();
                for (index, item) in sequence.items.iter().enumerate() {
                    let name = name(item).filter(|_| named);
                    let segment = name.map_or(Segment::Place(index), Segment::Named);
                    self.below(segment, None, Some(item));
                }
            }
            _ => (self.report)(&self.path, None, Some(node)),
        }
    }

    fn mappings(&mut self, before: &'a Mapping, after: &'a Mapping) {
        let mut after = sorted(after);
        for (key, before) in sorted(before) {
            self.only_after(&mut after, Some(key));
            let same_key = after.first_entry().filter(|entry| *entry.key() == key);
            self.below(Segment::Key(key), Some(before), same_key.map(|entry| entry.remove()));
        }
        self.only_after(&mut after, None);
    }

    /// Reports what only the second has, up to a key.
    fn only_after(&mut self, after: &mut BTreeMap<&'a str, &'a Node>, end: Option<&str>) {
        while let Some(entry) =
            after.first_entry().filter(|entry| end.is_none_or(|end| *entry.key() < end))
        {
            let (key, value) = entry.remove_entry();
            self.below(Segment::Key(key), None, Some(value));
        }
    }

    /// Elements that all have a name of their own are matched by it; others by their place, what is the same at both
    /// ends left out. Says whether the elements that both have are in the same order.
    fn sequences(&mut self, before: &'a [Node], after: &'a [Node]) -> bool {
        match (by_name(before), by_name(after)) {
            (Some(one), Some(other)) => {
                let names = |side: &'a [Node]| side.iter().filter_map(name);
                let added = names(after).filter(|name| !one.contains_key(name));
                for name in names(before).chain(added) {
                    let [before, after] = [&one, &other].map(|side| side.get(name).copied());
                    self.below(Segment::Named(name), before, after);
                }
                let common = names(before).filter(|name| other.contains_key(name));
                common.eq(names(after).filter(|name| one.contains_key(name)))
            }
            _ if self.detail.orders && is_reordered(before, after) => false,
            _ => {
                self.by_place(before, after);
                true
            }
        }
    }

    fn by_place(&mut self, before: &'a [Node], after: &'a [Node]) {
        let start = before.iter().zip(after).take_while(|(one, other)| same(one, other)).count();
        let (before, after) = (&before[start..], &after[start..]);
        let ends = before.iter().rev().zip(after.iter().rev());
        let end = ends.take_while(|(one, other)| same(one, other)).count();
        let (before, after) = (&before[..before.len() - end], &after[..after.len() - end]);
        for index in 0..before.len().max(after.len()) {
            self.below(Segment::Place(start + index), before.get(index), after.get(index));
        }
    }
}

/// The values by their keys. Where a key repeats, the first counts.
fn sorted(mapping: &Mapping) -> BTreeMap<&str, &Node> {
    mapping.iter().rev().filter_map(|entry| Some((entry.key.text()?, &entry.value))).collect()
}

fn name(node: &Node) -> Option<&str> {
    node.get("name")?.as_str()
}

/// The elements by their names, where each has one and no two the same.
fn by_name(items: &[Node]) -> Option<HashMap<&str, &Node>> {
    let names: HashMap<&str, &Node> =
        items.iter().map(|item| Some((name(item)?, item))).collect::<Option<_>>()?;
    (names.len() == items.len()).then_some(names)
}

/// Whether two lists have the same plain values in another order.
fn is_reordered(before: &[Node], after: &[Node]) -> bool {
    let sorted = |items: &[Node]| -> Option<Vec<(String, Tag)>> {
        let values = items.iter().map(|item| {
            let scalar = item.as_scalar()?;
            Some((scalar.text.to_string(), scalar.resolved()))
        });
        let mut values = values.collect::<Option<Vec<_>>>()?;
        values.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Some(values)
    };
    before.len() == after.len()
        && !before.iter().zip(after).all(|(one, other)| same(one, other))
        && sorted(before).is_some_and(|before| Some(before) == sorted(after))
}

/// Whether two values are the same, however they are written and their keys ordered.
pub(crate) fn same(one: &Node, other: &Node) -> bool {
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

/// What a path leads to in one value.
pub(crate) fn at<'n>(node: &'n Node, path: &[Segment<'_>]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, segment| match segment {
        Segment::Key(key) => node.get(key),
        _ => node.as_sequence()?.get(position(node, segment)?),
    })
}

/// Where an element is in a list.
pub(crate) fn position(node: &Node, segment: &Segment<'_>) -> Option<usize> {
    match segment {
        Segment::Key(_) => None,
        Segment::Named(wanted) => {
            node.as_sequence()?.iter().position(|item| name(item) == Some(*wanted))
        }
        Segment::Place(index) => (*index < node.as_sequence()?.len()).then_some(*index),
    }
}

/// The step to an element of a list: by its name where that is its own.
pub(crate) fn element(items: &[Node], index: usize) -> Segment<'_> {
    let wanted = items.get(index).and_then(name);
    let own = |wanted: &&str| items.iter().filter(|item| name(item) == Some(wanted)).count() == 1;
    wanted.filter(own).map_or(Segment::Place(index), Segment::Named)
}

/// A path as a person reads it, such as `spec.containers[name=web].image`.
pub(crate) fn text(path: &[Segment<'_>]) -> String {
    let mut text = String::new();
    for segment in path {
        write_segment(segment, &mut text).ok();
    }
    text
}

fn write_segment(segment: &Segment<'_>, text: &mut String) -> fmt::Result {
    match segment {
        // In brackets where a dot in it would mislead.
        Segment::Key(key) if key.contains(['.', '[', ']', '/']) => write!(text, "[{key}]"),
        Segment::Key(key) => {
            if !text.is_empty() {
                text.push('.');
            }
            text.write_str(key)
        }
        Segment::Named(name) => write!(text, "[name={name}]"),
        Segment::Place(index) => write!(text, "[{index}]"),
    }
}
