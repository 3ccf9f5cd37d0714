//! The images that objects name.

use kelson_yaml::{Data, Node};

use crate::Object;

/// Where a kind of the user's own names images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePath {
    /// The kind, or nothing for all.
    pub kind: Option<String>,
    /// The way to the field; `[]` goes through all elements of a list.
    pub path: Vec<String>,
}

impl ImagePath {
    /// Reads `KIND:spec.agents[].image`, or a path alone.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, path) = match text.split_once(':') {
            Some((kind, path)) => (Some(kind.to_owned()), path),
            None => (None, text),
        };
        let path = path.replace("[]", ".[]");
        let path: Vec<String> =
            path.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (!path.is_empty() && kind.as_deref() != Some("")).then_some(Self { kind, path })
    }
}

/// Calls `visit` with every text in an object that names an image: those of containers, of steps and of volumes,
/// wherever they are, and those at the user's own paths.
pub fn visit_images(object: &mut Object, paths: &[ImagePath], visit: &mut dyn FnMut(&mut Node)) {
    walk(&mut object.node, visit);
    for path in paths {
        if path.kind.as_ref().is_none_or(|kind| *kind == object.id.kind) {
            follow(&mut object.node, &path.path, visit);
        }
    }
}

/// The images that objects name, in order and each once.
pub fn images(objects: &[Object], paths: &[ImagePath]) -> Vec<String> {
    let mut found = std::collections::BTreeSet::new();
    for object in objects {
        visit_images(&mut object.clone(), paths, &mut |node| {
            found.extend(node.as_str().filter(|text| !text.is_empty()).map(str::to_owned));
        });
    }
    found.into_iter().collect()
}

/// What lists are called whose elements run an image.
const RUNS: [&str; 4] = ["containers", "initContainers", "ephemeralContainers", "steps"];

fn walk(node: &mut Node, visit: &mut dyn FnMut(&mut Node)) {
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Sequence(sequence) => {
            for item in &mut sequence.items {
                walk(item, visit);
            }
        }
        Data::Mapping(mapping) => {
            for entry in &mut mapping.entries {
                match (entry.key.text(), entry.value.as_sequence_mut()) {
                    (Some(key), Some(items)) if RUNS.contains(&key) => {
                        elements(items, &["image"], visit);
                    }
                    (Some("volumes"), Some(items)) => {
                        elements(items, &["image", "reference"], visit)
                    }
                    _ => {}
                }
                walk(&mut entry.value, visit);
            }
        }
    }
}

/// Visits one text in each element of a list.
fn elements(items: &mut [Node], path: &[&str], visit: &mut dyn FnMut(&mut Node)) {
    for item in items {
        let mut at = Some(item);
        for key in path {
            at = at.and_then(|node| node.get_mut(key));
        }
        if let Some(node) = at.filter(|node| node.as_str().is_some()) {
            visit(node);
        }
    }
}

fn follow(node: &mut Node, path: &[String], visit: &mut dyn FnMut(&mut Node)) {
    match path.split_first() {
        None if node.as_str().is_some() => visit(node),
        None => {}
        Some((part, rest)) if part == "[]" => {
            for item in node.as_sequence_mut().into_iter().flatten() {
                follow(item, rest, visit);
            }
        }
        Some((part, rest)) => {
            if let Some(node) = node.get_mut(part) {
                follow(node, rest, visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    #[track_caller]
    fn check(text: &str, paths: &[&str], expected: &[&str]) {
        let node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
        let object = Object::new(node).unwrap();
        let paths: Vec<_> = paths.iter().map(|path| ImagePath::parse(path).unwrap()).collect();
        assert_eq!(images(&[object], &paths), expected);
    }

    #[test]
    fn images_are_found_wherever_containers_are() {
        check(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  jobTemplate:\n    spec:\n      template:\n        \
             spec:\n          initContainers: [{image: c:1}]\n          containers: [{image: b}, {image: b}, {name: x}]\n          \
             volumes: [{image: {reference: d:2}}]\n",
            &[],
            &["b", "c:1", "d:2"],
        );
    }

    #[test]
    fn images_of_other_kinds_are_found_by_path() {
        let text = "{apiVersion: m/v1, kind: P, metadata: {name: a}, spec: {image: x, more: [{tag: y}, {tag: z}]}}";
        check(text, &[], &[]);
        check(text, &["P:spec.image", "spec.more[].tag", "Q:spec.image"], &["x", "y", "z"]);
    }
}
