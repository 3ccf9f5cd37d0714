//! What `kustomize build` prints for a resource, in one pass over its tree.
//!
//! Upstream writes the tree as text with go-yaml v3, reads that text, turns the values into JSON, reads the
//! JSON with go-yaml v2 and prints what it read. For nearly every tree the outcome can be told from the tree
//! itself; this is that shortcut. Where it cannot, `Unclear` sends the caller the long way round.

use std::fmt::Write;

use super::analysis::Analysis;
use super::order;
use super::passage::{self, Unclear, is_string};
use super::typed::Typed;
use super::writer::Writer;
use crate::resolve::is_base_60;
use crate::{Data, Dialect, Mapping, Node, Scalar, Sequence, Style, number, place};

/// go-yaml v2 folds a text at the first space behind this column.
const WIDTH: usize = 80;
/// A longer key needs a `?`.
const SIMPLE_KEY: usize = 128;

/// Writes a tree, if its outcome is clear.
pub(super) fn write(node: &Node, out: &mut String) -> Result<(), Unclear> {
    Emitter::new(out, false).document(node)
}

/// Writes a tree that v2 has read from JSON.
pub(super) fn write_json(node: &Node, out: &mut String) -> Result<(), Unclear> {
    Emitter::new(out, true).document(node)
}

struct Emitter<'o, 'n> {
    writer: Writer<'o>,
    /// Whether the tree comes from JSON, so that every value is what it seems.
    from_json: bool,
    /// The entries of the mappings that are being written, sorted, one mapping behind the other.
    sorted: Vec<(&'n str, &'n Node)>,
}

/// Where a collection begins: on a new line, or behind `- ` on the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    NewLine,
    SameLine,
}

impl<'o, 'n> Emitter<'o, 'n> {
    fn new(out: &'o mut String, from_json: bool) -> Self {
        Self { writer: Writer::new(out, WIDTH), from_json, sorted: Vec::new() }
    }

    fn document(&mut self, node: &'n Node) -> Result<(), Unclear> {
        match &node.data {
            Data::Mapping(mapping) if mapping.is_empty() => self.writer.ascii("{}"),
            Data::Mapping(mapping) => self.mapping(mapping, 0, Begin::NewLine, false)?,
            Data::Sequence(sequence) if self.from_json && !sequence.items.is_empty() => {
                self.sequence(sequence, 0, Begin::NewLine, false)?;
            }
            Data::Sequence(_) if self.from_json => self.writer.ascii("[]"),
            Data::Scalar(_) if self.from_json => self.writer.ascii("null"),
            _ => return Err(Unclear),
        }
        self.writer.new_line(0);
        Ok(())
    }

    fn mapping(
        &mut self,
        mapping: &'n Mapping,
        indent: usize,
        begin: Begin,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        let in_flow = in_flow || mapping.flow;
        let first = self.sorted.len();
        for entry in mapping {
            let key = self.key_text(&entry.key)?;
            self.sorted.push((key, &entry.value));
        }
        let end = self.sorted.len();
        order::sort(&mut self.sorted[first..]);
        if self.sorted[first..].windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Unclear);
        }
        for index in first..end {
            let (key, value) = self.sorted[index];
            if index > first || begin == Begin::NewLine {
                self.writer.new_line(indent);
            }
            let complex = self.key(key, indent)?;
            self.value(value, indent, complex, in_flow)?;
        }
        self.sorted.truncate(first);
        Ok(())
    }

    fn key_text(&self, key: &'n Node) -> Result<&'n str, Unclear> {
        match key.as_scalar() {
            Some(scalar) if self.from_json => Ok(&scalar.text),
            _ => passage::key(key),
        }
    }

    /// Writes a key with its `:`; true if it took a `?`.
    #[inline]
    fn key(&mut self, key: &str, indent: usize) -> Result<bool, Unclear> {
        let analysis = Analysis::of(key, Dialect::V2);
        if analysis.odd && !self.from_json {
            return Err(Unclear);
        }
        let complex = analysis.multiline || key.len() > SIMPLE_KEY;
        if complex {
            self.writer.ascii("? ");
            self.text(key, &analysis, Some(indent + 2));
            self.writer.new_line(indent);
        } else {
            self.text(key, &analysis, None);
        }
        self.writer.ascii(":");
        Ok(complex)
    }

    fn value(
        &mut self,
        node: &'n Node,
        indent: usize,
        complex: bool,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        match &node.data {
            Data::Scalar(scalar) => self.scalar(node, scalar, indent + 2, in_flow),
            Data::Mapping(mapping) if mapping.is_empty() => {
                self.writer.ascii(" {}");
                Ok(())
            }
            Data::Sequence(sequence) if sequence.items.is_empty() => {
                self.writer.ascii(" []");
                Ok(())
            }
            Data::Mapping(mapping) if complex => self.inline_mapping(mapping, indent + 2, in_flow),
            Data::Mapping(mapping) => self.mapping(mapping, indent + 2, Begin::NewLine, in_flow),
            Data::Sequence(sequence) if complex => {
                self.inline_sequence(sequence, indent + 2, in_flow)
            }
            // Lists are not indented below their key.
            Data::Sequence(sequence) => self.sequence(sequence, indent, Begin::NewLine, in_flow),
        }
    }

    fn inline_mapping(
        &mut self,
        mapping: &'n Mapping,
        indent: usize,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        self.writer.pad(indent);
        self.mapping(mapping, indent, Begin::SameLine, in_flow)
    }

    fn inline_sequence(
        &mut self,
        sequence: &'n Sequence,
        indent: usize,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        self.writer.pad(indent);
        self.sequence(sequence, indent, Begin::SameLine, in_flow)
    }

    fn sequence(
        &mut self,
        sequence: &'n Sequence,
        indent: usize,
        begin: Begin,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        let in_flow = in_flow || sequence.flow;
        for (index, item) in sequence.items.iter().enumerate() {
            if index > 0 || begin == Begin::NewLine {
                self.writer.new_line(indent);
            }
            self.writer.ascii("-");
            self.value(item, indent, true, in_flow)?;
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        node: &'n Node,
        scalar: &'n Scalar,
        indent: usize,
        in_flow: bool,
    ) -> Result<(), Unclear> {
        self.writer.ascii(" ");
        let typed = match self.from_json {
            true => Typed::of_json(scalar),
            false => Typed::of(node, scalar, in_flow)?,
        };
        match typed {
            Typed::Null => self.writer.ascii("null"),
            Typed::Bool(value) => self.writer.ascii(if value { "true" } else { "false" }),
            Typed::Int(int) => {
                let _ = write!(self.writer.out, "{int}");
                self.writer.column += 1;
            }
            Typed::Float(float) => self.float(float)?,
            Typed::Bytes(_) => return Err(Unclear),
            Typed::Text(text) => {
                let analysis = Analysis::of(&text, Dialect::V2);
                if !self.from_json && !passage::survives(&text, &analysis, scalar.style, in_flow) {
                    return Err(Unclear);
                }
                if scalar.style == Style::Place && place::is_plain(&text) {
                    self.writer.ascii(&text);
                } else {
                    self.text(&text, &analysis, Some(indent));
                }
            }
        }
        Ok(())
    }

    /// A float as JSON prints it and v2 reads that: a whole number is an integer from then on.
    fn float(&mut self, float: f64) -> Result<(), Unclear> {
        if !float.is_finite() {
            return Err(Unclear);
        }
        let mut text = String::new();
        number::format_json(float, &mut text);
        match number::parse_int(&text) {
            Some(int) => {
                let _ = write!(self.writer.out, "{int}");
            }
            None => number::format_g(float, self.writer.out),
        }
        self.writer.column += 1;
        Ok(())
    }

    /// Writes a string; `fold` is where its further lines begin, nothing for a key.
    #[inline]
    fn text(&mut self, text: &str, analysis: &Analysis, fold: Option<usize>) {
        if analysis.multiline && text.contains('\n') {
            match fold {
                Some(indent) if analysis.block => {
                    self.writer.ascii("|");
                    self.writer.literal(text, indent);
                }
                _ => self.writer.double(text, fold),
            }
        } else if !is_string(text, Dialect::V2) || is_base_60(text) {
            self.writer.double(text, fold);
        } else if analysis.block_plain {
            self.writer.plain(text, analysis, fold);
        } else if analysis.single {
            self.writer.single(text, fold);
        } else {
            self.writer.double(text, fold);
        }
    }
}
