//! From the root of an object to the fields a path leads to.

use kelson_yaml::{Data, Mapping, Node, Sequence, Style, Tag};

use super::{FieldSpec, Step};
use crate::fault::{Fault, Result};
use crate::growth::DEPTH;
use crate::id::{Gvk, ResId};
use crate::write::{Writer, is_null, wrong_kind};

/// What is made at the end of a path that is missing or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Make {
    /// Nothing.
    Nothing,
    /// An empty value; a null becomes one of this type.
    Scalar(Tag),
    /// An empty mapping.
    Mapping,
    /// An empty list.
    Sequence,
}

/// Visits every field of `object` that `spec` leads to. Lists on the way are visited element by element.
///
/// The caller has checked that the spec selects the object.
pub(crate) fn visit(
    object: &mut Node,
    spec: &FieldSpec,
    make: Make,
    writer: &mut Writer,
    set: &mut dyn FnMut(&mut Writer, &mut Node) -> Result<()>,
) -> Result<()> {
    let make = if spec.create { make } else { Make::Nothing };
    let walked = if make != Make::Nothing && spec.steps.len() > DEPTH {
        let text = format!("the path of a field has more than {DEPTH} steps");
        Err(Fault::new("too-deep", text).at(object.span, "it would be made in this object"))
    } else {
        Walk { make, set, writer }.enter(object, &spec.steps)
    };
    writer.settle(object);
    walked.map_err(|fault| {
        fault.wrap(format!("considering field '{}' of object {}", spec.path, id_of(object)))
    })
}

/// The id of an object as errors show it.
pub(crate) fn id_of(object: &Node) -> ResId {
    let text = |path: &[&str]| {
        let node = object.lookup(path).filter(|node| !is_null(node));
        node.and_then(Node::text).unwrap_or_default()
    };
    ResId {
        gvk: Gvk::new(text(&["apiVersion"]), text(&["kind"])),
        name: text(&["metadata", "name"]).into(),
        namespace: text(&["metadata", "namespace"]).into(),
    }
}

struct Walk<'a, 'b> {
    make: Make,
    writer: &'a mut Writer,
    set: &'a mut (dyn FnMut(&mut Writer, &mut Node) -> Result<()> + 'b),
}

impl Walk<'_, '_> {
    fn enter(&mut self, node: &mut Node, path: &[Step]) -> Result<()> {
        let Some((step, rest)) = path.split_first() else {
            return (self.set)(self.writer, node);
        };
        if is_null(node) {
            return Ok(());
        }
        match &mut node.data {
            Data::Sequence(sequence) => self.each(sequence, path),
            Data::Mapping(_) => match self.follow(node, step, rest.is_empty())? {
                Some(field) => self.enter(field, rest),
                None => Ok(()),
            },
            Data::Scalar(_) => Err(Fault::new("field-shape", "expected sequence or mapping node")
                .at(node.span, "the path leads below this value")),
        }
    }

    fn each(&mut self, sequence: &mut Sequence, path: &[Step]) -> Result<()> {
        for item in &mut sequence.items {
            self.enter(item, path).map_err(|fault| {
                fault.wrap(format!("visit traversal on path: [{}]", words(path)))
            })?;
        }
        Ok(())
    }

    /// Finds the field of a mapping that a step names, or makes it.
    fn follow<'n>(
        &mut self,
        node: &'n mut Node,
        step: &Step,
        is_last: bool,
    ) -> Result<Option<&'n mut Node>> {
        let make = match self.make {
            _ if step.is_list => Make::Sequence,
            Make::Nothing => Make::Nothing,
            make if is_last => make,
            _ => Make::Mapping,
        };
        if step.name.is_empty() {
            return Err(Fault::new("empty-field", "cannot set or create an empty field name"));
        }
        let name = step.name.trim();
        if name.is_empty() {
            return Ok(Some(node));
        }
        if let Some(fault) = refusal(name, node) {
            return Err(fault.wrap(format!("fieldName: {}", step.name)));
        }
        let Data::Mapping(mapping) = &mut node.data else { return Ok(None) };
        let index = match mapping.entries.iter().position(|e| e.key.text() == Some(name)) {
            Some(index) => index,
            None if step.is_list || make == Make::Nothing => return Ok(None),
            None => self.append(mapping, name, make),
        };
        let field = &mut mapping.entries[index].value;
        if is_null(field) {
            self.fill(field, make);
        }
        Ok(Some(field))
    }

    fn append(&self, mapping: &mut Mapping, name: &str, make: Make) -> usize {
        let value = match make {
            Make::Mapping => Node::mapping(Vec::new()),
            Make::Sequence => Node::sequence(Vec::new()),
            Make::Scalar(_) | Make::Nothing => Node::scalar("", Tag::Unresolved, Style::Plain),
        };
        let mut key = Node::scalar(name, Tag::Unresolved, Style::Plain);
        key.touch = self.writer.touch();
        mapping.push(key, value);
        mapping.entries.len() - 1
    }

    /// Turns a null into what is wanted there.
    fn fill(&self, field: &mut Node, make: Make) {
        match make {
            Make::Nothing => return,
            Make::Mapping => field.data = Data::Mapping(Mapping::default()),
            Make::Sequence => field.data = Data::Sequence(Sequence::default()),
            Make::Scalar(tag) => {
                if let Some(scalar) = field.as_scalar_mut() {
                    scalar.tag = tag;
                }
            }
        }
        field.touch = self.writer.touch();
    }
}

/// Names that stand for list elements cannot name a field of a mapping.
fn refusal(name: &str, node: &Node) -> Option<Box<Fault>> {
    // Nearly every name is a word.
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let index = name.parse::<i64>();
    match name {
        _ if index.as_ref().is_ok_and(|index| *index < 0) => {
            let index = index.unwrap_or_default();
            Some(Fault::new("field-path", format!("array index {index} cannot be negative")))
        }
        "*" => Some(Fault::new("field-path", "wildcard is not supported in PathGetter")),
        "-" => Some(wrong_kind("SequenceNode", node)),
        _ if index.is_ok() => Some(wrong_kind("SequenceNode", node)),
        _ if !(name.starts_with('[') && name.ends_with(']')) => None,
        _ if name.contains('=') => Some(wrong_kind("SequenceNode", node)),
        _ => Some(Fault::new(
            "field-path",
            "list path element must contain fieldName=fieldValue for element to match",
        )),
    }
}

fn words(path: &[Step]) -> String {
    let words: Vec<String> = path
        .iter()
        .map(|step| format!("{}{}", step.name, if step.is_list { "[]" } else { "" }))
        .collect();
    words.join(" ")
}
