//! What kyaml prints: go-yaml v3 with two columns of indentation and lists that are not indented.

use super::analysis::Analysis;
use super::writer::Writer;
use crate::node::CORE_TAGS;
use crate::resolve::value;
use crate::{Data, Dialect, Mapping, Node, Scalar, Sequence, Style, Tag};

/// A longer key needs a `?`.
const SIMPLE_KEY: usize = 128;

pub(super) fn write(node: &Node, out: &mut String) {
    let writer = Writer::new(out, usize::MAX);
    let mut emitter = Emitter { writer, whitespace: true, indention: true, flow: 0 };
    emitter.node(node, -1, Place::Root);
    emitter.indent(0);
}

struct Emitter<'o> {
    writer: Writer<'o>,
    /// Whether the last character needs no space behind it.
    whitespace: bool,
    /// Whether the line holds nothing but indentation and indicators.
    indention: bool,
    /// How many flow collections are open.
    flow: usize,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    BlockItem,
    FlowItem,
    /// A key without `?`.
    SimpleKey,
    /// A value, or a key behind `?`.
    InMapping,
}

/// How a scalar is to be written.
struct Look {
    style: Style,
    tag: Option<String>,
    analysis: Analysis,
}

impl Emitter<'_> {
    fn node(&mut self, node: &Node, indent: i64, place: Place) {
        match &node.data {
            Data::Scalar(scalar) => self.scalar(node, scalar, indent, place),
            Data::Sequence(sequence) => {
                self.collection_tag(node);
                if self.flow > 0 || sequence.flow || sequence.items.is_empty() {
                    self.flow_sequence(sequence, indent, place);
                } else {
                    self.block_sequence(sequence, indent, place);
                }
            }
            Data::Mapping(mapping) => {
                self.collection_tag(node);
                if self.flow > 0 || mapping.flow || mapping.is_empty() {
                    self.flow_mapping(mapping, indent, place);
                } else {
                    self.block_mapping(mapping, indent, place);
                }
            }
        }
    }

    fn block_sequence(&mut self, sequence: &Sequence, indent: i64, place: Place) {
        // Below a key the dash stands under the key; behind `?` and `:` it is indented.
        let compact = matches!(place, Place::InMapping | Place::SimpleKey)
            && (self.writer.column == 0 || !self.indention);
        let indent = deeper(indent, place, false) - if compact && indent >= 0 { 2 } else { 0 };
        for item in &sequence.items {
            self.indent(indent);
            self.indicator("-", true, false, true);
            self.node(item, indent, Place::BlockItem);
        }
    }

    fn block_mapping(&mut self, mapping: &Mapping, indent: i64, place: Place) {
        let indent = deeper(indent, place, false);
        for entry in mapping {
            self.indent(indent);
            if self.is_simple_key(&entry.key) {
                self.node(&entry.key, indent, Place::SimpleKey);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, true);
                self.node(&entry.key, indent, Place::InMapping);
                self.indent(indent);
                self.indicator(":", true, false, true);
            }
            self.node(&entry.value, indent, Place::InMapping);
        }
    }

    fn flow_sequence(&mut self, sequence: &Sequence, indent: i64, place: Place) {
        self.indicator("[", true, true, false);
        let indent = deeper(indent, place, true);
        self.flow += 1;
        for (index, item) in sequence.items.iter().enumerate() {
            if index > 0 {
                self.indicator(",", false, false, false);
            }
            self.node(item, indent, Place::FlowItem);
        }
        self.flow -= 1;
        self.indicator("]", false, false, false);
    }

    fn flow_mapping(&mut self, mapping: &Mapping, indent: i64, place: Place) {
        self.indicator("{", true, true, false);
        let indent = deeper(indent, place, true);
        self.flow += 1;
        for (index, entry) in mapping.iter().enumerate() {
            if index > 0 {
                self.indicator(",", false, false, false);
            }
            if self.is_simple_key(&entry.key) {
                self.node(&entry.key, indent, Place::SimpleKey);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, false);
                self.node(&entry.key, indent, Place::InMapping);
                self.indicator(":", true, false, false);
            }
            self.node(&entry.value, indent, Place::InMapping);
        }
        self.flow -= 1;
        self.indicator("}", false, false, false);
    }

    fn is_simple_key(&self, key: &Node) -> bool {
        let (length, tag) = match &key.data {
            Data::Scalar(scalar) => {
                let look = look(key, scalar);
                if look.analysis.multiline {
                    return false;
                }
                (scalar.text.len(), look.tag)
            }
            Data::Sequence(sequence) if sequence.items.is_empty() => (0, written_tag(key)),
            Data::Mapping(mapping) if mapping.is_empty() => (0, written_tag(key)),
            _ => return false,
        };
        let tag = tag.map_or(0, |tag| {
            let (handle, suffix) = split_tag(&tag);
            handle.len() + suffix.len()
        });
        length + tag <= SIMPLE_KEY
    }

    fn scalar(&mut self, node: &Node, scalar: &Scalar, indent: i64, place: Place) {
        let look = look(node, scalar);
        let text = scalar.text.as_str();
        let style = self.select(&look, text, place);
        if let Some(tag) = &look.tag {
            self.tag(tag);
        }
        let indent = deeper(indent, place, true);
        let indent = usize::try_from(indent).unwrap_or(0);
        let fold = Some(indent).filter(|_| place != Place::SimpleKey);
        match style {
            Style::Plain => {
                if !text.is_empty() {
                    self.space();
                    self.writer.plain(text, &look.analysis, fold);
                    self.whitespace = false;
                }
                self.indention = false;
                return;
            }
            Style::SingleQuoted | Style::Place => {
                self.space();
                self.writer.single(text, fold);
            }
            Style::DoubleQuoted => {
                self.space();
                self.writer.double(text, fold);
            }
            Style::Literal | Style::Folded => {
                let literal = style == Style::Literal;
                self.indicator(if literal { "|" } else { ">" }, true, false, false);
                match literal {
                    true => self.writer.literal(text, indent),
                    false => self.writer.folded(text, indent),
                }
                self.whitespace = true;
                self.indention = self.writer.column == 0;
                return;
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    /// The style a scalar gets, from the one asked for and from what its text and place allow.
    fn select(&self, look: &Look, text: &str, place: Place) -> Style {
        let analysis = &look.analysis;
        let simple_key = place == Place::SimpleKey;
        let mut style = look.style;
        if simple_key && analysis.multiline {
            style = Style::DoubleQuoted;
        }
        if style == Style::Plain {
            let allowed = if self.flow > 0 { analysis.flow_plain } else { analysis.block_plain };
            if !allowed || text.is_empty() && (self.flow > 0 || simple_key) {
                style = Style::SingleQuoted;
            }
        }
        if style == Style::SingleQuoted && !analysis.single {
            style = Style::DoubleQuoted;
        }
        if matches!(style, Style::Literal | Style::Folded)
            && (!analysis.block || self.flow > 0 || simple_key)
        {
            style = Style::DoubleQuoted;
        }
        style
    }

    fn collection_tag(&mut self, node: &Node) {
        if let Some(tag) = written_tag(node) {
            self.tag(&tag);
        }
    }

    fn tag(&mut self, tag: &str) {
        self.space();
        let (handle, suffix) = split_tag(tag);
        self.writer.ascii(if handle.is_empty() { "!<" } else { handle });
        for byte in suffix.bytes() {
            if byte.is_ascii_alphanumeric() || b"-;/?:@&=+$,_.~*'()[]".contains(&byte) {
                self.writer.character(char::from(byte));
            } else {
                self.writer.ascii(&format!("%{byte:02X}"));
            }
        }
        if handle.is_empty() {
            self.writer.ascii(">");
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn space(&mut self) {
        if !self.whitespace {
            self.writer.character(' ');
        }
    }

    fn indicator(&mut self, text: &str, spaced: bool, whitespace: bool, indention: bool) {
        if spaced {
            self.space();
        }
        self.writer.ascii(text);
        self.whitespace = whitespace;
        self.indention &= indention;
    }

    fn indent(&mut self, indent: i64) {
        let indent = usize::try_from(indent).unwrap_or(0);
        let column = self.writer.column;
        if !self.indention || column > indent || column == indent && !self.whitespace {
            self.writer.line_break();
            self.indention = true;
        }
        self.writer.pad(indent);
        self.whitespace = true;
    }
}

fn deeper(indent: i64, place: Place, flow: bool) -> i64 {
    match (indent, place) {
        (..0, _) => {
            if flow {
                2
            } else {
                0
            }
        }
        (_, Place::BlockItem) => indent + 2,
        _ => (indent + 2) / 2 * 2,
    }
}

/// The tag of a node in its long form, if it is to be written.
fn written_tag(node: &Node) -> Option<String> {
    node.custom_tag().map(long_tag)
}

fn long_tag(tag: &str) -> String {
    match tag.strip_prefix("!!") {
        Some(name) => format!("{CORE_TAGS}{name}"),
        None => tag.to_owned(),
    }
}

fn split_tag(tag: &str) -> (&'static str, &str) {
    if let Some(suffix) = tag.strip_prefix('!') {
        return ("!", suffix);
    }
    match tag.strip_prefix(CORE_TAGS) {
        Some(suffix) => ("!!", suffix),
        None => ("", tag),
    }
}

/// Decides on tag and style: a tag that the text implies is left out, a string that looks like something
/// else is quoted.
fn look(node: &Node, scalar: &Scalar) -> Look {
    let text = scalar.text.as_str();
    let quoted = scalar.style != Style::Plain;
    let mut tag = match scalar.tag {
        Tag::Unresolved => None,
        Tag::Other => written_tag(node),
        core => Some(long_tag(core.name())),
    };
    let mut force = false;
    if tag.is_some() && !node.is_tagged() {
        let implied = value(text, Dialect::V3).tag();
        if scalar.tag == Tag::Str {
            force = !quoted && implied != Tag::Str;
            tag = None;
        } else if implied == scalar.tag {
            tag = None;
        }
    }
    let style = match scalar.style {
        Style::Plain if text.contains('\n') => Style::Literal,
        Style::Plain if force => Style::DoubleQuoted,
        Style::Place => Style::SingleQuoted,
        style => style,
    };
    Look { style, tag, analysis: Analysis::of(text, Dialect::V3) }
}
