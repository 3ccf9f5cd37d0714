//! How large an object may grow by what is copied inside of it.
//!
//! A value that is copied below itself doubles; forty such steps would fill any memory. And a path that is made step by
//! step may be longer than any document is deep, while every walk over a document needs a stack.

use std::cell::Cell;

use kelson_yaml::{Data, Node};

/// How deep an object may nest: as deep as a document that is read.
pub(crate) const DEPTH: usize = 1000;

/// How large an object may become by copies. A cluster takes little more than one MiB.
const LARGEST: usize = 64 << 20;

/// What a node costs beside its text.
const NODE: usize = 64;

/// Values up to this size are copied without counting: they add up slowly.
const SMALL: usize = 4 << 10;

/// The room that is left in an object for copies; measured when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Room(Cell<Option<usize>>);

impl Room {
    /// Takes the room for one copy of a value of this size.
    pub(crate) fn take(&self, object: &Node, size: usize) -> Result<(), String> {
        self.measure(object, size);
        self.take_measured(size)
    }

    /// Measures the object, if a value of this size needs it.
    fn measure(&self, object: &Node, size: usize) {
        if size > SMALL && self.0.get().is_none() {
            self.0.set(Some(LARGEST.saturating_sub(self::size(object))));
        }
    }

    /// Takes the room for one copy in an object that was measured.
    fn take_measured(&self, size: usize) -> Result<(), String> {
        let Some(left) = self.0.get().filter(|_| size > SMALL) else { return Ok(()) };
        let Some(left) = left.checked_sub(size) else {
            return Err(format!("copies make the object larger than {} MiB", LARGEST >> 20));
        };
        self.0.set(Some(left));
        Ok(())
    }
}

/// Refuses a value that would be too deep at a path of this many steps.
pub(crate) fn check_depth(steps: usize, value: &Node) -> Result<(), String> {
    if steps + depth(value) > DEPTH {
        return Err(format!("exceeded max depth of {DEPTH}"));
    }
    Ok(())
}

/// How much memory a node takes, about.
pub(crate) fn size(node: &Node) -> usize {
    NODE + match &node.data {
        Data::Scalar(scalar) => scalar.text.len(),
        Data::Sequence(sequence) => sequence.items.iter().map(size).sum(),
        Data::Mapping(mapping) => {
            mapping.iter().map(|entry| size(&entry.key) + size(&entry.value)).sum()
        }
    }
}

/// How many levels of collections there are.
fn depth(node: &Node) -> usize {
    match &node.data {
        Data::Scalar(_) => 0,
        Data::Sequence(sequence) => 1 + sequence.items.iter().map(depth).max().unwrap_or(0),
        Data::Mapping(mapping) => {
            1 + mapping.iter().map(|entry| depth(&entry.value)).max().unwrap_or(0)
        }
    }
}
