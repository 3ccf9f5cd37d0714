//! Documents written inside of a scalar: where each of their letters stands in the file around them.

use kelson_model::Sources;
use kelson_yaml::{Data, Node, Span};

use crate::decode::Str;

/// Which places of an inner text are which places of the file.
pub(crate) struct Inline {
    base: Span,
    /// For each line of the inner text its first offset, and that in the file where the line was found.
    lines: Vec<(u32, Option<u32>)>,
}

impl Inline {
    /// Finds the lines of a scalar's text in the file that holds the scalar.
    pub(crate) fn new(text: &Str, sources: &Sources) -> Self {
        let mut map = Self { base: text.span, lines: Vec::new() };
        let Some(source) = sources.get(text.span.source) else { return map };
        let mut at = text.span.start as usize;
        let mut offset = 0_usize;
        for line in text.split_inclusive('\n') {
            let wanted = line.trim_end_matches(['\n', '\r']);
            let found = source
                .text
                .get(at..)
                .filter(|_| !wanted.trim().is_empty())
                .and_then(|rest| find_near(rest, wanted));
            let place = found.map(|found| at + found);
            let small = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            map.lines.push((small(offset), place.map(small)));
            if let Some(place) = place {
                at = place + wanted.len();
            }
            offset += line.len();
        }
        map
    }

    /// Where the inner text begins to be counted: its own offsets, in the file's source.
    pub(crate) fn start(&self) -> Span {
        Span { source: self.base.source, start: 0 }
    }

    /// The place in the file of an offset in the inner text.
    fn place(&self, offset: u32) -> Span {
        let line = self.lines.partition_point(|(start, _)| *start <= offset);
        let found = line.checked_sub(1).and_then(|line| {
            let (start, place) = self.lines[line];
            Some(place?.saturating_add(offset - start))
        });
        match found {
            Some(start) => Span { source: self.base.source, start },
            None => self.base,
        }
    }

    /// Moves the places of a tree that was read from the inner text into the file.
    pub(crate) fn settle(&self, node: &mut Node) {
        node.span = self.place(node.span.start);
        match &mut node.data {
            Data::Scalar(_) => {}
            Data::Sequence(sequence) => {
                sequence.items.iter_mut().for_each(|item| self.settle(item));
            }
            Data::Mapping(mapping) => {
                for entry in &mut mapping.entries {
                    self.settle(&mut entry.key);
                    self.settle(&mut entry.value);
                }
            }
        }
    }

    /// The same for a single place.
    pub(crate) fn settled(&self, span: Span) -> Span {
        if span.source == self.base.source { self.place(span.start) } else { span }
    }
}

/// Looks for a line a little way ahead; a scalar's lines follow each other closely.
fn find_near(text: &str, wanted: &str) -> Option<usize> {
    let mut limit = text.len().min(wanted.len() + 4096);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    text[..limit].find(wanted)
}
