//! From nodes to typed configuration, in the way and with the words of Go's `encoding/json`.
//!
//! Keys are taken in the order of their bytes, match fields whatever the case of their letters, and the
//! last of equal keys wins. The first problem in that order is what upstream reports; we keep them all.

mod configured; // text on its way to a transformer
mod record; // structs of named fields
pub(crate) mod value; // the values a field can hold

use kelson_yaml::{Data, Dialect, Node, Tag};

use crate::fault::{Fault, Result};

pub(crate) use record::record;
pub(crate) use value::{Raw, Str};

/// A value that can be read from a node, over what it held before.
pub(crate) trait Decode: Default {
    /// The name of the type in Go, for messages.
    fn go_type() -> String;

    /// Reads the node into `self`. What does not fit is noted in the reader and leaves `self` as it was.
    fn decode(&mut self, node: &Node, reader: &mut Reader);
}

/// What kind of text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A kustomization: YAML 1.1, unknown fields are errors, nothing is converted.
    Kustomization,
    /// A file of configuration: YAML 1.1, unknown fields are passed over, scalars become text where text is due.
    File,
    /// The same, but unknown fields are errors.
    StrictFile,
    /// An object that configures a plugin, already read as a resource.
    Plugin,
}

/// Goes through a tree and remembers where it is and what did not fit.
pub(crate) struct Reader {
    reading: Reading,
    structure: &'static str,
    path: Vec<&'static str>,
    /// What did not fit, in the order upstream would meet it.
    #[expect(clippy::vec_box, reason = "a fault travels in its box")]
    pub(crate) faults: Vec<Box<Fault>>,
    /// Keys that are written more than once in a mapping.
    #[expect(clippy::vec_box, reason = "a fault travels in its box")]
    pub(crate) repeated: Vec<Box<Fault>>,
    /// Unknown fields, where upstream passes over them.
    #[expect(clippy::vec_box, reason = "a fault travels in its box")]
    pub(crate) unknown: Vec<Box<Fault>>,
}

/// A scalar as JSON sees it.
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text,
}

/// Reads a whole value; the first problem is the error.
pub(crate) fn decode<T: Decode>(node: &Node, reading: Reading) -> Result<T> {
    let (value, reader) = decode_all(node, reading);
    match reader.faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(value),
    }
}

/// Reads a whole value and returns it with the reader, which knows all problems.
pub(crate) fn decode_all<T: Decode>(node: &Node, reading: Reading) -> (T, Reader) {
    let mut reader = Reader {
        reading,
        structure: "",
        path: Vec::new(),
        faults: Vec::new(),
        repeated: Vec::new(),
        unknown: Vec::new(),
    };
    let mut value = T::default();
    value.decode(node, &mut reader);
    (value, reader)
}

impl Reader {
    /// What a scalar is in JSON.
    pub(crate) fn scalar(&self, node: &Node) -> Json {
        let Some(scalar) = node.as_scalar() else { return Json::Null };
        let tag = match self.reading {
            Reading::Plugin => scalar.resolved(),
            _ if scalar.tag != Tag::Unresolved => scalar.tag,
            _ if scalar.style != kelson_yaml::Style::Plain => Tag::Str,
            _ => kelson_yaml::resolve(&scalar.text, Dialect::V2),
        };
        match tag {
            Tag::Null => Json::Null,
            Tag::Bool => Json::Bool(is_true(&scalar.text)),
            Tag::Int | Tag::Float => Json::Number(number(node)),
            _ => Json::Text,
        }
    }

    /// Whether numbers and truth values become text where text is due.
    pub(crate) fn converts(&self) -> bool {
        self.reading != Reading::Kustomization
    }

    /// Whether unknown fields are problems.
    pub(crate) fn is_strict(&self) -> bool {
        matches!(self.reading, Reading::Kustomization | Reading::StrictFile)
    }

    /// What JSON calls the node, for messages.
    pub(crate) fn kind(&self, node: &Node) -> &'static str {
        match &node.data {
            Data::Mapping(_) => "object",
            Data::Sequence(_) => "array",
            Data::Scalar(_) => match self.scalar(node) {
                Json::Null => "null",
                Json::Bool(_) => "bool",
                Json::Number(_) => "number",
                Json::Text => "string",
            },
        }
    }

    /// Notes a node that does not fit the type.
    pub(crate) fn mismatch(&mut self, node: &Node, value: &str, go_type: &str) {
        let place = if self.structure.is_empty() {
            "Go value".to_owned()
        } else {
            format!("Go struct field {}.{}", self.structure, self.path.join("."))
        };
        let text = format!("json: cannot unmarshal {value} into {place} of type {go_type}");
        let field = self.path.last().copied().unwrap_or("this");
        let found = self.kind(node);
        let fault = Fault::new("wrong-type", text)
            .saying(format!("`{field}` must be {}, not {}", plain(go_type), plain_kind(found)))
            .at(node.span, format!("this is {}", plain_kind(found)));
        self.faults.push(match (found, go_type) {
            ("bool" | "number", "string") => fault.help("put it in quotes to make it text"),
            _ => fault,
        });
    }
}

/// Our words for a Go type.
fn plain(go_type: &str) -> &'static str {
    match go_type {
        "string" | "types.SortOrder" | "types.PatchStrategicMerge" => "text",
        "bool" => "true or false",
        "int" | "int64" => "a whole number",
        _ if go_type.starts_with("[]") => "a list",
        _ => "a mapping",
    }
}

/// Our words for a kind of JSON value.
fn plain_kind(kind: &str) -> &'static str {
    match kind {
        "object" => "a mapping",
        "array" => "a list",
        "bool" => "true or false",
        "number" => "a number",
        "null" => "nothing",
        _ => "text",
    }
}

/// Whether the text of a truth value says yes, in YAML 1.1 and 1.2.
fn is_true(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b't' | b'T' | b'y' | b'Y'))
        || text.eq_ignore_ascii_case("on")
}

/// The text of a number in JSON.
fn number(node: &Node) -> String {
    let mut text = String::new();
    match kelson_yaml::json::write(node, &mut text) {
        Ok(()) => text,
        Err(_) => node.text().unwrap_or_default().to_owned(),
    }
}
