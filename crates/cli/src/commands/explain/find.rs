//! Which object is meant.

use anyhow::bail;
use kelson_kustomize::{Build, Object};
use kelson_model::nearest;

/// What people type for the commonest kinds.
const SHORT: [(&str, &str); 16] = [
    ("cj", "CronJob"),
    ("cm", "ConfigMap"),
    ("crd", "CustomResourceDefinition"),
    ("deploy", "Deployment"),
    ("ds", "DaemonSet"),
    ("hpa", "HorizontalPodAutoscaler"),
    ("ing", "Ingress"),
    ("netpol", "NetworkPolicy"),
    ("ns", "Namespace"),
    ("pdb", "PodDisruptionBudget"),
    ("po", "Pod"),
    ("pvc", "PersistentVolumeClaim"),
    ("rs", "ReplicaSet"),
    ("sa", "ServiceAccount"),
    ("sts", "StatefulSet"),
    ("svc", "Service"),
];

/// The one object that a person names by NAME, KIND/NAME or KIND.GROUP/NAME.
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
        kind.is_none_or(|kind| is_kind(object, kind))
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
        [] => bail!("{}", missing(build, kind, name, namespace)),
        several => {
            let names =
                several.iter().map(|object| describe(object)).collect::<Vec<_>>().join(", ");
            bail!("`{wanted}` names several objects ({names}): say KIND/NAME and --namespace")
        }
    }
}

/// Whether an object is of a kind, written as `Kind`, `kind.group` or in the plural.
fn is_kind(object: &Object, wanted: &str) -> bool {
    let (kind, group) = match wanted.split_once('.') {
        Some((kind, group)) => (kind, Some(group)),
        None => (wanted, None),
    };
    let kind = SHORT.iter().find(|(short, _)| *short == kind).map_or(kind, |(_, kind)| kind);
    let plural = || {
        kind.strip_suffix("es")
            .into_iter()
            .chain(kind.strip_suffix('s'))
            .any(|singular| object.kind().eq_ignore_ascii_case(singular))
    };
    group.is_none_or(|group| object.group() == group)
        && (object.kind().eq_ignore_ascii_case(kind) || plural())
}

/// Says that an object is not there, and which one was probably meant.
fn missing(build: &Build, kind: Option<&str>, name: &str, namespace: Option<&str>) -> String {
    let of_kind = |object: &&Object| kind.is_none_or(|kind| is_kind(object, kind));
    let alike: Vec<&Object> = build.objects.iter().filter(of_kind).collect();
    let what = match (kind, alike.first()) {
        (Some(_), Some(first)) => first.kind(),
        (Some(kind), None) => {
            let kinds = build.objects.iter().map(Object::kind);
            return match nearest(kind, kinds) {
                Some(near) => format!("the build has no {kind}; there is {near}"),
                None => format!("the build has no {kind}; it has {}", list(build.objects.iter())),
            };
        }
        (None, _) => "object",
    };
    let place = namespace.map(|it| format!(" in {it}")).unwrap_or_default();
    let here = alike.iter().filter(|it| it.name() == name || it.was_named(name));
    let elsewhere: Vec<String> = here.map(|object| describe(object)).collect();
    if !elsewhere.is_empty() {
        return format!("no {what} named `{name}`{place}; there is {}", elsewhere.join(", "));
    }
    match nearest(name, alike.iter().map(|object| object.name())) {
        Some(near) => format!("no {what} named `{name}`{place}; there is `{near}`"),
        None => format!("no {what} named `{name}`{place}; there is {}", list(alike.into_iter())),
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

fn list<'a>(objects: impl ExactSizeIterator<Item = &'a Object>) -> String {
    let more = objects.len().saturating_sub(12);
    let some = objects.take(12).map(|object| format!("{}/{}", object.kind(), object.name()));
    let mut text = some.collect::<Vec<_>>().join(", ");
    if text.is_empty() {
        text.push_str("nothing");
    }
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}
