//! Events, by the object that they are about.

use std::collections::HashMap;

use kelson_yaml::Node;

use crate::health::facts::{Facts, text};

/// A warning, in either of the two forms that Events have.
pub(super) struct Warning<'a> {
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    /// When it was seen last, as it is written.
    pub(super) when: &'a str,
    /// The part of the object that it is about, such as `spec.containers{web}`.
    part: &'a str,
}

/// The warnings about some objects, each list in the order of time.
pub(super) struct Events<'a> {
    warnings: HashMap<Key<'a>, Vec<Warning<'a>>>,
}

type Key<'a> = (&'a str, &'a str, &'a str);

impl<'a> Events<'a> {
    /// Keeps the warnings about the objects. An Event that names the uid of another object, which had the same name before, is
    /// none of theirs.
    pub(super) fn about(objects: &[Facts<'a>], events: &[&'a Node]) -> Self {
        let uids: HashMap<Key<'a>, &'a str> =
            objects.iter().map(|facts| (key(facts), facts.text(&["metadata", "uid"]))).collect();
        let mut warnings: HashMap<Key<'a>, Vec<Warning<'a>>> = HashMap::new();
        for event in events.iter().filter(|event| text(event, &["type"]) == Some("Warning")) {
            let about = event.get("involvedObject").or_else(|| event.get("regarding"));
            let Some(about) = about else { continue };
            let field = |name: &str| text(about, &[name]).unwrap_or_default();
            let key = (field("kind"), field("namespace"), field("name"));
            let is_ours = uids.get(&key).is_some_and(|uid| {
                let named = field("uid");
                uid.is_empty() || named.is_empty() || *uid == named
            });
            if is_ours {
                warnings.entry(key).or_default().push(Warning::of(event, field("fieldPath")));
            }
        }
        warnings.values_mut().for_each(|list| list.sort_by_key(|warning| warning.when));
        Self { warnings }
    }

    /// The last warning about an object.
    pub(super) fn last(&self, facts: &Facts<'a>) -> Option<&Warning<'a>> {
        self.list(facts).last()
    }

    /// The last warning about an object that has one of some reasons.
    pub(super) fn last_of(&self, facts: &Facts<'a>, reasons: &[&str]) -> Option<&Warning<'a>> {
        self.list(facts).iter().rfind(|warning| reasons.contains(&warning.reason))
    }

    /// The last warning about a container of a Pod that has a reason and begins so.
    pub(super) fn last_about(
        &self,
        facts: &Facts<'a>,
        container: &str,
        reason: &str,
        start: &str,
    ) -> Option<&Warning<'a>> {
        self.list(facts).iter().rfind(|warning| {
            let is_about = warning.part.is_empty() || warning.container() == Some(container);
            is_about && warning.reason == reason && warning.message.starts_with(start)
        })
    }

    fn list(&self, facts: &Facts<'a>) -> &[Warning<'a>] {
        self.warnings.get(&key(facts)).map_or(&[], Vec::as_slice)
    }
}

impl<'a> Warning<'a> {
    fn of(event: &'a Node, part: &'a str) -> Self {
        let first = |paths: &[&[&str]]| {
            let texts = paths.iter().filter_map(|path| text(event, path));
            texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
        };
        Self {
            reason: first(&[&["reason"]]),
            message: first(&[&["message"], &["note"]]),
            when: first(&[
                &["series", "lastObservedTime"],
                &["lastTimestamp"],
                &["deprecatedLastTimestamp"],
                &["eventTime"],
                &["metadata", "creationTimestamp"],
            ]),
            part,
        }
    }

    /// The container that it is about.
    fn container(&self) -> Option<&'a str> {
        self.part.split_once('{')?.1.strip_suffix('}')
    }
}

fn key<'a>(facts: &Facts<'a>) -> Key<'a> {
    (facts.kind, facts.text(&["metadata", "namespace"]), facts.name())
}
