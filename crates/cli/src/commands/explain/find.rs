//! Which object is meant.

use anyhow::bail;
use kelson_kustomize::{Build, Object};

/// The one object that a person names by NAME or KIND/NAME.
pub(super) fn object<'a>(
    build: &'a Build,
    wanted: &str,
    namespace: Option<&str>,
) -> anyhow::Result<&'a Object> {
    let (kind, name) = match wanted.split_once('/') {
        Some((kind, name)) => (Some(kind), name),
        None => (None, wanted),
    };
    let fits = |object: &&Object| {
        kind.is_none_or(|kind| object.kind().eq_ignore_ascii_case(kind))
            && namespace.is_none_or(|namespace| object.namespace() == namespace)
    };
    let candidates: Vec<&Object> = build.objects.iter().filter(fits).collect();
    let exact: Vec<&Object> =
        candidates.iter().copied().filter(|object| object.name() == name).collect();
    // A generated name ends in a hash that nobody types, and a prefix may stand before it.
    let earlier =
        || candidates.iter().copied().filter(|object| object.was_named(name)).collect::<Vec<_>>();
    let found = if exact.is_empty() { earlier() } else { exact };
    match found.as_slice() {
        [one] => Ok(one),
        [] => bail!("the build has no object `{wanted}`; it has {}", list(&build.objects)),
        several => {
            let names =
                several.iter().map(|object| describe(object)).collect::<Vec<_>>().join(", ");
            bail!("`{wanted}` names several objects ({names}): say KIND/NAME and --namespace")
        }
    }
}

/// The object's kind, name and namespace for people.
pub(super) fn describe(object: &Object) -> String {
    let mut text = format!("{}/{}", object.kind(), object.name());
    if !object.namespace().is_empty() {
        text.push_str(&format!(" in {}", object.namespace()));
    }
    text
}

fn list(objects: &[Object]) -> String {
    let some = objects.iter().take(12).map(|object| format!("{}/{}", object.kind(), object.name()));
    let mut text = some.collect::<Vec<_>>().join(", ");
    if objects.len() > 12 {
        text.push_str(&format!(" and {} more", objects.len() - 12));
    }
    text
}
