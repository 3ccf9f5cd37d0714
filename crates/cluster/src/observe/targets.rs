//! What an inventory lists, as it can be looked at.

use kelson_plan::{Catalog, Entry, Health, Kind, State, Verdict};

use super::{ObservedObject, Target};

/// The objects of an inventory.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Those that can be looked at.
    pub targets: Vec<Target>,
    /// Those of kinds that the cluster does not have, or does not tell of.
    pub missing: Vec<ObservedObject>,
}

/// Finds the kinds of what an inventory lists: in the version that was applied or, where that is no longer served, in the
/// preferred one. What is being deleted is to be gone.
pub fn targets(catalog: &Catalog, entries: &[Entry]) -> Targets {
    let mut found = Targets::default();
    for entry in entries {
        match kind(catalog, entry) {
            Some(kind) => found.targets.push(Target {
                id: entry.id.clone(),
                kind: kind.clone(),
                uid: entry.uid.clone(),
                gone: entry.state == State::Deleting,
            }),
            None => found.missing.push(missing(catalog, entry)),
        }
    }
    found
}

fn kind<'a>(catalog: &'a Catalog, entry: &Entry) -> Option<&'a Kind> {
    let (group, kind) = (&entry.id.group, &entry.id.kind);
    let applied = catalog.find(group, &entry.version, kind);
    applied.or_else(|| catalog.versions(group, kind).first())
}

fn missing(catalog: &Catalog, entry: &Entry) -> ObservedObject {
    let group = &entry.id.group;
    let unreadable = catalog.unreadable.iter().find(|(name, _)| name == group);
    let (health, reason, message) = match unreadable {
        Some((_, why)) => (Health::Unknown, "Unreadable", why.clone()),
        None => (Health::NotFound, "NoKind", "the cluster does not have its kind".to_owned()),
    };
    let verdict = Verdict { health, reason: reason.to_owned(), message };
    ObservedObject { id: entry.id.clone(), verdict, because: Vec::new() }
}

#[cfg(test)]
mod tests {
    use kelson_model::ObjectId;
    use kelson_plan::Origin;

    use super::*;

    fn catalog() -> Catalog {
        let mut catalog = Catalog::default();
        for version in ["v2", "v1"] {
            catalog.add(Kind {
                group: "a.example".to_owned(),
                version: version.to_owned(),
                kind: "Thing".to_owned(),
                plural: "things".to_owned(),
                namespaced: true,
                to_come: false,
            });
        }
        catalog.unreadable.push(("down.example".to_owned(), "its server is away".to_owned()));
        catalog
    }

    #[track_caller]
    fn check(group: &str, version: &str, state: State, expected: &str) {
        let id = ObjectId {
            group: group.to_owned(),
            kind: "Thing".to_owned(),
            namespace: "n".to_owned(),
            name: "t".to_owned(),
        };
        let entry = Entry {
            id,
            version: version.to_owned(),
            uid: Some("u".to_owned()),
            origin: Origin::Created,
            state,
            desired: None,
            owned: None,
        };
        let found = targets(&catalog(), &[entry]);
        let known = found
            .targets
            .iter()
            .map(|target| format!("{} {:?} {}", target.kind.version, target.uid, target.gone));
        let missing = found.missing.iter().map(|object| {
            let verdict = &object.verdict;
            format!("{:?} {}: {}", verdict.health, verdict.reason, verdict.message)
        });
        assert_eq!(known.chain(missing).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn kinds_are_found_in_the_version_that_was_applied_or_another() {
        check("a.example", "v1", State::Applied, "v1 Some(\"u\") false");
        check("a.example", "v0", State::Pending, "v2 Some(\"u\") false");
        check("a.example", "v2", State::Deleting, "v2 Some(\"u\") true");
    }

    #[test]
    fn what_has_no_kind_is_told() {
        let none = "NotFound NoKind: the cluster does not have its kind";
        check("b.example", "v1", State::Applied, none);
        check("down.example", "v1", State::Applied, "Unknown Unreadable: its server is away");
    }
}
