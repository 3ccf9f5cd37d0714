//! The leaves of an object with their paths.

use std::fmt::Write as _;

use kelson_yaml::{Data, Node};

/// Visits every scalar. A path has a dot before each of its steps; items of lists are numbers.
pub(crate) fn each(node: &Node, path: &mut String, visit: &mut dyn FnMut(&str, &Node)) {
    let length = path.len();
    match &node.data {
        Data::Scalar(_) => visit(path, node),
        Data::Sequence(sequence) => {
            for (number, item) in sequence.items.iter().enumerate() {
                let _ = write!(path, ".{number}");
                each(item, path, visit);
                path.truncate(length);
            }
        }
        Data::Mapping(mapping) => {
            for entry in mapping {
                let _ = write!(path, ".{}", entry.key.text().unwrap_or_default());
                each(&entry.value, path, visit);
                path.truncate(length);
            }
        }
    }
}
