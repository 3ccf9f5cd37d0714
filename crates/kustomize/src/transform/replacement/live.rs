//! A value that is copied from a field, and follows that field while the copies are made.

use kelson_yaml::{Data, Node};

use crate::fault::{Fault, Result};
use crate::path::{follow, follow_mut};

/// How many bytes of text cost as much as a node.
const TEXT: usize = 64;

/// How many nodes a list of replacements may add in all: a list put into its own items doubles with each.
const COPY_LIMIT: usize = 2_500_000;

/// How deep an object may become.
const DEPTH_LIMIT: usize = 1000;

/// The value of a replacement.
#[derive(Debug)]
pub(super) struct Live {
    node: Node,
    source: Option<Source>,
}

/// Where a value was read, for as long as that place is part of its object.
#[derive(Debug)]
struct Source {
    object: usize,
    trail: Vec<usize>,
}

impl Live {
    /// A value that no field has.
    pub(super) fn fixed(node: Node) -> Self {
        Self { node, source: None }
    }

    /// The value of a field: the object's number, and the positions that lead to the field.
    pub(super) fn new(node: Node, object: usize, trail: Option<Vec<usize>>) -> Self {
        Self { node, source: trail.map(|trail| Source { object, trail }) }
    }

    /// What is to be copied now.
    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    /// Whether it follows a field of the object with this number.
    pub(super) fn is_from(&self, object: usize) -> bool {
        self.source.as_ref().is_some_and(|source| source.object == object)
    }

    /// Learns that `node` was written at `place` of an object.
    pub(super) fn wrote(&mut self, object: usize, place: &[usize], node: &Node) {
        let Some(source) = self.source.as_ref().filter(|source| source.object == object) else {
            return;
        };
        if let Some(below) = place.strip_prefix(&source.trail[..]) {
            if let Some(part) = follow_mut(&mut self.node, below) {
                part.clone_from(node);
            }
        } else if source.trail.starts_with(place) {
            // What was written hides the field; the value stays as it is.
            self.source = None;
        }
    }

    /// Learns that some text of an object was written anew.
    pub(super) fn reread(&mut self, object: usize, node: &Node) {
        if let Some(source) = self.source.as_ref().filter(|source| source.object == object)
            && let Some(found) = follow(node, &source.trail)
        {
            self.node.clone_from(found);
        }
    }
}

/// What may still be copied.
#[derive(Debug)]
pub(super) struct Allowance(usize);

impl Default for Allowance {
    fn default() -> Self {
        Self(COPY_LIMIT)
    }
}

impl Allowance {
    /// Pays for a copy of `value` at some depth.
    pub(super) fn spend(&mut self, value: &Node, depth: usize) -> Result<()> {
        let (count, below) = measure(value);
        if depth + below > DEPTH_LIMIT || count > self.0 {
            let text = "replacements copy a value into itself too often";
            return Err(Fault::new("too-large", text).at(value.span, "this value"));
        }
        // A short text takes the place of another, and adds nothing.
        self.0 -= count - 1;
        Ok(())
    }
}

/// How many nodes there are, long texts counted as several, and how deep they lie.
fn measure(node: &Node) -> (usize, usize) {
    let add = |(count, depth): (usize, usize), child: &Node| {
        let (more, below) = measure(child);
        (count + more, depth.max(below + 1))
    };
    match &node.data {
        Data::Scalar(scalar) => (1 + scalar.text.len() / TEXT, 0),
        Data::Sequence(sequence) => sequence.items.iter().fold((1, 0), add),
        Data::Mapping(mapping) => mapping.iter().map(|entry| &entry.value).fold((1, 0), add),
    }
}
