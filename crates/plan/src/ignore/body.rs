//! What is sent of a desired object whose fields are partly left to others.

use kelson_yaml::{Data, Entry, Node};

use crate::managed::{FieldSet, managers};
use crate::{Desired, Found};

/// What is sent of a desired object, given what is live: of the ignored fields, what somebody else owns is left out, and
/// what only we own is sent as it is live, since leaving it out would remove it. A new object gets them as the manifest
/// gives them: somebody has to begin, and some are required.
pub(crate) fn body(desired: &Desired, live: Option<&Found>, manager: &str) -> Node {
    match live {
        Some(found) => laid(desired, found, Some(manager)),
        None => desired.object.node.clone(),
    }
}

/// What is sent where an object is deleted and made anew: the ignored fields are sent as they were, whoever owned them.
pub(crate) fn anew(desired: &Desired, found: &Found) -> Node {
    laid(desired, found, None)
}

fn laid(desired: &Desired, found: &Found, manager: Option<&str>) -> Node {
    let mut node = desired.object.node.clone();
    if desired.ignored.is_empty() {
        return node;
    }
    let owners = manager.map(|manager| Owners::of(&found.object.node, manager));
    let mut laying = Laying { live: &found.object.node, owners, path: Vec::new() };
    for (path, _) in &desired.ignored {
        laying.lay(&mut node, Some(&found.object.node), path.segments());
    }
    node
}

/// Who owns what in a live object.
struct Owners {
    ours: FieldSet,
    others: FieldSet,
}

impl Owners {
    fn of(object: &Node, manager: &str) -> Self {
        let mut owners = Self { ours: FieldSet::default(), others: FieldSet::default() };
        for entry in managers(object) {
            let is_ours = entry.is_ours(manager);
            let set = if is_ours { &mut owners.ours } else { &mut owners.others };
            *set = set.union(&entry.fields);
        }
        owners
    }
}

/// Lays live values over a body. `path` leads to the place in the live object.
struct Laying<'a> {
    live: &'a Node,
    /// Nothing where it does not matter who owns a field.
    owners: Option<Owners>,
    path: Vec<String>,
}

impl<'a> Laying<'a> {
    fn lay(&mut self, body: &mut Node, live: Option<&'a Node>, rest: &[String]) {
        let Some((segment, rest)) = rest.split_first() else { return };
        match &mut body.data {
            Data::Scalar(_) => {}
            Data::Mapping(_) => {
                for key in keys(segment, body, live) {
                    self.field(body, live.and_then(|live| live.get(&key)), key, rest);
                }
            }
            Data::Sequence(sequence) => {
                let wanted = segment.parse::<usize>().ok();
                let live = live.and_then(Node::as_sequence).unwrap_or_default();
                let mut gone = Vec::new();
                for (index, item) in sequence.items.iter_mut().enumerate() {
                    if segment != "*" && Some(index) != wanted {
                        continue;
                    }
                    if rest.is_empty() {
                        gone.push(index);
                    } else if let Some((at, counterpart)) = counterpart(item, index, live) {
                        self.path.push(at.to_string());
                        self.lay(item, Some(counterpart), rest);
                        self.path.pop();
                    }
                }
                // A whole element cannot be told from its place, so it is nobody's but the others'.
                for index in gone.into_iter().rev() {
                    sequence.items.remove(index);
                }
            }
        }
    }

    fn field(&mut self, body: &mut Node, live: Option<&'a Node>, key: String, rest: &[String]) {
        let Some(mapping) = body.as_mapping_mut() else { return };
        self.path.push(key.clone());
        if rest.is_empty() {
            match live.filter(|_| self.is_kept()) {
                Some(live) => {
                    mapping.insert(Node::string(key), live.clone());
                }
                None => {
                    mapping.remove(&key);
                }
            }
        } else if let Some(inner) = mapping.get_mut(&key) {
            self.lay(inner, live, rest);
        } else if live.is_some_and(|live| live.as_mapping().is_some()) {
            let mut inner = Node::mapping(Vec::new());
            self.lay(&mut inner, live, rest);
            if inner.as_mapping().is_some_and(|inner| !inner.is_empty()) {
                mapping.entries.push(Entry { key: Node::string(key), value: inner });
            }
        }
        self.path.pop();
    }

    /// Whether the live value at this place would go if it were not sent.
    fn is_kept(&self) -> bool {
        let Some(owners) = &self.owners else { return true };
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        owners.ours.owns_at(Some(self.live), &path)
            && !owners.others.owns_at(Some(self.live), &path)
    }
}

/// The keys that a segment stands for.
fn keys(segment: &str, body: &Node, live: Option<&Node>) -> Vec<String> {
    if segment != "*" {
        return vec![segment.to_owned()];
    }
    let sides = [Some(body), live].into_iter().flatten().filter_map(Node::as_mapping);
    let keys = sides.flat_map(|side| side.iter()).filter_map(|entry| entry.key.text());
    let mut keys: Vec<String> = keys.map(str::to_owned).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The live element that is the same as one of ours: by name where they have some, else by place.
fn counterpart<'a>(item: &Node, index: usize, live: &'a [Node]) -> Option<(usize, &'a Node)> {
    match item.get("name").and_then(Node::as_str) {
        Some(name) => {
            let mut live = live.iter().enumerate();
            live.find(|(_, live)| live.get("name").and_then(Node::as_str) == Some(name))
        }
        None => live.get(index).map(|live| (index, live)),
    }
}

#[cfg(test)]
mod tests {
    use kelson_model::Object;
    use kelson_yaml::{Dialect, Span, emit, first_document};

    use super::*;
    use crate::{Catalog, FieldPath, Kind, ResolveOptions, resolve};

    fn object(text: &str) -> Object {
        Object::new(first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap()).unwrap()
    }

    /// Shows what is sent of the spec of a workload, and what would be if it were made anew.
    #[track_caller]
    fn check(path: &str, manifest: &str, live: &str, managed: &str, sent: &str, anew_: &str) {
        let kind = Kind {
            group: "apps".to_owned(),
            version: "v1".to_owned(),
            kind: "Deployment".to_owned(),
            plural: "deployments".to_owned(),
            namespaced: true,
            to_come: false,
        };
        let mut catalog = Catalog::default();
        catalog.add(kind);
        let text = |spec: &str| {
            format!(
                "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: a, managedFields: [{managed}]}}, spec: {spec}}}"
            )
        };
        let options = ResolveOptions::default();
        let mut resolved = resolve(vec![object(&text(manifest))], &catalog, None, &options);
        let mut desired = resolved.desired.remove(0);
        desired.ignored = vec![(FieldPath::parse(path).unwrap(), String::new())];
        let found = Found::new(object(&text(live)), "kelson");
        let shown = |node: &Node| {
            let mut text = String::new();
            emit::styled(node.get("spec").unwrap(), &mut text).unwrap();
            text.trim_end().to_owned()
        };
        assert_eq!(shown(&body(&desired, Some(&found), "kelson")), sent);
        assert_eq!(shown(&anew(&desired, &found)), anew_);
        assert_eq!(
            shown(&body(&desired, None, "kelson")),
            manifest,
            "a new object begins as the manifest says"
        );
    }

    const OURS: &str = "{manager: kelson, operation: Apply, fieldsV1: {'f:spec': {'f:n': {}, 'f:c': {'k:{\"name\":\"b\"}': {'f:image': {}}}}}}";
    const THEIRS: &str =
        "{manager: hpa, operation: Update, subresource: scale, fieldsV1: {'f:spec': {'f:n': {}}}}";

    #[test]
    fn what_only_we_own_is_sent_as_it_is_live() {
        check("/spec/n", "{n: 1, m: 2}", "{n: 5, m: 2}", OURS, "{n: 5, m: 2}", "{n: 5, m: 2}");
        check("/spec/n", "{m: 2}", "{n: 5, m: 2}", OURS, "{m: 2, n: 5}", "{m: 2, n: 5}");
        let (manifest, live) =
            ("{c: [{name: b, image: x}]}", "{c: [{name: a, image: y}, {name: b, image: z}]}");
        check(
            "/spec/c/*/image",
            manifest,
            live,
            OURS,
            "{c: [{name: b, image: z}]}",
            "{c: [{name: b, image: z}]}",
        );
    }

    #[test]
    fn what_others_own_is_left_out() {
        let both = format!("{OURS}, {THEIRS}");
        check("/spec/n", "{n: 1, m: 2}", "{n: 5, m: 2}", &both, "{m: 2}", "{n: 5, m: 2}");
        check("/spec/n", "{n: 1, m: 2}", "{n: 5, m: 2}", THEIRS, "{m: 2}", "{n: 5, m: 2}");
        check("/spec/n", "{n: 1, m: 2}", "{m: 2}", THEIRS, "{m: 2}", "{m: 2}");
    }
}
