//! The productions of flow collections: `[a, b]`, `{a: b}` and the lone pair in `[a: b]`.

use super::{Event, Parser, Place, State, empty};
use crate::read::fail::Result;
use crate::read::token::Kind;

impl<'a> Parser<'a> {
    pub(super) fn flow_sequence(&mut self, first: bool) -> Result<Event<'a>> {
        if self.scanner.kind()? != Kind::FlowSequenceEnd {
            if !first {
                if self.scanner.kind()? != Kind::FlowEntry {
                    return Err(self.unclosed("did not find expected ',' or ']'")?);
                }
                self.scanner.take()?;
            }
            match self.scanner.kind()? {
                Kind::Key => {
                    let mark = self.scanner.take()?.mark;
                    self.state = State::PairKey;
                    return Ok(Event::Start { mark, mapping: true, flow: true, props: None });
                }
                Kind::FlowSequenceEnd => {}
                _ => return self.child(State::FlowSequence, Place::Flow),
            }
        }
        self.close()
    }

    /// The key of a single pair in a list, `[a: b]`.
    pub(super) fn pair_key(&mut self) -> Result<Event<'a>> {
        match self.scanner.kind()? {
            Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd => {
                // go-yaml drops whatever stands there, be it the `:`, the comma or the bracket.
                let behind = self.scanner.take()?.mark.after();
                self.state = State::PairValue;
                Ok(empty(behind))
            }
            _ => self.child(State::PairValue, Place::Flow),
        }
    }

    pub(super) fn pair_value(&mut self) -> Result<Event<'a>> {
        if self.scanner.kind()? == Kind::Value {
            self.scanner.take()?;
            if !matches!(self.scanner.kind()?, Kind::FlowEntry | Kind::FlowSequenceEnd) {
                return self.child(State::PairEnd, Place::Flow);
            }
        }
        self.state = State::PairEnd;
        self.empty_here()
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'a>> {
        if self.scanner.kind()? != Kind::FlowMappingEnd {
            if !first {
                if self.scanner.kind()? != Kind::FlowEntry {
                    return Err(self.unclosed("did not find expected ',' or '}'")?);
                }
                self.scanner.take()?;
            }
            match self.scanner.kind()? {
                Kind::Key => {
                    self.scanner.take()?;
                    return self.flow_mapping_part(State::FlowMappingValue);
                }
                Kind::FlowMappingEnd => {}
                _ => return self.child(State::FlowMappingEmpty, Place::Flow),
            }
        }
        self.close()
    }

    fn flow_mapping_part(&mut self, then: State) -> Result<Event<'a>> {
        let ends = match self.scanner.kind()? {
            Kind::Value => matches!(then, State::FlowMappingValue),
            Kind::FlowEntry | Kind::FlowMappingEnd => true,
            _ => false,
        };
        if !ends {
            return self.child(then, Place::Flow);
        }
        self.state = then;
        self.empty_here()
    }

    pub(super) fn flow_mapping_value(&mut self) -> Result<Event<'a>> {
        if self.scanner.kind()? != Kind::Value {
            self.state = State::FlowMappingKey;
            return self.empty_here();
        }
        self.scanner.take()?;
        self.flow_mapping_part(State::FlowMappingKey)
    }
}
