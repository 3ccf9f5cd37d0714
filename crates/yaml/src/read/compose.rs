//! Builds a tree from events, with aliases still in it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::fail::{Fail, Result};
use super::parser::{Event, Parser, Props};
use super::token::Mark;
use crate::node::CORE_TAGS;
use crate::{
    Data, Dialect, Entry, Mapping, Node, Scalar, Sequence, Span, Style, Tag, Text, Touch, resolve,
};

/// How deep collections may be nested.
pub(super) const DEPTH: usize = 1000;

/// One document as it was written.
pub(super) struct Raw {
    pub(super) root: Node,
    /// How many anchors it defines.
    pub(super) anchors: u32,
    /// Whether it has an alias.
    pub(super) aliases: bool,
    /// Whether it has a key that kyaml treats in its own way: `<<`, or one that is null.
    pub(super) odd_keys: bool,
}

/// A collection that is not complete yet. What it holds so far is on a stack that all of them share, from `start` on: so
/// each is given just the room it needs, once.
struct Open {
    span: Span,
    content: Content,
    start: usize,
    flow: bool,
    tag: Option<Text>,
    anchor: Option<u32>,
}

enum Content {
    Items,
    /// With the key that waits for its value.
    Entries(Option<Node>),
}

pub(super) struct Composer<'a> {
    pub(super) parser: Parser<'a>,
    at: Span,
    open: Vec<Open>,
    items: Vec<Node>,
    entries: Vec<Entry>,
    names: HashMap<Cow<'a, str>, u32>,
    raw: Raw,
}

impl<'a> Composer<'a> {
    pub(super) fn new(parser: Parser<'a>, at: Span) -> Self {
        Self {
            parser,
            at,
            open: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            names: HashMap::new(),
            raw: Raw::empty(),
        }
    }

    /// The next document, if there is one.
    pub(super) fn document(&mut self) -> Result<Option<Raw>> {
        match self.parser.next()? {
            Event::DocumentStart => {}
            _ => return Ok(None),
        }
        self.names.clear();
        self.open.clear();
        self.items.clear();
        self.entries.clear();
        self.raw = Raw::empty();
        let root = loop {
            let event = self.parser.next()?;
            if let Some(node) = self.event(event)?
                && let Some(root) = self.attach(node)
            {
                break root;
            }
        };
        // The end of the document, which go-yaml looks at before it hands the document out.
        self.parser.next()?;
        self.raw.root = root;
        Ok(Some(std::mem::replace(&mut self.raw, Raw::empty())))
    }

    /// What an event completes: a scalar, an alias or a collection.
    #[inline]
    fn event(&mut self, event: Event<'a>) -> Result<Option<Node>> {
        match event {
            Event::Scalar { mark, text, style, props } => {
                self.scalar(mark, text, style, props).map(Some)
            }
            Event::Start { mark, mapping, flow, props } => {
                self.start(mark, mapping, flow, props)?;
                Ok(None)
            }
            Event::End => Ok(self.finish()),
            Event::Alias(name, mark) => self.alias(&name, mark).map(Some),
            Event::DocumentStart | Event::DocumentEnd | Event::StreamEnd => {
                Err(Fail::plain("did not find expected node content", 0))
            }
        }
    }

    /// Completes the collection that was begun last.
    fn finish(&mut self) -> Option<Node> {
        let open = self.open.pop()?;
        let mut node = Node::new(match open.content {
            Content::Items => {
                let items = self.items.drain(open.start..).collect();
                Data::Sequence(Sequence { items, flow: open.flow })
            }
            Content::Entries(_) => {
                let entries = self.entries.drain(open.start..).collect();
                Data::Mapping(Mapping { entries, flow: open.flow })
            }
        });
        node.span = open.span;
        node.set_anchor(open.anchor);
        if let Some(tag) = open.tag {
            node.set_custom_tag(tag);
        }
        Some(node)
    }

    /// Puts a node where it belongs; gives it back if it is the root.
    #[inline]
    fn attach(&mut self, node: Node) -> Option<Node> {
        let Some(open) = self.open.last_mut() else { return Some(node) };
        match &mut open.content {
            Content::Items => self.items.push(node),
            Content::Entries(key) => match key.take() {
                None => {
                    self.raw.odd_keys |= node.as_scalar().is_some_and(is_odd_key);
                    *key = Some(node);
                }
                Some(key) => self.entries.push(Entry { key, value: node }),
            },
        }
        None
    }

    #[inline]
    fn scalar(
        &mut self,
        mark: Mark,
        text: Cow<'a, str>,
        style: Style,
        props: Option<Box<Props<'a>>>,
    ) -> Result<Node> {
        let text = match text {
            Cow::Borrowed(text) => Text::from(text),
            Cow::Owned(text) => Text::from(text),
        };
        let tag = match (self.parser.dialect(), style) {
            // v2 decides later, when aliases and merge keys are resolved too.
            (Dialect::V2, _) => Tag::Unresolved,
            (Dialect::V3, Style::Plain) => resolve(&text, Dialect::V3),
            (Dialect::V3, _) => Tag::Str,
        };
        let mut node = Node::new(Data::Scalar(Scalar { text, tag, style }));
        node.span = self.span(mark);
        if let Some(props) = props {
            self.properties(&mut node, *props);
        }
        Ok(node)
    }

    fn properties(&mut self, node: &mut Node, props: Props<'a>) {
        if let Some(name) = props.anchor {
            let anchor = self.define(name);
            node.set_anchor(Some(anchor));
        }
        let Some(tag) = props.tag else { return };
        let dialect = self.parser.dialect();
        let Some(scalar) = node.as_scalar_mut() else { return };
        if dialect == Dialect::V2 {
            node.set_custom_tag(&*tag);
        } else if &*tag != "!" {
            let core = tag.strip_prefix(CORE_TAGS).and_then(core_tag);
            scalar.tag = core.unwrap_or(Tag::Other);
            match core {
                Some(_) => node.set_tagged(true),
                None => node.set_custom_tag(short_tag(&tag)),
            }
        }
    }

    fn start(
        &mut self,
        mark: Mark,
        mapping: bool,
        flow: bool,
        props: Option<Box<Props<'a>>>,
    ) -> Result<()> {
        if self.open.len() >= DEPTH {
            let message = format!("line {}: exceeded max depth of {DEPTH}", mark.line + 1);
            return Err(Fail::plain(message, mark.at));
        }
        let (content, start) = match mapping {
            true => (Content::Entries(None), self.entries.len()),
            false => (Content::Items, self.items.len()),
        };
        let span = self.span(mark);
        let mut open = Open { span, content, start, flow, tag: None, anchor: None };
        if let Some(props) = props {
            open.anchor = props.anchor.map(|name| self.define(name));
            let tag = props.tag.filter(|tag| &**tag != "!");
            open.tag = tag.map(|tag| short_tag(&tag));
        }
        self.open.push(open);
        Ok(())
    }

    fn alias(&mut self, name: &str, mark: Mark) -> Result<Node> {
        let Some(anchor) = self.names.get(name) else {
            let message = format!("unknown anchor '{name}' referenced");
            return Err(Fail::plain(message, mark.at));
        };
        self.raw.aliases = true;
        let mut node = Node::scalar(name, Tag::Other, Style::Plain);
        node.set_alias(*anchor);
        Ok(node.at(self.span(mark), Touch::NONE))
    }

    fn define(&mut self, name: Cow<'a, str>) -> u32 {
        let number = self.raw.anchors;
        self.names.insert(name, number);
        self.raw.anchors += 1;
        number
    }

    fn span(&self, mark: Mark) -> Span {
        Span { source: self.at.source, start: self.at.start.saturating_add(mark.at) }
    }
}

impl Raw {
    fn empty() -> Self {
        Self { root: Node::null(), anchors: 0, aliases: false, odd_keys: false }
    }
}

fn is_odd_key(key: &Scalar) -> bool {
    matches!(key.tag, Tag::Merge | Tag::Null) || key.text == "<<"
}

/// The type that a tag of YAML's own gives to a scalar.
pub(super) fn core_tag(name: &str) -> Option<Tag> {
    match name {
        "null" => Some(Tag::Null),
        "bool" => Some(Tag::Bool),
        "str" => Some(Tag::Str),
        "int" => Some(Tag::Int),
        "float" => Some(Tag::Float),
        "timestamp" => Some(Tag::Timestamp),
        "binary" => Some(Tag::Binary),
        "merge" => Some(Tag::Merge),
        _ => None,
    }
}

fn short_tag(tag: &str) -> Text {
    match tag.strip_prefix(CORE_TAGS) {
        Some(name) => compact_str::format_compact!("!!{name}"),
        None => Text::from(tag),
    }
}
