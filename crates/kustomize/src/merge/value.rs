//! Small questions about one node, and the few ways in which a merge writes one.

use kelson_yaml::{Data, Dialect, Node, Scalar, Span, Style, Tag, emit, first_document, resolve};

use super::{Fault, Walk};

/// Whether a node is null by its tag; text that would only be read as null is not.
pub(super) fn is_null(node: &Node) -> bool {
    matches!(&node.data, Data::Scalar(Scalar { tag: Tag::Null, .. }))
}

/// Whether there is nothing in an element: null, or a mapping without fields.
pub(super) fn is_void(node: &Node) -> bool {
    is_null(node) || node.as_mapping().is_some_and(|mapping| mapping.is_empty())
}

/// The name of a field; a key that is no scalar has an empty one.
pub(super) fn name_of(key: &Node) -> &str {
    key.text().unwrap_or_default()
}

/// The text of a scalar, empty for anything else.
pub(super) fn text_of(value: &Node) -> &str {
    value.text().unwrap_or_default()
}

/// The shape of a node, in kustomize's words.
pub(super) fn kind_of(data: &Data) -> &'static str {
    match data {
        Data::Scalar(_) => "ScalarNode",
        Data::Sequence(_) => "SequenceNode",
        Data::Mapping(_) => "MappingNode",
    }
}

/// What was empty takes over from the patch whether it is written in one line; `{}` says little about that.
pub(super) fn take_over_flow(dest: &mut Node, origin: &Node) {
    match (&mut dest.data, &origin.data) {
        (Data::Mapping(dest), Data::Mapping(origin)) if dest.is_empty() => dest.flow = origin.flow,
        (Data::Sequence(dest), Data::Sequence(origin)) if dest.items.is_empty() => {
            dest.flow = origin.flow;
        }
        _ => {}
    }
}

/// A node is not of the shape that its counterpart, or its place, asks for.
pub(super) fn wrong_kind(expected: &'static str, node: &Node) -> Box<Fault> {
    let got = kind_of(&node.data);
    let mut text = format!("wrong node kind: expected {expected} but got {got}");
    let mut contents = String::new();
    if emit::styled(node, &mut contents).is_ok() {
        text.push_str(": node contents:\n");
        text.push_str(&contents);
    }
    Fault::new("patch-kind", text)
        .saying(format!("expected {} but found {}", plainly(expected), plainly(got)))
        .at(node.span, format!("this is {}", plainly(got)))
}

fn plainly(kind: &str) -> &'static str {
    match kind {
        "MappingNode" => "a mapping",
        "SequenceNode" => "a list",
        _ => "a single value",
    }
}

impl Walk<'_> {
    /// Puts a value of the patch in the place of another, whose style it takes on.
    pub(super) fn put(self, place: &mut Node, patch: &Node) {
        let mut value = self.stamped(patch);
        value.set_tagged(place.is_tagged());
        match (&mut value.data, &place.data) {
            // Whether a place for a template stands in quotes is its own affair.
            (Data::Scalar(new), _) if new.style == Style::Place => {}
            (Data::Scalar(new), Data::Scalar(old)) if old.style != Style::Place => {
                new.style = old.style;
            }
            (Data::Scalar(new), _) => new.style = Style::Plain,
            (Data::Sequence(new), Data::Sequence(old)) => new.flow = old.flow,
            (Data::Mapping(new), Data::Mapping(old)) => new.flow = old.flow,
            (Data::Sequence(new), Data::Scalar(_)) => new.flow = false,
            (Data::Mapping(new), Data::Scalar(_)) => new.flow = false,
            _ => {}
        }
        *place = value;
    }

    /// A copy of a node of the patch, marked as written by it.
    pub(super) fn stamped(self, patch: &Node) -> Node {
        let mut copy = patch.clone();
        self.stamp(&mut copy);
        copy
    }

    fn stamp(self, node: &mut Node) {
        node.touch = self.touch;
        match &mut node.data {
            Data::Scalar(_) => {}
            Data::Sequence(sequence) => sequence.items.iter_mut().for_each(|item| self.stamp(item)),
            Data::Mapping(mapping) => {
                for entry in &mut mapping.entries {
                    self.stamp(&mut entry.key);
                    self.stamp(&mut entry.value);
                }
            }
        }
    }

    /// The key of a new field. It loses its tag, and with it its type where it was not quoted.
    pub(super) fn new_key(self, key: &Node) -> Node {
        let style = key.as_scalar().map_or(Style::Plain, |scalar| scalar.style);
        self.untyped(name_of(key), style, key.span)
    }

    /// A scalar whose type follows from its text and style.
    pub(super) fn untyped(self, text: &str, style: Style, span: Span) -> Node {
        Node::scalar(text, Tag::Unresolved, style).at(span, self.touch)
    }

    /// Quotes a text that an older reader would take for something else.
    ///
    /// For text known to be text this only changes its style. Text of no known type, which other
    /// transformers leave behind, becomes text by it: the name `1e1` is no longer a number.
    pub(super) fn quote(self, node: &mut Node) {
        let tagged = node.is_tagged();
        let Data::Scalar(scalar) = &mut node.data else { return };
        let plain = scalar.style == Style::Plain && !tagged;
        if plain && matches!(scalar.tag, Tag::Str | Tag::Unresolved) && reads_as_other(&scalar.text)
        {
            scalar.style = Style::DoubleQuoted;
            if scalar.tag == Tag::Unresolved {
                node.touch = self.touch;
            }
        }
    }
}

/// Whether YAML 1.1 reads a text, as a document of its own, as anything but text.
fn reads_as_other(text: &str) -> bool {
    if text.is_empty() || text.contains('\n') {
        return false;
    }
    // What looks like one word needs no reader, unless it looks like the border of a document.
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+-".contains(&byte);
    if text.bytes().all(is_word) && !text.starts_with("---") && !text.starts_with("...") {
        return !matches!(resolve(text, Dialect::V2), Tag::Str | Tag::Timestamp | Tag::Merge);
    }
    match first_document(text, Span::NONE, Dialect::V2) {
        Ok(Some(node)) => match &node.data {
            Data::Scalar(scalar) => {
                !matches!(scalar.resolved(), Tag::Str | Tag::Timestamp | Tag::Binary)
            }
            _ => true,
        },
        Ok(None) => true,
        Err(_) => false,
    }
}
