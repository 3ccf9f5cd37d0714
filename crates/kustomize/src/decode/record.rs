//! Structs of named fields, and the macro that declares them.

use hashbrown::HashSet;
use kelson_yaml::{Data, Mapping, Node, Text};

use super::{Json, Reader};
use crate::fault::Fault;
use kelson_model::nearest;

/// Declares a struct that is read from a mapping. Each field names its path in Go: the names of embedded
/// structs, which messages show, and last the key in the file.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident = $package:literal $go:literal {
        $($(#[$field_meta:meta])* $field:ident: $type:ty = $path:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            /// Where it was written.
            pub(crate) span: kelson_yaml::Span,
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { span: kelson_yaml::Span::NONE, $($field: Default::default(),)* }
            }
        }

        impl $crate::decode::Decode for $name {
            fn go_type() -> String {
                concat!($package, ".", $go).to_owned()
            }

            fn decode(&mut self, node: &kelson_yaml::Node, reader: &mut $crate::decode::Reader) {
                const PATHS: &[&str] = &[$($path),*];
                let Some(entries) = reader.open(node, concat!($package, ".", $go)) else { return };
                self.span = node.span;
                for (key, key_node, value) in entries {
                    let Some(found) = reader.field(&key, key_node, PATHS) else { continue };
                    let before = reader.enter($go, PATHS[found]);
                    let mut index = 0;
                    $(
                        if index == found {
                            $crate::decode::Decode::decode(&mut self.$field, value, reader);
                        }
                        index += 1;
                    )*
                    let _ = index;
                    reader.leave(before);
                }
            }
        }
    };
}
pub(crate) use record;

impl Reader {
    /// The entries of a mapping that is to become a struct; `None`, with a note where due, for anything else.
    pub(crate) fn open<'a>(
        &mut self,
        node: &'a Node,
        go_type: &str,
    ) -> Option<Vec<(Text, &'a Node, &'a Node)>> {
        match &node.data {
            Data::Mapping(_) => Some(sorted(node, self)),
            _ if super::value::is_null(node, self) => None,
            _ => {
                self.mismatch(node, self.kind(node), go_type);
                None
            }
        }
    }

    /// Which field a key means: the one with its very name, else one that differs in case alone.
    pub(crate) fn field(
        &mut self,
        key: &str,
        node: &Node,
        paths: &[&'static str],
    ) -> Option<usize> {
        let name = |path: &'static str| path.rsplit('.').next().unwrap_or(path);
        let found = paths
            .iter()
            .position(|path| name(path) == key)
            .or_else(|| paths.iter().position(|path| name(path).eq_ignore_ascii_case(key)));
        if found.is_none() {
            let fault = Fault::new("unknown-field", format!("json: unknown field {}", quote(key)))
                .saying(format!("there is no field `{key}` here"))
                .at(node.span, "not a known field");
            let near = nearest(key, paths.iter().map(|path| name(path)));
            let mut fault = match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            };
            if self.is_strict() {
                self.faults.push(fault);
            } else {
                // Upstream has no words for what it passes over.
                fault.text.clone_from(&fault.diagnostic.message);
                self.unknown.push(fault);
            }
        }
        found
    }

    /// Goes into a field of a struct; [`Self::leave`] takes the result.
    pub(crate) fn enter(
        &mut self,
        structure: &'static str,
        path: &'static str,
    ) -> (&'static str, usize) {
        let before = (self.structure, self.path.len());
        self.structure = structure;
        self.path.extend(path.split('.'));
        before
    }

    /// Goes out again.
    pub(crate) fn leave(&mut self, (structure, depth): (&'static str, usize)) {
        self.structure = structure;
        self.path.truncate(depth);
    }
}

/// The entries of a mapping in the order of their keys' bytes, the last of equal keys alone.
pub(crate) fn sorted<'a>(node: &'a Node, reader: &mut Reader) -> Vec<(Text, &'a Node, &'a Node)> {
    let Some(mapping) = node.as_mapping() else { return Vec::new() };
    note_repeated(mapping, reader);
    let mut entries: Vec<_> = mapping
        .iter()
        .map(|entry| (key_text(&entry.key, reader), &entry.key, &entry.value))
        .collect();
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    entries.reverse();
    let mut seen = HashSet::new();
    entries.retain(|entry| seen.insert(entry.0.clone()));
    entries.reverse();
    entries
}

/// Notes keys that are there more than once, which upstream passes over.
fn note_repeated(mapping: &Mapping, reader: &mut Reader) {
    let mut seen = HashSet::new();
    for entry in mapping {
        let text = entry.key.text().unwrap_or_default();
        if !seen.insert(text) {
            let message = format!("the key `{text}` is here more than once; the last one counts");
            reader
                .repeated
                .push(Fault::new("repeated-key", message).at(entry.key.span, "the same key again"));
        }
    }
}

/// The text of a key as JSON has it.
fn key_text(key: &Node, reader: &Reader) -> Text {
    match reader.scalar(key) {
        Json::Bool(truth) => if truth { "true" } else { "false" }.into(),
        Json::Number(number) => number.into(),
        _ => key.text().unwrap_or_default().into(),
    }
}

/// Text in quotes as Go's `%q` writes it, which is near enough to Rust's own.
fn quote(text: &str) -> String {
    crate::gotext::quote(text)
}
