//! The JSON of a tree in one pass, where the outcome can be told from the tree.

use super::analysis::Analysis;
use super::passage::{self, Unclear};
use super::typed::Typed;
use crate::json::write::Sink;
use crate::{Data, Dialect, Mapping, Node, Scalar};

pub(super) fn write(node: &Node, out: &mut String) -> Result<(), Unclear> {
    match &node.data {
        Data::Scalar(_) => Err(Unclear),
        _ => value(node, false, &mut Sink::new(out)),
    }
}

fn value(node: &Node, in_flow: bool, sink: &mut Sink<'_>) -> Result<(), Unclear> {
    match &node.data {
        Data::Scalar(inner) => scalar(node, inner, in_flow, sink),
        Data::Sequence(sequence) => {
            let in_flow = in_flow || sequence.flow;
            sink.sequence(&sequence.items, |item, sink| value(item, in_flow, sink))
        }
        Data::Mapping(inner) => mapping(inner, in_flow || inner.flow, sink),
    }
}

fn scalar(node: &Node, scalar: &Scalar, in_flow: bool, sink: &mut Sink<'_>) -> Result<(), Unclear> {
    let typed = Typed::of(node, scalar, in_flow)?;
    if let Typed::Text(text) = &typed {
        let analysis = Analysis::of(text, Dialect::V2);
        if !passage::survives(text, &analysis, scalar.style, in_flow) {
            return Err(Unclear);
        }
    }
    sink.typed(&typed).map_err(|_| Unclear)
}

fn mapping(mapping: &Mapping, in_flow: bool, sink: &mut Sink<'_>) -> Result<(), Unclear> {
    let mut pairs = Vec::with_capacity(mapping.len());
    for entry in mapping {
        let key = passage::key(&entry.key)?;
        if Analysis::of(key, Dialect::V2).odd {
            return Err(Unclear);
        }
        pairs.push((key, &entry.value));
    }
    pairs.sort_by(|a, b| a.0.cmp(b.0));
    if pairs.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(Unclear);
    }
    sink.mapping(pairs, |node, sink| value(node, in_flow, sink))
}
