//! The JSON of the values that go-yaml v3 decodes.

use std::collections::BTreeMap;

use super::is_merge;
use crate::emit::error;
use crate::emit::typed::{Typed, has_odd_zone};
use crate::json::write::Sink;
use crate::{Data, EmitError, Mapping, Node, Span, Tag};

const ODD_ZONE: &str = "json: error calling MarshalJSON for type time.Time: \
    Time.MarshalJSON: timezone hour outside of range [0,23]";

/// Prints a document that was checked.
pub(super) fn document(node: &Node, place: Span, out: &mut String) -> Result<(), EmitError> {
    Json { place }.value(node, &mut Sink::new(out))
}

struct Json {
    place: Span,
}

impl Json {
    fn value(&self, node: &Node, sink: &mut Sink<'_>) -> Result<(), EmitError> {
        match &node.data {
            Data::Scalar(scalar) if scalar.tag == Tag::Timestamp && has_odd_zone(&scalar.text) => {
                Err(error(ODD_ZONE, self.place))
            }
            Data::Scalar(scalar) => {
                let typed =
                    Typed::read(scalar).map_err(|_| error("yaml: bad value", self.place))?;
                sink.typed(&typed).map_err(|message| error(message, self.place))
            }
            Data::Sequence(sequence) => {
                sink.sequence(&sequence.items, |item, sink| self.value(item, sink))
            }
            Data::Mapping(mapping) => self.mapping(mapping, sink),
        }
    }

    fn mapping(&self, mapping: &Mapping, sink: &mut Sink<'_>) -> Result<(), EmitError> {
        let mut fields = BTreeMap::new();
        if !gather(mapping, &mut fields) {
            let message = "json: unsupported type: map[interface {}]interface {}";
            return Err(error(message, self.place));
        }
        sink.mapping(fields.into_iter().collect(), |value, sink| self.value(value, sink))
    }
}

/// Collects the fields of a mapping and then those of the mappings it merges; false if a key is no string.
fn gather<'n>(mapping: &'n Mapping, fields: &mut BTreeMap<&'n str, &'n Node>) -> bool {
    let (merges, own): (Vec<_>, Vec<_>) = mapping.iter().partition(|entry| is_merge(&entry.key));
    for entry in own {
        let Some(key) = entry.key.as_str() else { return false };
        fields.entry(key).or_insert(&entry.value);
    }
    merges.into_iter().all(|entry| match &entry.value.data {
        Data::Mapping(mapping) => gather(mapping, fields),
        Data::Sequence(sequence) => {
            let mappings = sequence.items.iter().filter_map(Node::as_mapping);
            mappings.into_iter().all(|mapping| gather(mapping, fields))
        }
        Data::Scalar(_) => true,
    })
}
