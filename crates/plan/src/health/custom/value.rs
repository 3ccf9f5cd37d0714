//! Objects as the language sees them. Texts are borrowed from the object.

use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use kelson_yaml::{Data, Mapping, Node, Scalar, Tag, number};

/// A node as a value.
pub(super) fn of(node: &Node) -> Box<dyn Val + '_> {
    match &node.data {
        Data::Scalar(scalar) => of_scalar(scalar),
        Data::Sequence(list) => {
            let items: Vec<_> = list.items.iter().map(of).collect();
            Box::new(CelList::from(items))
        }
        Data::Mapping(mapping) => Box::new(of_mapping(mapping)),
    }
}

fn of_mapping(mapping: &Mapping) -> CelMap<'_> {
    let entries = mapping.iter().filter_map(|entry| {
        Some((CelMapKey::String(CelString::from(entry.key.text()?)), of(&entry.value)))
    });
    CelMap::from(entries.collect::<HashMap<_, _>>())
}

/// Whole numbers are `int` wherever they fit, as they are in Flux: `1` would not be `1u` to every function.
fn of_scalar(scalar: &Scalar) -> Box<dyn Val + '_> {
    let text = scalar.text.as_str();
    let as_text = || -> Box<dyn Val + '_> { Box::new(CelString::from(text)) };
    match scalar.resolved() {
        Tag::Null => Box::new(CelNull),
        Tag::Bool => Box::new(CelBool::from(text.eq_ignore_ascii_case("true"))),
        Tag::Int => {
            match number::parse_int(text).map(|int| (i64::try_from(int), u64::try_from(int))) {
                Some((Ok(int), _)) => Box::new(CelInt::from(int)),
                Some((_, Ok(int))) => Box::new(CelUInt::from(int)),
                _ => as_text(),
            }
        }
        Tag::Float => match text.parse::<f64>() {
            Ok(float) => Box::new(CelDouble::from(float)),
            Err(_) => as_text(),
        },
        _ => as_text(),
    }
}
