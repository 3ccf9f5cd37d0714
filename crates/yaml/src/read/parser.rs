//! Turns tokens into events: the grammar of documents, nodes and collections.
//!
//! A stack of states stands for the open productions, so that no text, however deep, uses up the
//! machine's own stack.

mod flow; // collections in brackets and braces

use std::borrow::Cow;

use super::fail::{Fail, Result};
use super::scanner::Scanner;
use super::token::{Kind, Mark};
use crate::{Dialect, Style};

/// One step through a document.
#[derive(Debug)]
pub(super) enum Event<'a> {
    DocumentStart,
    DocumentEnd,
    StreamEnd,
    Alias(Cow<'a, str>, Mark),
    Scalar { mark: Mark, text: Cow<'a, str>, style: Style, props: Option<Box<Props<'a>>> },
    Start { mark: Mark, mapping: bool, flow: bool, props: Option<Box<Props<'a>>> },
    End,
}

/// The anchor and the tag before a node.
#[derive(Debug, Default)]
pub(super) struct Props<'a> {
    pub(super) anchor: Option<Cow<'a, str>>,
    /// The tag with its handle resolved; `!` for the tag that says nothing.
    pub(super) tag: Option<Box<str>>,
}

/// What the parser expects next.
#[derive(Clone, Copy, Debug)]
enum State {
    StreamStart,
    Document,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirst,
    BlockSequence,
    IndentlessSequence,
    BlockMappingFirst,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequence,
    PairKey,
    PairValue,
    PairEnd,
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmpty,
    End,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Block,
    /// In a block mapping, where a list need not be indented.
    BlockInMapping,
    Flow,
}

pub(super) struct Parser<'a> {
    pub(super) scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Where the open collections begin.
    marks: Vec<Mark>,
    tags: Vec<(Cow<'a, str>, Box<str>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Self {
        let (states, marks) = (Vec::with_capacity(32), Vec::with_capacity(32));
        Self { scanner, state: State::StreamStart, states, marks, tags: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Event<'a>> {
        match self.state {
            State::StreamStart => {
                self.scanner.take()?;
                self.document_start(true)
            }
            State::Document => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceFirst => {
                self.open()?;
                self.block_sequence()
            }
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingFirst => {
                self.open()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => {
                self.open()?;
                self.flow_sequence(true)
            }
            State::FlowSequence => self.flow_sequence(false),
            State::PairKey => self.pair_key(),
            State::PairValue => self.pair_value(),
            State::PairEnd => {
                self.scanner.peek()?;
                self.state = State::FlowSequence;
                Ok(Event::End)
            }
            State::FlowMappingFirst => {
                self.open()?;
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmpty => {
                self.state = State::FlowMappingKey;
                self.empty_here()
            }
            State::End => Ok(Event::StreamEnd),
        }
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event<'a>> {
        let mut kind = self.scanner.kind()?;
        while !implicit && kind == Kind::DocumentEnd {
            self.scanner.take()?;
            kind = self.scanner.kind()?;
        }
        match kind {
            Kind::StreamEnd => {
                self.state = State::End;
                self.scanner.take()?;
                return Ok(Event::StreamEnd);
            }
            Kind::Version(..) | Kind::TagDirective | Kind::DocumentStart => {}
            _ if implicit => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                return Ok(Event::DocumentStart);
            }
            _ => {}
        }
        self.directives()?;
        if self.scanner.kind()? != Kind::DocumentStart {
            return Err(self.lone("did not find expected <document start>")?);
        }
        self.scanner.take()?;
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(Event::DocumentStart)
    }

    fn document_content(&mut self) -> Result<Event<'a>> {
        match self.scanner.kind()? {
            Kind::Version(..)
            | Kind::TagDirective
            | Kind::DocumentStart
            | Kind::DocumentEnd
            | Kind::StreamEnd => {
                self.pop();
                self.empty_here()
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Result<Event<'a>> {
        if self.scanner.kind()? == Kind::DocumentEnd {
            self.scanner.take()?;
        }
        self.tags.clear();
        self.state = State::Document;
        Ok(Event::DocumentEnd)
    }

    fn directives(&mut self) -> Result<()> {
        let mut version = false;
        loop {
            match self.scanner.kind()? {
                Kind::Version(..) if version => {
                    return Err(self.lone("found duplicate %YAML directive")?);
                }
                Kind::Version(1, 1) => {
                    version = true;
                    self.scanner.take()?;
                }
                Kind::Version(..) => return Err(self.lone("found incompatible YAML document")?),
                Kind::TagDirective => {
                    let handle = &self.scanner.peek()?.text;
                    if self.tags.iter().any(|(known, _)| known == handle) {
                        return Err(self.lone("found duplicate %TAG directive")?);
                    }
                    let token = self.scanner.take()?;
                    self.tags.push((token.text, token.suffix.unwrap_or_default()));
                }
                _ => return Ok(()),
            }
        }
    }

    fn node(&mut self, place: Place) -> Result<Event<'a>> {
        let mut kind = self.scanner.kind()?;
        if kind == Kind::Alias {
            let token = self.scanner.take()?;
            self.pop();
            return Ok(Event::Alias(token.text, token.mark));
        }
        let mut mark = None;
        let mut props = None;
        if matches!(kind, Kind::Anchor | Kind::Tag) {
            mark = Some(self.scanner.peek()?.mark);
            props = Some(Box::new(self.properties()?));
            kind = self.scanner.kind()?;
        }
        let mark = match mark {
            Some(mark) => mark,
            None => self.scanner.peek()?.mark,
        };
        let in_block = place != Place::Flow;
        let (state, mapping, flow) = match kind {
            Kind::Scalar(style) => {
                let token = self.scanner.take()?;
                self.pop();
                return Ok(Event::Scalar { mark, text: token.text, style, props });
            }
            Kind::BlockEntry if place == Place::BlockInMapping => {
                (State::IndentlessSequence, false, false)
            }
            Kind::FlowSequenceStart => (State::FlowSequenceFirst, false, true),
            Kind::FlowMappingStart => (State::FlowMappingFirst, true, true),
            Kind::BlockSequenceStart if in_block => (State::BlockSequenceFirst, false, false),
            Kind::BlockMappingStart if in_block => (State::BlockMappingFirst, true, false),
            _ if props.is_some() => {
                self.pop();
                let text = Cow::Borrowed("");
                return Ok(Event::Scalar { mark, text, style: Style::Plain, props });
            }
            _ => return Err(self.broken(mark, "did not find expected node content")?),
        };
        self.state = state;
        Ok(Event::Start { mark, mapping, flow, props })
    }

    /// An anchor, a tag, or both in either order.
    fn properties(&mut self) -> Result<Props<'a>> {
        let start = self.scanner.peek()?.mark;
        let mut props = Props::default();
        let mut tag = None;
        loop {
            match self.scanner.kind()? {
                Kind::Anchor if props.anchor.is_none() => {
                    props.anchor = Some(self.scanner.take()?.text);
                }
                Kind::Tag if tag.is_none() => tag = Some(self.scanner.take()?),
                _ => break,
            }
        }
        if let Some(token) = tag {
            // go-yaml reads on before it looks at the tag, and so may meet another error first.
            self.scanner.peek()?;
            let suffix = token.suffix.unwrap_or_default();
            let resolved = self.resolve_tag(&token.text, suffix);
            let message = "found undefined tag handle";
            let dialect = self.scanner.dialect;
            let tag = resolved.ok_or_else(|| Fail::parser(dialect, start, token.mark, message))?;
            props.tag = Some(tag);
        }
        Ok(props)
    }

    fn resolve_tag(&self, handle: &str, suffix: Box<str>) -> Option<Box<str>> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let own = self.tags.iter().find(|(known, _)| known == handle);
        let prefix = match (own, handle) {
            (Some((_, prefix)), _) => prefix,
            (None, "!") => "!",
            (None, "!!") => crate::node::CORE_TAGS,
            (None, _) => return None,
        };
        Some(format!("{prefix}{suffix}").into_boxed_str())
    }

    /// Takes the token that opens a collection.
    fn open(&mut self) -> Result<()> {
        let token = self.scanner.take()?;
        self.marks.push(token.mark);
        Ok(())
    }

    /// Takes the token that closes a collection.
    fn close(&mut self) -> Result<Event<'a>> {
        self.pop();
        self.marks.pop();
        self.scanner.take()?;
        Ok(Event::End)
    }

    fn block_sequence(&mut self) -> Result<Event<'a>> {
        match self.scanner.kind()? {
            Kind::BlockEntry => {
                let behind = self.scanner.take()?.mark.after();
                match self.scanner.kind()? {
                    Kind::BlockEntry | Kind::BlockEnd => {
                        self.state = State::BlockSequence;
                        Ok(empty(behind))
                    }
                    _ => self.child(State::BlockSequence, Place::Block),
                }
            }
            Kind::BlockEnd => self.close(),
            _ => Err(self.unclosed("did not find expected '-' indicator")?),
        }
    }

    fn indentless_sequence(&mut self) -> Result<Event<'a>> {
        if self.scanner.kind()? != Kind::BlockEntry {
            self.pop();
            return Ok(Event::End);
        }
        let behind = self.scanner.take()?.mark.after();
        match self.scanner.kind()? {
            Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd => {
                self.state = State::IndentlessSequence;
                Ok(empty(behind))
            }
            _ => self.child(State::IndentlessSequence, Place::Block),
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event<'a>> {
        match self.scanner.kind()? {
            Kind::Key => {
                let behind = self.scanner.take()?.mark.after();
                self.block_mapping_part(State::BlockMappingValue, behind)
            }
            Kind::BlockEnd => self.close(),
            _ => Err(self.unclosed("did not find expected key")?),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'a>> {
        if self.scanner.kind()? != Kind::Value {
            self.state = State::BlockMappingKey;
            return self.empty_here();
        }
        let behind = self.scanner.take()?.mark.after();
        self.block_mapping_part(State::BlockMappingKey, behind)
    }

    /// A key or a value, which may be left out.
    fn block_mapping_part(&mut self, then: State, behind: Mark) -> Result<Event<'a>> {
        match self.scanner.kind()? {
            Kind::Key | Kind::Value | Kind::BlockEnd => {
                self.state = then;
                Ok(empty(behind))
            }
            _ => self.child(then, Place::BlockInMapping),
        }
    }

    fn child(&mut self, then: State, place: Place) -> Result<Event<'a>> {
        self.states.push(then);
        self.node(place)
    }

    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// A value that was left out before the next token.
    fn empty_here(&mut self) -> Result<Event<'a>> {
        Ok(empty(self.scanner.peek()?.mark))
    }

    /// An error at the next token.
    fn lone(&mut self, message: &str) -> Result<Fail> {
        self.broken(Mark::default(), message)
    }

    /// An error at the next token within a construct that began at `context`.
    fn broken(&mut self, context: Mark, message: &str) -> Result<Fail> {
        let problem = self.scanner.peek()?.mark;
        Ok(Fail::parser(self.scanner.dialect, context, problem, message))
    }

    /// An error at the next token within the innermost collection.
    fn unclosed(&mut self, message: &str) -> Result<Fail> {
        let context = self.marks.last().copied().unwrap_or_default();
        self.broken(context, message)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.scanner.dialect
    }
}

fn empty<'a>(mark: Mark) -> Event<'a> {
    Event::Scalar { mark, text: Cow::Borrowed(""), style: Style::Plain, props: None }
}
