//! The keys of elements: for each element one text per merge key, empty where it has none.

use hashbrown::HashSet;
use kelson_yaml::{Node, Text};

use super::value::{is_null, name_of, text_of};

/// One text per merge key.
pub(super) type Tuple = Vec<Text>;

/// The field of an element that is a merge key.
pub(super) fn field<'n>(element: &'n Node, key: &str) -> Option<&'n Node> {
    let mapping = element.as_mapping()?;
    mapping.iter().find(|entry| name_of(&entry.key) == key).map(|entry| &entry.value)
}

/// The different tuples of lists of elements, in order.
pub(super) fn collect<'n>(elements: impl Iterator<Item = &'n Node>, keys: &[&str]) -> Vec<Tuple> {
    let mut seen = HashSet::<Tuple, foldhash::fast::FixedState>::default();
    let tuples = elements.map(|element| keys.iter().map(|key| part(element, key)).collect());
    tuples.filter(|tuple: &Tuple| seen.insert(tuple.clone())).collect()
}

/// A null counts as absent. The key of a list of scalars is the scalar itself.
fn part(element: &Node, key: &str) -> Text {
    if key.is_empty() {
        return text_of(element).into();
    }
    match field(element, key) {
        Some(value) if !is_null(value) => text_of(value).into(),
        _ => Text::default(),
    }
}

/// The positions at which any tuple has text; all of them if none has any.
pub(super) fn usable(tuples: &[Tuple], keys: usize) -> Vec<usize> {
    let used = |position: &usize| tuples.iter().any(|tuple| !tuple[*position].is_empty());
    let positions: Vec<usize> = (0..keys).filter(used).collect();
    if positions.is_empty() { (0..keys).collect() } else { positions }
}
