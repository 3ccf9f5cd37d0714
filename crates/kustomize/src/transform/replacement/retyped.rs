//! Fields to which a replacement gives another type.

use kelson_yaml::{Dialect, Node, Span, Tag, resolve};

use crate::decode::Str;
use crate::fault::Fault;
use crate::retype::{is_other_type, type_name, type_of};

/// What a field is before a value is put into it.
pub(super) struct Before {
    /// The type that it should keep: its own, or that of the value where it was made for this.
    kept: Option<&'static str>,
    /// Where it was written, if it was there.
    place: Option<Span>,
    /// What is lost: a text takes only text, and nothing of anything else.
    lost: Option<&'static str>,
}

impl Before {
    /// Looks at a field and at the value that it is to be given.
    pub(super) fn new(node: &Node, value: &Node) -> Self {
        let place = (node.span != Span::NONE).then_some(node.span);
        let model = if place.is_some() { node } else { value };
        let is_lost = node.as_scalar().is_some() && value.as_scalar().is_none();
        Self {
            kept: (!model.is_null()).then(|| type_of(model)),
            place,
            lost: is_lost.then(|| type_of(value)),
        }
    }

    /// What happened to the type of the field, which has its value now.
    pub(super) fn compare(self, node: &Node, value: &Node, field: &Str) -> Option<Retyped> {
        let (was, now) = (self.kept?, type_now(node));
        let change = match self.lost {
            Some(lost) => Change::Lost(lost),
            None if is_other_type(was, now, field) => Change::To(now),
            None => return None,
        };
        Some(Retyped { field: field.clone(), value: value.span, place: self.place, was, change })
    }
}

/// The type of a field that was given a text: it keeps the mark of its type, whether the text fits it or not.
fn type_now(node: &Node) -> &'static str {
    match node.as_scalar() {
        Some(scalar) if scalar.resolved() != Tag::Str => {
            type_name(resolve(&scalar.text, Dialect::V3))
        }
        _ => type_of(node),
    }
}

/// A field that is of another type than before, or than its value where it was made for that.
pub(crate) struct Retyped {
    /// The path as the target names it.
    field: Str,
    /// Where the value was written.
    value: Span,
    /// Where the field was written, if it was there.
    pub(super) place: Option<Span>,
    was: &'static str,
    change: Change,
}

enum Change {
    /// It has this type now.
    To(&'static str),
    /// It is empty, since a value of this type is no text.
    Lost(&'static str),
}

impl Retyped {
    /// The problem that this is under strictness.
    pub(crate) fn fault(&self) -> Box<Fault> {
        let (field, was) = (&*self.field, self.was);
        let (text, label) = match self.change {
            Change::To(now) => (
                format!("the replacement makes {now} of {was} in `{field}`"),
                format!("becomes {now}"),
            ),
            Change::Lost(lost) => (
                format!("the replacement empties `{field}`: it is {was} and cannot hold {lost}"),
                "becomes empty".to_owned(),
            ),
        };
        let fault = Fault::new("changed-type", text)
            .at(self.field.span, label)
            .at(self.value, "the value is from here");
        match self.place {
            Some(place) => fault
                .at(place, format!("it was {was} here"))
                .help(format!("copy {was} into it, or name the field that was meant")),
            None => fault.help(
                "write the field into the target with a value of its type; a replacement keeps that",
            ),
        }
    }
}
