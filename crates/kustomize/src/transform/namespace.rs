//! `namespace`, and the transformer of that name with its options.

use kelson_yaml::{Data, Node, Style, Tag, Touch};

use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Make, Specs, visit};
use crate::gotext;
use crate::id::Gvk;
use crate::resource::Resource;
use crate::write::{WRONG_KIND, Writer, is_null, wrong_kind};

/// A namespace and where it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Namespace<'a> {
    /// The namespace.
    pub(crate) name: &'a Str,
    /// The fields beside `metadata.namespace`.
    pub(crate) specs: &'a Specs,
    /// Whether fields that have a value keep it.
    pub(crate) unset_only: bool,
    /// Which subjects of role bindings are meant.
    pub(crate) subjects: Subjects,
}

/// Which subjects of role bindings get the namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subjects {
    /// Those named `default`.
    #[default]
    DefaultOnly,
    /// Every service account.
    AllServiceAccounts,
    /// None.
    None,
}

impl Subjects {
    /// Reads `setRoleBindingSubjects`.
    pub(crate) fn parse(text: &Str) -> Result<Self> {
        match &**text {
            "" | "defaultOnly" => Ok(Self::DefaultOnly),
            "allServiceAccounts" => Ok(Self::AllServiceAccounts),
            "none" => Ok(Self::None),
            other => Err(Fault::new(
                "wrong-value",
                format!(
                    "invalid value {} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\"",
                    gotext::quote(other)
                ),
            )
            .at(text.span, "not one of the three modes")),
        }
    }
}

/// Sets the namespace and remembers the former id, whether or not it changed.
pub(crate) fn apply(
    resource: &mut Resource,
    namespace: Namespace<'_>,
    is_cluster_scoped: bool,
    touch: Touch,
) -> Result<bool> {
    resource.store_previous(is_cluster_scoped);
    set(resource, namespace, is_cluster_scoped, touch)
}

/// Sets the namespace.
pub(crate) fn set(
    resource: &mut Resource,
    namespace: Namespace<'_>,
    is_cluster_scoped: bool,
    touch: Touch,
) -> Result<bool> {
    let gvk = resource.gvk();
    let mut writer = Writer::new(touch);
    let node = &mut resource.node;
    if !is_cluster_scoped {
        let spec = FieldSpec::new(Gvk::default(), NAMESPACE, true);
        let make = Make::Scalar(Tag::Unresolved);
        visit(node, &spec, make, &mut writer, &mut |writer, node| write(namespace, writer, node))?;
    }
    if is_role_binding(&gvk.kind) {
        set_subjects(node, namespace, &mut writer)?;
        writer.settle(node);
    }
    for spec in namespace.specs.of(&gvk).filter(|spec| is_wanted(spec, &gvk)) {
        let make = Make::Scalar(Tag::Str);
        visit(node, spec, make, &mut writer, &mut |writer, node| write(namespace, writer, node))
            .map_err(explain)?;
    }
    Ok(writer.writes() > 0)
}

const NAMESPACE: &str = "metadata/namespace";

/// Some fields have rules of their own: the namespace itself, names, and the subjects of role bindings.
fn is_wanted(spec: &FieldSpec, gvk: &Gvk) -> bool {
    match &*spec.path {
        NAMESPACE => false,
        "metadata/name" => gvk.group.is_empty() && gvk.version == "v1",
        "subjects/namespace" => !(is_role_binding(&gvk.kind) && is_role_binding(&spec.gvk.kind)),
        _ => true,
    }
}

fn is_role_binding(kind: &str) -> bool {
    matches!(kind, "RoleBinding" | "ClusterRoleBinding")
}

fn explain(fault: Box<Fault>) -> Box<Fault> {
    if fault.diagnostic.code == WRONG_KIND {
        fault.wrap("namespace field specs must target scalar nodes")
    } else {
        fault.wrap("namespace transformation failed")
    }
}

fn write(namespace: Namespace<'_>, writer: &mut Writer, node: &mut Node) -> Result<()> {
    let is_set = !is_null(node) && node.text().is_some_and(|text| !text.is_empty());
    if namespace.unset_only && is_set {
        return Ok(());
    }
    writer.scalar(node, namespace.name, Tag::Str, Some(namespace.name.span))
}

fn set_subjects(object: &mut Node, namespace: Namespace<'_>, writer: &mut Writer) -> Result<()> {
    let (key, wanted) = match namespace.subjects {
        Subjects::None => return Ok(()),
        Subjects::DefaultOnly => ("name", "default"),
        Subjects::AllServiceAccounts => ("kind", "ServiceAccount"),
    };
    let Some(subjects) = object.get_mut("subjects") else { return Ok(()) };
    if is_null(subjects) {
        return Ok(());
    }
    let Data::Sequence(sequence) = &mut subjects.data else {
        return Err(wrong_kind("SequenceNode", subjects).wrap(ON_SUBJECTS));
    };
    for subject in &mut sequence.items {
        let is_meant = is_meant(subject, key, wanted).map_err(|fault| {
            fault.wrap(format!("{ON_SUBJECTS}: looking up {key} on (cluster)role binding subject"))
        })?;
        if is_meant {
            write(namespace, writer, namespace_of(subject))
                .map_err(|fault| fault.wrap(ON_SUBJECTS))?;
        }
    }
    Ok(())
}

const ON_SUBJECTS: &str = "setting namespace on (cluster)role binding subjects";

fn is_meant(subject: &Node, key: &str, wanted: &str) -> Result<bool> {
    if is_null(subject) {
        return Ok(false);
    }
    if subject.as_mapping().is_none() {
        return Err(wrong_kind("MappingNode", subject));
    }
    match subject.get(key) {
        None => Ok(false),
        Some(value) if is_null(value) => Ok(false),
        Some(value) => match value.text() {
            Some(text) => Ok(text == wanted),
            None => Err(wrong_kind("ScalarNode", value)),
        },
    }
}

/// The field `namespace` of a subject, made where it is missing.
fn namespace_of(subject: &mut Node) -> &mut Node {
    if subject.get("namespace").is_none()
        && let Some(mapping) = subject.as_mapping_mut()
    {
        let key = Node::scalar("namespace", Tag::Unresolved, Style::Plain);
        mapping.push(key, Node::scalar("", Tag::Unresolved, Style::Plain));
    }
    subject.get_mut("namespace").expect("because the field is there or was just made")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::transform::tests::{parse, print, shown};

    #[track_caller]
    fn check(field: Option<&str>, unset_only: bool, subjects: &str, expected: Expect) {
        let objects = "apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: kept}
subjects:
- {kind: ServiceAccount, name: default, namespace: kept}
- {kind: ServiceAccount, name: other}
- {kind: Group, name: default}
";
        let field = field.map(|path| FieldSpec::new(Gvk::default(), path, false));
        let specs = &Specs::new(field.into_iter().collect());
        let name = &Str::new("ns");
        let mut resources = parse(objects);
        let changed = Subjects::parse(&Str::new(subjects)).and_then(|subjects| {
            let namespace = Namespace { name, specs, unset_only, subjects };
            apply(&mut resources[0], namespace, false, Touch(1))
        });
        expected.assert_eq(&changed.and_then(|_| print(&mut resources)).unwrap_or_else(shown));
    }

    #[test]
    fn namespaces_that_are_set_can_be_kept() {
        check(
            None,
            true,
            "",
            expect![[r#"
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata:
                  name: b
                  namespace: kept
                subjects:
                - kind: ServiceAccount
                  name: default
                  namespace: kept
                - kind: ServiceAccount
                  name: other
                - kind: Group
                  name: default
                  namespace: ns
            "#]],
        );
    }

    #[test]
    fn every_service_account_can_be_meant() {
        check(
            None,
            false,
            "allServiceAccounts",
            expect![[r#"
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata:
                  name: b
                  namespace: ns
                subjects:
                - kind: ServiceAccount
                  name: default
                  namespace: ns
                - kind: ServiceAccount
                  name: other
                  namespace: ns
                - kind: Group
                  name: default
            "#]],
        );
    }

    #[test]
    fn what_is_no_single_value_is_refused() {
        check(
            Some("subjects"),
            false,
            "",
            expect![[r#"
                Error: namespace field specs must target scalar nodes: considering field 'subjects' of object RoleBinding.v1.rbac.authorization.k8s.io/b.ns: wrong node kind: expected ScalarNode but got SequenceNode: node contents:
                - {kind: ServiceAccount, name: default, namespace: ns}
                - {kind: ServiceAccount, name: other}
                - {kind: Group, name: default, namespace: ns}
            "#]],
        );
        check(
            Some("metadata/name/x"),
            false,
            "none",
            expect![[r#"
                Error: namespace transformation failed: considering field 'metadata/name/x' of object RoleBinding.v1.rbac.authorization.k8s.io/b.ns: expected sequence or mapping node
            "#]],
        );
        check(
            None,
            false,
            "nope",
            expect![[r#"
                Error: invalid value "nope" for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"
            "#]],
        );
    }
}
