//! Fields that somebody else owns.

use kelson_model::ObjectId;

use crate::{FieldPath, Found, Options, Refusal, adopt, managed};

/// A field that another manager owns with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The field as the server writes it, such as `.spec.replicas`.
    pub field: String,
    /// Who owns it.
    pub manager: String,
}

/// Which conflicts are won.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Take {
    /// None: each is reported.
    #[default]
    Nothing,
    /// Those of these fields, written as reported or as a JSON pointer, with the kind before them or for all kinds:
    /// `.spec.replicas`, `/spec/replicas`, `Deployment:/spec/replicas`. An object whose other fields stand in the way still
    /// fails.
    Fields(Vec<String>),
    /// All.
    All,
}

impl Conflict {
    /// The conflicts that a refusal reports; none where it is about something else.
    pub fn of(refusal: &Refusal) -> Vec<Self> {
        let causes = refusal.causes.iter().filter(|cause| cause.reason == "FieldManagerConflict");
        let conflicts = causes.map(|cause| Self {
            field: cause.field.clone(),
            manager: manager(&cause.message).to_owned(),
        });
        if refusal.code == 409 { conflicts.collect() } else { Vec::new() }
    }

    /// Those that are not won. One with ourselves under another name is no conflict: what we owned so is taken over.
    pub(crate) fn left(refusal: &Refusal, found: &Found, options: &Options) -> Vec<Self> {
        let mut conflicts = options.take.left(&found.object.id, Self::of(refusal));
        if !conflicts.is_empty() {
            let managers = managed::managers(&found.object.node);
            let is_former = |name: &str| {
                let mut entries = managers.iter().filter(|entry| entry.name == name);
                entries.any(|entry| adopt::is_former(entry, &options.field_manager))
            };
            conflicts.retain(|conflict| !is_former(&conflict.manager));
        }
        conflicts
    }
}

impl Take {
    /// Those conflicts about an object that are not won.
    fn left(&self, id: &ObjectId, mut conflicts: Vec<Conflict>) -> Vec<Conflict> {
        match self {
            Self::Nothing => {}
            Self::Fields(fields) => {
                let named: Vec<&str> = fields.iter().filter_map(|field| about(id, field)).collect();
                conflicts
                    .retain(|conflict| !named.iter().any(|field| is_meant(field, &conflict.field)));
            }
            Self::All => conflicts.clear(),
        }
        conflicts
    }
}

/// A field without the kind that may stand before it, as in `Deployment:/spec/replicas`; nothing where that is another.
fn about<'a>(id: &ObjectId, field: &'a str) -> Option<&'a str> {
    let field = field.trim();
    match field.split_once(':') {
        Some((kind, rest))
            if kind.bytes().all(|byte| byte.is_ascii_alphanumeric()) || kind == "*" =>
        {
            (kind == id.kind || kind == "*").then_some(rest)
        }
        _ => Some(field),
    }
}

/// Who is meant in `conflict with "manager" using apps/v1`.
fn manager(message: &str) -> &str {
    let quoted = message.split_once('"').and_then(|(_, rest)| rest.split_once('"'));
    quoted.map_or(message, |(name, _)| name)
}

/// Whether a field that a caller names is one that a server reports, or one above it.
fn is_meant(named: &str, reported: &str) -> bool {
    match FieldPath::parse(named) {
        Ok(path) => rest_after(path.segments(), reported).is_some_and(is_boundary),
        Err(_) => {
            let named = if named.starts_with(['.', '[']) { named } else { &format!(".{named}") };
            reported.strip_prefix(named).is_some_and(is_boundary)
        }
    }
}

/// Whether a field ends here.
fn is_boundary(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '['])
}

/// What is left of a reported field when the steps of a path are taken off its front.
fn rest_after<'a>(segments: &[String], reported: &'a str) -> Option<&'a str> {
    let Some((segment, rest)) = segments.split_first() else { return Some(reported) };
    if reported.starts_with('[') {
        // A server names elements by keys, a pointer by places, which nobody can match here.
        let is_element = segment == "*" || segment.parse::<usize>().is_ok();
        return is_element.then(|| rest_after(rest, after_bracket(reported))).flatten();
    }
    let reported = reported.strip_prefix('.')?;
    if segment == "*" {
        let end = reported.find(['.', '[']).unwrap_or(reported.len());
        return rest_after(rest, &reported[end..]);
    }
    let left = reported.strip_prefix(segment.as_str()).filter(|left| is_boundary(left))?;
    rest_after(rest, left)
}

/// What follows an element such as `[name="a]b"]`.
fn after_bracket(text: &str) -> &str {
    let (mut in_quotes, mut escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_quotes => escaped = true,
            '"' => in_quotes = !in_quotes,
            ']' if !in_quotes => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;

    #[test]
    fn conflicts_are_read_from_the_causes() {
        let cause = |reason: &str, field: &str, message: &str| Cause {
            reason: reason.to_owned(),
            field: field.to_owned(),
            message: message.to_owned(),
        };
        let mut refusal = Refusal {
            code: 409,
            causes: vec![
                cause(
                    "FieldManagerConflict",
                    ".spec.replicas",
                    "conflict with \"hpa\" using apps/v1",
                ),
                cause(
                    "FieldManagerConflict",
                    ".data.a",
                    "conflict with \"a b\" with subresource \"x\" using v1",
                ),
                cause("Other", ".x", ""),
            ],
            ..Refusal::default()
        };
        let names: Vec<String> = Conflict::of(&refusal).into_iter().map(|it| it.manager).collect();
        assert_eq!(names, ["hpa", "a b"]);
        refusal.code = 422;
        assert!(Conflict::of(&refusal).is_empty());
    }

    #[test]
    fn a_kind_before_a_field_is_that_of_the_object() {
        let id = ObjectId {
            group: String::new(),
            kind: "ConfigMap".to_owned(),
            namespace: String::new(),
            name: "a".to_owned(),
        };
        assert_eq!(about(&id, "ConfigMap:/data/a"), Some("/data/a"));
        assert_eq!(about(&id, "*:/data/a"), Some("/data/a"));
        assert_eq!(about(&id, "Secret:/data/a"), None);
        assert_eq!(about(&id, " .metadata.annotations.a:b"), Some(".metadata.annotations.a:b"));
    }

    #[test]
    fn a_field_is_named_as_reported_or_by_a_pointer() {
        for (named, reported) in [
            (".spec.replicas", ".spec.replicas"),
            ("spec.replicas", ".spec.replicas"),
            ("/spec/replicas", ".spec.replicas"),
            ("/spec", ".spec.replicas"),
            ("/spec/*", ".spec.replicas"),
            (".spec", ".spec.replicas"),
            ("/spec/c/0/image", ".spec.c[name=\"a].b\"].image"),
            ("/spec/c/*/image", ".spec.c[name=\"a\"].image"),
            (".spec.c[name=\"a\"].image", ".spec.c[name=\"a\"].image"),
            ("/metadata/annotations/a.b~1c", ".metadata.annotations.a.b/c"),
            ("/data/*", ".data.a"),
        ] {
            assert!(is_meant(named, reported), "{named} {reported}");
        }
        for (named, reported) in [
            ("/spec/replica", ".spec.replicas"),
            (".spec.replica", ".spec.replicas"),
            ("/spec/c/image", ".spec.c[name=\"a\"].image"),
            ("/spec/c/0/image/x", ".spec.c[name=\"a\"].image"),
            ("", ".spec"),
            ("  ", ".spec"),
            ("/spec/c/*/image", ".spec.c[name=\"a"),
        ] {
            assert!(!is_meant(named, reported), "{named} {reported}");
        }
    }
}
