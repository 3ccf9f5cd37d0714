//! Taking over what another tool manages.

mod patch; // how its fields become ours

use crate::managed::{self, FieldSet, Manager};
use crate::marks::{OWNER_NAME, OWNER_NAMESPACE};
use crate::{Found, Origin};

pub use patch::takeover;

/// A tool whose marks an object bears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    /// Its name: `kubectl`, `Helm`, `Flux`, `kustomizer`, or another delivery of ours.
    pub(crate) name: String,
    /// Which of its releases, where it says so.
    pub(crate) of: String,
}

impl std::fmt::Display for Tool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)?;
        if self.of.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.of) }
    }
}

/// What a tool leaves on the objects that it manages.
struct Trace {
    name: &'static str,
    /// Beginnings of the names of its field managers.
    managers: &'static [&'static str],
    /// Labels and annotations that only it sets.
    marks: &'static [&'static str],
    /// The marks with the name of the release, and where that is.
    of: [&'static str; 2],
}

/// The tools that are known. kubectl comes last, since others leave its traces too.
const TRACES: [Trace; 6] = [
    Trace {
        name: "Flux",
        managers: &["kustomize-controller", "helm-controller"],
        marks: &[
            "kustomize.toolkit.fluxcd.io/name",
            "kustomize.toolkit.fluxcd.io/namespace",
            "kustomize.toolkit.fluxcd.io/checksum",
            "helm.toolkit.fluxcd.io/name",
            "helm.toolkit.fluxcd.io/namespace",
        ],
        of: ["kustomize.toolkit.fluxcd.io/namespace", "kustomize.toolkit.fluxcd.io/name"],
    },
    Trace {
        name: "Argo CD",
        managers: &["argocd-controller", "argocd-application-controller"],
        marks: &["argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"],
        of: ["", "argocd.argoproj.io/instance"],
    },
    Trace {
        name: "Helm",
        managers: &["helm"],
        marks: &["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"],
        of: ["meta.helm.sh/release-namespace", "meta.helm.sh/release-name"],
    },
    Trace {
        name: "kustomizer",
        managers: &["kustomizer"],
        marks: &["inventory.kustomizer.dev/name", "inventory.kustomizer.dev/namespace"],
        of: ["inventory.kustomizer.dev/namespace", "inventory.kustomizer.dev/name"],
    },
    Trace {
        name: "kapp",
        managers: &["kapp-server"],
        marks: &["kapp.k14s.io/app", "kapp.k14s.io/identity", "kapp.k14s.io/original"],
        of: ["", "kapp.k14s.io/app"],
    },
    Trace {
        name: "kubectl",
        managers: &["kubectl", "before-first-apply"],
        marks: &[crate::mask::LAST_APPLIED],
        of: ["", ""],
    },
];

/// The tool that manages an object, going by field managers, labels and annotations.
pub(crate) fn tool(found: &Found) -> Option<Tool> {
    if let Some(name) = found.label(OWNER_NAME) {
        let namespace = found.label(OWNER_NAMESPACE).unwrap_or_default();
        return Some(Tool {
            name: "another delivery".to_owned(),
            of: format!("{namespace}/{name}"),
        });
    }
    let managers = managed::managers(&found.object.node);
    let trace = TRACES.iter().find(|trace| trace.is_on(found, &managers))?;
    let of = trace.of.iter().filter_map(|mark| mark_of(found, mark)).collect::<Vec<_>>();
    Some(Tool { name: trace.name.to_owned(), of: of.join("/") })
}

/// What becomes ours of an object when it is taken over.
pub(crate) fn fields(found: &Found, manager: &str, origin: Origin) -> FieldSet {
    let managers = managed::managers(&found.object.node);
    let taken = managers.iter().filter(|entry| is_taken(entry, manager, origin));
    taken.fold(FieldSet::default(), |set, entry| set.union(&entry.fields))
}

/// Whether what a manager owns is taken over: what we owned under another name always, what other tools own where the
/// object is adopted.
pub(crate) fn is_taken(entry: &Manager, manager: &str, origin: Origin) -> bool {
    let is_tool = || TRACES.iter().any(|trace| trace.is_manager(&entry.name));
    // What our own name has written in another way than by applying is not removed when it is no longer sent, either.
    let is_ours = || entry.name == manager && !entry.applies;
    let is_adopted = origin == Origin::Adopted && (is_tool() || is_ours());
    entry.subresource.is_empty()
        && !entry.is_ours(manager)
        && (is_adopted || is_former(entry, manager))
}

/// Whether a manager is we under another name: who applies the labels of a delivery is one.
pub(crate) fn is_former(entry: &Manager, manager: &str) -> bool {
    let owns = |label| entry.fields.owns_at(None, &["metadata", "labels", label]);
    entry.applies && entry.name != manager && owns(OWNER_NAME) && owns(OWNER_NAMESPACE)
}

/// Whether a label or an annotation is a tool's own.
pub(crate) fn is_mark(key: &str) -> bool {
    TRACES.iter().any(|trace| trace.marks.contains(&key))
}

fn mark_of<'a>(found: &'a Found, mark: &str) -> Option<&'a str> {
    found.label(mark).or_else(|| found.annotation(mark)).filter(|_| !mark.is_empty())
}

impl Trace {
    fn is_on(&self, found: &Found, managers: &[Manager]) -> bool {
        let manages =
            |entry: &Manager| entry.subresource.is_empty() && self.is_manager(&entry.name);
        self.marks.iter().any(|mark| mark_of(found, mark).is_some()) || managers.iter().any(manages)
    }

    /// Whether a name is one of its managers', or one of them with something after it, such as `kubectl-edit`.
    fn is_manager(&self, name: &str) -> bool {
        self.managers.iter().any(|known| {
            let rest = name.strip_prefix(known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') && *known == "kubectl")
        })
    }
}

#[cfg(test)]
mod tests {
    use kelson_model::Object;
    use kelson_yaml::{Dialect, Span, first_document};

    use super::*;

    fn found(metadata: &str) -> Found {
        let text = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, uid: u, resourceVersion: '7', {metadata}}}, data: {{a: b}}}}"
        );
        let node = first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
        Found::new(Object::new(node).unwrap(), "kelson")
    }

    #[track_caller]
    fn check(metadata: &str, expected: &str) {
        let actual = tool(&found(metadata)).map(|tool| tool.to_string());
        assert_eq!(actual.as_deref().unwrap_or("nobody"), expected);
    }

    #[test]
    fn a_tool_is_known_by_its_traces() {
        check("labels: {a: b}", "nobody");
        check(
            "managedFields: [{manager: kubectl-client-side-apply, operation: Update}]",
            "kubectl",
        );
        check("managedFields: [{manager: before-first-apply, operation: Update}]", "kubectl");
        check(
            "managedFields: [{manager: kubectl-edit, operation: Update, subresource: status}]",
            "nobody",
        );
        check("managedFields: [{manager: kube-controller-manager, operation: Update}]", "nobody");
        check("managedFields: [{manager: helm-operator, operation: Update}]", "nobody");
        check("annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}", "kubectl");
        check(
            "labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: n}",
            "Helm (n/r)",
        );
        check(
            "labels: {kustomize.toolkit.fluxcd.io/name: a, kustomize.toolkit.fluxcd.io/namespace: b}",
            "Flux (b/a)",
        );
        check("managedFields: [{manager: kustomizer, operation: Apply}]", "kustomizer");
        check(
            "labels: {kelson.dev/name: shop, kelson.dev/namespace: prod}",
            "another delivery (prod/shop)",
        );
    }

    #[test]
    fn what_a_tool_owns_becomes_ours() {
        let found = found(
            "annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}', x: y}, labels: {}, managedFields: [\
             {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}},\
             {manager: other, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:b': {}}}},\
             {manager: kubectl, operation: Update, subresource: status, fieldsV1: {'f:status': {}}},\
             {manager: kelson, operation: Apply, apiVersion: v1, time: t, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:c': {}}}}]",
        );
        let mut text = String::new();
        kelson_yaml::json::write(&takeover(&found, "kelson", Origin::Adopted).unwrap(), &mut text)
            .unwrap();
        expect_test::expect![[r#"[{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"replace","path":"/metadata/managedFields","value":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:b":{}}},"manager":"other","operation":"Update"},{"fieldsV1":{"f:status":{}},"manager":"kubectl","operation":"Update","subresource":"status"},{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{},"f:c":{}}},"manager":"kelson","operation":"Apply"}]},{"op":"remove","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"}]"#]]
        .assert_eq(&text);
    }

    #[test]
    fn nothing_is_taken_over_from_nobody() {
        let ours = found("managedFields: [{manager: kelson, operation: Apply}]");
        assert!(takeover(&ours, "kelson", Origin::Adopted).is_none());
        let edited = found(
            "managedFields: [{manager: kubectl-edit, operation: Update, fieldsV1: {'f:data': {}}}]",
        );
        assert!(takeover(&edited, "kelson", Origin::Created).is_none());
    }

    #[test]
    fn what_we_owned_under_another_name_is_always_taken_over() {
        let labels =
            "'f:metadata': {'f:labels': {'f:kelson.dev/name': {}, 'f:kelson.dev/namespace': {}}}";
        let found = found(&format!(
            "managedFields: [{{manager: former, operation: Apply, fieldsV1: {{{labels}}}}}]"
        ));
        assert!(takeover(&found, "kelson", Origin::Created).is_some());
        assert!(takeover(&found, "former", Origin::Created).is_none());
    }
}
