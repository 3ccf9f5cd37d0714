//! Annotations in which upstream keeps its books. A manifest may bring them along, and they count.

use kelson_yaml::{Node, Text};

use crate::resource::{Behavior, Previous, Resource};

const DOMAIN: &str = "internal.config.kubernetes.io/";

/// An object with the bookkeeping that its annotations bring.
pub(crate) fn resource(node: Node) -> Resource {
    let mut resource = Resource::new(node);
    let annotations = resource.node.lookup(&["metadata", "annotations"]).and_then(Node::as_mapping);
    let has_marks = annotations.is_some_and(|annotations| {
        annotations.iter().any(|entry| entry.key.text().is_some_and(|key| key.starts_with(DOMAIN)))
    });
    if has_marks {
        take_marks(&mut resource);
    }
    resource
}

/// Moves the bookkeeping out of the annotations.
fn take_marks(resource: &mut Resource) {
    let mut entries = resource.texts("annotations");
    let mut take = |name: &str| -> Option<Text> {
        let at = entries.iter().position(|(key, _)| key.strip_prefix(DOMAIN) == Some(name))?;
        Some(entries.remove(at).1.text().unwrap_or_default().into())
    };
    resource.needs_hash = take("needsHashSuffix").is_some_and(|value| value == "enabled");
    resource.behavior = Behavior::new(&take("generatorBehavior").unwrap_or_default());
    resource.is_helm = take("helm-generated").is_some_and(|value| value == "true");
    let words = |text: Option<Text>| -> Vec<Text> {
        text.map(|text| text.split(',').map(Text::from).collect()).unwrap_or_default()
    };
    resource.prefixes = words(take("prefixes"));
    resource.suffixes = words(take("suffixes"));
    let names = words(take("previousNames"));
    let namespaces = words(take("previousNamespaces"));
    let kinds = words(take("previousKinds"));
    resource.history = names
        .into_iter()
        .zip(namespaces)
        .zip(kinds)
        .map(|((name, namespace), kind)| Previous { name, namespace, kind })
        .collect();
    resource.set_texts("annotations", entries);
}
