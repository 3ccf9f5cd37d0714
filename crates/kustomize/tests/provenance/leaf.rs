//! The leaves of a build, each with its value and the place it names.

use std::collections::HashMap;

use kelson_kustomize::{Build, Outcome, build};
use kelson_model::{Answers, MemoryTree};
use kelson_yaml::{Node, Span};

use crate::case::Case;
use crate::leaves;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) offset: usize,
}

/// A scalar of the output.
pub(crate) struct Leaf {
    /// Where its object was written, which of several from there it is, and the path: objects may change their
    /// names and their order.
    pub(crate) key: String,
    label: String,
    path: String,
    pub(crate) value: String,
    /// Whether it follows the name or the namespace of another object.
    pub(crate) follows: bool,
    /// Whether the transformer that touched it makes new values of old ones.
    pub(crate) is_composed: bool,
    pub(crate) place: Option<Place>,
}

impl Leaf {
    pub(crate) fn name(&self) -> String {
        format!("{}{}", self.label, self.path)
    }

    /// The value without the hash at the end of a generated name: that changes with everything in the object.
    pub(crate) fn plain(&self) -> &str {
        without_hash(&self.value)
    }

    pub(crate) fn is_on_line(&self, place: &Place) -> bool {
        self.place.as_ref().is_some_and(|own| own.file == place.file && own.line == place.line)
    }

    /// Whether patches, selectors and references find things by it.
    pub(crate) fn is_naming(&self) -> bool {
        let whole = [".apiVersion", ".kind", ".metadata.name", ".metadata.namespace"];
        let below = [".metadata.labels.", ".metadata.annotations."];
        whole.contains(&self.path.as_str()) || below.iter().any(|it| self.path.starts_with(it))
    }
}

/// Builds a tree and lists its leaves; nothing where it does not build.
pub(crate) fn of(case: &Case, tree: &MemoryTree) -> Option<Vec<Leaf>> {
    let Ok(Outcome::Built(built)) = build(tree, &case.root, &case.options, &Answers::default())
    else {
        return None;
    };
    built.to_yaml().ok()?;
    let mut leaves = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for object in &built.objects {
        let origin = place(&built, object.node.span)
            .map_or_else(|| "nowhere".to_owned(), |place| format!("{}:{}", place.file, place.line));
        let number = seen.entry(origin.clone()).or_default();
        let label = format!("{}/{}", object.kind(), object.name());
        leaves::each(&object.node, &mut String::new(), &mut |path, node| {
            leaves.push(Leaf {
                key: format!("{origin} {number} {path}"),
                label: label.clone(),
                path: path.to_owned(),
                value: node.text().unwrap_or_default().to_owned(),
                follows: is_touched_by(&built, node, &FOLLOWERS),
                is_composed: is_touched_by(&built, node, &COMPOSERS),
                place: place(&built, node.span),
            });
        });
        *number += 1;
    }
    Some(leaves)
}

fn place(built: &Build, span: Span) -> Option<Place> {
    let place = built.sources.place(span)?;
    Some(Place {
        file: place.name.to_owned(),
        line: place.line,
        column: place.column,
        offset: span.start as usize,
    })
}

/// What writes where it finds a reference.
const FOLLOWERS: [&str; 2] = ["NameReferenceTransformer", "NamespaceTransformer"];

/// What puts values together from several: parts of texts, variables, elements of paths.
const COMPOSERS: [&str; 4] =
    ["ReplacementTransformer", "RefVarTransformer", "ValueAddTransformer", "BuildMetadata"];

fn is_touched_by(built: &Build, node: &Node, names: &[&str]) -> bool {
    built.step(node.touch).is_some_and(|step| names.contains(&step.name.as_str()))
}

/// Takes hashes off a generated name.
fn without_hash(text: &str) -> &str {
    match text.rsplit_once('-') {
        Some((name, hash))
            if hash.len() == 10
                && hash.chars().all(|letter| "bcdfghkmt2456789".contains(letter)) =>
        {
            without_hash(name)
        }
        _ => text,
    }
}
