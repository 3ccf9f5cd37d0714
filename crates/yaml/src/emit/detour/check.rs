//! What go-yaml v3 checks when it turns a document into Go values.

use std::collections::HashMap;

use super::is_merge;
use crate::emit::error;
use crate::emit::typed::Typed;
use crate::{Data, EmitError, Entry, Mapping, Node, Scalar, Span, Tag, base64, go};

/// What kyaml decodes a resource into.
const MAP: &str = "map[string]interface {}";
const WANT_MAP: &str = "yaml: map merge requires map or sequence of maps as the value";

/// How many problems are reported at most.
const PROBLEMS: usize = 1000;

/// Checks a document read from `text`, and makes strings of its outermost keys.
pub(super) fn document(node: &mut Node, text: &str, place: Span) -> Result<(), EmitError> {
    Decoder { text, place, problems: Vec::new() }.document(node)
}

struct Decoder<'t> {
    text: &'t str,
    place: Span,
    problems: Vec<String>,
}

impl Decoder<'_> {
    fn document(&mut self, node: &mut Node) -> Result<(), EmitError> {
        let custom = node.custom_tag().map(str::to_owned);
        match &mut node.data {
            Data::Mapping(mapping) => {
                if self.are_keys_unique(mapping) {
                    self.root(mapping)?;
                }
            }
            Data::Sequence(_) => self.node(node)?,
            Data::Scalar(scalar) => {
                self.scalar(scalar)?;
                if scalar.tag != Tag::Null {
                    let tag = custom.as_deref().unwrap_or(scalar.tag.name());
                    let text = shorten(&scalar.text);
                    let problem = format!("line 1: cannot unmarshal {tag} `{text}` into {MAP}");
                    self.problems.push(problem);
                }
            }
        }
        if self.problems.is_empty() {
            return Ok(());
        }
        let problems = self.problems.join("\n  ");
        Err(error(format!("yaml: unmarshal errors:\n  {problems}"), self.place))
    }

    /// The outermost keys are strings, whatever they look like; one that is null is dropped.
    fn root(&mut self, mapping: &mut Mapping) -> Result<(), EmitError> {
        for Entry { key, value } in &mut mapping.entries {
            let line = self.line(key.span);
            let kind = if key.as_mapping().is_some() { "!!map" } else { "!!seq" };
            let Some(scalar) = key.as_scalar_mut() else {
                self.problems.push(format!("line {line}: cannot unmarshal {kind} into string"));
                continue;
            };
            self.scalar(scalar)?;
            match scalar.tag {
                Tag::Null => continue,
                Tag::Merge if scalar.text == "<<" => {
                    self.merge(value, true)?;
                    continue;
                }
                _ => {}
            }
            if let Ok(Typed::Bytes(bytes)) = Typed::read(scalar) {
                scalar.text = base64::to_text(bytes).into();
            }
            scalar.tag = Tag::Str;
            self.node(value)?;
        }
        mapping.entries.retain(|entry| !entry.key.is_null());
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), EmitError> {
        match &node.data {
            Data::Scalar(scalar) => self.scalar(scalar),
            Data::Sequence(sequence) => sequence.items.iter().try_for_each(|item| self.node(item)),
            Data::Mapping(mapping) => self.mapping(mapping),
        }
    }

    fn mapping(&mut self, mapping: &Mapping) -> Result<(), EmitError> {
        if !self.are_keys_unique(mapping) {
            return Ok(());
        }
        for Entry { key, value } in mapping {
            if is_merge(key) {
                self.merge(value, true)?;
                continue;
            }
            self.node(key)?;
            if key.as_scalar().is_none() {
                let read: go::Read = |scalar| Typed::read(scalar).unwrap_or(Typed::Null);
                let key = go::syntax(key, read, true);
                return Err(error(format!("yaml: invalid map key: {key}"), self.place));
            }
            self.node(value)?;
        }
        Ok(())
    }

    fn merge(&mut self, value: &Node, list: bool) -> Result<(), EmitError> {
        match &value.data {
            Data::Mapping(mapping) => self.mapping(mapping),
            Data::Sequence(sequence) if list => {
                sequence.items.iter().try_for_each(|item| self.merge(item, false))
            }
            _ => Err(error(WANT_MAP, self.place)),
        }
    }

    fn scalar(&mut self, scalar: &Scalar) -> Result<(), EmitError> {
        let found = match Typed::read(scalar) {
            Ok(_) => return Ok(()),
            Err(found) => found,
        };
        let message = match found {
            Tag::Binary => "yaml: !!binary value contains invalid base64 data".to_owned(),
            _ => {
                let (found, wanted, text) = (found.name(), scalar.tag.name(), &scalar.text);
                format!("yaml: cannot decode {found} `{text}` as a {wanted}")
            }
        };
        Err(error(message, self.place))
    }

    /// Records the pairs of keys with the same text, as go-yaml does.
    fn are_keys_unique(&mut self, mapping: &Mapping) -> bool {
        let mut alike: HashMap<(u8, &str), Vec<&Node>> = HashMap::new();
        for entry in mapping {
            alike.entry(identity(&entry.key)).or_default().push(&entry.key);
        }
        if alike.len() == mapping.len() {
            return true;
        }
        for entry in mapping {
            let identity = identity(&entry.key);
            let nodes = alike.get(&identity).map_or(&[][..], Vec::as_slice);
            let later = nodes.iter().skip_while(|node| !std::ptr::eq(**node, &entry.key)).skip(1);
            for again in later.take(PROBLEMS.saturating_sub(self.problems.len())) {
                let (line, before) = (self.line(again.span), self.line(entry.key.span));
                let text = go::quote(identity.1);
                let problem =
                    format!("line {line}: mapping key {text} already defined at line {before}");
                self.problems.push(problem);
            }
        }
        false
    }

    fn line(&self, span: Span) -> usize {
        let before = &self.text.as_bytes()[..(span.start as usize).min(self.text.len())];
        memchr::memchr_iter(b'\n', before).count() + 1
    }
}

/// What makes two keys the same for go-yaml: their shape and text. Collections have no text.
fn identity(key: &Node) -> (u8, &str) {
    match &key.data {
        Data::Scalar(scalar) => (0, &scalar.text),
        Data::Sequence(_) => (1, ""),
        Data::Mapping(_) => (2, ""),
    }
}

/// A text as go-yaml quotes it in an error: cut after seven bytes, even within a character.
fn shorten(text: &str) -> String {
    if text.len() <= 10 {
        return text.to_owned();
    }
    format!("{}...", String::from_utf8_lossy(&text.as_bytes()[..7]))
}
