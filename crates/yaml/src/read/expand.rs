//! Puts in place of every alias what it stands for, and merges the keys `<<`, as kyaml does.

use std::collections::HashMap;

use super::compose::{DEPTH, Raw};
use super::fail::{Fail, Result};
use crate::{Data, Entry, Mapping, Node, Sequence, Tag, Text};

/// How many nodes aliases may add beyond the length of the text.
const BUDGET: usize = 400_000;

/// The document without aliases and merge keys.
pub(super) fn expand(raw: Raw, length: usize) -> Result<Node> {
    let mut aliases = Aliases::of(&raw, length);
    let mut expander = Expander { aliases: &mut aliases };
    expander.node(&raw.root, 0)
}

/// What aliases stand for, and how much they may still add.
pub(super) struct Aliases<'a> {
    targets: Vec<Option<&'a Node>>,
    /// The anchors whose values are being copied just now.
    active: Vec<bool>,
    depth: usize,
    budget: usize,
}

impl<'a> Aliases<'a> {
    pub(super) fn of(raw: &'a Raw, length: usize) -> Self {
        let count = raw.anchors as usize;
        let mut targets = vec![None; count];
        let mut stack = vec![&raw.root];
        while let Some(node) = stack.pop().filter(|_| raw.aliases) {
            if let Some(anchor) = node.anchor() {
                targets[anchor as usize] = Some(node);
            }
            match &node.data {
                Data::Scalar(_) => {}
                Data::Sequence(sequence) => stack.extend(&sequence.items),
                Data::Mapping(mapping) => {
                    stack.extend(mapping.iter().flat_map(|entry| [&entry.key, &entry.value]));
                }
            }
        }
        Self { targets, active: vec![false; count], depth: 0, budget: BUDGET + length }
    }

    /// The node that an alias stands for, for as long as `leave` is not called.
    pub(super) fn enter(&mut self, node: &Node, anchor: u32) -> Result<&'a Node> {
        let index = anchor as usize;
        if self.active[index] {
            let message = format!("anchor '{}' value contains itself", node.text().unwrap_or(""));
            return Err(Fail::plain(message, node.span.start));
        }
        self.active[index] = true;
        self.depth += 1;
        let missing = || Fail::plain("unknown anchor referenced", node.span.start);
        self.targets[index].ok_or_else(missing)
    }

    pub(super) fn leave(&mut self, anchor: u32) {
        self.active[anchor as usize] = false;
        self.depth -= 1;
    }

    /// Pays for one node.
    pub(super) fn pay(&mut self, node: &Node, depth: usize) -> Result<()> {
        if depth > DEPTH {
            let message = format!("exceeded max depth of {DEPTH}");
            return Err(Fail::plain(message, node.span.start));
        }
        if self.depth == 0 {
            return Ok(());
        }
        let spent = || Fail::plain("document contains excessive aliasing", node.span.start);
        self.budget = self.budget.checked_sub(1).ok_or_else(spent)?;
        Ok(())
    }
}

struct Expander<'a, 'b> {
    aliases: &'b mut Aliases<'a>,
}

impl<'a> Expander<'a, '_> {
    // Plain loops, each in a function of its own: a thousand levels have to fit a small stack.
    fn node(&mut self, node: &Node, depth: usize) -> Result<Node> {
        self.aliases.pay(node, depth)?;
        if let Some(anchor) = node.alias() {
            let target = self.aliases.enter(node, anchor)?;
            let copy = self.node(target, depth);
            self.aliases.leave(anchor);
            return copy;
        }
        let data = match &node.data {
            Data::Scalar(scalar) => Data::Scalar(scalar.clone()),
            Data::Sequence(sequence) => Data::Sequence(self.sequence(sequence, depth)?),
            Data::Mapping(mapping) => Data::Mapping(self.mapping(mapping, depth)?),
        };
        Ok(like(node, data))
    }

    fn sequence(&mut self, sequence: &Sequence, depth: usize) -> Result<Sequence> {
        let mut items = Vec::with_capacity(sequence.items.len());
        for item in &sequence.items {
            items.push(self.node(item, depth + 1)?);
        }
        Ok(Sequence { items, flow: sequence.flow })
    }

    fn mapping(&mut self, mapping: &Mapping, depth: usize) -> Result<Mapping> {
        let mut result = Mapping { entries: Vec::with_capacity(mapping.len()), flow: mapping.flow };
        // kyaml takes out the first key that reads `<<`, even if it is another one in quotes.
        let skip = mapping.iter().position(|entry| entry.key.text() == Some("<<"));
        for (index, entry) in mapping.iter().enumerate() {
            if Some(index) != skip {
                let key = self.node(&entry.key, depth + 1)?;
                let value = self.node(&entry.value, depth + 1)?;
                result.entries.push(Entry { key, value });
            }
        }
        self.finish(mapping, &mut result, depth)?;
        Ok(result)
    }

    /// Merges what a key `<<` names, and repeats the keys that kyaml repeats.
    fn finish(&mut self, mapping: &Mapping, result: &mut Mapping, depth: usize) -> Result<()> {
        let merge = merge_value(mapping)?;
        if merge.is_some() || result.iter().any(|entry| entry.key.is_null()) {
            let mut merged = Merged::new(result);
            if let Some(value) = merge {
                for source in self.sources(value, true, depth)? {
                    merged.add(source);
                }
            }
            merged.repeat_nameless_keys();
        }
        Ok(())
    }

    /// The mappings that a key `<<` names, in the order in which they are merged: the last wins.
    fn sources(&mut self, value: &Node, list: bool, depth: usize) -> Result<Vec<Mapping>> {
        let fail = |message: &str| Fail::bare(message, value.span.start);
        if let Some(anchor) = value.alias() {
            let target = self.aliases.enter(value, anchor)?;
            let Data::Mapping(mapping) = &target.data else {
                return Err(fail("invalid map merge: received alias for a non-map value"));
            };
            let source = self.paid(target, mapping, depth)?;
            self.aliases.leave(anchor);
            return Ok(vec![source]);
        }
        match &value.data {
            Data::Mapping(mapping) => Ok(vec![self.paid(value, mapping, depth)?]),
            Data::Sequence(sequence) if list => {
                let mut sources = Vec::new();
                for item in sequence.items.iter().rev() {
                    sources.extend(self.sources(item, false, depth)?);
                }
                Ok(sources)
            }
            Data::Sequence(_) => Err(fail("invalid map merge: received a nested sequence")),
            Data::Scalar(_) => Err(fail("map merge requires map or sequence of maps as the value")),
        }
    }

    fn paid(&mut self, node: &Node, mapping: &Mapping, depth: usize) -> Result<Mapping> {
        self.aliases.pay(node, depth)?;
        self.mapping(mapping, depth)
    }
}

/// A node with other data, but the same place and tag.
fn like(node: &Node, data: Data) -> Node {
    let mut copy = Node::new(data).at(node.span, node.touch);
    copy.set_tagged(node.is_tagged());
    if let Some(tag) = node.custom_tag() {
        copy.set_custom_tag(tag);
    }
    copy
}

fn merge_value(mapping: &Mapping) -> Result<Option<&Node>> {
    let is_merge = |entry: &&Entry| entry.key.as_scalar().map(|key| key.tag) == Some(Tag::Merge);
    let mut merges = mapping.iter().filter(is_merge);
    let first = merges.next().map(|entry| &entry.value);
    match merges.next() {
        None => Ok(first),
        Some(second) => Err(Fail::bare("duplicate merge key", second.key.span.start)),
    }
}

/// A mapping to which merge keys add.
struct Merged<'m> {
    mapping: &'m mut Mapping,
    /// How many entries are its own; they never give way.
    own: usize,
    known: HashMap<Text, usize>,
}

impl<'m> Merged<'m> {
    fn new(mapping: &'m mut Mapping) -> Self {
        let mut known = HashMap::with_capacity(mapping.len());
        for (index, entry) in mapping.iter().enumerate() {
            known.entry(Text::from(value(&entry.key))).or_insert(index);
        }
        Self { own: mapping.len(), mapping, known }
    }

    /// Adds the entries of a source; what earlier sources gave is replaced.
    fn add(&mut self, source: Mapping) {
        for entry in source.entries {
            match self.known.get(name(&entry.key)) {
                Some(place) if *place < self.own => {}
                Some(place) => self.mapping.entries[*place] = entry,
                None => self.push(entry),
            }
        }
    }

    /// kyaml sets each of the mapping's own keys once more, by name. A key that is null has no name: it is
    /// not found and comes out twice, which is an error when the document is written.
    fn repeat_nameless_keys(&mut self) {
        let own = &self.mapping.entries[..self.own];
        let first = |text: &str| own.iter().find(|entry| value(&entry.key) == text);
        let nameless = own.iter().filter(|entry| name(&entry.key).is_empty());
        // One such key is an error already; the limit only keeps the time linear.
        let repeated = nameless.filter_map(|entry| first(value(&entry.key))).take(16);
        let repeated: Vec<_> = repeated.cloned().collect();
        for entry in repeated {
            let mut entries = self.mapping.entries.iter_mut();
            match entries.find(|known| value(&known.key).is_empty()) {
                Some(place) => *place = entry,
                None => self.mapping.entries.push(entry),
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        let text = Text::from(value(&entry.key));
        self.known.entry(text).or_insert(self.mapping.entries.len());
        self.mapping.entries.push(entry);
    }
}

/// The text of a key; a collection has none.
fn value(key: &Node) -> &str {
    key.text().unwrap_or("")
}

/// What kyaml takes for the name of a key.
fn name(key: &Node) -> &str {
    if key.is_null() { "" } else { value(key) }
}
