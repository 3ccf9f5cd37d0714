//! Merging lists with keys.
//!
//! The order of the steps is kustomize's, and so are their odd results: elements without a key push others out,
//! and of two keys one that is left out loses the patch. What is not kustomize's is the time it takes: elements
//! are found by hash.

use kelson_yaml::{Data, Node, Style, Tag, Text};

use super::keyed::{Item, Keyed, Odd};
use super::tuple::{self, Tuple};
use super::unify::unify;
use super::value::{is_null, is_void, text_of, wrong_kind};
use super::{Fault, Growth, Known, Outcome, Result, Role, Walk};

/// What stands on the other side of a list.
pub(super) enum Side<'n> {
    /// Nothing: the patch does not name the list.
    Missing,
    /// The list itself: all of it comes from the patch.
    Same,
    /// The elements of the patch.
    Patch(&'n mut Vec<Node>),
}

/// One element laid over another may replace many; copies beyond this many nodes are refused.
const MOST_COPIED_NODES: usize = 1 << 20;

/// The merge keys of a list and what is known of its elements; nothing if the list is replaced as a whole.
pub(super) fn keys_and_elements<'s>(known: Known<'s>) -> Option<(Vec<&'s str>, Known<'s>)> {
    let known = known?;
    Some((known.merge_keys()?, known.elements()))
}

impl<'s> Walk<'s> {
    /// Merges the elements of a list with those on its other side.
    pub(super) fn elements(
        self,
        items: &mut Vec<Node>,
        side: Side<'_>,
        keys: &[&str],
        known: Known<'s>,
    ) -> Result<()> {
        if matches!(side, Side::Missing) && are_told_apart(items, keys) {
            return items
                .iter_mut()
                .try_for_each(|item| self.alone(item, Role::Unpatched, known).map(drop));
        }
        let keys = if keys.is_empty() { &[""] } else { keys };
        let mut tuples = self.tuples(items, &side, keys);
        if tuples.is_empty() {
            return Ok(());
        }
        if keys.len() > 1 {
            unify(&mut tuples);
        }
        let usable = tuple::usable(&tuples, keys.len());
        let keys: Vec<&str> = usable.iter().map(|position| keys[*position]).collect();
        let mut merge = Merge::new(self, items, side, &keys);
        for tuple in tuples {
            let tuple = usable.iter().map(|position| tuple[*position].clone()).collect();
            merge.element(&tuple, known)?;
        }
        let order = merge.join()?;
        merge.arrange(&order)
    }

    /// The tuples of both sides, those first that come first in the result.
    fn tuples(self, items: &[Node], side: &Side<'_>, keys: &[&str]) -> Vec<Tuple> {
        let patch: &[Node] = match side {
            Side::Patch(patch) => patch,
            Side::Missing | Side::Same => &[],
        };
        match self.growth {
            Growth::Front => tuple::collect(patch.iter().chain(items), keys),
            Growth::Back => tuple::collect(items.iter().chain(patch), keys),
        }
    }
}

/// So many elements are compared with each other; longer lists go by hash.
const FEW: usize = 16;

/// Whether the first key alone tells the few elements of a list apart, and none has another. Where no patch comes in,
/// such a list keeps its elements and their order.
fn are_told_apart(items: &[Node], keys: &[&str]) -> bool {
    let Some((first, others)) = keys.split_first() else { return false };
    let text = |item| tuple::field(item, first).filter(|value| !is_null(value)).map(text_of);
    items.len() <= FEW
        && items.iter().enumerate().all(|(index, item)| {
            let own = text(item).unwrap_or_default();
            !own.is_empty()
                && others.iter().all(|key| tuple::field(item, key).is_none())
                && items[..index].iter().all(|before| text(before) != Some(own))
        })
}

/// A merge of two lists under way.
struct Merge<'a, 's> {
    walk: Walk<'s>,
    items: &'a mut Vec<Node>,
    side: Side<'a>,
    keys: &'a [&'a str],
    dest: Keyed<'a>,
    patch: Keyed<'a>,
    added: Keyed<'a>,
}

impl<'a, 's> Merge<'a, 's> {
    fn new(walk: Walk<'s>, items: &'a mut Vec<Node>, side: Side<'a>, keys: &'a [&'a str]) -> Self {
        let mut dest = Keyed::new(keys);
        for (index, node) in items.iter().enumerate() {
            dest.push(Item::Dest(index), node);
        }
        let mut patch = Keyed::new(keys);
        if let Side::Patch(nodes) = &side {
            for (index, node) in nodes.iter().enumerate() {
                patch.push(Item::Patch(index), node);
            }
        }
        Self { walk, items, side, keys, dest, patch, added: Keyed::new(keys) }
    }

    /// Merges the elements that have the keys of one tuple.
    fn element(&mut self, tuple: &Tuple, known: Known<'s>) -> Result<()> {
        let (dest, patch) = (self.dest.find(tuple), self.patch.find(tuple));
        let merged = self.merged(dest, patch, known)?;
        self.refresh(dest, patch);
        match merged {
            Some(item) if !is_void(self.node(item)) => {
                self.complete(item, tuple);
                let Self { items, side, added, .. } = self;
                added.set(tuple, item, node(items, side, item)).map_err(|odd| self.refuse(&odd))
            }
            _ => self.dest.remove(tuple).map_err(|odd| self.refuse(&odd)),
        }
    }

    /// Lays one element over another, as far as there are such; tells which of them is the result.
    fn merged(
        &mut self,
        dest: Option<Item>,
        patch: Option<Item>,
        known: Known<'s>,
    ) -> Result<Option<Item>> {
        let walk = self.walk;
        match (dest, patch, &mut self.side) {
            (Some(Item::Dest(index)), Some(Item::Patch(other)), Side::Patch(patch)) => {
                let outcome = walk.both(&mut self.items[index], &mut patch[other], known)?;
                Ok(match outcome {
                    Outcome::Dest => Some(Item::Dest(index)),
                    Outcome::Origin => Some(Item::Patch(other)),
                    Outcome::Nothing => None,
                })
            }
            (Some(Item::Dest(index)), _, side) => {
                let role = if matches!(side, Side::Same) { Role::Inside } else { Role::Unpatched };
                let kept = walk.alone(&mut self.items[index], role, known)?;
                Ok(kept.then_some(Item::Dest(index)))
            }
            (None, Some(Item::Patch(other)), Side::Patch(patch)) => {
                let kept = walk.alone(&mut patch[other], Role::Added, known)?;
                Ok(kept.then_some(Item::Patch(other)))
            }
            _ => Ok(None),
        }
    }

    /// Looks again at elements that a merge may have emptied.
    fn refresh(&mut self, dest: Option<Item>, patch: Option<Item>) {
        if let Some(Item::Dest(index)) = dest {
            self.dest.replace(index, Item::Dest(index), &self.items[index]);
        }
        if let (Some(Item::Patch(index)), Side::Patch(nodes)) = (patch, &self.side) {
            self.patch.replace(index, Item::Patch(index), &nodes[index]);
        }
    }

    /// Makes sure that an element has its keys. A scalar, which is its own key, forgets its type.
    fn complete(&mut self, item: Item, tuple: &Tuple) {
        let walk = self.walk;
        let keys = self.keys;
        let element = match (item, &mut self.side) {
            (Item::Patch(index), Side::Patch(patch)) => &mut patch[index],
            (Item::Dest(index) | Item::Patch(index), _) => &mut self.items[index],
        };
        let span = element.span;
        for (key, text) in keys.iter().zip(tuple).filter(|(_, text)| !text.is_empty()) {
            match &mut element.data {
                Data::Scalar(scalar) => scalar.tag = Tag::Unresolved,
                Data::Mapping(mapping) if !mapping.contains(key) => {
                    let mut value = walk.untyped(text, Style::Plain, span);
                    walk.quote(&mut value);
                    let key = walk.untyped(key, Style::Plain, span);
                    mapping.push(key, value);
                }
                _ => {}
            }
        }
    }

    /// Puts both lists together and returns the elements in order.
    fn join(&mut self) -> Result<Vec<Item>> {
        let front = self.walk.growth == Growth::Front;
        let follow = if front { self.dest.items() } else { self.added.items() };
        for item in follow {
            let Self { items, side, keys, .. } = self;
            let node = node(items, side, item);
            let into = if front { &mut self.added } else { &mut self.dest };
            let joined = match keys.first() {
                Some(&"") => into.set(&[text_of(node).into()], item, node),
                _ if !is_null(node) && node.as_mapping().is_none() => Err(Odd(item)),
                _ => follow_up(into, keys, item, node),
            };
            joined.map_err(|odd| self.refuse(&odd))?;
        }
        Ok(if front { self.added.items() } else { self.dest.items() })
    }

    /// Writes the elements into the list.
    fn arrange(self, order: &[Item]) -> Result<()> {
        let Self { walk, items, side, .. } = self;
        let mut uses = vec![0_usize; items.len()];
        for item in order {
            if let Item::Dest(index) = item {
                uses[*index] += 1;
            }
        }
        let copies = uses.iter().zip(items.iter()).filter(|(uses, _)| **uses > 1);
        let copied: usize = copies.map(|(uses, node)| (uses - 1).saturating_mul(size(node))).sum();
        if copied > MOST_COPIED_NODES {
            let text = "an element without a name would take the place of too many others";
            return Err(Fault::new("patch-list-too-large", text));
        }
        let mut pool: Vec<Option<Node>> = items.drain(..).map(Some).collect();
        items.extend(order.iter().filter_map(|item| match (item, &side) {
            (Item::Patch(index), Side::Patch(patch)) => Some(walk.stamped(&patch[*index])),
            (Item::Dest(index) | Item::Patch(index), _) => {
                uses[*index] -= 1;
                if uses[*index] == 0 { pool[*index].take() } else { pool[*index].clone() }
            }
        }));
        Ok(())
    }

    fn node(&self, item: Item) -> &Node {
        node(self.items, &self.side, item)
    }

    fn refuse(&self, odd: &Odd) -> Box<Fault> {
        let node = self.node(odd.0);
        let primitive = self.keys.first().is_some_and(|key| key.is_empty());
        wrong_kind(if primitive { "ScalarNode" } else { "MappingNode" }, node)
    }
}

/// Adds an element after those that were merged, in the place of the one with the same keys. For each key that it
/// lacks it is added once more, and what it then replaces is found by the keys that are left.
fn follow_up(
    into: &mut Keyed<'_>,
    keys: &[&str],
    item: Item,
    node: &Node,
) -> std::result::Result<(), Odd> {
    let mut values: Vec<Text> = Vec::with_capacity(keys.len());
    for key in keys {
        match tuple::field(node, key) {
            Some(value) => values.push(text_of(value).into()),
            None => into.push(item, node),
        }
    }
    if keys.len() > 1 {
        into.remove(&values)?;
    }
    into.set(&values, item, node)
}

fn node<'n>(items: &'n [Node], side: &'n Side<'_>, item: Item) -> &'n Node {
    match (item, side) {
        (Item::Patch(index), Side::Patch(patch)) => &patch[index],
        (Item::Dest(index) | Item::Patch(index), _) => &items[index],
    }
}

/// How many nodes a copy of a node makes.
fn size(node: &Node) -> usize {
    match &node.data {
        Data::Scalar(_) => 1,
        Data::Sequence(sequence) => 1 + sequence.items.iter().map(size).sum::<usize>(),
        Data::Mapping(mapping) => {
            1 + mapping.iter().map(|entry| size(&entry.key) + size(&entry.value)).sum::<usize>()
        }
    }
}
